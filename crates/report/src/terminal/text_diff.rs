//! The differences of two texts, line by line.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use similar::{ChangeTag, DiffOp, TextDiff};

use super::page::Page;
use super::style::{BAD, DIM, GOOD, PLAIN};
use super::styled::Span;
use super::text::{Reveal, reveal, thousands, visible_only, window};

/// Unchanged lines shown around a difference.
const CONTEXT: usize = 3;
/// Rows shown; longer diffs are better read in an editor.
const MAX_ROWS: usize = 60;
/// After this time, the algorithm compares less precisely.
const TIMEOUT: Duration = Duration::from_millis(200);
/// Words are compared only in changed blocks of at most this many bytes.
const MAX_INLINE: usize = 8 * 1024;

/// The rows of a diff.
pub(super) struct ShownDiff {
    rows: Vec<Row>,
    /// Whether all compared lines are shown.
    pub(super) is_complete: bool,
    /// Whether invisible characters are replaced by visible marks.
    reveals: bool,
    /// Whether the expected and the actual text are empty.
    is_empty: [bool; 2],
}

struct Row {
    sign: Sign,
    /// Parts of the line with whether they differ.
    parts: Vec<(bool, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Same,
    Expected,
    Actual,
    Hidden,
}

impl ShownDiff {
    /// Compares two texts. Line breaks at the ends are ignored.
    pub(super) fn of(expected: &str, actual: &str) -> ShownDiff {
        let (expected, actual) = (lines(expected), lines(actual));
        let text = TextDiff::configure()
            .timeout(TIMEOUT)
            .diff_slices(&expected, &actual);
        let mut diff = ShownDiff {
            rows: Vec::new(),
            is_complete: true,
            reveals: false,
            is_empty: [expected.is_empty(), actual.is_empty()],
        };
        let mut shown = 0;
        for group in text.grouped_ops(CONTEXT) {
            let start = group.first().map_or(0, |op| op.old_range().start);
            diff.add_hidden_lines(start - shown);
            for op in &group {
                diff.take(&text, op);
            }
            shown = group.last().map_or(shown, |op| op.old_range().end);
        }
        diff.add_hidden_lines(expected.len() - shown);
        diff.limit();
        diff
    }

    /// Shows the rows below a line that explains the signs.
    pub(super) fn show(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        page.row(
            indent,
            &[
                (BAD, "- expected"),
                (BAD, empty_note(self.is_empty[0])),
                (PLAIN, "  "),
                (GOOD, "+ actual"),
                (GOOD, empty_note(self.is_empty[1])),
            ],
        )?;
        for row in &self.rows {
            row.show(page, indent)?;
        }
        if !self.reveals {
            return Ok(());
        }
        let note = "invisible characters differ: · is a space, ⇥ a tab, ␍ a carriage return";
        page.paragraph(indent, 0, &[(DIM, note)])
    }

    fn add_hidden_lines(&mut self, lines: usize) {
        // A line about one hidden line takes as much space as that line.
        if lines > 0 {
            self.is_complete = false;
            let plural = if lines == 1 { "" } else { "s" };
            self.add_note(format!("… {} unchanged line{plural} …", thousands(lines)));
        }
    }

    fn add_note(&mut self, text: String) {
        self.rows.push(Row {
            sign: Sign::Hidden,
            parts: vec![(false, text)],
        });
    }

    fn take<'t>(&mut self, text: &'t TextDiff<'t, 't, 't, str>, op: &DiffOp) {
        let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
        let (old, new) = (
            &text.old_slices()[op.old_range()],
            &text.new_slices()[op.new_range()],
        );
        let lookalikes = LookalikeLines::of(old, new);
        if bytes(old) + bytes(new) <= MAX_INLINE {
            for change in text.iter_inline_changes(op) {
                self.line(change.tag(), change.values(), &lookalikes);
            }
        } else {
            for change in text.iter_changes(op) {
                self.line(change.tag(), &[(false, change.value())], &lookalikes);
            }
        }
    }

    fn line(&mut self, tag: ChangeTag, parts: &[(bool, &str)], lookalikes: &LookalikeLines) {
        let how = lookalikes.reveal(parts);
        self.reveals |= tag != ChangeTag::Equal && how == Reveal::Everywhere;
        let (sign, parts) = match tag {
            ChangeTag::Equal => {
                let parts = parts.iter().map(|(_, part)| (false, (*part).to_owned()));
                (Sign::Same, parts.collect())
            }
            ChangeTag::Delete => (Sign::Expected, reveal(parts, how)),
            ChangeTag::Insert => (Sign::Actual, reveal(parts, how)),
        };
        self.rows.push(Row {
            sign,
            parts: window(parts),
        });
    }

