//! [`Grid`]: the results of all tests in the newest runs, one character each.

use casebook_record::{RunEntry, TestOutcome, TestResult};
use serde::Serialize;

use super::{Test, Timeline};

/// The number of runs.
const RUNS: usize = 60;
/// The test is not in the run.
const ABSENT: u8 = b' ';

/// Tests × runs.
#[derive(Debug, Default, Serialize)]
pub struct Grid<'h> {
    /// The directories of the runs, oldest first.
    pub runs: Vec<&'h str>,
    /// The tests of these runs: those that failed last and those that changed most come first.
    pub tests: Vec<GridRow<'h>>,
}

/// One test.
#[derive(Debug, Serialize)]
pub struct GridRow<'h> {
    /// The test.
    #[serde(flatten)]
    pub test: Test<'h>,
    /// One character per run: `.` passed, `~` flaky, `F` failed, `S` skipped, `I` interrupted, a space where it was not run.
    pub results: String,
}

impl<'h> Grid<'h> {
    pub(super) fn of(runs: &[&'h RunEntry], tests: &[(Test<'h>, Timeline)]) -> Grid<'h> {
        let first = runs.len().saturating_sub(RUNS);
        let rows = tests.iter().map(|(test, timeline)| {
            let mut results = vec![ABSENT; runs.len() - first];
            for (run, result) in timeline.iter().filter(|(run, _)| *run >= first) {
                results[run - first] = character(result);
            }
            GridRow {
                test: *test,
                results: results.into_iter().map(char::from).collect(),
            }
        });
        let mut tests: Vec<_> = rows.filter(|row| row.present().next().is_some()).collect();
        tests.sort_by_key(|row| {
            let changes = std::cmp::Reverse(row.changes());
            (!row.fails_now(), changes, row.test.title)
        });
        Grid {
            runs: runs[first..].iter().map(|run| run.dir.as_str()).collect(),
            tests,
        }
    }
}

fn character(result: &TestResult) -> u8 {
    match result.outcome {
        TestOutcome::Passed if result.flaky => b'~',
        TestOutcome::Passed => b'.',
        TestOutcome::Failed => b'F',
        TestOutcome::Skipped => b'S',
        TestOutcome::Unfinished => b'I',
    }
}

impl GridRow<'_> {
    fn present(&self) -> impl DoubleEndedIterator<Item = u8> {
        self.results.bytes().filter(|result| *result != ABSENT)
    }

    fn fails_now(&self) -> bool {
        self.present().next_back() == Some(b'F')
    }

    /// How often the result differs from the one before it.
    fn changes(&self) -> usize {
        let pairs = self.present().zip(self.present().skip(1));
        pairs.filter(|(before, after)| before != after).count()
    }
}

#[cfg(test)]
mod tests {
    use casebook_record::{History, TestName, Time};

    use super::*;
    use crate::history::{Options, Trends};

    fn run(dir: &str, results: &[(usize, TestOutcome, bool)]) -> RunEntry {
        let result = |(test, outcome, flaky): &(usize, TestOutcome, bool)| TestResult {
            test: *test,
            outcome: *outcome,
            flaky: *flaky,
            trials: None,
            duration_ms: None,
        };
        RunEntry {
            dir: dir.into(),
            run_id: dir.into(),
            started_at: Time::from_millis(0),
            finished_at: None,
            git_commit: None,
            git_branch: Some("main".into()),
            finished: true,
            results: results.iter().map(result).collect(),
        }
    }

    #[test]
    fn failing_and_changing_tests_come_first() {
        use TestOutcome::{Failed, Passed, Skipped, Unfinished};
        let name = |id: &str| TestName {
            id: id.into(),
            title: id.into(),
            location: "a.yaml:1".into(),
        };
        let history = History {
            tests: ["always", "changing", "failing", "removed"]
                .map(name)
                .into(),
            runs: vec![
                run(
                    "1",
                    &[
                        (0, Passed, false),
                        (1, Passed, false),
                        (3, Unfinished, false),
                    ],
                ),
                run("2", &[(0, Passed, false), (1, Passed, true)]),
                run(
                    "3",
                    &[(0, Passed, false), (1, Skipped, false), (2, Failed, false)],
                ),
            ],
            damaged: Vec::new(),
        };
        let grid = Trends::of(&history, &Options::default()).grid;
        let rows: Vec<_> = grid
            .tests
            .iter()
            .map(|row| (row.test.id, &*row.results))
            .collect();
        let expected = [
            ("failing", "  F"),
            ("changing", ".~S"),
            ("always", "..."),
            ("removed", "I  "),
        ];
        assert_eq!(rows, expected);
        assert_eq!(grid.runs, ["1", "2", "3"]);
    }
}
