//! The tests of two runs, side by side.

use std::collections::{HashMap, hash_map::Entry};

use casebook_record::{ExampleData, RunData, TestOutcome, TestTally, TrialScore};
use serde::Serialize;
use serde_json::Value;

use crate::examples::{failed_at, reason, skip_reason};
use crate::terminal::test_title;

/// One test in one run.
#[derive(Debug, Clone, Serialize)]
pub struct TestSide<'r> {
    /// What it came to.
    pub outcome: TestOutcome,
    /// Whether it passed only after another attempt, or its trials disagree.
    pub flaky: bool,
    /// How often it passed, where it was tried several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<TrialScore>,
    /// How long it took when it passed: the median of its trials.
    pub duration_ms: Option<i64>,
    /// Why it failed or was skipped: the first line.
    pub reason: Option<&'r str>,
    /// Where it failed, else where it is.
    pub location: &'r str,
    /// The command that runs it again.
    pub rerun: Option<&'r str>,
}

/// A test as it is in either run.
pub(super) struct Pair<'r> {
    pub(super) id: &'r str,
    pub(super) title: String,
    pub(super) base: Option<TestSide<'r>>,
    pub(super) new: Option<TestSide<'r>>,
}

/// One test's examples: its trials, or the one that there is.
struct Test<'r> {
    id: &'r str,
    run: &'r RunData,
    examples: Vec<&'r ExampleData>,
}

/// A test's id, and which of those with that id it is: two tests never count as one.
type Key<'r> = (&'r str, usize);

/// Every test of either run: in the order of the later, then those that only the earlier has.
pub(super) fn pair<'r>(base: &'r RunData, new: &'r RunData) -> Vec<Pair<'r>> {
    let (base_order, mut base) = tests_of(base);
    let (new_order, new) = tests_of(new);
    let gone: Vec<_> = base_order
        .into_iter()
        .filter(|key| !new.contains_key(key))
        .collect();
    new_order
        .iter()
        .chain(&gone)
        .map(|key| {
            let (base, new) = (base.remove(key), new.get(key));
            let named = new.or(base.as_ref()).expect("it is in one of them");
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
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for example in run.examples.values() {
        let key = example.trial_of().map_or_else(
            || {
                let id = example.stable_id.as_deref().unwrap_or(example.title());
                let nth = seen.entry(id).or_default();
                *nth += 1;
                (id, *nth - 1)
            },
            |test| (test, 0),
        );
        match tests.entry(key) {
            Entry::Occupied(mut test) => test.get_mut().examples.push(example),
            Entry::Vacant(place) => {
                order.push(key);
                place.insert(Test {
                    id: key.0,
                    run,
                    examples: vec![example],
                });
            }
        }
    }
    (order, tests)
}

impl<'r> Test<'r> {
    fn side(&self) -> TestSide<'r> {
        let mut tally = TestTally::default();
        self.examples.iter().for_each(|example| tally.add(example));
        let telling = self.representative();
        TestSide {
            outcome: tally.outcome(),
            flaky: tally.is_flaky(),
            trials: self.examples[0].trial_of().map(|_| tally.score),
            duration_ms: tally.duration_ms(),
            reason: reason(telling).or(skip_reason(telling)),
            location: failed_at(telling),
            rerun: telling.metadata.get("rerun").and_then(Value::as_str),
        }
    }

    /// The example that says most about what the test came to: the first failure, if there is one.
    fn representative(&self) -> &'r ExampleData {
        let failed = |one: &&&ExampleData| one.passed() == Some(false);
        self.examples
            .iter()
            .find(failed)
            .unwrap_or(&self.examples[0])
    }
}
