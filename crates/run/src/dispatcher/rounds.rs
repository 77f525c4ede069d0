//! [`Rounds`]: how many times the tests of a suite are run.

use std::time::Instant;

use crate::options::Repeat;

/// Decides whether another round of tests follows.
pub(super) struct Rounds {
    /// `None` sets no limit.
    times: Option<u32>,
    until: Option<Instant>,
    overlap: bool,
    instant: fn() -> Instant,
}

impl Rounds {
    /// One round without `repeat`.
    pub(super) fn new(repeat: Option<Repeat>, instant: fn() -> Instant) -> Rounds {
        let repeat = repeat.unwrap_or(Repeat {
            times: Some(1),
            ..Repeat::default()
        });
        let until = |duration| instant().checked_add(duration);
        Rounds {
            times: repeat.times,
            until: repeat.duration.and_then(until),
            overlap: repeat.overlapping,
            instant,
        }
    }

    /// Whether another round may follow the one with this number.
    pub(super) fn allow(&self, round: u32) -> bool {
        round < self.times.unwrap_or(u32::MAX) && !self.are_over()
    }

    /// Whether the time is over.
    pub(super) fn are_over(&self) -> bool {
        self.until.is_some_and(|until| (self.instant)() >= until)
    }

    /// Whether the number of rounds is not known in advance.
    pub(super) fn are_unlimited(&self) -> bool {
        self.times.is_none()
    }

    /// Whether a test may run at the same time as an earlier repetition of it.
    pub(super) fn overlap(&self) -> bool {
        self.overlap
    }
}
