//! The events of a test with several steps: each step is a turn.

use std::time::Duration;

use casebook_record::Metadata;
use casebook_record::event::{AgentResponse, UserMessage};
use casebook_record::model::STEP;
use casebook_suite::model::{Action, Step};
use casebook_suite::run_time::shown;
use serde_json::{Map, Value, json};

use super::{EventEmitter, command};
use crate::assertions::shortened;
use crate::attempt::StepResult;
use crate::captured_values::CapturedValues;
use crate::plan::PlannedTest;

/// Emits the steps of a test; nothing for a test with `command`.
pub(crate) struct StepEvents<'a> {
    emitter: &'a EventEmitter<'a>,
    planned: PlannedTest<'a>,
    is_enabled: bool,
}

impl<'a> StepEvents<'a> {
    pub(crate) fn new(emitter: &'a EventEmitter<'a>, planned: PlannedTest<'a>) -> StepEvents<'a> {
        StepEvents {
            emitter,
            planned,
            is_enabled: matches!(planned.test().action, Action::Steps(_)),
        }
    }

    /// `step` has its values substituted.
    pub(crate) fn started(&self, index: usize, step: &Step) {
        if !self.is_enabled {
            return;
        }
        let name = step.name.iter().map(|name| ("name", name.as_str()));
        self.emitter.sink.publish(
            UserMessage {
                time: self.emitter.now(),
                example_id: self.planned.id.clone(),
                turn_number: number(index),
                text: step.command.text.clone(),
                source: Some(STEP.to_owned()),
                metadata: name.collect(),
            }
            .into(),
        );
    }

    /// Emits the result of a step and its assertions. `captured` has all values captured so far.
    pub(crate) fn finished(
        &self,
        index: usize,
        result: &StepResult,
        duration: Option<Duration>,
        captured: &CapturedValues,
    ) {
        if !self.is_enabled {
            return;
        }
        let mut described = Map::new();
        command::describe_step(result, self.emitter.budget, &mut described);
        if let Some(duration) = duration {
            described.insert("duration".into(), duration.as_secs_f64().into());
        }
        let captured = self.captured(index, captured);
        let mut metadata = Metadata::from_iter([("command", Value::Object(described))]);
        if captured
            .as_object()
            .is_some_and(|values| !values.is_empty())
        {
            metadata.set("captured", captured);
        }
        let output = result.ran.streams.output().text();
        let (text, _) = self.emitter.budget.excerpt(output);
        self.emitter.sink.publish(
            AgentResponse {
                time: self.emitter.now(),
                example_id: self.planned.id.clone(),
                turn_number: number(index),
                text,
                tool_calls: Vec::new(),
                metadata,
            }
            .into(),
        );
        for assertion in &result.assertions {
            let number = Some(number(index));
            let evaluation = self.emitter.evaluation(self.planned, number, assertion);
            self.emitter.sink.publish(evaluation.into());
        }
    }

    /// The values that this step captured, shortened.
    fn captured(&self, index: usize, captured: &CapturedValues) -> Value {
        let step = &self.planned.test().steps()[index];
        let values = step.captures.iter().filter_map(|capture| {
            let value = captured.get(&capture.name)?;
            Some((capture.name.clone(), shortened(value).into()))
        });
        Value::Object(values.collect())
    }
}

/// The steps of a test, for the event at its end: which one failed, and which were not run.
pub(super) fn summary(steps: &[Step], results: &[StepResult]) -> Value {
    let steps = steps.iter().enumerate().map(|(index, step)| {
        let status = match results.get(index) {
            None => "not run",
            Some(result) if result.passed() => "passed",
            Some(_) => "failed",
        };
        let name = step.name.as_deref().map(shown);
        json!({"name": name, "command": shown(&step.command.text), "status": status})
    });
    steps.collect()
}

fn number(index: usize) -> u64 {
    index as u64 + 1
}
