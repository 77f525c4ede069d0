//! The results of a record that matter for accepting.

use std::collections::{BTreeMap, HashSet};
use std::io;

use casebook_record::model::EvaluationData;
use casebook_record::{ExampleData, Run, Status};

use super::refusal::comparison;

/// The location (`file:line`) and name of a test.
pub(super) type TestKey = (String, String);

/// The failed tests of a record, and the passed ones that may share a value with them.
#[derive(Default)]
pub(super) struct RecordedTests {
    failed: BTreeMap<String, Vec<ExampleData>>,
    passed: HashSet<TestKey>,
}

impl RecordedTests {
    /// Reads the tests of the selected files.
    pub(super) fn read(run: &Run, is_selected: impl Fn(&str) -> bool) -> io::Result<RecordedTests> {
        let mut tests = RecordedTests::default();
        for example in run.each_example() {
            let example = example?;
            let Some(file) = file(&example).filter(|file| is_selected(file)) else {
                continue;
            };
            match example.status {
                Status::Failed => {
                    let file = file.to_owned();
                    let of_file = tests.failed.entry(file).or_default();
                    of_file.push(example.into_owned());
                }
                Status::Passed => {
                    tests.passed.insert(key(&example));
                }
                _ => {}
            }
        }
        Ok(tests)
    }

    /// The failed tests of each file.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &[ExampleData])> {
        let files = self.failed.iter();
        files.map(|(file, examples)| (file.as_str(), examples.as_slice()))
    }

    pub(super) fn failed(&self) -> impl Iterator<Item = &ExampleData> {
        self.failed.values().flatten()
    }

    pub(super) fn has_passed(&self, key: &TestKey) -> bool {
        self.passed.contains(key)
    }
}

pub(super) fn key(example: &ExampleData) -> TestKey {
    (example.location.clone(), example.description.clone())
}

/// The suite of a test.
fn file(example: &ExampleData) -> Option<&str> {
    let (file, _) = example.location.rsplit_once(':')?;
    Some(file)
}

/// The failed expectations whose actual value can be accepted.
pub(super) fn acceptable(example: &ExampleData) -> impl Iterator<Item = &EvaluationData> {
    example.evaluations.iter().filter(|evaluation| {
        let compares_values =
            matches!(comparison(evaluation), Some("equals" | "json" | "snapshot"));
        !evaluation.passed && compares_values && evaluation.r#type.is_some()
    })
}
