//! [`Grid`]: the results of all tests in the newest runs, one character each.

use casebook_record::{History, RunEntry, TestOutcome, TestResult};
use serde::Serialize;

/// The number of runs.
const RUNS: usize = 60;
/// The test is not in the run.
const ABSENT: u8 = b' ';

/// Tests × runs.
#[derive(Debug, Serialize)]
pub(crate) struct Grid<'h> {
    /// The directories of the runs, oldest first.
    runs: Vec<&'h str>,
    /// The tests of these runs: those that failed last and those that changed most come first.
    tests: Vec<GridRow<'h>>,
}

#[derive(Debug, Serialize)]
struct GridRow<'h> {
    id: &'h str,
    title: &'h str,
    location: &'h str,
    /// One character per run.
    results: String,
}

impl<'h> Grid<'h> {
    pub(crate) fn of(history: &'h History) -> Grid<'h> {
        let runs = &history.runs[history.runs.len().saturating_sub(RUNS)..];
        let mut results = vec![Vec::new(); history.tests.len()];
        for (index, run) in runs.iter().enumerate() {
            add(&mut results, index, run);
        }
        let names = history.tests.iter().zip(results);
        let rows = names.filter(|(_, results)| !results.is_empty());
        let mut tests: Vec<_> = rows
            .map(|(test, mut results)| {
                results.resize(runs.len(), ABSENT);
                GridRow {
                    id: &test.id,
                    title: &test.title,
                    location: &test.location,
                    results: results.into_iter().map(char::from).collect(),
                }
            })
            .collect();
        tests.sort_by_key(|row| {
            (
                !row.fails_now(),
                std::cmp::Reverse(row.changes()),
                row.title,
            )
        });
        Grid {
            runs: runs.iter().map(|run| run.dir.as_str()).collect(),
            tests,
        }
    }
}

fn add(results: &mut [Vec<u8>], index: usize, run: &RunEntry) {
    for result in &run.results {
        let row = &mut results[result.test];
        row.resize(index, ABSENT);
        row.push(character(result));
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
    use casebook_record::{TestName, Time};

    use super::*;

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
        let grid = Grid::of(&history);
        let rows: Vec<_> = grid
            .tests
            .iter()
            .map(|row| (row.id, &*row.results))
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
