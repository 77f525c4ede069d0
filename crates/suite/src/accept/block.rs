//! Texts of several lines: blocks after `|` or `>`.

use std::ops::Range;

use casebook_source::yaml::{ScalarLayout, Style};

use super::location::ValueLocation;
use super::scalar::{is_printable, replacement};
use super::{Rewrite, SuiteEditor};

/// How much deeper than its key a new block is indented.
const STEP: usize = 2;

/// A block in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// `|` or `>` and the indicators after it.
    header: Range<usize>,
    /// From the end of the header's line to the end of the last line with content.
    content: Range<usize>,
    /// The end of the blank lines after the content.
    blank_end: usize,
    /// The spaces before each line of the content; `None` if there is none.
    indent: Option<usize>,
}

impl Block {
    /// Finds the block with this value, whose key, or the element before it, ends at `after`.
    pub(super) fn find(text: &str, after: usize, value: &str) -> Option<Block> {
        let header = header(text, after)?;
        let header_end = line_end(text, header.end);
        let mut block = Block {
            header,
            content: header_end..header_end,
            blank_end: header_end,
            indent: indent(&text[header_end..], value),
        };
        let mut at = next_line(text, header_end);
        while let Some(start) = at {
            let end = line_end(text, start);
            if !block.take(&text[start..end], end) {
                break;
            }
            at = next_line(text, end);
        }
        Some(block)
    }

    /// Adds a line if it belongs to the block.
    fn take(&mut self, line: &str, end: usize) -> bool {
        let spaces = leading_spaces(line);
        let is_blank = spaces == line.len();
        let is_content = self.indent.is_some_and(|indent| spaces >= indent)
            && (!is_blank || Some(spaces) > self.indent);
        if is_content {
            self.content.end = end;
        }
        if is_content || is_blank {
            self.blank_end = end;
        }
        is_content || is_blank
    }

    /// Whether its value has no newline at the end.
    pub(super) fn strips_newline(&self, text: &str) -> bool {
        text[self.header.clone()].contains('-')
    }

    /// The block replaced by a value on the line of its header.
    pub(super) fn replaced_by(self, token: String) -> Rewrite {
        vec![
            replacement(self.header, token),
            replacement(self.content, ""),
        ]
    }
}

impl SuiteEditor<'_> {
    /// The value as a block, if its characters can be written like that.
    pub(super) fn as_block(
        &self,
        location: ValueLocation<'_>,
        layout: ScalarLayout,
        raw: &str,
    ) -> Option<Rewrite> {
        let lines = raw.trim_end_matches('\n');
        if lines.is_empty() || !lines.chars().all(|c| c == '\n' || is_printable(c)) {
            return None;
        }
        let text = self.file.text();
        let old = self.block(location, layout);
        let indent = old.as_ref().and_then(|old| old.indent);
        let indent = indent.unwrap_or(location.column + STEP);
        let end = location.node.span.end;
        let at = old.as_ref().map_or(end, |old| old.header.end);
        let eol = line_ending(text, at);
        let style = match layout.style {
            Style::Folded if !lines.contains('\n') => '>',
            _ => '|',
        };
        let was_explicit = old.as_ref().is_some_and(|old| {
            let mut header = text[old.header.clone()].bytes();
            header.any(|byte| byte.is_ascii_digit())
        });
        let header = format!(
            "{style}{}{}",
            indicator(lines, indent, location.column, was_explicit),
            chomping(raw)
        );
        let keeps_all = chomping(raw) == "+";
        let mut content = content(raw, indent, eol);
        let (header_range, range) = match old {
            Some(old) if keeps_all => (old.header, old.content.start..old.blank_end),
            Some(old) => (old.header, old.content),
            None => {
                let line_end = line_end(text, end);
                (location.node.span.range(), line_end..line_end)
            }
        };
        if range.end == text.len() && raw.ends_with('\n') {
            content.push_str(eol);
        }
        Some(vec![
            replacement(header_range, header),
            replacement(range, content),
        ])
    }
}

/// The spaces before the lines of a block with this value: those of its first line with text, without the value's own.
fn indent(after_header: &str, value: &str) -> Option<usize> {
    let first = |text: &str| {
        let mut lines = text.split('\n');
        lines
            .find(|line| !line.trim_matches([' ', '\r']).is_empty())
            .map(leading_spaces)
    };
    first(after_header)?.checked_sub(first(value)?)
}

fn leading_spaces(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The lines of a block, each after a line ending.
fn content(raw: &str, indent: usize, eol: &str) -> String {
    let spaces = " ".repeat(indent);
    let lines = raw.strip_suffix('\n').unwrap_or(raw);
    let lines = lines.split('\n').map(|line| match line {
        "" => eol.to_owned(),
        line => format!("{eol}{spaces}{line}"),
    });
    lines.collect()
}

/// The indentation indicator: required if the first line with content begins with a space.
fn indicator(lines: &str, indent: usize, column: usize, was_explicit: bool) -> String {
    let mut lines = lines.split('\n');
    let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
    if was_explicit || first.starts_with([' ', '\t']) {
        indent.saturating_sub(column).to_string()
    } else {
        String::new()
    }
}

/// The chomping indicator with which the newlines at the end are kept.
fn chomping(raw: &str) -> &'static str {
    match raw.len() - raw.trim_end_matches('\n').len() {
        0 => "-",
        1 => "",
        _ => "+",
    }
}

/// The header of a block: the first `|` or `>` after a key, its colon, comments, anchors and tags.
fn header(text: &str, after: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = after;
    loop {
        match *bytes.get(at)? {
            b' ' | b'\t' | b'\r' | b'\n' | b':' | b'-' | b'?' => at += 1,
            b'#' => at = line_end(text, at),
            b'&' | b'!' => {
                let rest = bytes[at..].iter();
                at += rest.take_while(|byte| !byte.is_ascii_whitespace()).count();
            }
            b'|' | b'>' => {
                let indicators = bytes[at + 1..].iter();
                let indicators = indicators
                    .take_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9'))
                    .count();
                return Some(at..at + 1 + indicators);
            }
            _ => return None,
        }
    }
}

/// The end of the line that contains this location, before its line ending.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let line = rest.find('\n').map_or(rest, |newline| &rest[..newline]);
    at + line.strip_suffix('\r').unwrap_or(line).len()
}

/// The start of the next line after the end of a line.
fn next_line(text: &str, end: usize) -> Option<usize> {
    let newline = text[end..].find('\n')?;
    Some(end + newline + 1)
}

/// The line ending of the line at this location, or of the line before it.
fn line_ending(text: &str, at: usize) -> &'static str {
    let newline = text[at..].find('\n').map(|newline| at + newline);
    let newline = newline.or_else(|| text[..at].rfind('\n'));
    match newline {
        Some(newline) if text[..newline].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
