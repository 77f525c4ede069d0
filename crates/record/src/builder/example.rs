//! One example under construction: its data and the state that later events need.

mod turns;

use serde_json::{Value, json};

use crate::event::{Event, ExampleFailed, ExamplePassed, ExamplePending, ExampleStarted};
use crate::extra::UnknownFields;
use crate::json::Json;
use crate::metadata::Metadata;
use crate::model::{BACKTRACE_LINES, ExampleData, ExceptionData, Status, ToolCallData};
use crate::repetitions::Repetitions;
use crate::time::{Time, millis};
use turns::conversation_from;

#[derive(Clone)]
pub(super) struct ExampleBuilder {
    pub(super) data: Box<ExampleData>,
    pub(super) position: Option<u64>,
    /// False if the first event of the example was not its start.
    has_start: bool,
    /// Whether the last turn is in progress.
    turn_open: bool,
    /// Tool calls of the turn in progress, until the list in the agent's reply replaces them.
    interim: Vec<ToolCallData>,
    /// The current topic of the conversation.
    topic: Option<String>,
    /// The earlier attempts. Not in the metadata, where `attempts` from an event would replace them.
    attempts: Vec<Value>,
}

impl ExampleBuilder {
    pub(super) fn start(event: ExampleStarted, scenario_id: Option<String>) -> ExampleBuilder {
        let full_description = (event.canonical_path.is_none()
            && event.full_description != event.description)
            .then_some(event.full_description);
        let data = Box::new(ExampleData {
            id: event.example_id,
            stable_id: event.stable_id,
            canonical_path: event.canonical_path,
            scenario_id,
            file: file_of(&event.location).to_owned(),
            description: event.description,
            full_description,
            location: event.location,
            status: Status::Running,
            started_at: event.time,
            finished_at: None,
            duration_ms: None,
            exception: None,
            conversation: Some(conversation_from(event.time)),
            evaluations: Vec::new(),
            metadata: event.metadata,
            extra: UnknownFields::default(),
        });
        ExampleBuilder {
            data,
            position: event.position,
            has_start: true,
            turn_open: false,
            interim: Vec::new(),
            topic: None,
            attempts: Vec::new(),
        }
    }

    pub(super) fn into_data(mut self) -> Box<ExampleData> {
        if !self.attempts.is_empty() {
            self.data.metadata.set("attempts", self.attempts);
        }
        self.data
    }

    /// An example without a start event. Its other events are still recorded.
    pub(super) fn without_start(id: &str, time: Time) -> ExampleBuilder {
        let start = ExampleStarted {
            time,
            example_id: id.to_owned(),
            stable_id: None,
            canonical_path: None,
            description: String::new(),
            full_description: String::new(),
            location: String::new(),
            scenario: None,
            position: None,
            metadata: Metadata::new(),
        };
        ExampleBuilder {
            has_start: false,
            ..ExampleBuilder::start(start, None)
        }
    }

    /// Starts a retry or a repetition: moves the complete attempt so far to `attempts`.
    pub(super) fn start_retry(&mut self, event: ExampleStarted, scenario_id: Option<String>) {
        if self.is_announcement() {
            let position = event.position.or(self.position);
            let attempts = std::mem::take(&mut self.attempts);
            *self = ExampleBuilder {
                position,
                attempts,
                ..ExampleBuilder::start(event, scenario_id)
            };
            return;
        }
        let time = event.time;
        let position = event.position.or(self.position);
        let fresh = ExampleBuilder {
            position,
            ..ExampleBuilder::start(event, scenario_id)
        };
        let mut earlier = std::mem::replace(self, fresh);
        earlier.interrupt(time, "another attempt started before this one ended");
        self.attempts = earlier.attempts;
        // Two levels will surround it: the metadata and the list.
        self.attempts.push(Json::nested(&earlier.data, 2));
    }

    /// Applies an event of this example; returns false if it arrived after the example's end and is ignored.
    pub(super) fn apply(&mut self, event: Event) -> bool {
        if self.has_ended() {
            return false;
        }
        match event {
            Event::UserMessage(event) => self.user_message(event),
            Event::AgentResponse(event) => self.agent_response(event),
            Event::ToolCallCompleted(event) => self.tool_call_completed(event),
            Event::TopicChanged(event) => self.topic_changed(event),
            Event::EvaluationRecorded(event) => self.data.evaluations.push(event.into()),
            Event::SimulationStarted(event) => {
                self.simulation([
                    ("goal", json!(event.goal)),
                    ("max_turns", json!(event.max_turns)),
                ]);
            }
            Event::SimulationEnded(event) => self.simulation([
                ("turn_count", json!(event.turn_count)),
                ("termination_reason", json!(event.termination_reason)),
            ]),
            Event::ExamplePassed(event) => self.passed(event),
            Event::ExampleFailed(event) => self.failed(event),
            Event::ExamplePending(event) => self.pending(event),
            Event::SuiteStarted(_)
            | Event::SuiteStopped(_)
            | Event::SuiteSummary(_)
            | Event::GroupStarted(_)
            | Event::GroupFinished(_)
            | Event::ExampleStarted(_) => unreachable!("handled by RunBuilder"),
        }
        true
    }

    /// Marks the example as failed if it is still running.
    pub(super) fn interrupt(&mut self, time: Time, reason: &str) {
        if self.has_ended() {
            return;
        }
        self.data.exception = Some(ExceptionData {
            class_name: Some("Casebook::Interrupted".into()),
            message: Some(reason.into()),
            backtrace: Vec::new(),
            location: None,
            extra: UnknownFields::default(),
        });
        self.end(Status::Failed, time, None);
    }

