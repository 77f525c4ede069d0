//! [`EventEmitter`]: creates the events of a run.

mod command;
mod conversation;
mod hook;
mod rerun;
mod services;
mod step;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use casebook_record::event::{
    EvaluationRecorded, ExampleFailed, ExamplePassed, ExamplePending, ExampleStarted,
    GroupFinished, GroupStarted, PlannedExample,
};
use casebook_record::{Clock, Comparison, Metadata, Repetitions, Stream, Time};
use casebook_source::{SourceFile, Span};
use casebook_suite::model::{Action, Lock};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::assertions::{AssertionResult, CheckResult};
use crate::attempt::{AttemptNumber, AttemptResult, Failure};
use crate::budget::OutputBudget;
use crate::event_sink::EventSink;
use crate::plan::{Plan, PlannedSuite, PlannedTest};

use conversation::ConversationInfo;
pub(crate) use hook::hook_message;

pub(crate) use step::StepEvents;

/// The key of the directory of a test that is kept, in its metadata.
pub(crate) const TEMP_DIR: &str = "temp_dir";

/// At most this many lines of a suite are quoted.
const SOURCE_LINES: usize = 12;

/// Creates the events of a run and passes them to the event sink.
pub(crate) struct EventEmitter<'a> {
    sink: &'a dyn EventSink,
    budget: &'a OutputBudget,
    clock: &'a Clock,
}

/// The attempt whose result is emitted.
pub(crate) struct AttemptReport<'a> {
    pub(crate) planned: PlannedTest<'a>,
    pub(crate) number: AttemptNumber,
    pub(crate) will_retry: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) duration: Duration,
    /// The directory of the test, if it is kept.
    pub(crate) kept_dir: Option<PathBuf>,
}

