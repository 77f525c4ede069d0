//! Ways to write a single value.

use std::ops::Range;

use casebook_source::yaml::{ScalarLayout, Style};

use super::block::Block;
use super::location::ValueLocation;
use super::verify::Expected;
use super::{Leaf, Replacement, Rewrite, SuiteEditor};
use crate::expand::escaped;

impl SuiteEditor<'_> {
    /// Replaces the text of an assertion that ignores the newlines at the end of both texts.
    pub(super) fn text_leaf(&self, location: ValueLocation<'_>, text: &str) -> Option<Leaf> {
        let layout = self.layout.scalar(location.node.span)?;
        let raw = escaped(text.trim_end_matches('\n')).into_owned();
        let block = self.block(location, layout);
        let strips = block.is_some_and(|block| block.strips_newline(self.file.text()));
        let lines = if strips {
            raw.clone()
        } else {
            format!("{raw}\n")
        };
        self.scalar_leaf(
            location,
            layout,
            (&raw, &lines),
            Expected::Text(raw.clone()),
        )
    }

    /// Replaces a single value by a string, which can be a different one as a block.
    pub(super) fn scalar_leaf(
        &self,
        location: ValueLocation<'_>,
        layout: ScalarLayout,
        (raw, lines): (&str, &str),
        expected: Expected,
    ) -> Option<Leaf> {
        let is_line = !raw.contains('\n');
        let in_flow = self.layout.is_in_flow(location.node.span.start);
        let mut rewrites: Vec<Rewrite> = Vec::new();
        let token = match layout.style {
            Style::Plain if is_line => plain(raw, in_flow),
            Style::SingleQuoted if is_line => single_quoted(raw),
            _ => None,
        };
        rewrites.extend(token.and_then(|token| self.replace(location, layout, token)));
        let keeps_block = matches!(layout.style, Style::Literal | Style::Folded);
        if !in_flow && (keeps_block || !is_line) {
            rewrites.extend(self.as_block(location, layout, lines));
        }
        rewrites.extend(self.replace(location, layout, double_quoted(raw)));
        (!rewrites.is_empty()).then_some(Leaf {
            span: location.node.span,
            expected,
            rewrites,
        })
    }

    /// Replaces the value by a text on its line.
    pub(super) fn replace(
        &self,
        location: ValueLocation<'_>,
        layout: ScalarLayout,
        token: String,
    ) -> Option<Rewrite> {
        if let Some(block) = self.block(location, layout) {
            return Some(block.replaced_by(token));
        }
        let span = location.node.span;
        if span.start < span.end {
            return Some(vec![replacement(span.range(), token)]);
        }
        // Nothing is written after the colon.
        let colon = self.colon_after(location.key_end?)?;
        Some(vec![replacement(colon..colon, format!(" {token}"))])
    }

    /// The end of the colon after a key.
    pub(super) fn colon_after(&self, key_end: usize) -> Option<usize> {
        let rest = self.file.text().get(key_end..)?;
        let colon = rest.trim_start_matches([' ', '\t']);
        colon
            .starts_with(':')
            .then(|| key_end + rest.len() - colon.len() + 1)
    }

    /// The block of a value, if it is written as one.
    pub(super) fn block(&self, location: ValueLocation<'_>, layout: ScalarLayout) -> Option<Block> {
        let value = location.node.as_text()?;
        match layout.style {
            Style::Literal | Style::Folded => Block::find(self.file.text(), layout.after, value),
            Style::Plain | Style::SingleQuoted | Style::DoubleQuoted => None,
        }
    }
}

pub(super) fn replacement(range: Range<usize>, text: impl Into<String>) -> Replacement {
    Replacement {
        range,
        text: text.into(),
    }
}

/// The text without quotes, if it can be written like that.
pub(super) fn plain(text: &str, in_flow: bool) -> Option<String> {
    const INDICATORS: &str = "-?:,[]{}#&*!|>'\"%@`=<";
    let first = text.chars().next()?;
    let is_plain = !INDICATORS.contains(first)
        && text.trim() == text
        && text.chars().all(is_printable)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains('\t')
        && !text.ends_with(':')
        && !text.starts_with("...")
        && !(in_flow && text.contains([',', '[', ']', '{', '}', ':']))
        && !matches!(text, "~" | "null" | "Null" | "NULL");
    is_plain.then(|| text.to_owned())
}

fn single_quoted(text: &str) -> Option<String> {
    let is_printable = text.chars().all(is_printable);
    is_printable.then(|| format!("'{}'", text.replace('\'', "''")))
}

/// The text in double quotes on one line.
pub(super) fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            '\u{1b}' => quoted.push_str("\\e"),
            c if is_printable(c) => quoted.push(c),
            c => quoted.push_str(&escape(c)),
        }
    }
    quoted.push('"');
    quoted
}

fn escape(c: char) -> String {
    match u32::from(c) {
        code @ 0..=0xff => format!("\\x{code:02x}"),
        code @ 0x100..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

/// Whether a character can be written as it is. Those that some editors or parsers take for a line break cannot.
pub(super) fn is_printable(c: char) -> bool {
    match c {
        '\t' => true,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        c => !c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_would_mean_something_else_are_quoted() {
        for text in [
            "", " a", "a ", "- a", "a: b", "a #b", "a:", "{a}", "~", "null", "*a", "a\u{7}", "'a'",
        ] {
            assert_eq!(plain(text, false), None, "{text:?}");
        }
        for text in ["a", "12", "a-b", "http://x", "a, b", "x{y}", "größe"] {
            assert!(plain(text, false).is_some(), "{text:?}");
        }
        assert_eq!(plain("a, b", true), None);
        assert_eq!(
            double_quoted("a\"\\\n\t\u{1b}\u{7}\u{2028}ä"),
            r#""a\"\\\n\t\e\x07\u2028ä""#
        );
        assert_eq!(single_quoted("it's").as_deref(), Some("'it''s'"));
    }
}
