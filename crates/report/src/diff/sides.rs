//! Matches the tests of two runs.

use std::collections::{HashMap, hash_map::Entry};

use casebook_record::{ExampleData, RunData, TestOutcome, TestTally, TrialScore};
use serde::Serialize;
use serde_json::Value;

use crate::examples::{failed_at, reason, skip_reason};
use crate::terminal::test_title;

/// One test in one run.
#[derive(Debug, Clone, Serialize)]
pub struct TestSide<'r> {
    /// Its outcome over all attempts and trials.
    pub outcome: TestOutcome,
    /// Whether it passed only on a retry, or its trials have different outcomes.
    pub flaky: bool,
    /// How many trials passed; `None` without trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<TrialScore>,
    /// Its duration if it passed: the median of its trials.
    pub duration_ms: Option<i64>,
    /// The first line of why it failed or was skipped.
    pub reason: Option<&'r str>,
    /// Where it failed, else where it is defined.
    pub location: &'r str,
    /// The command that runs it again.
    pub rerun: Option<&'r str>,
    /// Its record: of trials, the first one that failed, else the first one.
    #[serde(skip)]
    pub(super) example: Option<&'r ExampleData>,
}

/// A test in both runs; `None` where a run does not contain it.
pub(super) struct Pair<'r> {
    pub(super) id: &'r str,
    pub(super) title: String,
    pub(super) base: Option<TestSide<'r>>,
    pub(super) new: Option<TestSide<'r>>,
}

/// The examples of one test: its trials, or a single one.
struct Test<'r> {
    id: &'r str,
    run: &'r RunData,
    examples: Vec<&'r ExampleData>,
}

/// A test's id and its index among the tests with this id, so that two tests are never merged.
type Key<'r> = (&'r str, usize);

/// Pairs the tests: first in the order of the later run, then those of the earlier run only.
pub(super) fn pair<'r>(base: &'r RunData, new: &'r RunData) -> Vec<Pair<'r>> {
    let (base_order, mut base) = tests_of(base);
    let (new_order, new) = tests_of(new);
    let removed: Vec<_> = base_order
        .into_iter()
        .filter(|key| !new.contains_key(key))
        .collect();
    new_order
        .iter()
        .chain(&removed)
        .map(|key| {
            let (base, new) = (base.remove(key), new.get(key));
            let named = new
                .or(base.as_ref())
                .expect("each key is in one of the runs");
            Pair {
                id: named.id,
                title: test_title(named.run, named.examples[0]),
                base: base.as_ref().map(Test::side),
                new: new.map(Test::side),
            }
        })
        .collect()
}

fn tests_of(run: &RunData) -> (Vec<Key<'_>>, HashMap<Key<'_>, Test<'_>>) {
    let mut order = Vec::new();
    let mut tests: HashMap<Key, Test> = HashMap::new();
    let mut occurrences: HashMap<&str, usize> = HashMap::new();
    for example in run.examples.values() {
        let key = key_of(example, &mut occurrences);
        match tests.entry(key) {
            Entry::Occupied(mut test) => test.get_mut().examples.push(example),
            Entry::Vacant(entry) => {
                order.push(key);
                entry.insert(Test {
                    id: key.0,
                    run,
                    examples: vec![example],
                });
            }
        }
    }
    (order, tests)
}

/// The key of an example's test: trials of one test share it, other examples with the same id are counted.
fn key_of<'r>(example: &'r ExampleData, occurrences: &mut HashMap<&'r str, usize>) -> Key<'r> {
    if let Some(test) = example.trial_of() {
        return (test, 0);
    }
    let id = example.stable_id.as_deref().unwrap_or(example.title());
    let nth = occurrences.entry(id).or_default();
    *nth += 1;
    (id, *nth - 1)
}

impl<'r> Test<'r> {
    fn side(&self) -> TestSide<'r> {
        let mut tally = TestTally::default();
        self.examples.iter().for_each(|example| tally.add(example));
        let representative = self.representative();
        TestSide {
            outcome: tally.outcome(),
            flaky: tally.is_flaky(),
            trials: self.examples[0].trial_of().map(|_| tally.score),
            duration_ms: tally.duration_ms(),
            reason: reason(representative).or(skip_reason(representative)),
            location: failed_at(representative),
            rerun: representative.metadata.get("rerun").and_then(Value::as_str),
            example: Some(representative),
        }
    }

    /// The example to show: the first failed one, else the first.
    fn representative(&self) -> &'r ExampleData {
        let failed = |one: &&&ExampleData| one.passed() == Some(false);
        self.examples
            .iter()
            .find(failed)
            .unwrap_or(&self.examples[0])
    }
}
