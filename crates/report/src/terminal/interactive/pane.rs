//! The last lines of a worker, wrapped to the screen, and the visible rows.

use std::collections::VecDeque;
use std::ops::Range;

use ratatui_core::text::{Line, Span};

use super::paint::Painted;
use crate::terminal::text::{columns, wrap};

/// Lines kept for scrolling; the record contains all.
const MAX_LINES: usize = 500;
/// Indentation of continuation rows.
const HANG: usize = 2;

pub(super) struct Pane {
    lines: VecDeque<Wrapped>,
    width: usize,
    /// The total number of rows.
    rows: usize,
    /// The first visible row; `None` while following the end.
    top: Option<usize>,
}

struct Wrapped {
    line: Painted,
    rows: Vec<(usize, Range<usize>)>,
}

impl Pane {
    pub(super) fn new(width: usize) -> Pane {
        Pane {
            lines: VecDeque::new(),
            width,
            rows: 0,
            top: None,
        }
    }

    pub(super) fn push(&mut self, line: Painted) {
        // An empty line before a test is needed only between two tests.
        if self.lines.is_empty() && line.text.is_empty() {
            return;
        }
        if self.lines.len() == MAX_LINES
            && let Some(oldest) = self.lines.pop_front()
        {
            self.rows -= oldest.rows.len();
            // Removing old lines must not move the visible rows.
            self.top = self.top.map(|top| top.saturating_sub(oldest.rows.len()));
        }
        let rows = rows(&line, self.width);
        self.rows += rows.len();
        self.lines.push_back(Wrapped { line, rows });
    }

    pub(super) fn is_following(&self) -> bool {
        self.top.is_none()
    }

    pub(super) fn follow(&mut self, height: usize) {
        self.top = match self.top {
            Some(_) => None,
            None => Some(self.first(height)),
        };
    }

    pub(super) fn go_to_end(&mut self) {
        self.top = None;
    }

    pub(super) fn go_to_start(&mut self) {
        self.top = Some(0);
    }

    /// Scrolls by this many rows, down if positive.
    pub(super) fn scroll(&mut self, by: isize, height: usize) {
        let first = self.first(height).saturating_add_signed(by);
        self.top = Some(first.min(self.rows.saturating_sub(height)));
    }

    /// The visible rows, and the total number of rows.
    pub(super) fn visible_rows(&self, height: usize) -> (Range<usize>, usize) {
        let first = self.first(height);
        (first..(first + height).min(self.rows), self.rows)
    }

    fn first(&self, height: usize) -> usize {
        let last = self.rows.saturating_sub(height);
        self.top.map_or(last, |top| top.min(last))
    }

    /// Wraps the lines for a new width. The first visible line stays the same.
    pub(super) fn resize(&mut self, width: usize) {
        if width == self.width {
            return;
        }
        let reading = self.top.map(|top| self.line_at(top).0);
        self.width = width;
        for wrapped in &mut self.lines {
            wrapped.rows = rows(&wrapped.line, width);
        }
        self.rows = self.lines.iter().map(|line| line.rows.len()).sum();
        self.top = reading.map(|line| {
            self.lines
                .iter()
                .take(line)
                .map(|line| line.rows.len())
                .sum()
        });
    }

    /// The line that contains a row, and the index of the row within it.
    fn line_at(&self, row: usize) -> (usize, usize) {
        let mut before = 0;
        for (number, line) in self.lines.iter().enumerate() {
            if row < before + line.rows.len() {
                return (number, row - before);
            }
            before += line.rows.len();
        }
        (self.lines.len(), 0)
    }

    /// The visible rows.
    pub(super) fn view(&self, height: usize) -> impl Iterator<Item = Line<'_>> {
        let (line, skipped) = self.line_at(self.first(height));
        let rows = self
            .lines
            .iter()
            .skip(line)
            .flat_map(|line| line.rows.iter().map(move |row| (line, row)));
        rows.skip(skipped)
            .take(height)
            .map(|(line, (indent, range))| styled(&line.line, *indent, range.clone()))
    }
}

fn rows(line: &Painted, width: usize) -> Vec<(usize, Range<usize>)> {
    if columns(&line.text) <= width {
        return vec![(0, 0..line.text.len())];
    }
    wrap(&line.text, width.max(1), HANG)
        .into_iter()
        .map(|row| (row.indent, row.range))
        .collect()
}

fn styled(line: &Painted, indent: usize, range: Range<usize>) -> Line<'_> {
    let mut spans = vec![Span::raw(" ".repeat(indent))];
    let mut start = range.start;
    for (end, style) in &line.ends {
        let end = (*end).min(range.end);
        if start < end {
            spans.push(Span::styled(&line.text[start..end], *style));
            start = end;
        }
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(lines: usize) -> Pane {
        let mut pane = Pane::new(10);
        for number in 0..lines {
            pane.push(Painted::read(&format!("line {number}")));
        }
        pane
    }

    fn shown(pane: &Pane, height: usize) -> Vec<String> {
        pane.view(height).map(|line| line.to_string()).collect()
    }

    #[test]
    fn the_end_is_followed_until_the_user_scrolls() {
        let mut pane = pane(5);
        assert_eq!(shown(&pane, 2), ["line 3", "line 4"]);
        pane.scroll(-2, 2);
        assert_eq!(shown(&pane, 2), ["line 1", "line 2"]);
        pane.push(Painted::read("more"));
        assert_eq!(shown(&pane, 2), ["line 1", "line 2"]);
        pane.go_to_start();
        pane.scroll(-1, 2);
        assert_eq!(shown(&pane, 2), ["line 0", "line 1"]);
        pane.scroll(99, 2);
        assert_eq!(shown(&pane, 2), ["line 4", "more"]);
        assert!(!pane.is_following());
        pane.go_to_end();
        pane.push(Painted::read("last"));
        assert_eq!(shown(&pane, 2), ["more", "last"]);
    }

    #[test]
    fn old_lines_are_dropped_and_visible_rows_stay() {
        let mut pane = pane(MAX_LINES);
        pane.go_to_start();
        pane.scroll(10, 2);
        pane.push(Painted::read("one more"));
        assert_eq!(shown(&pane, 1), ["line 10"]);
        assert_eq!(pane.visible_rows(1), (9..10, MAX_LINES));
    }

    #[test]
    fn lines_are_wrapped_to_any_width() {
        let mut pane = pane(0);
        pane.push(Painted::read("\u{1b}[1mone two three four\u{1b}[0m"));
        pane.push(Painted::read("漢字漢字漢字"));
        assert_eq!(
            shown(&pane, 9),
            ["one two", "  three", "  four", "漢字漢字漢", "  字"]
        );
        pane.scroll(-9, 2);
        pane.scroll(3, 2);
        pane.resize(40);
        assert_eq!(shown(&pane, 2), ["one two three four", "漢字漢字漢字"]);
        pane.resize(0);
        assert!(!shown(&pane, 2).is_empty());
    }

    #[test]
    fn few_lines_are_shown_at_the_top() {
        let mut pane = pane(2);
        pane.scroll(-1, 10);
        assert_eq!(shown(&pane, 10), ["line 0", "line 1"]);
        assert_eq!(shown(&super::Pane::new(5), 10), Vec::<String>::new());
    }
}
