//! The values that turns capture for later turns.

use std::cell::RefCell;

use casebook_record::{Comparison, DeclaredSecret};
use casebook_suite::model::conversation::{
    Expectation, Replace, TurnCapture, TurnCaptureSource, is_tool,
};
use casebook_suite::run_time::{only_reference, references, substitute, substitute_known};
use serde_json::Value;

use super::expectations::{CheckSubject, CheckedExpectation, EvaluatedCheck};
use super::session::Session;
use crate::assertions::{captured_group, missing_pointer_message, shortened};
use crate::transcript::Reply;

/// The captured values of a conversation so far.
#[derive(Debug, Default)]
pub(super) struct ConversationValues(Vec<ConversationValue>);

#[derive(Debug)]
struct ConversationValue {
    name: String,
    value: Value,
    /// The value in a text.
    text: String,
}

impl ConversationValues {
    fn set(&mut self, name: &str, value: Value) {
        self.0.retain(|known| known.name != name);
        self.0.push(ConversationValue {
            name: name.to_owned(),
            text: text_of(&value),
            value,
        });
    }

    fn get(&self, name: &str) -> Option<&ConversationValue> {
        self.0.iter().find(|known| known.name == name)
    }

    /// The text with these values.
    pub(super) fn text(&self, text: &str) -> String {
        substitute(text, |name| Some(self.get(name)?.text.as_str())).into_owned()
    }

    /// The expectations with these values; `None` if there are no values. Names without a value stay.
    pub(super) fn expectations(&self, expectations: &[Expectation]) -> Option<Vec<Expectation>> {
        if self.0.is_empty() {
            return None;
        }
        let known = |name: &str| Some(self.get(name)?.text.as_str());
        let text = |text: &str| substitute_known(text, known).into_owned();
        // A value that is nothing else keeps its type.
        let value = |text: &str| match only_reference(text).and_then(|name| self.get(name)) {
            Some(known) => known.value.clone(),
            None => substitute_known(text, known).into(),
        };
        let replace = Replace {
            text: &text,
            value: &value,
        };
        let expectations = expectations.iter();
        Some(expectations.map(|one| one.with_values(replace)).collect())
    }
}

/// The first captured value that an expectation still refers to, because it was not found.
pub(super) fn missing_value(expectation: &Expectation) -> Option<String> {
    let missing = RefCell::new(None);
    let text = |text: &str| {
        if let Some(reference) = references(text).next() {
            missing
                .borrow_mut()
                .get_or_insert(reference.name.to_owned());
        }
        String::new()
    };
    let value = |string: &str| text(string).into();
    let _ = expectation.with_values(Replace {
        text: &text,
        value: &value,
    });
    missing.into_inner()
}

impl Session<'_> {
    /// Finds the values that the turn captures. Secret ones are registered here, before the reply is published.
    pub(super) fn find_values(
        &self,
        captures: &[TurnCapture],
        reply: &Reply,
    ) -> Vec<Result<Value, String>> {
        let values = captures.iter().map(|capture| {
            let value = find(&capture.source, reply)?;
            if capture.is_secret {
                let text = text_of(&value);
                let secret = DeclaredSecret::new(&text).map_err(|error| error.to_string())?;
                let sink = self.events.emitter.sink();
                sink.register_secrets(&[secret.variable()]);
            }
            Ok(value)
        });
        values.collect()
    }

    /// Keeps the values that a recorded turn captured. One that is not found was a failure of the recorded run.
    pub(super) fn restore_values(&mut self, captures: &[TurnCapture], reply: &Reply) {
        for capture in captures {
            if let Ok(value) = find(&capture.source, reply) {
                self.values.set(&capture.name, value);
            }
        }
    }

    /// Keeps and records the captured values. A value that was not found fails the test.
    pub(super) fn keep_values(
        &mut self,
        index: usize,
        captures: &[TurnCapture],
        values: Vec<Result<Value, String>>,
    ) {
        for (capture, value) in captures.iter().zip(values) {
            let name = &capture.name;
            let mut description = format!("capture {name}");
            let checked = match value {
                Ok(value) => {
                    if !capture.is_secret {
                        description = format!("{description}: {}", shortened(&text_of(&value)));
                    }
                    self.values.set(name, value);
                    CheckedExpectation::default()
                }
                Err(problem) => {
                    CheckedExpectation::problem(format!("cannot capture `{name}`: {problem}"))
                }
            };
            let evaluated = EvaluatedCheck {
                field: "capture",
                span: capture.span,
                hard: true,
                description,
                comparison: Comparison::Matches,
                name: None,
                checked,
            };
            self.record_check(evaluated, &CheckSubject::Turn(index));
        }
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn find(source: &TurnCaptureSource, reply: &Reply) -> Result<Value, String> {
    let (tool, pointer) = match source {
        TurnCaptureSource::Reply(pattern) => {
            let found = captured_group(pattern, reply.text.as_bytes())?;
            let not_found = || format!("the reply does not match {}", shortened(pattern));
            return found.map(Value::from).ok_or_else(not_found);
        }
        TurnCaptureSource::Result { tool, pointer }
        | TurnCaptureSource::Argument { tool, pointer } => (tool, pointer),
    };
    let mut calls = reply.calls.iter().rev();
    let call = calls.find(|call| is_tool(tool, &call.name));
    let call = call.ok_or_else(|| format!("{tool} was not called"))?;
    let document = if let TurnCaptureSource::Argument { .. } = source {
        call.arguments.value().clone()
    } else if let Some(error) = &call.error {
        return Err(format!("{} failed: {}", call.name, shortened(error)));
    } else {
        let result = call.result.as_ref();
        let result = result.map(|result| parsed(result.value()));
        result.ok_or_else(|| format!("the agent did not report the result of {}", call.name))?
    };
    let value = document.pointer(pointer).cloned();
    value.ok_or_else(|| missing_pointer_message(pointer, &document))
}

/// The value; if it is JSON in a string, as many tools return it, the value of that JSON.
fn parsed(value: &Value) -> Value {
    let text = value.as_str();
    let parsed = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let structure = parsed.filter(|parsed| parsed.is_object() || parsed.is_array());
    structure.unwrap_or_else(|| value.clone())
}
