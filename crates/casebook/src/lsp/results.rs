//! [`Results`]: how the tests of a project ended when they ran last.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use casebook_record::{Store, TestOutcome, Time};

use crate::context::Context;

/// How a test ended, and when its run began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LastResult {
    pub(super) outcome: TestOutcome,
    pub(super) at: Time,
}

impl LastResult {
    /// `failed 2 min ago`.
    pub(super) fn describe(self) -> String {
        let outcome = match self.outcome {
            TestOutcome::Passed => "passed",
            TestOutcome::Failed => "failed",
            TestOutcome::Skipped => "skipped",
            TestOutcome::Unfinished => "did not finish",
        };
        let age = age(Context::now().millis_since(self.at));
        format!("{outcome} {age}")
    }

    /// Orders the results of the tests that one definition expands to: the newest, and of these a failure first.
    fn rank(self) -> (Reverse<i64>, bool) {
        let is_failure = matches!(self.outcome, TestOutcome::Failed | TestOutcome::Unfinished);
        (Reverse(self.at.as_millis()), !is_failure)
    }
}

/// The last results by the stable ids of tests, as of a state of the directory of runs.
#[derive(Debug, Default)]
pub(super) struct Results {
    state: Option<[SystemTime; 2]>,
    by_id: HashMap<String, LastResult>,
}

impl Results {
    /// Reads the records of runs that were added since the last call.
    pub(super) fn update(&mut self, dir: &Path) {
        let store = Store::in_project(dir);
        let newest = store.dirs().pop();
        let changed = |path: &Path| fs::metadata(path).and_then(|one| one.modified()).ok();
        let state = newest.and_then(|run| Some([changed(&store.runs_dir())?, changed(&run)?]));
        if state == self.state {
            return;
        }
        self.state = state;
        self.by_id.clear();
        let history = store.history(Context::cpus(), &|_, _| {});
        for run in &history.runs {
            for result in &run.results {
                let last = LastResult {
                    outcome: result.outcome,
                    at: run.started_at,
                };
                let id = history.tests[result.test].id.clone();
                self.by_id.insert(id, last);
            }
        }
    }

    /// The result of the tests with these ids.
    pub(super) fn of<'i>(&self, ids: impl IntoIterator<Item = &'i String>) -> Option<LastResult> {
        let known = ids.into_iter().filter_map(|id| self.by_id.get(id)).copied();
        known.min_by_key(|result| result.rank())
    }
}

fn age(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "1 day ago".to_owned(),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_rounded_down() {
        for (seconds, expected) in [
            (-5, "just now"),
            (59, "just now"),
            (60, "1 min ago"),
            (3_599, "59 min ago"),
            (7_200, "2 h ago"),
            (86_400, "1 day ago"),
            (200_000, "2 days ago"),
        ] {
            assert_eq!(age(seconds * 1000), expected);
        }
    }

    #[test]
    fn the_newest_result_counts_and_a_failure_before_others() {
        let result = |outcome, millis| LastResult {
            outcome,
            at: Time::from_millis(millis),
        };
        let (passed, failed) = (TestOutcome::Passed, TestOutcome::Failed);
        let ids = ["a", "b", "c"].map(str::to_owned);
        let all = [result(failed, 1), result(passed, 2), result(failed, 2)];
        let results = Results {
            state: None,
            by_id: ids.iter().cloned().zip(all).collect(),
        };
        assert_eq!(results.of(&ids[..1]), Some(all[0]));
        assert_eq!(results.of(&ids[..2]), Some(all[1]));
        assert_eq!(results.of(&ids), Some(all[2]));
        assert_eq!(results.of(&["d".to_owned()]), None);
    }
}
