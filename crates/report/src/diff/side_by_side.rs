//! [`SideBySide`]: what one test wrote and said in two runs, line by line and turn by turn.

use std::ops::Range;
use std::time::Duration;

use casebook_record::ExampleData;
use casebook_record::model::{MessageData, ToolCallData, TurnData};
use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices};

use super::Change;
use crate::test_row::streams;

/// Unchanged lines shown around a difference.
const CONTEXT: usize = 3;
/// Rows of one text.
const MAX_ROWS: usize = 200;
/// After this time, the algorithm compares less precisely.
const TIMEOUT: Duration = Duration::from_millis(200);

/// One test in two runs.
#[derive(Debug, PartialEq)]
pub(crate) struct SideBySide {
    pub(crate) title: String,
    pub(crate) parts: Vec<Part>,
}

/// A failure message, a stream or a conversation.
#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) heading: &'static str,
    pub(crate) rows: Vec<Row>,
    pub(crate) hidden: usize,
}

/// A line, a message or a tool call on both sides. Both are `None` where equal lines were left out.
#[derive(Debug, PartialEq)]
pub(crate) struct Row {
    /// Who speaks.
    pub(crate) label: String,
    pub(crate) sides: [Option<String>; 2],
}

impl Row {
    pub(crate) fn differs(&self) -> bool {
        self.sides[0] != self.sides[1]
    }

    pub(crate) fn is_gap(&self) -> bool {
        self.sides == [None, None]
    }
}

type Examples<'r> = [Option<&'r ExampleData>; 2];

impl SideBySide {
    /// What differs; `None` if nothing does, or if the test is in only one of the runs.
    pub(crate) fn of(change: &Change) -> Option<SideBySide> {
        let examples = change.examples();
        examples[0].and(examples[1])?;
        let parts = [Part::of_texts("failure", failure_messages(examples))]
            .into_iter()
            .chain(["output", "stdout", "stderr"].map(|name| stream(name, examples)))
            .chain([conversation(examples)])
            .flatten();
        let parts: Vec<_> = parts
            .filter(|part| part.rows.iter().any(Row::differs))
            .collect();
        (!parts.is_empty()).then(|| SideBySide {
            title: change.title.clone(),
            parts,
        })
    }
}

/// Whether the test wrote or said something else.
pub(super) fn differs(examples: Examples) -> bool {
    let [Some(base), Some(new)] = examples else {
        return false;
    };
    let turns = |example: &ExampleData| {
        let conversation = example.transcript()?;
        Some(transcript_rows(&conversation.turns))
    };
    !streams(base).eq(streams(new)) || turns(base) != turns(new)
}

/// Whether a test that fails in both runs has another message, or wrote or said something else.
pub(super) fn fails_differently(examples: Examples) -> bool {
    let [base, new] = failure_messages(examples);
    base != new || differs(examples)
}

fn failure_messages(examples: Examples) -> [Option<String>; 2] {
    examples.map(|example| example?.exception.as_ref()?.message.clone())
}

fn stream(name: &'static str, examples: Examples) -> Option<Part> {
    let text = |example: &ExampleData| {
        let mut streams = streams(example);
        let (_, text) = streams.find(|(own, _)| *own == name)?;
        Some(text.to_owned())
    };
    Part::of_texts(name, examples.map(|example| example.and_then(text)))
}

impl Part {
    fn of_texts(heading: &'static str, texts: [Option<String>; 2]) -> Option<Part> {
        if texts == [None, None] {
            return None;
        }
        let [base, new] = texts.map(|text| without_escape_sequences(&text.unwrap_or_default()));
        let diff = TextDiff::configure()
            .timeout(TIMEOUT)
            .diff_lines(&base, &new);
        let (old, now) = (diff.old_slices(), diff.new_slices());
        let mut rows = Vec::new();
        for (number, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
            if number > 0 {
                rows.push(Row::new("", None, None));
            }
            rows.extend(group.iter().flat_map(|op| lines(*op, old, now)));
        }
        Some(Part::limited(heading, rows))
    }

    fn limited(heading: &'static str, mut rows: Vec<Row>) -> Part {
        let hidden = rows.len().saturating_sub(MAX_ROWS);
        rows.truncate(MAX_ROWS);
        Part {
            heading,
            rows,
            hidden,
        }
    }
}

impl Row {
    fn new(label: &str, base: Option<String>, new: Option<String>) -> Row {
        Row {
            label: label.to_owned(),
            sides: [base, new],
        }
    }
}

fn lines(op: DiffOp, old: &[&str], new: &[&str]) -> Vec<Row> {
    let line = |lines: &[&str], at: usize| lines[at].trim_end_matches('\n').to_owned();
    pairs(op.old_range(), op.new_range())
        .map(|(left, right)| {
            Row::new(
                "",
                left.map(|at| line(old, at)),
                right.map(|at| line(new, at)),
            )
        })
        .collect()
}

/// The positions of two ranges next to each other.
fn pairs(
    old: Range<usize>,
    new: Range<usize>,
) -> impl Iterator<Item = (Option<usize>, Option<usize>)> {
    let length = old.len().max(new.len());
    let at = |range: Range<usize>, offset: usize| {
        Some(range.start + offset).filter(|at| *at < range.end)
    };
    (0..length).map(move |offset| (at(old.clone(), offset), at(new.clone(), offset)))
}

