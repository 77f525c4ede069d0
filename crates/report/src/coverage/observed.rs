//! States that were observed while specs ran: how far each is tested.

use serde::{Deserialize, Serialize};

/// What was observed of a state or combination.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// How far it is tested.
    pub status: ObservedStatus,
    /// The passed examples that reach it.
    pub examples: Vec<ObservedExample>,
}

/// An example that reaches a state.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedExample {
    /// The names of its groups and its own.
    pub name: String,
    /// `file:line`.
    pub location: String,
}

/// How far a state is tested, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservedStatus {
    /// Its file was not loaded.
    NotLoaded,
    /// No passed example reaches it.
    Never,
    /// Only code outside of examples reaches it, such as code that runs while files are loaded.
    OutsideExamples,
    /// A passed example reaches it.
    Exercised,
    /// An example fails if the method behaves as in another state.
    Proven,
}

impl ObservedStatus {
    /// All, the best first.
    pub const ALL: [ObservedStatus; 5] = [
        ObservedStatus::Proven,
        ObservedStatus::Exercised,
        ObservedStatus::OutsideExamples,
        ObservedStatus::Never,
        ObservedStatus::NotLoaded,
    ];

    /// One to three words.
    pub fn as_str(self) -> &'static str {
        match self {
            ObservedStatus::Proven => "proven",
            ObservedStatus::Exercised => "exercised",
            ObservedStatus::OutsideExamples => "outside examples",
            ObservedStatus::Never => "never",
            ObservedStatus::NotLoaded => "not loaded",
        }
    }

    /// One character for tables.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            ObservedStatus::Proven => "◆",
            ObservedStatus::Exercised => "✓",
            ObservedStatus::OutsideExamples => "○",
            ObservedStatus::Never => "·",
            ObservedStatus::NotLoaded => "-",
        }
    }

    /// Whether a passed example reaches the state.
    pub fn is_reached(self) -> bool {
        self >= ObservedStatus::Exercised
    }
}

/// How many states have each status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ObservedCounts {
    counts: [usize; ObservedStatus::ALL.len()],
}

impl ObservedCounts {
    pub(crate) fn of(statuses: impl IntoIterator<Item = ObservedStatus>) -> ObservedCounts {
        let mut counts = ObservedCounts::default();
        for status in statuses {
            counts.counts[status as usize] += 1;
        }
        counts
    }

    /// How many have this status.
    pub fn of_status(&self, status: ObservedStatus) -> usize {
        self.counts[status as usize]
    }

    /// How many were observed.
    pub fn all(&self) -> usize {
        self.counts.iter().sum()
    }

    /// How many a passed example reaches.
    pub fn reached(&self) -> usize {
        let all = ObservedStatus::ALL.into_iter();
        all.filter(|status| status.is_reached())
            .map(|status| self.of_status(status))
            .sum()
    }

    /// The percentage that a passed example reaches, rounded down so that only a complete count is 100.
    pub fn percent(&self) -> usize {
        (self.reached() * 100)
            .checked_div(self.all())
            .unwrap_or(100)
    }
}