    fn limit(&mut self) {
        let hidden = self.rows.len().saturating_sub(MAX_ROWS);
        if hidden > 1 {
            self.rows.truncate(MAX_ROWS);
            self.is_complete = false;
            self.add_note(format!("… {} more lines …", thousands(hidden)));
        }
    }
}

/// Lines that look the same on both sides of a diff.
struct LookalikeLines(HashSet<String>);

impl LookalikeLines {
    fn of(old: &[&str], new: &[&str]) -> LookalikeLines {
        let visible_texts = |lines: &[&str]| {
            lines
                .iter()
                .map(|line| visible_text(line))
                .collect::<HashSet<_>>()
        };
        LookalikeLines(
            visible_texts(old)
                .intersection(&visible_texts(new))
                .cloned()
                .collect(),
        )
    }

    fn reveal(&self, parts: &[(bool, &str)]) -> Reveal {
        let line: String = parts.iter().map(|(_, part)| *part).collect();
        if self.0.contains(&visible_text(&line)) {
            Reveal::Everywhere
        } else {
            Reveal::AtTheEnd
        }
    }
}

fn visible_text(line: &str) -> String {
    visible_only(line).collect()
}

impl Row {
    fn show(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        let (style, sign) = match self.sign {
            Sign::Same => (PLAIN, "  "),
            Sign::Expected => (BAD, "- "),
            Sign::Actual => (GOOD, "+ "),
            Sign::Hidden => (DIM, "  "),
        };
        let mut spans: Vec<Span> = vec![(style, sign)];
        spans.extend(self.parts.iter().map(|(emphasized, part)| {
            let style = if *emphasized {
                style.bold().underline()
            } else {
                style
            };
            (style, part.as_str())
        }));
        page.verbatim(indent, &spans)
    }
}

fn empty_note(is_empty: bool) -> &'static str {
    if is_empty { " (empty)" } else { "" }
}

/// The lines of a text; an empty text has none.
fn lines(text: &str) -> Vec<&str> {
    match text.trim_end_matches('\n') {
        "" => Vec::new(),
        text => text.split('\n').collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn shown(expected: &str, actual: &str) -> String {
        let mut out = Vec::new();
        ShownDiff::of(expected, actual)
            .show(&mut Page::new(&mut out, false, 80), 0)
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn differing_lines_are_adjacent() {
        assert_snapshot!(shown("a\nb\nc\n", "a\nB\nc"), @r#"
        - expected  + actual
          a
        - b
        + B
          c
        "#);
    }

    #[test]
    fn unchanged_lines_are_hidden() {
        let expected: Vec<_> = (1..=3_000).map(|line| format!("line {line}")).collect();
        let actual = expected.join("\n").replace("line 1500\n", "line 1499½\n");
        assert_snapshot!(shown(&expected.join("\n"), &actual), @r#"
        - expected  + actual
          … 1,496 unchanged lines …
          line 1497
          line 1498
          line 1499
        - line 1500
        + line 1499½
          line 1501
          line 1502
          line 1503
          … 1,497 unchanged lines …
        "#);
    }

    #[test]
    fn invisible_differences_are_marked() {
        assert_snapshot!(shown("a b\nsame \nend", "a\tb \nsame \nend\r"), @r#"
        - expected  + actual
        - a·b
        + a⇥b·
          same
        - end
        + end␍
        invisible characters differ: · is a space, ⇥ a tab, ␍ a carriage return
        "#);
        assert_snapshot!(shown("one\u{a0}two", "one three  "), @r#"
        - expected  + actual
        - one\u{a0}two
        + one three··
        "#);
    }

    #[test]
    fn an_empty_text_has_no_lines() {
        assert_snapshot!(shown("", "a\nb"), @r#"
        - expected (empty)  + actual
        + a
        + b
        "#);
        assert_snapshot!(shown("a", "\n\n"), @r#"
        - expected  + actual (empty)
        - a
        "#);
    }

    #[test]
    fn a_long_line_is_cut_around_the_difference() {
        let long = "word ".repeat(100);
        assert_snapshot!(shown(&format!("{long}a {long}"), &format!("{long}b {long}")), @r#"
        - expected  + actual
        - … word word word word word word word word word word word word a word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word wor … 322 more characters
        + … word word word word word word word word word word word word b word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word wor … 322 more characters
        "#);
    }

    #[test]
    fn long_diffs_are_truncated() {
        let text = |word: &str| {
            let lines: Vec<_> = (0..20_000).map(|line| format!("{word} {line}")).collect();
            lines.join("\n")
        };
        let shown = shown(&text("a"), &text("b"));
        assert_eq!(shown.lines().count(), MAX_ROWS + 2);
        assert!(shown.ends_with("  … 39,940 more lines …\n"), "{shown}");
    }
}
