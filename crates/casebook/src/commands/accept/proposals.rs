//! [`Proposals`]: the values that can be accepted, and those that cannot.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use casebook_record::ExampleData;
use casebook_record::model::EvaluationData;
use casebook_source::Span;
use casebook_suite::LineRange;
use casebook_suite::accept::{Acceptable, Change, NewValue, SuiteEditor};
use serde_json::Value;

use super::agreement;
use super::recorded::{RecordedTests, acceptable};
use super::refusal::{Reason, actual};
use super::suite_file::{AssertionRef, SuiteFile};
use crate::context::Context;

/// The values of all suites.
#[derive(Default)]
pub(super) struct Proposals<'r> {
    pub(super) suites: Vec<SuiteProposals<'r>>,
    refusals: Vec<RefusedValue>,
}

/// A value, or a whole suite, that is not changed.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RefusedValue {
    file: String,
    /// Its line; `None` for a suite.
    line: Option<u64>,
    message: String,
}

/// The values of one suite.
pub(super) struct SuiteProposals<'r> {
    pub(super) file: SuiteFile,
    pub(super) list: Vec<Proposal<'r>>,
}

/// A value that can be accepted.
pub(super) struct Proposal<'r> {
    /// Where it is: `file:line`.
    pub(super) place: String,
    pub(super) field: &'static str,
    /// The failed expectations that it makes pass: one, or one of each test of a matrix.
    pub(super) failures: Vec<Failure<'r>>,
    pub(super) target: Target,
}

/// A failed expectation.
#[derive(Clone, Copy)]
pub(super) struct Failure<'r> {
    pub(super) example: &'r ExampleData,
    pub(super) evaluation: &'r EvaluationData,
}

/// What is written.
pub(super) enum Target {
    /// A value in the suite.
    Value {
        span: Span,
        new: NewValue,
        change: Change,
    },
    /// A file with a snapshot or an expected text.
    File {
        path: PathBuf,
        name: String,
        text: String,
    },
}

/// A value that several tests can share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SharedValue {
    /// In the suite.
    At(Span),
    /// In the file with this path, relative to the suite's directory.
    File(String),
}

/// The failures of one value, with the value that each proposes.
type ByValue<'r> = BTreeMap<SharedValue, Vec<(Failure<'r>, NewValue)>>;

impl<'r> Proposals<'r> {
    /// Finds the value of each failure in its suite.
    pub(super) fn find(
        tests: &'r RecordedTests,
        is_selected: &dyn Fn(&str, &LineRange) -> bool,
        context: &Context,
    ) -> Proposals<'r> {
        let mut proposals = Proposals::default();
        for (name, examples) in tests.files() {
            let examples = examples
                .iter()
                .filter(|example| acceptable(example).next().is_some());
            let examples: Vec<_> = examples.collect();
            if examples.is_empty() {
                continue;
            }
            let Some(file) = SuiteFile::read(name, context) else {
                proposals.refuse_suite(name, &Reason::SuiteChanged);
                continue;
            };
            let unequal = examples
                .iter()
                .find_map(|example| file.check_version(example).err());
            if let Some(reason) = unequal {
                proposals.refuse_suite(name, &reason);
                continue;
            }
            proposals.add_suite(file, &examples, tests, is_selected);
        }
        proposals
    }

    fn add_suite(
        &mut self,
        file: SuiteFile,
        examples: &[&'r ExampleData],
        tests: &RecordedTests,
        is_selected: &dyn Fn(&str, &LineRange) -> bool,
    ) {
        let mut list = Vec::new();
        let mut by_value = ByValue::new();
        for failure in examples.iter().flat_map(|example| failures(example)) {
            let Some(place) = file.find(failure.example, failure.evaluation) else {
                self.refuse(failure, &Reason::NoAssertion);
                continue;
            };
            let lines = file.suite.file.lines_of(place.test.span);
            if !is_selected(file.suite.file.name(), &lines) {
                continue;
            }
            match propose(&file, place, failure) {
                Ok(Some(NewContent::Value(new))) => {
                    let of_value = by_value.entry(shared_value(place)).or_default();
                    of_value.push((failure, new));
                }
                Ok(Some(NewContent::Snapshot(target))) => list.push(Proposal {
                    place: location(failure.evaluation),
                    field: place.assertion.field,
                    failures: vec![failure],
                    target,
                }),
                Ok(None) => {}
                Err(reason) => self.refuse(failure, &reason),
            }
        }
        let editor = SuiteEditor::new(&file.suite.file);
        for (shared, failures) in by_value {
            let editor = editor.as_ref().ok_or(Reason::SuiteChanged);
            match editor.and_then(|editor| value(&file, editor, &shared, &failures, tests)) {
                Ok(proposal) => list.push(proposal),
                Err(reason) => self.refuse(failures[0].0, &reason),
            }
        }
        drop(editor);
        list.sort_by_key(|proposal| line(proposal.failures[0].evaluation));
        self.suites.push(SuiteProposals { file, list });
    }

    pub(super) fn refuse(&mut self, failure: Failure<'_>, reason: &Reason) {
        let place = location(failure.evaluation);
        let field = failure.evaluation.r#type.as_deref().unwrap_or_default();
        let test = &failure.example.description;
        self.refusals.push(RefusedValue {
            file: file_name(failure.evaluation).to_owned(),
            line: line(failure.evaluation),
            message: format!("{place}: `{field}` of \"{test}\" is not changed: {reason}"),
        });
    }

    fn refuse_suite(&mut self, name: &str, reason: &Reason) {
        self.refusals.push(RefusedValue {
            file: name.to_owned(),
            line: None,
            message: format!("skipped {name}: {reason}"),
        });
    }

    /// Whether there is nothing to accept or to refuse.
    pub(super) fn is_empty(&self) -> bool {
        self.refusals.is_empty() && self.suites.iter().all(|suite| suite.list.is_empty())
    }

    /// Reports the refusals that are not yet reported, in the order of the files. Returns their number.
    pub(super) fn report_refusals(&mut self, context: &Context) -> usize {
        let mut refusals = std::mem::take(&mut self.refusals);
        refusals.sort();
        for refusal in &refusals {
            context.messages.warn(&refusal.message);
        }
        refusals.len()
    }

    /// How many of the failed tests pass with the accepted values.
    pub(super) fn resolved_tests(&self, tests: &RecordedTests) -> usize {
        let proposals = self.suites.iter().flat_map(|suite| &suite.list);
        let failures = proposals.flat_map(|proposal| &proposal.failures);
        let accepted: HashSet<*const EvaluationData> = failures
            .map(|failure| std::ptr::from_ref(failure.evaluation))
            .collect();
        let is_resolved = |example: &&ExampleData| {
            let mut failed = example.evaluations.iter().filter(|one| !one.passed);
            let has_failed = example.evaluations.iter().any(|one| !one.passed);
            has_failed
                && failed.all(|one| accepted.contains(&std::ptr::from_ref(one)))
                && example.metadata.get("hook").is_none()
        };
        tests.failed().filter(is_resolved).count()
    }
}

