//! [`Redact`]: replaces the secrets in all texts of events and run data.

use std::iter;

use indexmap::IndexMap;
use serde_json::{Map, Number, Value};

use super::Redactor;
use crate::event::{
    AgentResponse, EvaluationRecorded, Event, ExampleFailed, ExamplePassed, ExamplePending,
    ExampleStarted, GroupFinished, GroupStarted, SimulationEnded, SimulationStarted, SuiteStarted,
    SuiteStopped, SuiteSummary, ToolCall, ToolCallCompleted, TopicChanged, UserMessage,
};
use crate::extra::UnknownFields;
use crate::json::Json;
use crate::metadata::Metadata;
use crate::model::{
    ConversationData, EvaluationData, ExampleData, ExceptionData, MessageData, Role, RunData,
    ScenarioData, Status, ToolCallData, TurnData,
};
use crate::time::Time;

/// Data that contains texts.
pub trait Redact {
    /// Replaces the secrets in all text values.
    fn redact(&mut self, redactor: &Redactor);
}

impl Redact for String {
    fn redact(&mut self, redactor: &Redactor) {
        redactor.redact_in_place(self);
    }
}

impl Redact for Value {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Value::String(text) => redactor.redact_in_place(text),
            Value::Array(list) => list.redact(redactor),
            Value::Object(map) => map.redact(redactor),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl Redact for Map<String, Value> {
    fn redact(&mut self, redactor: &Redactor) {
        self.values_mut().for_each(|value| value.redact(redactor));
        if !self.keys().any(|key| redactor.redacted_key(key).is_some()) {
            return;
        }
        for (key, value) in std::mem::take(self) {
            let name = redactor.redacted_key(&key).unwrap_or(key);
            // Different secrets have the same replacement; a number keeps both entries.
            let numbered = (2..).map(|number| format!("{name} {number}"));
            let free = iter::once(name.clone())
                .chain(numbered)
                .find(|name| !self.contains_key(name));
            self.insert(free.unwrap_or(name), value);
        }
    }
}

impl Redact for Json {
    fn redact(&mut self, redactor: &Redactor) {
        if !redactor.is_free_of_secrets(self.text()) {
            self.change(|value| value.redact(redactor));
        }
    }
}

impl Redact for Metadata {
    fn redact(&mut self, redactor: &Redactor) {
        self.change(
            |map| map.redact(redactor),
            |json| redactor.is_free_of_secrets(json),
        );
    }
}

impl Redact for UnknownFields {
    fn redact(&mut self, redactor: &Redactor) {
        self.values_mut().for_each(|value| value.redact(redactor));
    }
}

impl<T: Redact> Redact for Option<T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.iter_mut().for_each(|value| value.redact(redactor));
    }
}

impl<T: Redact> Redact for Box<T> {
    fn redact(&mut self, redactor: &Redactor) {
        (**self).redact(redactor);
    }
}

impl<T: Redact> Redact for Vec<T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.iter_mut().for_each(|value| value.redact(redactor));
    }
}

impl<T: Redact> Redact for IndexMap<String, T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.values_mut().for_each(|value| value.redact(redactor));
    }
}

macro_rules! without_text {
    ($($type:ty),+) => {
        $(impl Redact for $type {
            fn redact(&mut self, _: &Redactor) {}
        })+
    };
}

without_text!((), bool, f64, i64, u64, Number, Role, Status, Time);

/// Lists every field in a pattern, so that a new field does not compile until it is added here.
macro_rules! field_by_field {
    ($($type:ident { $($field:ident),+ })+) => {
        $(impl Redact for $type {
            fn redact(&mut self, redactor: &Redactor) {
                let $type { $($field),+ } = self;
                $($field.redact(redactor);)+
            }
        })+

    };
}

macro_rules! events_field_by_field {
    ($($type:ident { $($field:ident),+ })+) => {
        field_by_field! { $($type { $($field),+ })+ }

        impl Redact for Event {
            fn redact(&mut self, redactor: &Redactor) {
                match self {
                    $(Event::$type(event) => event.redact(redactor)),+
                }
            }
        }
    };
}

events_field_by_field! {
    SuiteStarted { time, example_count, load_time, seed, run_id, git_commit, metadata }
    SuiteStopped { time }
    SuiteSummary { time, duration, example_count, failure_count, pending_count }
    GroupStarted { time, description, file_path, line_number, example_count }
    GroupFinished { time, description }
    ExampleStarted {
        time, example_id, stable_id, canonical_path, description, full_description, location, scenario, position,
        metadata
    }
    ExamplePassed { time, example_id, stable_id, description, full_description, duration, metadata }
    ExampleFailed {
        time, example_id, stable_id, description, full_description, location, duration, message, backtrace,
        exception_class, metadata
    }
    ExamplePending { time, example_id, stable_id, description, full_description, message, metadata }
    SimulationStarted { time, example_id, goal, max_turns }
    SimulationEnded { time, example_id, turn_count, termination_reason }
    UserMessage { time, example_id, turn_number, text, source, metadata }
    AgentResponse { time, example_id, turn_number, text, tool_calls, metadata }
    TopicChanged { time, example_id, turn_number, from_topic, to_topic, trigger }
    ToolCallCompleted { time, example_id, turn_number, tool_name, arguments, result, error, metadata }
    EvaluationRecorded {
        time, example_id, turn_number, mode, r#type, name, description, passed, reasoning, failure_message, metadata
    }
}

impl<E: Redact> Redact for RunData<E> {
    fn redact(&mut self, redactor: &Redactor) {
        let RunData {
            schema_version,
            run_id,
            started_at,
            finished_at,
            seed,
            git_commit,
            metadata,
            scenarios,
            extra,
            examples,
        } = self;
        schema_version.redact(redactor);
        run_id.redact(redactor);
        started_at.redact(redactor);
        finished_at.redact(redactor);
        seed.redact(redactor);
        git_commit.redact(redactor);
        metadata.redact(redactor);
        scenarios.redact(redactor);
        extra.redact(redactor);
        examples.redact(redactor);
    }
}

field_by_field! {
    ToolCall { name, arguments, result, error, metadata }
    ScenarioData { id, name, goal, personality, context, verification, data, extra }
    ExampleData {
        id, stable_id, canonical_path, scenario_id, file, description, full_description, location, status, started_at,
        finished_at, duration_ms, exception, conversation, evaluations, metadata, extra
    }
    ExceptionData { class_name, message, backtrace, location, extra }
    ConversationData { started_at, ended_at, turns, final_topic, metadata, extra }
    TurnData { number, user_message, agent_response, tool_calls, topic, metadata, extra }
    MessageData { role, content, timestamp, source, metadata, extra }
    ToolCallData { name, arguments, result, error, timestamp, metadata, extra }
    EvaluationData {
        name, description, passed, reasoning, timestamp, mode, r#type, failure_message, turn_number, metadata, extra
    }
}
