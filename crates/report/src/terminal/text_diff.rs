//! How two texts differ, line by line.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use similar::{ChangeTag, DiffOp, TextDiff};

use super::page::Page;
use super::style::{BAD, DIM, GOOD, PLAIN};
use super::styled::Span;
use super::text::{Reveal, reveal, thousands, visible_only, window};

/// So many lines around a difference tell where it is.
const CONTEXT: usize = 3;
/// More rows than this are better read in an editor.
const MAX_ROWS: usize = 60;
/// What takes longer is compared less closely.
const TIMEOUT: Duration = Duration::from_millis(200);
/// Words are compared only within so many bytes.
const MAX_INLINE: usize = 8 * 1024;

/// The rows of a comparison.
pub(super) struct ShownDiff {
    rows: Vec<Row>,
    /// Whether everything that was compared is shown.
    pub(super) is_whole: bool,
    /// Whether signs stand for what cannot be seen.
    reveals: bool,
    /// Which of them is not there at all: the expected, the actual one.
    nothing: [bool; 2],
}

struct Row {
    sign: Sign,
    /// Which parts make the difference, and their text.
    parts: Vec<(bool, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Same,
    Expected,
    Actual,
    LeftOut,
}

impl ShownDiff {
    /// Compares what was expected with what came. Line breaks at the ends do not count.
    pub(super) fn of(expected: &str, actual: &str) -> ShownDiff {
        let (expected, actual) = (lines(expected), lines(actual));
        let text = TextDiff::configure()
            .timeout(TIMEOUT)
            .diff_slices(&expected, &actual);
        let mut diff = ShownDiff {
            rows: Vec::new(),
            is_whole: true,
            reveals: false,
            nothing: [expected.is_empty(), actual.is_empty()],
        };
        let mut shown = 0;
        for group in text.grouped_ops(CONTEXT) {
            let start = group.first().map_or(0, |op| op.old_range().start);
            diff.leave_out(start - shown);
            for op in &group {
                diff.take(&text, op);
            }
            shown = group.last().map_or(shown, |op| op.old_range().end);
        }
        diff.leave_out(expected.len() - shown);
        diff.limit();
        diff
    }

    /// Shows the rows under a line that says which sign is which.
    pub(super) fn show(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        page.row(
            indent,
            &[
                (BAD, "- expected"),
                (BAD, nothing(self.nothing[0])),
                (PLAIN, "  "),
                (GOOD, "+ actual"),
                (GOOD, nothing(self.nothing[1])),
            ],
        )?;
        for row in &self.rows {
            row.show(page, indent)?;
        }
        if !self.reveals {
            return Ok(());
        }
        let note = "what cannot be seen differs: · is a space, ⇥ a tab, ␍ a carriage return";
        page.paragraph(indent, 0, &[(DIM, note)])
    }

    fn leave_out(&mut self, lines: usize) {
        // A line that says that one line is left out takes as much room as the line.
        if lines > 0 {
            self.is_whole = false;
            let plural = if lines == 1 { "" } else { "s" };
            self.say(format!("… {} line{plural} the same …", thousands(lines)));
        }
    }

    fn say(&mut self, text: String) {
        self.rows.push(Row {
            sign: Sign::LeftOut,
            parts: vec![(false, text)],
        });
    }

    fn take<'t>(&mut self, text: &'t TextDiff<'t, 't, 't, str>, op: &DiffOp) {
        let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
        let (old, new) = (
            &text.old_slices()[op.old_range()],
            &text.new_slices()[op.new_range()],
        );
        let twins = LookalikeLines::among(old, new);
        if bytes(old) + bytes(new) <= MAX_INLINE {
            for change in text.iter_inline_changes(op) {
                self.line(change.tag(), change.values(), &twins);
            }
        } else {
            for change in text.iter_changes(op) {
                self.line(change.tag(), &[(false, change.value())], &twins);
            }
        }
    }

    fn line(&mut self, tag: ChangeTag, parts: &[(bool, &str)], twins: &LookalikeLines) {
        let how = twins.reveal(parts);
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
            self.is_whole = false;
            self.say(format!("… {} more lines …", thousands(hidden)));
        }
    }
}

/// Lines that look the same on both sides of a difference.
struct LookalikeLines(HashSet<String>);

impl LookalikeLines {
    fn among(old: &[&str], new: &[&str]) -> LookalikeLines {
        let look = |lines: &[&str]| lines.iter().map(|line| look(line)).collect::<HashSet<_>>();
        LookalikeLines(look(old).intersection(&look(new)).cloned().collect())
    }

    fn reveal(&self, parts: &[(bool, &str)]) -> Reveal {
        let line: String = parts.iter().map(|(_, part)| *part).collect();
        if self.0.contains(&look(&line)) {
            Reveal::Everywhere
        } else {
            Reveal::AtTheEnd
        }
    }
}

fn look(line: &str) -> String {
    visible_only(line).collect()
}

impl Row {
    fn show(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        let (style, sign) = match self.sign {
            Sign::Same => (PLAIN, "  "),
            Sign::Expected => (BAD, "- "),
            Sign::Actual => (GOOD, "+ "),
            Sign::LeftOut => (DIM, "  "),
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

fn nothing(nothing: bool) -> &'static str {
    if nothing { " (nothing)" } else { "" }
}

/// The lines of a text; none where there is no text.
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
    fn what_differs_stands_side_by_side() {
        assert_snapshot!(shown("a\nb\nc\n", "a\nB\nc"), @r#"
        - expected  + actual
          a
        - b
        + B
          c
        "#);
    }

    #[test]
    fn what_is_the_same_is_left_out() {
        let expected: Vec<_> = (1..=3_000).map(|line| format!("line {line}")).collect();
        let actual = expected.join("\n").replace("line 1500\n", "line 1499½\n");
        assert_snapshot!(shown(&expected.join("\n"), &actual), @r#"
        - expected  + actual
          … 1,496 lines the same …
          line 1497
          line 1498
          line 1499
        - line 1500
        + line 1499½
          line 1501
          line 1502
          line 1503
          … 1,497 lines the same …
        "#);
    }

    #[test]
    fn the_invisible_is_seen_where_it_is_the_difference() {
        assert_snapshot!(shown("a b\nsame \nend", "a\tb \nsame \nend\r"), @r#"
        - expected  + actual
        - a·b
        + a⇥b·
          same
        - end
        + end␍
        what cannot be seen differs: · is a space, ⇥ a tab, ␍ a carriage return
        "#);
        assert_snapshot!(shown("one\u{a0}two", "one three  "), @r#"
        - expected  + actual
        - one\u{a0}two
        + one three··
        "#);
    }

    #[test]
    fn nothing_has_no_lines() {
        assert_snapshot!(shown("", "a\nb"), @r#"
        - expected (nothing)  + actual
        + a
        + b
        "#);
        assert_snapshot!(shown("a", "\n\n"), @r#"
        - expected  + actual (nothing)
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
    fn what_has_nothing_in_common_ends_somewhere() {
        let text = |word: &str| {
            let lines: Vec<_> = (0..20_000).map(|line| format!("{word} {line}")).collect();
            lines.join("\n")
        };
        let shown = shown(&text("a"), &text("b"));
        assert_eq!(shown.lines().count(), MAX_ROWS + 2);
        assert!(shown.ends_with("  … 39,940 more lines …\n"), "{shown}");
    }
}
