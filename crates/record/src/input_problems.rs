//! Collects the problems of an input, in bounded memory.

use std::collections::BTreeMap;

use crate::event::Event;
use crate::journal::{EventLine, InvalidLine};
use crate::lines::{Problem, UnreadableLine};
use crate::wire::DecodeError;

/// How many problems are kept in full.
const MAX_KEPT: usize = 20;

/// The maximum length of a kept message. A message may quote the input, and a line may have 64 MiB.
const MAX_CHARS: usize = 400;

/// The problems of one input: the first ones in full, the others only counted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct InputProblems {
    /// The first problems.
    pub first: Vec<Problem>,
    /// The number of all problems.
    pub count: u64,
    /// Skipped events of unknown kinds, with their counts.
    pub unknown: BTreeMap<String, u64>,
    /// How many events were ignored because their example had already ended.
    pub ignored: u64,
    /// The number of a last line that is incomplete because its writer was interrupted.
    pub torn_line: Option<u64>,
}

impl InputProblems {
    /// Adds one problem.
    pub fn add(&mut self, mut problem: Problem) {
        self.count += 1;
        if self.first.len() < MAX_KEPT {
            clip(&mut problem.message);
            self.first.push(problem);
        }
    }

    /// The event of a line; `None` if the line is invalid, which is then counted as a problem.
    pub fn take_event(&mut self, line: EventLine) -> Option<Event> {
        let error = match line.event {
            Ok(event) => return Some(event),
            Err(error) => error,
        };
        match error {
            InvalidLine::Undecodable(DecodeError::UnknownKind(mut name)) => {
                clip(&mut name);
                // Bounded, because an input may contain any number of names.
                if self.unknown.len() >= MAX_KEPT && !self.unknown.contains_key(&name) {
                    name = "others".into();
                }
                *self.unknown.entry(name).or_default() += 1;
            }
            // A complete JSON value was not cut off, so it is invalid.
            error if !line.ended && may_be_torn(&error) => self.torn_line = Some(line.number),
            error => self.add(Problem {
                line: line.number,
                message: error.to_string(),
            }),
        }
        None
    }

    /// Whether data was lost that a run would show. An incomplete last line and unknown kinds do not count.
    pub fn is_damage(&self) -> bool {
        self.count > 0
    }
}

impl InputProblems {
    /// The reason why an input contains no valid events, after `contains no valid events`; empty for an empty input.
    pub(crate) fn why_without_events(&self) -> String {
        let Some(Problem { line, message }) = self.first.first() else {
            return match (self.torn_line, self.unknown.keys().next()) {
                (Some(line), _) => format!(": line {line} is incomplete"),
                (None, Some(kind)) => format!(": `{kind}` is not a known event"),
                (None, None) => String::new(),
            };
        };
        let more = match self.count - 1 {
            0 => String::new(),
            1 => " (and 1 more invalid line)".into(),
            number => format!(" (and {number} more invalid lines)"),
        };
        format!(": line {line}: {message}{more}")
    }
}

/// Removes the middle of a long text: the cause is at its beginning or at its end.
fn clip(text: &mut String) {
    let mut boundaries = text.char_indices().map(|(index, _)| index);
    let start = boundaries.nth(MAX_CHARS / 2);
    let end = boundaries.nth_back(MAX_CHARS / 2 - 1);
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
        for length in [0, 1, MAX_CHARS, MAX_CHARS + 1, 100_000] {
            let message = "é".repeat(length);
            let mut clipped = message.clone();
            clip(&mut clipped);
            assert_eq!(clipped == message, length <= MAX_CHARS, "{length}");
            assert!(clipped.chars().count() <= MAX_CHARS + 3, "{length}");
        }
        let mut problems = InputProblems::default();
        problems.take_event(line(
            1,
            DecodeError::Malformed(format!("`{}` is not a time", "x".repeat(100_000))),
        ));
        let message = &problems.first[0].message;
        assert!(message.starts_with("`xx") && message.ends_with("xx` is not a time"));
    }

    #[test]
    fn unknown_kinds_are_counted_by_name_up_to_a_limit() {
        let mut problems = InputProblems::default();
        for number in 0..40 {
            for _ in 0..2 {
                problems.take_event(line(
                    number,
                    DecodeError::UnknownKind(format!("Nap{number}")),
                ));
            }
        }
        assert_eq!(problems.unknown.len(), MAX_KEPT + 1);
        assert_eq!(problems.unknown["Nap3"], 2);
        assert_eq!(problems.unknown["others"], 40);
    }
}
