//! [`SuiteFile`]: the suite of failed tests, in the version that was run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use casebook_record::ExampleData;
use casebook_record::model::EvaluationData;
use casebook_suite::model::{Assertion, Check, Test};
use casebook_suite::{Suite, run_time, snapshot};
use serde_json::Value;

use super::recorded::TestKey;
use super::refusal::Reason;
use crate::commands::shared::suites;
use crate::context::Context;

/// A suite in the version that was run.
pub(super) struct SuiteFile {
    pub(super) suite: Suite,
    /// The path of its file.
    pub(super) path: PathBuf,
    digest: String,
    /// The snapshots of each step of each test.
    snapshots: Vec<Vec<Option<String>>>,
    /// The indexes of the tests by location and name.
    tests: HashMap<TestKey, Vec<usize>>,
}

/// An assertion of a test.
#[derive(Clone, Copy)]
pub(super) struct AssertionRef<'s> {
    pub(super) test: &'s Test,
    /// The index of its step.
    step: usize,
    pub(super) assertion: &'s Assertion,
    /// The path of the snapshot of its step, relative to the suite's directory.
    pub(super) snapshot: Option<&'s str>,
}

impl SuiteFile {
    /// Reads a suite.
    pub(super) fn read(name: &str, context: &Context) -> Option<SuiteFile> {
        let suite = suites::read_file(Path::new(name), context).ok()?.suite?;
        let mut tests: HashMap<_, Vec<_>> = HashMap::new();
        for (index, test) in suite.tests.iter().enumerate() {
            tests.entry(key_of(&suite, test)).or_default().push(index);
        }
        Some(SuiteFile {
            snapshots: snapshot::files(&suite),
            digest: casebook_run::suite_digest(&suite),
            path: context.dir.join(name),
            suite,
            tests,
        })
    }

    /// Whether this is the version of the suite that the test was run with.
    pub(super) fn check_version(&self, example: &ExampleData) -> Result<(), Reason> {
        let recorded = example.metadata.get("suite_digest").and_then(Value::as_str);
        match recorded {
            None => Err(Reason::UnknownVersion),
            Some(recorded) if recorded == self.digest => Ok(()),
            Some(_) => Err(Reason::SuiteChanged),
        }
    }

    /// The location and name of a test, as they are recorded.
    pub(super) fn key(&self, test: &Test) -> TestKey {
        key_of(&self.suite, test)
    }

    /// The name for the user of a file next to the suite.
    pub(super) fn name_of(&self, path: &str) -> String {
        let name = Path::new(self.suite.file.name())
            .with_file_name("")
            .join(path);
        name.display().to_string()
    }

    pub(super) fn line(&self, at: usize) -> usize {
        self.suite.file.position(at).line
    }

    /// The assertion that was evaluated.
    pub(super) fn find(
        &self,
        example: &ExampleData,
        evaluation: &EvaluationData,
    ) -> Option<AssertionRef<'_>> {
        let tests = self.tests.get(&super::recorded::key(example))?;
        let mut places = tests.iter().flat_map(|index| self.places_of(*index));
        places.find(|place| self.is_evaluated(place, evaluation))
    }

    /// All assertions of all tests.
    pub(super) fn places(&self) -> impl Iterator<Item = AssertionRef<'_>> {
        (0..self.suite.tests.len()).flat_map(|index| self.places_of(index))
    }

    /// All assertions of a test.
    fn places_of(&self, index: usize) -> impl Iterator<Item = AssertionRef<'_>> {
        let test = &self.suite.tests[index];
        let steps = test.steps().iter().zip(&self.snapshots[index]);
        steps
            .enumerate()
            .flat_map(move |(index, (step, snapshot))| {
                step.assertions.iter().map(move |assertion| AssertionRef {
                    test,
                    step: index,
                    assertion,
                    snapshot: snapshot.as_deref(),
                })
            })
    }

    fn is_evaluated(&self, place: &AssertionRef<'_>, evaluation: &EvaluationData) -> bool {
        let assertion = place.assertion;
        let step = evaluation.turn_number;
        let metadata = &evaluation.metadata;
        let text = |key: &str| metadata.get(key).and_then(Value::as_str);
        let line = metadata.get("line").and_then(Value::as_u64);
        let is_same_part = match &assertion.check {
            Check::Json { pointer, .. } => text("pointer") == Some(pointer),
            Check::File { path, .. } => has_captured_value(path) || text("path") == Some(path),
            _ => true,
        };
        evaluation.r#type.as_deref() == Some(assertion.field)
            && line == Some(self.line(assertion.span.start) as u64)
            && step.is_none_or(|number| number == place.step as u64 + 1)
            && is_same_part
    }
}

fn key_of(suite: &Suite, test: &Test) -> TestKey {
    let line = suite.file.position(test.span.start).line;
    let location = format!("{}:{line}", suite.file.name());
    (location, test.name.clone())
}

/// Whether a part of the text was known only when the test ran.
fn has_captured_value(text: &str) -> bool {
    let mut parts = run_time::parts(text).into_iter();
    parts.any(|part| matches!(part, run_time::Part::Value(_)))
}
