//! What was wrong with an input, in a size that can be shown whatever the input's size.

use std::collections::BTreeMap;

use crate::event::Event;
use crate::journal::{BadLine, EventLine};
use crate::lines::{Problem, UnreadableLine};
use crate::wire::DecodeError;

/// How many problems are kept word for word.
const KEPT: usize = 20;

/// The problems of one input: the first ones in full, the others counted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Problems {
    /// The first ones.
    pub first: Vec<Problem>,
    /// How many there were.
    pub count: u64,
    /// Events of unknown kinds, which were skipped, with how many there were of each.
    pub unknown: BTreeMap<String, u64>,
    /// The number of a last line that was cut off while it was written.
    pub torn_line: Option<u64>,
}

impl Problems {
    /// Adds one problem.
    pub fn add(&mut self, problem: Problem) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(problem);
        }
    }

    /// The event of a line, or a note of why there is none.
    pub fn sift(&mut self, line: EventLine) -> Option<Event> {
        let error = match line.event {
            Ok(event) => return Some(event),
            Err(error) => error,
        };
        match error {
            BadLine::Undecodable(DecodeError::UnknownKind(name)) => {
                // A hostile input may hold any number of names.
                let name = if self.unknown.len() < KEPT {
                    name
                } else {
                    "others".into()
                };
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

fn may_be_torn(error: &BadLine) -> bool {
    matches!(
        error,
        BadLine::Unreadable(UnreadableLine::NotUtf8(_))
            | BadLine::Undecodable(DecodeError::Malformed(_))
    )
}

impl FromIterator<Problem> for Problems {
    fn from_iter<I: IntoIterator<Item = Problem>>(problems: I) -> Problems {
        let mut collected = Problems::default();
        problems
            .into_iter()
            .for_each(|problem| collected.add(problem));
        collected
    }
}
