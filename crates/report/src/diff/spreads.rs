//! How much the duration of each test varied in earlier runs.

use std::collections::HashMap;

use casebook_record::History;
use libm::log;

use super::durations::{deviation, median};

/// With fewer runs, the spread of a test is unknown.
const MIN_RUNS: usize = 5;
/// The newest runs that are used. Older ones say little about the test as it is now.
const MAX_RUNS: usize = 20;

/// The median absolute deviations of the logarithms of the durations, by the ids of the tests.
#[derive(Debug, Default)]
pub struct Spreads(HashMap<String, f64>);

impl Spreads {
    /// The spreads in the recorded runs, without the runs with these ids, which are compared.
    pub fn in_history(history: &History, compared: &[&str]) -> Spreads {
        let mut durations: Vec<Vec<f64>> = vec![Vec::new(); history.tests.len()];
        let runs = history.runs.iter().rev();
        for run in runs.filter(|run| !compared.contains(&run.run_id.as_str())) {
            for result in &run.results {
                let of_test = &mut durations[result.test];
                if let Some(millis) = result.duration_ms.filter(|_| of_test.len() < MAX_RUNS) {
                    of_test.push(log(f64::from(millis) + 1.0));
                }
            }
        }
        let tests = history.tests.iter().zip(durations);
        tests
            .filter(|(_, durations)| durations.len() >= MIN_RUNS)
            .map(|(test, durations)| {
                let middle = median(durations.clone());
                (test.id.clone(), deviation(&durations, middle))
            })
            .collect()
    }

    pub(super) fn of(&self, test: &str) -> Option<f64> {
        self.0.get(test).copied()
    }
}

impl FromIterator<(String, f64)> for Spreads {
    fn from_iter<I: IntoIterator<Item = (String, f64)>>(spreads: I) -> Spreads {
        Spreads(spreads.into_iter().collect())
    }
}
