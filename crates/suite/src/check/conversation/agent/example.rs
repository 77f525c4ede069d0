//! Checks the pointers of an HTTP agent against an example of its responses.

use casebook_source::yaml::Node;
use serde_json::Value;

use crate::codes::WRONG_VALUE;
use crate::model::agent::{ResponsePointers, TokenPointers};
use crate::reader::Reader;

/// Checks that each pointer finds a value of the right type. With `stream` the example is a list of events.
pub(super) fn check(
    pointers: &ResponsePointers,
    stream: bool,
    example: &Node,
    response: &Node,
    reader: &mut Reader<'_, '_>,
) {
    let Some(value) = reader.json(example) else {
        return;
    };
    let documents = match (stream, value) {
        (true, Value::Array(events)) => events,
        (true, _) => {
            let message = "`example` must be a list of events, because of `stream: sse`";
            reader.note(WRONG_VALUE, example.span, message);
            return;
        }
        (false, value) => vec![value],
    };
    let mut check = ExampleCheck {
        documents: &documents,
        what: "`example`",
        response,
        reader,
    };
    check.pointer("text", &pointers.text, "a string", Value::is_string);
    if let Some(pointer) = &pointers.cost {
        check.pointer("cost", pointer, "a number", Value::is_number);
    }
    check.tokens(pointers.tokens.as_ref());
    check.tool_calls(pointers);
}

struct ExampleCheck<'a, 'r, 'v, 'c> {
    documents: &'a [Value],
    /// What the pointers point into, for messages.
    what: &'static str,
    /// The node with the pointers.
    response: &'a Node<'a>,
    reader: &'r mut Reader<'v, 'c>,
}

impl ExampleCheck<'_, '_, '_, '_> {
    /// Reports a pointer that finds nothing in any document, or a value of another type.
    fn pointer(
        &mut self,
        field: &str,
        pointer: &str,
        expected: &str,
        is_valid: fn(&Value) -> bool,
    ) {
        let mut found = self.documents.iter().filter_map(|one| one.pointer(pointer));
        let what = self.what;
        let message = match found.find(|value| !value.is_null()) {
            None => format!("{what} has no value at `{pointer}`, where `{field}` points to"),
            Some(value) if !is_valid(value) => format!(
                "`{field}` must point to {expected}, but `{pointer}` in {what} is {}",
                describe(value)
            ),
            Some(_) => return,
        };
        let node = self.response.get(field).unwrap_or(self.response);
        self.reader.note(WRONG_VALUE, node.span, message);
    }

    fn tokens(&mut self, tokens: Option<&TokenPointers>) {
        match tokens {
            Some(TokenPointers::One(pointer)) => {
                let expected = "a number or an object with `input` and `output`";
                self.pointer("tokens", pointer, expected, |value| {
                    let part = |name: &str| value.get(name).is_some_and(Value::is_number);
                    value.is_number() || part("input") && part("output")
                });
            }
            Some(TokenPointers::Two { input, output }) => {
                for pointer in [input, output] {
                    self.pointer("tokens", pointer, "a number", Value::is_number);
                }
            }
            None => {}
        }
    }

    fn tool_calls(&mut self, pointers: &ResponsePointers) {
        let Some(pointer) = &pointers.tool_calls else {
            return;
        };
        self.pointer("toolCalls", pointer, "a list", Value::is_array);
        let lists = self.documents.iter().filter_map(|one| one.pointer(pointer));
        let calls: Vec<Value> = lists
            .filter_map(Value::as_array)
            .flatten()
            .cloned()
            .collect();
        if calls.is_empty() {
            return;
        }
        let mut within = ExampleCheck {
            documents: &calls,
            what: "a tool call of `example`",
            response: self.response,
            reader: self.reader,
        };
        within.pointer("name", &pointers.name, "a string", Value::is_string);
        let is_object = |value: &Value| value.is_object() || value.is_string();
        let expected = "an object or its JSON text";
        within.pointer("arguments", &pointers.arguments, expected, is_object);
    }
}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