    /// Whether only the start of a repeated test was recorded, which belongs to none of its repetitions.
    fn is_announcement(&self) -> bool {
        !self.has_ended() && self.data.metadata.get(Repetitions::ANNOUNCED).is_some()
    }

    fn has_ended(&self) -> bool {
        self.data.finished_at.is_some()
    }

    fn passed(&mut self, event: ExamplePassed) {
        self.fill_from_end_event(event.stable_id, event.description, event.full_description);
        self.data.metadata.merge(event.metadata);
        self.end(Status::Passed, event.time, Some(event.duration));
    }

    fn pending(&mut self, event: ExamplePending) {
        self.fill_from_end_event(event.stable_id, event.description, event.full_description);
        self.data.metadata.merge(event.metadata);
        if let Some(message) = event.message {
            self.data.metadata.set("pending_message", message);
        }
        self.end(Status::Pending, event.time, None);
    }

    fn failed(&mut self, event: ExampleFailed) {
        self.fill_from_end_event(event.stable_id, event.description, event.full_description);
        self.data.metadata.merge(event.metadata);
        if self.data.location.is_empty() {
            file_of(&event.location).clone_into(&mut self.data.file);
            self.data.location.clone_from(&event.location);
        }
        let has_exception =
            event.message.is_some() || event.backtrace.is_some() || event.exception_class.is_some();
        let location = (event.location != self.data.location && !event.location.is_empty())
            .then_some(event.location);
        self.data.exception = has_exception.then(|| {
            let mut backtrace = event.backtrace.unwrap_or_default();
            backtrace.truncate(BACKTRACE_LINES);
            let class_name = event.exception_class;
            ExceptionData {
                class_name,
                message: event.message,
                backtrace,
                location,
                extra: UnknownFields::default(),
            }
        });
        self.end(Status::Failed, event.time, Some(event.duration));
    }

    /// Sets names from the final event that were not known before.
    fn fill_from_end_event(
        &mut self,
        stable_id: Option<String>,
        description: String,
        full_description: String,
    ) {
        self.data.stable_id = self.data.stable_id.take().or(stable_id);
        if !self.has_start {
            self.data.full_description =
                (full_description != description).then_some(full_description);
        }
        // Some examples have no name before they run: RSpec generates one from their matchers.
        if !self.has_start || !description.is_empty() {
            self.data.description = description;
        }
    }

    fn end(&mut self, status: Status, time: Time, seconds: Option<f64>) {
        // The clock may have been set back.
        let time = time.max(self.data.started_at);
        self.finish_turn();
        let final_topic = self.topic.take();
        let conversation = self.conversation();
        conversation.ended_at = Some(time);
        conversation.final_topic = final_topic;
        self.data.status = status;
        self.data.finished_at = Some(time);
        self.data.duration_ms = Some(seconds.map_or_else(
            || time.millis_since(self.data.started_at),
            |seconds| millis(seconds).max(0),
        ));
        // Serialized to save memory: nothing is added any more, and a run has very many examples.
        self.data.metadata.freeze();
        self.data.evaluations.shrink_to_fit();
        self.conversation().turns.shrink_to_fit();
    }
}

/// The file of a `file:line` or `file:line:column`; a drive letter is part of the file.
fn file_of(location: &str) -> &str {
    let mut file = location;
    while let Some((rest, number)) = file.rsplit_once(':')
        && !rest.is_empty()
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        file = rest;
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::RunBuilder;
    use crate::model::RunData;
    use crate::wire::decode;

    /// A run of one example with two attempts, after a round trip through JSON.
    fn retried(metadata: &str) -> RunData {
        let builder = RunBuilder::new("run");
        for _ in 0..2 {
            let line = format!(
                r#"{{"event_type":"ExampleStarted","payload":{{"time":"2026-11-15T08:40:51Z","example_id":"1",
                "description":"d","full_description":"d","location":"","metadata":{metadata}}}}}"#
            );
            builder.apply(decode(&line).unwrap());
        }
        let run = builder.close().unwrap();
        let json = serde_json::to_string(&run).unwrap();
        let read = serde_json::from_str(&json).unwrap();
        assert_eq!(run, read);
        read
    }

    #[test]
    fn an_attempt_with_keys_reserved_by_serde_json_is_stored() {
        let run = retried(r#"{"$serde_json::private::Number":"x"}"#);
        let attempt = &run.examples["1"].attempts()[0];
        assert_eq!(attempt["metadata"]["$serde_json::private::Number"], "x");
    }

    #[test]
    fn an_attempt_with_the_maximum_nesting_is_stored_as_text() {
        let metadata = |depth| format!(r#"{{"k":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        let attempt = |run: RunData| run.examples["1"].attempts()[0].clone();
        assert!(attempt(retried(&metadata(123))).is_object());
        for depth in [124, 126] {
            let text = attempt(retried(&metadata(depth)));
            let data: ExampleData = serde_json::from_str(text.as_str().unwrap()).unwrap();
            assert!(data.metadata.get("k").is_some(), "the metadata is complete");
        }
    }

    #[test]
    fn the_file_of_a_location() {
        for (location, file) in [
            ("spec/a_spec.rb:54", "spec/a_spec.rb"),
            ("C:/x.rb:7", "C:/x.rb"),
            ("C:/x.rb", "C:/x.rb"),
            ("src/lib.rs:3:14", "src/lib.rs"),
            ("a:b.rb:1", "a:b.rb"),
            ("plain", "plain"),
            (":7", ":7"),
            ("", ""),
        ] {
            assert_eq!(file_of(location), file, "{location}");
        }
    }
}
