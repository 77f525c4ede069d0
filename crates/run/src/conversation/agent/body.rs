//! The body of a request to an HTTP agent, with the messages of the conversation.

use casebook_suite::model::conversation::{Body, MESSAGE, MESSAGES};
use casebook_suite::run_time::{Part, parts, substitute};
use serde_json::{Map, Value, json};

use super::protocol::messages;
use crate::transcript::Transcript;

/// The body with the user's message and all messages.
pub(super) fn render(body: &Body, transcript: &Transcript) -> String {
    let messages = json!(messages(transcript).collect::<Vec<_>>());
    let last = transcript.turns.last();
    let values = Values {
        message: last.map_or("", |turn| turn.user.as_str()),
        messages_text: messages.to_string(),
        messages,
    };
    match body {
        Body::Json(value) => values.json(value).to_string(),
        Body::Text(text) => values.text(text),
    }
}

struct Values<'a> {
    message: &'a str,
    messages: Value,
    messages_text: String,
}

impl Values<'_> {
    fn text(&self, text: &str) -> String {
        let value = |name: &str| match name {
            MESSAGE => Some(self.message),
            MESSAGES => Some(self.messages_text.as_str()),
            _ => None,
        };
        substitute(text, value).into_owned()
    }

    /// A string that is exactly `{{messages}}` becomes the list.
    fn json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match parts(text).as_slice() {
                [Part::Value(only)] if only.name == MESSAGES => self.messages.clone(),
                _ => self.text(text).into(),
            },
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(fields) => {
                let fields = fields.iter();
                let rendered = fields.map(|(key, value)| (key.clone(), self.json(value)));
                Value::Object(rendered.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }
}
