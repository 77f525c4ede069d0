//! [`SourceFile`]: a file's name, its text and the positions of its lines.

use std::sync::OnceLock;

use crate::span::Span;

/// The text of a file with the name shown to the user.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    /// Computed on first use: a file without problems never needs it.
    line_starts: OnceLock<Vec<usize>>,
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
        }
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
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The line and column of a byte; an offset after the end counts as the end.
    pub fn position(&self, offset: usize) -> Position {
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
}
