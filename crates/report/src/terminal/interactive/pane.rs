//! The last lines of a worker, wrapped to the screen, and the visible rows.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use ratatui_core::text::{Line, Span};

use super::paint::Painted;
use crate::terminal::text::{columns, wrap};

/// Lines kept for scrolling; the record contains all.
const MAX_LINES: usize = 500;
/// Indentation of continuation rows, relative to their line.
const HANG: usize = 2;

pub(super) struct Pane {
    lines: VecDeque<Wrapped>,
    width: usize,
    /// The total number of rows.
    rows: usize,
    /// The first visible row; `None` while following the end.
    top: Option<usize>,
    /// In lower case; only tests with this text in their title are shown.
    filter: String,
}

/// A line of a test.
#[derive(Debug, Clone, Default)]
pub(super) struct PaneLine {
    /// Repeated on each row: the worker's number.
    pub(super) prefix: String,
    pub(super) painted: Painted,
    /// The title of its test.
    pub(super) test: Arc<str>,
    /// Whether a failure starts here.
    pub(super) is_failure: bool,
}

struct Wrapped {
    line: PaneLine,
    /// Empty if the line is hidden.
    rows: Vec<(usize, Range<usize>)>,
}

impl Pane {
    pub(super) fn new(width: usize) -> Pane {
        Pane {
            lines: VecDeque::new(),
            width,
            rows: 0,
            top: None,
            filter: String::new(),
        }
    }