impl<'a> EventEmitter<'a> {
    pub(crate) fn new(
        sink: &'a dyn EventSink,
        budget: &'a OutputBudget,
        clock: &'a Clock,
    ) -> EventEmitter<'a> {
        EventEmitter {
            sink,
            budget,
            clock,
        }
    }

    pub(crate) fn sink(&self) -> &dyn EventSink {
        self.sink
    }

    /// An emitter with another sink.
    pub(crate) fn with_sink<'b>(&self, sink: &'b dyn EventSink) -> EventEmitter<'b>
    where
        'a: 'b,
    {
        EventEmitter::new(sink, self.budget, self.clock)
    }

    /// An emitter with another budget.
    pub(crate) fn with_budget<'b>(&self, budget: &'b OutputBudget) -> EventEmitter<'b>
    where
        'a: 'b,
    {
        EventEmitter::new(self.sink, budget, self.clock)
    }

    pub(crate) fn budget(&self) -> &OutputBudget {
        self.budget
    }

    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }

    pub(crate) fn group_started(&self, suite: &PlannedSuite) {
        self.sink.publish(
            GroupStarted {
                time: self.clock.now(),
                description: suite.suite.name.clone(),
                file_path: Some(suite.name().to_owned()),
                line_number: Some(1),
                example_count: Some(suite.tests.len() as u64),
            }
            .into(),
        );
    }

    pub(crate) fn group_finished(&self, suite: &PlannedSuite) {
        self.sink.publish(
            GroupFinished {
                time: self.clock.now(),
                description: suite.suite.name.clone(),
            }
            .into(),
        );
    }

    /// Emits the start of a repeated test, before its first repetition.
    pub(crate) fn repetitions_announced(&self, planned: PlannedTest<'_>, worker: usize) {
        let mut event = self.started(planned, AttemptNumber::FIRST, worker);
        event.metadata.set(Repetitions::ANNOUNCED, true);
        self.sink.publish(event.into());
    }

    pub(crate) fn attempt_started(
        &self,
        planned: PlannedTest<'_>,
        number: AttemptNumber,
        worker: usize,
    ) {
        let event = self.started(planned, number, worker);
        self.sink.publish(event.into());
    }

    fn started(
        &self,
        planned: PlannedTest<'_>,
        number: AttemptNumber,
        worker: usize,
    ) -> ExampleStarted {
        let test = planned.test();
        let metadata = Metadata::of(&Started {
            suite: &planned.suite.suite.name,
            file: planned.suite.name(),
            suite_digest: planned.suite.digest(),
            tags: &test.tags,
            locks: test.locks.iter().map(described_lock).collect(),
            covers: StringMap(&test.covers),
            matrix: StringMap(&test.matrix),
            conversation: test
                .conversation()
                .map(|conversation| ConversationInfo::of(conversation, planned)),
            rerun: rerun::rerun_command(planned),
            worker,
            attempt: number.retry(),
            repetition: number.repetition(),
        });
        ExampleStarted {
            time: self.clock.now(),
            example_id: planned.id.clone(),
            stable_id: Some(planned.stable_id.clone()),
            canonical_path: Some(planned.canonical_path.clone()),
            description: planned.title().into_owned(),
            full_description: full_description(planned),
            location: location(planned),
            scenario: test.conversation().and_then(conversation::scenario),
            position: Some(planned.position as u64),
            metadata,
        }
    }

    pub(crate) fn skipped(&self, planned: PlannedTest<'_>, reason: &str) {
        let reason = (!reason.is_empty()).then(|| reason.to_owned());
        self.pending(planned, reason, Metadata::new());
    }

    fn pending(&self, planned: PlannedTest<'_>, message: Option<String>, metadata: Metadata) {
        let event = ExamplePending {
            time: self.clock.now(),
            example_id: planned.id.clone(),
            stable_id: Some(planned.stable_id.clone()),
            description: planned.title().into_owned(),
            full_description: full_description(planned),
            message,
            metadata,
        };
        self.sink.publish(event.into());
    }

    /// Reports what the running command of a test has written so far.
    pub(crate) fn output_so_far(&self, planned: PlannedTest<'_>, streams: &[&[u8]]) {
        let names: &[&str] = match streams {
            [_, _] => &["stdout", "stderr"],
            _ => &["output"],
        };
        let streams: Vec<_> = names.iter().copied().zip(streams.iter().copied()).collect();
        self.sink.output_so_far(&planned.id, &streams);
    }

    /// Emits the results of the assertions of a test that failed as expected, and its end.
    pub(crate) fn expected_failure(
        &self,
        report: &AttemptReport<'_>,
        attempt: &AttemptResult,
        failure: &Failure,
    ) {
        let planned = report.planned;
        let reason = planned.test().fails.as_deref().unwrap_or_default();
        let mut metadata = self.finished(report, attempt, Some(failure));
        let expected = json!({"reason": reason, "message": failure.message});
        metadata.set("expected_failure", expected);
        let message = format!("expected failure: {reason}");
        self.pending(planned, Some(message), metadata);
    }

    /// Emits the results of the assertions and the end of the attempt.
    pub(crate) fn attempt_finished(
        &self,
        report: &AttemptReport<'_>,
        attempt: &AttemptResult,
        failure: Option<&Failure>,
    ) {
        let metadata = self.finished(report, attempt, failure);
        let planned = report.planned;
        let duration = report.duration.as_secs_f64();
        if let Some(Failure { class, message, .. }) = failure {
            return self.failed(planned, class, message, duration, metadata);
        }
        let event = ExamplePassed {
            time: self.clock.now(),
            example_id: planned.id.clone(),
            stable_id: Some(planned.stable_id.clone()),
            description: planned.title().into_owned(),
            full_description: full_description(planned),
            duration,
            metadata,
        };
        self.sink.publish(event.into());
    }

    fn failed(
        &self,
        planned: PlannedTest<'_>,
        class: &str,
        message: &str,
        duration: f64,
        metadata: Metadata,
    ) {
        let event = ExampleFailed {
            time: self.clock.now(),
            example_id: planned.id.clone(),
            stable_id: Some(planned.stable_id.clone()),
            description: planned.title().into_owned(),
            full_description: full_description(planned),
            location: location(planned),
            duration,
            message: Some(message.to_owned()),
            backtrace: None,
            exception_class: Some(class.to_owned()),
            metadata,
        };
        self.sink.publish(event.into());
    }

    /// Emits the results of the assertions, and returns the metadata of the end of the attempt.
    fn finished(
        &self,
        report: &AttemptReport<'_>,
        attempt: &AttemptResult,
        failure: Option<&Failure>,
    ) -> Metadata {
        if let Action::Command(_) = report.planned.test().action {
            let steps = attempt.steps.iter();
            for assertion in steps.flat_map(|step| &step.assertions) {
                let evaluation = self.evaluation(report.planned, None, assertion);
                self.sink.publish(evaluation.into());
            }
        }
        if attempt.workdir_is_missing {
            self.workdir_missing(report.planned, attempt);
        }
        let mut metadata = match &attempt.conversation {
            Some(conversation) => conversation.metadata.clone(),
            None => Metadata::new(),
        };
        if report.planned.test().conversation().is_none() {
            let command = command::describe(report, attempt, failure, self.budget, self.sink);
            metadata.set("command", command);
        }
        if let Action::Steps(steps) = &report.planned.test().action {
            metadata.set("steps", step::summary(steps, &attempt.steps));
        }
        if let Some(hook) = &attempt.hook {
            metadata.set("hook", self.hook_data(report.planned.suite, hook));
        }
        let outputs = &attempt.service_outputs;
        let suite = report.planned.suite;
        if let Some(outputs) = self.service_outputs(suite, outputs, failure.is_some()) {
            metadata.set("services", outputs);
        }
        if let Some(number) = report.number.retry() {
            metadata.set("attempt", number);
        }
        if let Some(dir) = &report.kept_dir {
            metadata.set(TEMP_DIR, dir.to_string_lossy());
        }
        if report.will_retry {
            metadata.set("will_retry", true);
        }
        metadata
    }

    /// Emits the failure of a test whose working directory does not exist, with the line that names it.
    fn workdir_missing(&self, planned: PlannedTest<'_>, attempt: &AttemptResult) {
        let span = planned.test().workdir_span(attempt.steps.len());
        let place = span.map(|span| source_quote(&planned.suite.suite.file, span));
        let evaluation = EvaluationRecorded {
            time: self.clock.now(),
            example_id: planned.id.clone(),
            turn_number: None,
            mode: Some("hard".to_owned()),
            r#type: Some("workdir".to_owned()),
            name: Some("workdir".to_owned()),
            description: "the working directory exists".to_owned(),
            passed: false,
            reasoning: None,
            failure_message: attempt.error.clone(),
            metadata: place.map(|place| Metadata::of(&place)).unwrap_or_default(),
        };
        self.sink.publish(evaluation.into());
    }

    fn evaluation(
        &self,
        planned: PlannedTest<'_>,
        turn_number: Option<u64>,
        assertion: &AssertionResult,
    ) -> EvaluationRecorded {
        let file = &planned.suite.suite.file;
        // An assertion that is not in the suite, such as the default exit code, has the span of the whole step.
        // Only its first line is quoted then.
        let mut owners = planned.test().steps().iter().map(|step| step.span);
        let span = if let Some(owner) = owners.find(|owner| *owner == assertion.span) {
            Span::new(owner.start, owner.start)
        } else {
            assertion.span
        };
        let result = &assertion.result;
        EvaluationRecorded {
            time: self.clock.now(),
            example_id: planned.id.clone(),
            turn_number,
            mode: Some("hard".to_owned()),
            r#type: Some(assertion.field.to_owned()),
            name: Some(assertion.field.to_owned()),
            description: assertion.description.clone(),
            passed: assertion.passed(),
            reasoning: None,
            failure_message: result.problem.clone(),
            metadata: Metadata::of(&AssertionMetadata {
                place: source_quote(file, span),
                comparison: assertion.comparison,
                stream: assertion.stream,
                result,
            }),
        }
    }

    /// Emits a failure for a test whose worker died.
    pub(crate) fn worker_died(&self, planned: PlannedTest<'_>, message: &str) {
        let command = planned
            .test()
            .steps()
            .first()
            .map(|step| &step.command.text);
        let command = json!({"command": command, "phase": "command"});
        let metadata = Metadata::from_iter([("command", command)]);
        self.failed(planned, "Casebook::WorkerDied", message, 0.0, metadata);
    }
}

