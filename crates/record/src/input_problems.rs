//! What was wrong with an input, in a size that can be shown whatever the input's size.

use std::collections::BTreeMap;

use crate::event::Event;
use crate::journal::{EventLine, InvalidLine};
use crate::lines::{Problem, UnreadableLine};
use crate::wire::DecodeError;

/// How many problems are kept word for word.
const KEPT: usize = 20;

/// How much of a message is kept: it may quote the input, and a line may have 64 MiB.
const KEPT_CHARS: usize = 400;

/// The problems of one input: the first ones in full, the others counted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct InputProblems {
    /// The first ones.
    pub first: Vec<Problem>,
    /// How many there were.
    pub count: u64,
    /// Events of unknown kinds, which were skipped, with how many there were of each.
    pub unknown: BTreeMap<String, u64>,
    /// How many events came for examples that had ended already, and were ignored.
    pub ignored: u64,
    /// The number of a last line that was cut off while it was written.
    pub torn_line: Option<u64>,
}

impl InputProblems {
    /// Adds one problem.
    pub fn add(&mut self, mut problem: Problem) {
        self.count += 1;
        if self.first.len() < KEPT {
            clip(&mut problem.message);
            self.first.push(problem);
        }
    }

    /// The event of a line, or a note of why there is none.
    pub fn take_event(&mut self, line: EventLine) -> Option<Event> {
        let error = match line.event {
            Ok(event) => return Some(event),
            Err(error) => error,
        };
        match error {
            InvalidLine::Undecodable(DecodeError::UnknownKind(mut name)) => {
                clip(&mut name);
                // A hostile input may hold any number of names.
                if self.unknown.len() >= KEPT && !self.unknown.contains_key(&name) {
                    name = "others".into();
                }
                *self.unknown.entry(name).or_default() += 1;
            }
            // What is whole JSON was not cut off: it is wrong.
            error if !line.ended && may_be_torn(&error) => self.torn_line = Some(line.number),
            error => self.add(Problem {
                line: line.number,
                message: error.to_string(),
            }),
        }
        None
    }

    /// Whether anything was lost that a run would show. A torn last line and unknown kinds are no such loss.
    pub fn is_damage(&self) -> bool {
        self.count > 0
    }
}

/// Cuts the middle out of a long text: what is wrong stands at its beginning or at its end.
fn clip(text: &mut String) {
    let mut boundaries = text.char_indices().map(|(index, _)| index);
    let start = boundaries.nth(KEPT_CHARS / 2);
    let end = boundaries.nth_back(KEPT_CHARS / 2 - 1);
    if let (Some(start), Some(end)) = (start, end) {
        text.replace_range(start..end, " … ");
        text.shrink_to_fit();
    }
}

fn may_be_torn(error: &InvalidLine) -> bool {
    matches!(
        error,
        InvalidLine::Unreadable(UnreadableLine::NotUtf8(_))
            | InvalidLine::Undecodable(DecodeError::Malformed(_))
    )
}

impl FromIterator<Problem> for InputProblems {
    fn from_iter<I: IntoIterator<Item = Problem>>(problems: I) -> InputProblems {
        let mut collected = InputProblems::default();
        problems
            .into_iter()
            .for_each(|problem| collected.add(problem));
        collected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u64, event: DecodeError) -> EventLine {
        EventLine {
            number,
            event: Err(event.into()),
            ended: true,
        }
    }

    #[test]
    fn a_message_that_quotes_a_huge_line_keeps_its_beginning_and_its_end() {
        for length in [0, 1, KEPT_CHARS, KEPT_CHARS + 1, 100_000] {
            let message = "é".repeat(length);
            let mut clipped = message.clone();
            clip(&mut clipped);
            assert_eq!(clipped == message, length <= KEPT_CHARS, "{length}");
            assert!(clipped.chars().count() <= KEPT_CHARS + 3, "{length}");
        }
        let mut problems = InputProblems::default();
        problems.take_event(line(
            1,
            DecodeError::Malformed(format!("`{}` is no time", "x".repeat(100_000))),
        ));
        let message = &problems.first[0].message;
        assert!(message.starts_with("`xx") && message.ends_with("xx` is no time"));
    }

    #[test]
    fn unknown_kinds_are_counted_by_name_up_to_a_point() {
        let mut problems = InputProblems::default();
        for number in 0..40 {
            for _ in 0..2 {
                problems.take_event(line(
                    number,
                    DecodeError::UnknownKind(format!("Nap{number}")),
                ));
            }
        }
        assert_eq!(problems.unknown.len(), KEPT + 1);
        assert_eq!(problems.unknown["Nap3"], 2);
        assert_eq!(problems.unknown["others"], 40);
    }
}
