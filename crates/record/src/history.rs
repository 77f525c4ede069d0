//! An overview of all recorded runs: the outcome and duration of every test in each of them.
//!
//! Reading a thousand records takes minutes, so an index, `.casebook/history.idx`, caches the results of each run. A
//! run whose file has a different size or modification time than the index states is read again. An index that is
//! missing, damaged or of another version is rebuilt from the records. It is written to a temporary file and renamed,
//! so two concurrent programs only do the same work twice.

mod codec;
mod index;
mod scan;
mod skim;

use crate::outcome::TestOutcome;
use crate::redact::Redactor;
use crate::time::Time;
use crate::trials::TrialScore;

/// The results of all recorded runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// All tests that occur in any of the runs.
    pub tests: Vec<TestName>,
    /// The runs that could be read, oldest first.
    pub runs: Vec<RunEntry>,
    /// The directories of runs that could not be read, and why.
    pub damaged: Vec<(String, String)>,
}

/// A test with the names from its newest run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestName {
    /// Its stable id.
    pub id: String,
    /// The title shown to users.
    pub title: String,
    /// `file:line`.
    pub location: String,
}

/// One recorded run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEntry {
    /// The name of its directory.
    pub dir: String,
    /// Its id.
    pub run_id: String,
    /// When it started.
    pub started_at: Time,
    /// When it ended; `None` when the record does not contain it.
    pub finished_at: Option<Time>,
    /// The commit it ran on.
    pub git_commit: Option<String>,
    /// The branch that was checked out.
    pub git_branch: Option<String>,
    /// Whether the recording was completed: a `run.json` exists, not only a journal.
    pub finished: bool,
    /// The results of its tests, in the run's order.
    pub results: Vec<TestResult>,
}

/// The result of one test in one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestResult {
    /// The test's index in [`History::tests`].
    pub test: usize,
    /// Its outcome over all trials.
    pub outcome: TestOutcome,
    /// Whether it passed only on a retry, or some of its trials passed and some failed.
    pub flaky: bool,
    /// How many of its trials passed; `None` for a test without trials.
    pub trials: Option<TrialScore>,
    /// Its duration; `None` unless it passed.
    pub duration_ms: Option<u32>,
}

impl History {
    /// Redacts secrets in all names.
    pub fn redact(&mut self, redactor: &Redactor) {
        for test in &mut self.tests {
            for text in [&mut test.title, &mut test.location] {
                *text = redactor.text(text);
            }
        }
    }
}
