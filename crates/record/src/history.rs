//! All recorded runs at a glance: what every test came to in each of them, and how long it took.
//!
//! Reading a thousand records takes minutes, so what is seen of each is kept in an index, `.casebook/history.idx`. It
//! is a copy: a run whose file has another size or time than the index says is read again, and an index that is
//! missing, damaged or of another version is made anew from the records. It is written to a temporary file and renamed,
//! so two programs that do so at once only do the same work twice.

mod codec;
mod index;
mod scan;
mod skim;

use crate::outcome::TestOutcome;
use crate::redact::Redactor;
use crate::time::Time;
use crate::trials::TrialScore;

/// What is known of all recorded runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// Every test that is in any of the runs.
    pub tests: Vec<TestName>,
    /// The runs that could be read, the oldest first.
    pub runs: Vec<RunEntry>,
    /// The folders of runs that could not be read, and why.
    pub damaged: Vec<(String, String)>,
}

/// A test, as the newest of its runs calls it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestName {
    /// Its stable id.
    pub id: String,
    /// What people call it.
    pub title: String,
    /// `file:line`.
    pub location: String,
}

/// One recorded run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEntry {
    /// The name of its folder.
    pub folder: String,
    /// Its id.
    pub run_id: String,
    /// When it began.
    pub started_at: Time,
    /// When it ended, as far as that is known.
    pub finished_at: Option<Time>,
    /// The commit it ran on.
    pub git_commit: Option<String>,
    /// Whether it was recorded to its end: there is a `run.json`, and not only a journal.
    pub finished: bool,
    /// What its tests came to, in its own order.
    pub results: Vec<TestResult>,
}

/// What one test came to in one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestResult {
    /// The test's place in [`History::tests`].
    pub test: usize,
    /// What it came to.
    pub outcome: TestOutcome,
    /// Whether it passed only after another attempt, or its trials disagree.
    pub flaky: bool,
    /// How often it passed, where it was tried several times.
    pub trials: Option<TrialScore>,
    /// How long it took when it passed.
    pub duration_ms: Option<u32>,
}

impl History {
    /// Hides these secrets in all names.
    pub fn redact(&mut self, redactor: &Redactor) {
        for test in &mut self.tests {
            for text in [&mut test.title, &mut test.location] {
                *text = redactor.text(text);
            }
        }
    }
}