fn failures(example: &ExampleData) -> impl Iterator<Item = Failure<'_>> {
    acceptable(example).map(move |evaluation| Failure {
        example,
        evaluation,
    })
}

/// What a failure proposes to write.
enum NewContent {
    Value(NewValue),
    Snapshot(Target),
}

/// What to write for a failure; nothing if its assertion does not compare complete values.
fn propose(
    file: &SuiteFile,
    place: AssertionRef<'_>,
    failure: Failure<'_>,
) -> Result<Option<NewContent>, Reason> {
    let Some(kind) = place.assertion.check.acceptable() else {
        return Ok(None);
    };
    let actual = actual(failure.example, failure.evaluation)?;
    let text = || actual.as_str().unwrap_or_default().to_owned();
    Ok(Some(match kind {
        Acceptable::Text | Acceptable::File => NewContent::Value(NewValue::Text(text())),
        Acceptable::Json => NewContent::Value(NewValue::Json(actual.clone())),
        Acceptable::Snapshot => {
            let snapshot = place.snapshot.ok_or(Reason::NoAssertion)?;
            let name = failure.evaluation.metadata.get("snapshot");
            let name = name.and_then(Value::as_str).unwrap_or(snapshot);
            NewContent::Snapshot(Target::File {
                path: file.path.with_file_name("").join(snapshot),
                name: name.to_owned(),
                text: text(),
            })
        }
    }))
}

/// The value that an assertion compares with.
pub(super) fn shared_value(place: AssertionRef<'_>) -> SharedValue {
    match place.assertion.check.expected_file() {
        Some(path) => SharedValue::File(path.to_owned()),
        None => SharedValue::At(place.assertion.span),
    }
}

/// The proposal for a value, if all tests that share it agree.
fn value<'r>(
    file: &SuiteFile,
    editor: &SuiteEditor<'_>,
    shared: &SharedValue,
    failures: &[(Failure<'r>, NewValue)],
    tests: &RecordedTests,
) -> Result<Proposal<'r>, Reason> {
    let (first, new) = &failures[0];
    let target = match (shared, new) {
        (SharedValue::At(span), new) => Target::Value {
            span: *span,
            new: new.clone(),
            change: editor.change(*span, new)?,
        },
        (SharedValue::File(path), NewValue::Text(text)) => Target::File {
            path: file.path.with_file_name("").join(path),
            name: file.name_of(path),
            text: text.clone(),
        },
        (SharedValue::File(_), NewValue::Json(_)) => return Err(Reason::NoAssertion),
    };
    agreement::check(file, shared, failures, tests)?;
    let place = file.find(first.example, first.evaluation);
    Ok(Proposal {
        place: location(first.evaluation),
        field: place.ok_or(Reason::NoAssertion)?.assertion.field,
        failures: failures.iter().map(|(failure, _)| *failure).collect(),
        target,
    })
}

fn line(evaluation: &EvaluationData) -> Option<u64> {
    evaluation.metadata.get("line")?.as_u64()
}

/// Where the assertion is: `file:line`.
fn location(evaluation: &EvaluationData) -> String {
    let line = line(evaluation).unwrap_or_default();
    format!("{}:{line}", file_name(evaluation))
}

fn file_name(evaluation: &EvaluationData) -> &str {
    let file = evaluation.metadata.get("file").and_then(Value::as_str);
    file.unwrap_or_default()
}
