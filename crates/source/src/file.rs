//! [`SourceFile`]: a file's name, its text and the positions of its lines.
//!
//! A file may include others. Their texts follow its own in one range of offsets, so that a span identifies its file: see
//! [`SourceFile::locate`].

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use crate::span::Span;

/// The text of a file with the name shown to the user.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    /// Computed on first use: a file without problems never needs it.
    line_starts: OnceLock<Vec<usize>>,
    /// The included files, in the order of their offsets. Set once, after the file is parsed.
    included: OnceLock<Vec<Arc<SourceFile>>>,
}

/// A line and a column as editors count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &SourceFile) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Eq for SourceFile {}

impl SourceFile {
    /// Creates a file with this name and text; nothing is read from disk.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        SourceFile {
            name: name.into(),
            text: text.into(),
            line_starts: OnceLock::new(),
            included: OnceLock::new(),
        }
    }

    /// Sets the files that this one includes; only the first call has an effect. The spans of the first one begin at
    /// [`SourceFile::end`] of this file, those of the next one after the first one, and so on.
    pub fn set_included(&self, files: Vec<Arc<SourceFile>>) {
        let _ = self.included.set(files);
    }

    /// The files that it includes, directly or through others.
    pub fn included(&self) -> &[Arc<SourceFile>] {
        self.included.get().map_or(&[], Vec::as_slice)
    }

    /// The first offset after the text. The end of the text is an offset too, so this is one more than its length.
    pub fn end(&self) -> usize {
        self.text.len() + 1
    }

    /// The file that a span is in, this one or an included one, and the span in the text of that file.
    pub fn locate(&self, span: Span) -> (&SourceFile, Span) {
        let mut start = self.end();
        if span.start < start {
            return (self, span);
        }
        for file in self.included() {
            if span.start < start + file.end() {
                return (file, Span::new(span.start - start, span.end - start));
            }
            start += file.end();
        }
        (self, span)
    }

    /// Whether a span is in an included file.
    pub fn is_included(&self, span: Span) -> bool {
        !std::ptr::eq(self.locate(span).0, self)
    }

    /// The name shown to the user: a path relative to the working directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The complete text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty if the span is not in the file.
    pub fn slice(&self, span: Span) -> &str {
        let (file, span) = self.locate(span);
        file.text.get(span.range()).unwrap_or_default()
    }

    /// The span without the quotes of a YAML string.
    pub fn without_quotes(&self, span: Span) -> Span {
        let text = self.slice(span);
        let is_quoted = |quote| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
        if is_quoted('"') || is_quoted('\'') {
            Span::new(span.start + 1, span.end - 1)
        } else {
            span
        }
    }

    /// The line and column of a byte; an offset after the end counts as the end. In an included file, they are counted from its
    /// beginning.
    pub fn position(&self, offset: usize) -> Position {
        let (file, span) = self.locate(Span::new(offset, offset));
        file.own_position(span.start)
    }

    /// The lines of a span. A block of YAML text ends after the indentation of what follows it, which is not one of its lines.
    pub fn lines_of(&self, span: Span) -> RangeInclusive<usize> {
        let length = self.slice(span).trim_end().len();
        let last = span.start + length.saturating_sub(1);
        self.position(span.start).line..=self.position(last).line
    }

    fn own_position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let starts = self.line_starts();
        let line = starts.partition_point(|start| *start <= offset);
        let start = starts[line - 1];
        let before = self.text.as_bytes()[start..offset]
            .iter()
            .filter(|byte| (**byte & 0xc0) != 0x80)
            .count();
        Position {
            line,
            column: before + 1,
        }
    }

    /// The line with this number, without its line ending; empty if the line does not exist.
    pub fn line(&self, number: usize) -> &str {
        let starts = self.line_starts();
        let Some(start) = number.checked_sub(1).and_then(|index| starts.get(index)) else {
            return "";
        };
        let end = starts.get(number).copied().unwrap_or(self.text.len());
        self.text[*start..end].trim_end_matches(['\n', '\r'])
    }

    /// The offset of the first byte of a line; the end of the text if the line does not exist.
    pub(crate) fn start_of_line(&self, number: usize) -> usize {
        let starts = self.line_starts();
        let start = number.checked_sub(1).and_then(|index| starts.get(index));
        start.copied().unwrap_or(self.text.len())
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let ends = self
                .text
                .bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(index, _)| index + 1);
            std::iter::once(0).chain(ends).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_as_editors_do() {
        let file = SourceFile::new("a.yaml", "one\nzwölf 😀 x\r\n\nend");
        for (offset, line, column) in [
            (0, 1, 1),
            (3, 1, 4),
            (4, 2, 1),
            (6, 2, 3),
            (8, 2, 4),
            (15, 2, 8),
            (19, 3, 1),
            (20, 4, 1),
            (99, 4, 4),
        ] {
            assert_eq!(file.position(offset), Position { line, column }, "{offset}");
        }
        assert_eq!(
            [file.line(1), file.line(2), file.line(3), file.line(4)],
            ["one", "zwölf 😀 x", "", "end"]
        );
        assert_eq!([file.line(0), file.line(5)], ["", ""]);
    }

    #[test]
    fn white_space_at_the_end_of_a_span_has_no_lines() {
        let file = SourceFile::new("a.yaml", "- a: |\n    x\n\n  - b\n");
        for (start, end, lines) in [
            (2, 13, 1..=2),
            (2, 16, 1..=2),
            (16, 19, 4..=4),
            (2, 2, 1..=1),
        ] {
            assert_eq!(file.lines_of(Span::new(start, end)), lines, "{start} {end}");
        }
    }

    #[test]
    fn spans_of_included_files_are_located_in_them() {
        let file = SourceFile::new("suite.yaml", "one\n");
        let included = ["", "a: 1\nb: 2"].map(|text| Arc::new(SourceFile::new(text, text)));
        file.set_included(included.into());
        for (start, end, name, text, line) in [
            (0, 3, "suite.yaml", "one", 1),
            (4, 4, "suite.yaml", "", 2),
            (5, 5, "", "", 1),
            (6, 10, "a: 1\nb: 2", "a: 1", 1),
            (11, 15, "a: 1\nb: 2", "b: 2", 2),
            (15, 15, "a: 1\nb: 2", "", 2),
        ] {
            let span = Span::new(start, end);
            assert_eq!(file.locate(span).0.name(), name, "{start}");
            assert_eq!(file.slice(span), text, "{start}");
            assert_eq!(file.position(start).line, line, "{start}");
            assert_eq!(file.is_included(span), name != "suite.yaml", "{start}");
        }
        assert_eq!(file.position(99).line, 2);
        assert_eq!(file.slice(Span::new(99, 100)), "");
    }
}