    pub(super) fn push(&mut self, line: PaneLine) {
        // An empty line before a test is needed only between two tests.
        if self.lines.is_empty() && line.painted.text.is_empty() {
            return;
        }
        if self.lines.len() == MAX_LINES
            && let Some(oldest) = self.lines.pop_front()
        {
            self.rows -= oldest.rows.len();
            // Removing old lines must not move the visible rows.
            self.top = self.top.map(|top| top.saturating_sub(oldest.rows.len()));
        }
        let rows = self.wrapped(&line);
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

    /// Goes to the next or previous failure; after the last comes the first.
    pub(super) fn go_to_failure(&mut self, forward: bool, height: usize) {
        let failures = self.failures();
        let current = self.first(height);
        let found = if forward {
            // While following, the next failure is the first one.
            let after = self.top.map(|_| current);
            failures
                .iter()
                .find(|row| after.is_none_or(|after| **row > after))
                .or(failures.first())
        } else {
            failures
                .iter()
                .rev()
                .find(|row| **row < current)
                .or(failures.last())
        };
        self.top = found.copied().or(self.top);
    }

    /// The number of the failure at the first visible row, and the number of failures.
    pub(super) fn shown_failure(&self) -> Option<(usize, usize)> {
        let failures = self.failures();
        let shown = failures.iter().position(|row| Some(*row) == self.top)?;
        Some((shown + 1, failures.len()))
    }

    /// The rows at which visible failures start.
    fn failures(&self) -> Vec<usize> {
        let mut row = 0;
        let mut failures = Vec::new();
        for wrapped in &self.lines {
            if wrapped.line.is_failure && !wrapped.rows.is_empty() {
                failures.push(row);
            }
            row += wrapped.rows.len();
        }
        failures
    }

    /// Shows only tests with this text in their title, in any case.
    pub(super) fn filter(&mut self, text: &str) {
        self.filter = text.to_lowercase();
        self.wrap_all();
        self.top = None;
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
        let last_page = self.rows.saturating_sub(height);
        match self.top {
            None => last_page,
            // A failure is shown at the top even if fewer rows follow it.
            Some(top) if self.shown_failure().is_some() => top,
            Some(top) => top.min(last_page),
        }
    }

    /// Wraps the lines for a new width. The first visible line stays the same.
    pub(super) fn resize(&mut self, width: usize) {
        if width == self.width {
            return;
        }
        let reading = self.top.map(|top| self.line_at(top).0);
        self.width = width;
        self.wrap_all();
        self.top = reading.map(|line| {
            self.lines
                .iter()
                .take(line)
                .map(|line| line.rows.len())
                .sum()
        });
    }

    fn wrap_all(&mut self) {
        let mut lines = std::mem::take(&mut self.lines);
        for wrapped in &mut lines {
            wrapped.rows = self.wrapped(&wrapped.line);
        }
        self.rows = lines.iter().map(|line| line.rows.len()).sum();
        self.lines = lines;
    }

    fn wrapped(&self, line: &PaneLine) -> Vec<(usize, Range<usize>)> {
        if !self.filter.is_empty() && !line.test.to_lowercase().contains(&self.filter) {
            return Vec::new();
        }
        rows(
            &line.painted.text,
            self.width.saturating_sub(columns(&line.prefix)),
        )
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

fn rows(text: &str, width: usize) -> Vec<(usize, Range<usize>)> {
    if columns(text) <= width {
        return vec![(0, 0..text.len())];
    }
    let indent = text.len() - text.trim_start_matches(' ').len();
    let hang = (indent + HANG).min(width / 3);
    wrap(text, width.max(1), hang)
        .into_iter()
        .map(|row| (row.indent, row.range))
        .collect()
}

fn styled(line: &PaneLine, indent: usize, range: Range<usize>) -> Line<'_> {
    let mut spans = vec![
        Span::raw(line.prefix.as_str()),
        Span::raw(" ".repeat(indent)),
    ];
    let painted = &line.painted;
    let mut start = range.start;
    for (end, style) in &painted.ends {
        let end = (*end).min(range.end);
        if start < end {
            spans.push(Span::styled(&painted.text[start..end], *style));
            start = end;
        }
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> PaneLine {
        PaneLine {
            painted: Painted::read(text),
            ..PaneLine::default()
        }
    }

    fn pane(lines: usize) -> Pane {
        let mut pane = Pane::new(10);
        for number in 0..lines {
            pane.push(line(&format!("line {number}")));
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
        pane.push(line("more"));
        assert_eq!(shown(&pane, 2), ["line 1", "line 2"]);
        pane.go_to_start();
        pane.scroll(-1, 2);
        assert_eq!(shown(&pane, 2), ["line 0", "line 1"]);
        pane.scroll(99, 2);
        assert_eq!(shown(&pane, 2), ["line 4", "more"]);
        assert!(!pane.is_following());
        pane.go_to_end();
        pane.push(line("last"));
        assert_eq!(shown(&pane, 2), ["more", "last"]);
    }

    #[test]
    fn old_lines_are_dropped_and_visible_rows_stay() {
        let mut pane = pane(MAX_LINES);
        pane.go_to_start();
        pane.scroll(10, 2);
        pane.push(line("one more"));
        assert_eq!(shown(&pane, 1), ["line 10"]);
        assert_eq!(pane.visible_rows(1), (9..10, MAX_LINES));
    }

    #[test]
    fn lines_are_wrapped_to_any_width() {
        let mut pane = pane(0);
        pane.push(line("\u{1b}[1mone two three four\u{1b}[0m"));
        pane.push(line("漢字漢字漢字"));
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

    #[test]
    fn continuation_rows_keep_the_prefix_and_the_indentation() {
        let mut pane = Pane::new(20);
        let long = PaneLine {
            prefix: "[1] ".into(),
            ..line("   one two three four five")
        };
        pane.push(long);
        assert_eq!(
            shown(&pane, 9),
            ["[1]    one two three", "[1]      four five"]
        );
    }

    #[test]
    fn failures_are_visited_in_turn_and_a_filter_hides_other_tests() {
        let mut pane = Pane::new(20);
        for number in 0..6 {
            pane.push(PaneLine {
                test: format!("Test {number}").into(),
                is_failure: number % 2 == 1,
                ..line(&format!("line {number}"))
            });
        }
        let visited = |pane: &mut Pane, forward| {
            pane.go_to_failure(forward, 4);
            (shown(pane, 1).remove(0), pane.shown_failure().unwrap())
        };
        for (number, line) in [(1, "line 1"), (2, "line 3"), (3, "line 5"), (1, "line 1")] {
            assert_eq!(visited(&mut pane, true), (line.into(), (number, 3)));
        }
        assert_eq!(visited(&mut pane, false), ("line 5".into(), (3, 3)));
        pane.filter("TEST 3");
        assert_eq!(shown(&pane, 4), ["line 3"]);
        assert_eq!(visited(&mut pane, true), ("line 3".into(), (1, 1)));
        pane.filter("nothing");
        pane.go_to_failure(true, 4);
        assert_eq!(shown(&pane, 4), Vec::<String>::new());
        pane.filter("");
        assert_eq!(shown(&pane, 4).len(), 4);
    }
}
