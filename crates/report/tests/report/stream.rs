//! Events of a run as the runner publishes them; fields that a test does not set have defaults.

use std::io;
use std::sync::{Arc, Mutex};

use casebook_record::event::{
    EvaluationRecorded, ExampleFailed, ExamplePassed, ExamplePending, ExampleStarted,
    GroupFinished, GroupStarted, SuiteStarted, SuiteStopped,
};
use casebook_record::{Event, Listener, ListenerError, Metadata, RunBuilder, RunData, Time};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Events in the order of publication. The clock advances by one millisecond with each.
#[derive(Default)]
pub(crate) struct Stream {
    pub(crate) events: Vec<Event>,
    tests: u64,
}

/// A started test.
#[derive(Clone)]
pub(crate) struct Test {
    id: String,
    name: String,
    location: String,
}

pub(crate) fn time(millis: i64) -> Time {
    Time::from_millis(1_763_195_251_594 + millis)
}

fn metadata(value: Value) -> Metadata {
    serde_json::from_value(value).unwrap()
}

impl Stream {
    pub(crate) fn planned(count: u64) -> Stream {
        let mut stream = Stream::default();
        stream.publish(SuiteStarted::at(time(0), count));
        stream
    }

    pub(crate) fn publish(&mut self, event: impl Into<Event>) {
        self.events.push(event.into());
    }

    fn now(&self) -> Time {
        time(i64::try_from(self.events.len()).unwrap())
    }

    pub(crate) fn open(&mut self, suite: &str) {
        self.publish(GroupStarted {
            time: self.now(),
            description: suite.into(),
            file_path: Some(path(suite)),
            line_number: Some(1),
            example_count: None,
        });
    }

    pub(crate) fn close(&mut self, suite: &str) {
        self.publish(GroupFinished {
            time: self.now(),
            description: suite.into(),
        });
    }

    pub(crate) fn begin(&mut self, suite: &str, name: &str) -> Test {
        let position = self.tests;
        self.tests += 1;
        self.begin_at(suite, name, position)
    }

    pub(crate) fn begin_at(&mut self, suite: &str, name: &str, position: u64) -> Test {
        let test = Test {
            id: format!("{position:012x}"),
            name: name.into(),
            location: format!("{}:{}", path(suite), 4 + 3 * position),
        };
        self.start(suite, &test, position);
        test
    }

    /// Adds another attempt at a test.
    pub(crate) fn again(&mut self, suite: &str, test: &Test) {
        let position = u64::from_str_radix(&test.id, 16).unwrap();
        self.start(suite, test, position);
    }

    fn start(&mut self, suite: &str, test: &Test, position: u64) {
        self.publish(ExampleStarted {
            time: self.now(),
            example_id: test.id.clone(),
            stable_id: Some(format!("example:{}", test.id)),
            canonical_path: Some(format!("{suite}::{}", test.name)),
            description: test.name.clone(),
            full_description: format!("{suite} {}", test.name),
            location: test.location.clone(),
            scenario: None,
            position: Some(position),
            metadata: metadata(json!({
                "suite": suite, "file": path(suite), "rerun": format!("casebook run {}", test.location),
            })),
        });
    }

    pub(crate) fn evaluation(&mut self, test: &Test, kind: &str, passed: bool, fields: &Value) {
        self.publish(EvaluationRecorded {
            time: self.now(),
            example_id: test.id.clone(),
            turn_number: None,
            mode: Some("hard".into()),
            r#type: Some(kind.into()),
            name: Some(kind.into()),
            description: fields["description"].as_str().unwrap_or(kind).into(),
            passed,
            reasoning: None,
            failure_message: fields["message"].as_str().map(str::to_owned),
            metadata: metadata(fields["metadata"].clone()),
        });
    }

    pub(crate) fn pass(&mut self, test: &Test, command: &Value) {
        self.publish(ExamplePassed {
            time: self.now(),
            example_id: test.id.clone(),
            stable_id: None,
            description: test.name.clone(),
            full_description: test.name.clone(),
            duration: 0.012,
            metadata: metadata(json!({"command": command})),
        });
    }

    /// Adds a failure with this metadata. Its class is `Casebook::` and the word before the message.
    pub(crate) fn fail(&mut self, test: &Test, message: &str, fields: &Value) {
        let (class, message) = message.split_once(": ").unwrap();
        self.publish(ExampleFailed {
            time: self.now(),
            example_id: test.id.clone(),
            stable_id: None,
            description: test.name.clone(),
            full_description: test.name.clone(),
            location: test.location.clone(),
            duration: 0.057,
            message: Some(message.into()),
            backtrace: None,
            exception_class: Some(format!("Casebook::{class}")),
            metadata: metadata(fields.clone()),
        });
    }

    pub(crate) fn skip(&mut self, test: &Test, reason: Option<&str>) {
        self.publish(ExamplePending {
            time: self.now(),
            example_id: test.id.clone(),
            stable_id: None,
            description: test.name.clone(),
            full_description: test.name.clone(),
            message: reason.map(str::to_owned),
            metadata: Metadata::new(),
        });
    }

    pub(crate) fn stop(&mut self) {
        self.publish(SuiteStopped { time: self.now() });
    }

    /// The record of the run.
    pub(crate) fn run(&self) -> RunData {
        let builder = RunBuilder::new("d00fa811-aa61-46cd-bea1-bb6729000564");
        for event in &self.events {
            builder.apply(event.clone());
        }
        builder.close().unwrap()
    }

    /// Sends all events to a listener. Returns its first error.
    pub(crate) fn send_to(
        &self,
        run: &RunBuilder,
        listener: &mut impl Listener,
    ) -> Option<ListenerError> {
        let mut first_error = None;
        for event in &self.events {
            run.apply(event.clone());
            if !listener.interest().matches(event) {
                continue;
            }
            if let Err(error) = listener.on_event(&Arc::new(event.clone())) {
                assert!(first_error.is_none(), "an error is returned once");
                first_error = Some(error);
            }
        }
        first_error
    }
}

fn path(suite: &str) -> String {
    format!("suites/{suite}.casebook.yaml")
}

/// A writer whose text can be read during the run.
#[derive(Clone, Default)]
pub(crate) struct Paper(Arc<Mutex<Vec<u8>>>);

impl Paper {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer to a closed pipe.
pub(crate) struct ClosedPipe;

impl io::Write for ClosedPipe {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Names and messages with special characters of TAP, YAML and XML.
pub(crate) fn hostile() -> impl Strategy<Value = String> {
    let special = prop::sample::select(vec![
        "#",
        "# SKIP",
        "# TODO",
        "\\",
        "\n",
        "---",
        "...",
        "not ok",
        " {",
        "- ",
        "1..3",
        "\t",
        "\u{1b}",
        "\r",
        "'",
        "\"",
        ": ",
        "|",
        "\u{202e}",
        "\u{85}",
        "in 3ms",
        "Bail out!",
        "]]>",
        "&",
        "<a>",
        "\u{ffff}",
        "\u{1}",
    ]);
    let piece = prop_oneof![special.prop_map(str::to_owned), "[a-zé ]{1,4}"];
    prop::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat())
}
