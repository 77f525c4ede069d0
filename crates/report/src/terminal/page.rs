//! The page that reports write to: the only module that writes bytes to the terminal.

use std::io;

use super::style::{BOLD, DIM, PLAIN};
use super::styled::{Span, Styled};
use super::text::{columns, elide_to, wrap};

/// Columns below which text is not readable.
const MIN_WIDTH: usize = 40;

/// Longest horizontal rule.
const MAX_RULE: usize = 100;

/// Longer quoted lines are truncated.
const MAX_QUOTED: usize = 400;

/// Writes lines of text: wrapped, styled and without control characters.
pub(super) struct Page<'o> {
    out: &'o mut dyn io::Write,
    color: bool,
    width: usize,
}

impl<'o> Page<'o> {
    pub(super) fn new(out: &'o mut dyn io::Write, color: bool, width: usize) -> Page<'o> {
        Page {
            out,
            color,
            width: width.max(MIN_WIDTH),
        }
    }

    /// The columns of a line.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Writes an empty line.
    pub(super) fn blank(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    /// Writes the heading of a section, with an empty line before and after it.
    pub(super) fn heading(&mut self, title: &str) -> io::Result<()> {
        let used = columns(title) + 4;
        let rule = "─".repeat(self.width.min(MAX_RULE).saturating_sub(used));
        self.blank()?;
        self.row(0, &[(DIM, "── "), (BOLD, title), (DIM, " "), (DIM, &rule)])?;
        self.blank()
    }

    /// Writes one line, truncated at the width of the page.
    pub(super) fn row(&mut self, indent: usize, spans: &[Span]) -> io::Result<()> {
        let mut styled = Styled::one_line(spans);
        styled.cut(self.room(indent));
        self.write(indent, &styled.paint(styled.all(), self.color))
    }

    /// Writes one line whose end is always shown: if both do not fit, the text before the end is truncated.
    pub(super) fn row_to_end(
        &mut self,
        indent: usize,
        spans: &[Span],
        end: Span,
    ) -> io::Result<()> {
        let end = Styled::one_line(&[end]);
        let mut styled = Styled::one_line(spans);
        styled.cut(self.room(indent).saturating_sub(columns(end.text())));
        let painted = styled.paint(styled.all(), self.color) + &end.paint(end.all(), self.color);
        self.write(indent, &painted)
    }

    /// Writes wrapped text; all lines but the first are indented by `hang` more columns.
    pub(super) fn paragraph(
        &mut self,
        indent: usize,
        hang: usize,
        spans: &[Span],
    ) -> io::Result<()> {
        let styled = Styled::new(spans);
        for line in wrap(styled.text(), self.room(indent), hang) {
            let painted = styled.paint(line.range, self.color);
            self.write(indent + line.indent, &painted)?;
        }
        Ok(())
    }

    /// Writes lines after a bar. They are not wrapped, so that they can be copied.
    pub(super) fn quote(&mut self, indent: usize, lines: &[&str]) -> io::Result<()> {
        for line in lines {
            let line = elide_to(line, MAX_QUOTED);
            self.verbatim(indent, &[(DIM, "│ "), (PLAIN, &line)])?;
        }
        Ok(())
    }

    /// Writes one line that is neither wrapped nor truncated, so that it can be copied.
    pub(super) fn verbatim(&mut self, indent: usize, spans: &[Span]) -> io::Result<()> {
        let styled = Styled::new(spans);
        self.write(indent, &styled.paint(styled.all(), self.color))
    }

    fn room(&self, indent: usize) -> usize {
        self.width.saturating_sub(indent)
    }

    fn write(&mut self, indent: usize, painted: &str) -> io::Result<()> {
        let line = format!("{}{painted}", " ".repeat(indent));
        self.out
            .write_all(format!("{}\n", line.trim_end()).as_bytes())
    }
}