fn full_description(planned: PlannedTest<'_>) -> String {
    format!("{} {}", planned.suite.suite.name, planned.title())
}

/// All planned tests, for the start event.
pub(crate) fn planned_examples(plan: &Plan) -> Value {
    let tests = plan.suites.iter().flat_map(PlannedSuite::planned_tests);
    tests
        .map(|planned| {
            json!(PlannedExample {
                id: &planned.id,
                stable_id: Some(&planned.stable_id),
                canonical_path: Some(&planned.canonical_path),
                description: &planned.title(),
                location: &location(planned),
            })
        })
        .collect()
}

fn location(planned: PlannedTest<'_>) -> String {
    format!("{}:{}", planned.suite.name(), planned.line())
}

/// The metadata of a test's start event.
#[derive(Serialize)]
struct Started<'a> {
    suite: &'a str,
    file: &'a str,
    suite_digest: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locks: Vec<Value>,
    #[serde(skip_serializing_if = "StringMap::is_empty")]
    covers: StringMap<'a>,
    #[serde(skip_serializing_if = "StringMap::is_empty")]
    matrix: StringMap<'a>,
    #[serde(flatten)]
    conversation: Option<ConversationInfo<'a>>,
    rerun: String,
    worker: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repetition: Option<u32>,
}

/// A lock as it is written in a suite.
fn described_lock(lock: &Lock) -> Value {
    if lock.is_shared {
        Value::Object(Map::from_iter([(lock.name.clone(), "shared".into())]))
    } else {
        lock.name.as_str().into()
    }
}

/// Pairs of names and values, serialized as a map.
struct StringMap<'a>(&'a [(String, String)]);

impl StringMap<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for StringMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The metadata of an assertion's evaluation.
#[derive(Serialize)]
struct AssertionMetadata<'a> {
    #[serde(flatten)]
    place: SourceQuote<'a>,
    comparison: Comparison,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<Stream>,
    #[serde(flatten)]
    result: &'a CheckResult,
}

/// The location and source of an assertion, for the record.
#[derive(Serialize)]
pub(crate) struct SourceQuote<'a> {
    file: &'a str,
    line: usize,
    /// The quoted lines.
    source: Cow<'a, str>,
}

pub(crate) fn source_quote(file: &SourceFile, span: Span) -> SourceQuote<'_> {
    let (file, span) = file.locate(span);
    let first = file.position(span.start).line;
    // The span of a block scalar extends into the line of the next key.
    let end = span.start + file.slice(span).trim_end().len();
    let last = file.position(end.saturating_sub(1).max(span.start)).line;
    let mut lines = (first..=last)
        .take(SOURCE_LINES)
        .map(|line| file.line(line));
    let source = match (lines.next(), first == last) {
        (Some(only), true) => only.into(),
        (first, _) => {
            let lines: Vec<_> = first.into_iter().chain(lines).collect();
            lines.join("\n").into()
        }
    };
    SourceQuote {
        file: file.name(),
        line: first,
        source,
    }
}