fn conversation(examples: Examples) -> Option<Part> {
    let turns = |example: Option<&ExampleData>| {
        let turns = example.and_then(|example| Some(&example.transcript()?.turns));
        turns.map(Vec::as_slice).unwrap_or_default().to_vec()
    };
    let [base, new] = examples.map(turns);
    let rows: Vec<_> = pairs(0..base.len(), 0..new.len())
        .flat_map(|(left, right)| turn(left.map(|at| &base[at]), right.map(|at| &new[at])))
        .collect();
    (!rows.is_empty()).then(|| Part::limited("conversation", rows))
}

/// A turn on both sides, with equal tool calls next to each other.
fn turn(base: Option<&TurnData>, new: Option<&TurnData>) -> Vec<Row> {
    let number = base.or(new).map_or(0, |turn| turn.number);
    let sides = [base, new];
    let said = |message: Option<&MessageData>| message.map(|message| message.content.clone());
    let user = sides.map(|turn| said(turn.and_then(|turn| turn.user_message.as_ref())));
    let agent = sides.map(|turn| said(turn.and_then(|turn| turn.agent_response.as_ref())));
    let [base, new] = sides.map(|turn| turn.map_or(&[][..], |turn| &turn.tool_calls));
    let mut rows = vec![(format!("{number} user"), user)];
    rows.extend(aligned_calls(base, new).map(|sides| ("tool call".to_owned(), sides)));
    rows.push(("agent".to_owned(), agent));
    rows.into_iter()
        .filter(|(_, sides)| *sides != [None, None])
        .map(|(label, sides)| Row { label, sides })
        .collect()
}

/// Tool calls of the same tools next to each other.
fn aligned_calls(
    base: &[ToolCallData],
    new: &[ToolCallData],
) -> impl Iterator<Item = [Option<String>; 2]> {
    let names = |calls: &[ToolCallData]| -> Vec<String> {
        calls.iter().map(|call| call.name.clone()).collect()
    };
    let ops = capture_diff_slices(Algorithm::Myers, &names(base), &names(new));
    let positions = ops.into_iter().flat_map(pairs_of_calls);
    positions.map(|(left, right)| {
        [
            left.map(|at| call(&base[at])),
            right.map(|at| call(&new[at])),
        ]
    })
}

/// Calls of different tools are not next to each other.
fn pairs_of_calls(op: DiffOp) -> Vec<(Option<usize>, Option<usize>)> {
    if let DiffOp::Equal { .. } = op {
        return pairs(op.old_range(), op.new_range()).collect();
    }
    let removed = op.old_range().map(|at| (Some(at), None));
    let added = op.new_range().map(|at| (None, Some(at)));
    removed.chain(added).collect()
}

fn call(call: &ToolCallData) -> String {
    let result = match (&call.error, &call.result) {
        (Some(error), _) => format!(" ✗ {error}"),
        (None, Some(result)) => format!(" → {}", result.text()),
        (None, None) => String::new(),
    };
    format!("{}({}){result}", call.name, call.arguments.text())
}

/// What a conversation consists of, without times and other metadata.
fn transcript_rows(turns: &[TurnData]) -> Vec<Row> {
    turns.iter().flat_map(|one| turn(Some(one), None)).collect()
}

/// The text without colors and other control sequences of a terminal.
fn without_escape_sequences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once('\u{1b}') {
        kept.push_str(before);
        let mut chars = sequence.char_indices();
        let end = match chars.next() {
            Some((_, '[')) => chars.find(|(_, c)| ('@'..='~').contains(c)),
            Some((_, ']')) => chars.find(|(_, c)| *c == '\u{7}' || *c == '\\'),
            other => other,
        };
        rest = end.map_or("", |(at, c)| &sequence[at + c.len_utf8()..]);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_next_to_each_other() {
        let texts =
            ["a\nb\nc\n", "a\nB\n\u{1b}[31mB2\u{1b}[0m\nc\n"].map(|text| Some(text.to_owned()));
        let part = Part::of_texts("output", texts).unwrap();
        let rows: Vec<_> = part
            .rows
            .iter()
            .map(|row| row.sides.each_ref().map(Option::as_deref))
            .collect();
        let expected = [
            [Some("a"), Some("a")],
            [Some("b"), Some("B")],
            [None, Some("B2")],
            [Some("c"), Some("c")],
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn calls_of_the_same_tool_are_next_to_each_other() {
        let calls = |names: &[&str]| -> Vec<ToolCallData> {
            let json = names.iter().map(
                |name| serde_json::json!({"name": name, "timestamp": "2026-11-18T08:00:00.000Z"}),
            );
            serde_json::from_value(json.collect()).unwrap()
        };
        let rows: Vec<_> =
            aligned_calls(&calls(&["find", "book"]), &calls(&["find", "ask", "book"]))
                .map(|sides| sides.map(|side| side.map(|text| text.replace("({})", ""))))
                .collect();
        let text = |name: &str| Some(name.to_owned());
        let expected = [
            [text("find"), text("find")],
            [None, text("ask")],
            [text("book"), text("book")],
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn control_sequences_are_removed() {
        for (text, expected) in [
            ("plain", "plain"),
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}a\u{1b}(Bb", "aBb"),
            ("cut \u{1b}[31", "cut "),
            ("end \u{1b}", "end "),
        ] {
            assert_eq!(without_escape_sequences(text), expected, "{text:?}");
        }
    }
}
