//! Parses the YAML block of a test point as plain data, with limits on its size.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// The maximum nesting of maps and lists.
const MAX_DEPTH: usize = 64;
/// The maximum size in nodes and bytes: with aliases, a short text can expand to much data.
const MAX_SIZE: usize = 4 * 1024 * 1024;

/// Why a block is kept as text.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum YamlError {
    #[error("{0}")]
    Syntax(String),
    #[error("nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("too large after alias expansion")]
    TooLarge,
    #[error("an alias refers to itself")]
    Cycle,
}

/// Reads the text: its document, or a list of its documents if it has several.
pub(super) fn parse(text: &str) -> Result<Value, YamlError> {
    let options = granit_parser::options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        disallow_directives: true,
        emit_comments: false,
    };
    let mut builder = Builder::default();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, _) = event.map_err(|error| YamlError::Syntax(error.to_string()))?;
        builder.take(event)?;
    }
    Ok(builder.into_value())
}

/// Builds a value from the parser's events, without recursion.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    documents: Vec<Value>,
    size: usize,
}

/// A value and its size as counted for [`MAX_SIZE`].
#[derive(Clone)]
struct Node {
    value: Value,
    size: usize,
}

/// An incomplete list or map.
struct Open {
    anchor: usize,
    collection: Collection,
    size: usize,
}

enum Collection {
    List(Vec<Value>),
    Map {
        map: Map<String, Value>,
        key: Option<String>,
    },
}

impl Builder {
    fn take(&mut self, event: Event<'_>) -> Result<(), YamlError> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let node = Node {
                    size: 1 + text.len(),
                    value: scalar(&text, style),
                };
                self.add(node, anchor)
            }
            Event::SequenceStart(_, anchor, _) => self.open(anchor, Collection::List(Vec::new())),
            Event::MappingStart(_, anchor, _) => self.open(
                anchor,
                Collection::Map {
                    map: Map::new(),
                    key: None,
                },
            ),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                // Counted before the copy is made.
                let size = self.anchors.get(&anchor).ok_or(YamlError::Cycle)?.size;
                self.count(size)?;
                let node = self.anchors[&anchor].clone();
                self.put(node);
                Ok(())
            }
            Event::DocumentEnd => {
                self.anchors.clear();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn into_value(mut self) -> Value {
        match self.documents.len() {
            0 | 1 => self.documents.pop().unwrap_or_default(),
            _ => Value::Array(self.documents),
        }
    }

    fn open(&mut self, anchor: usize, collection: Collection) -> Result<(), YamlError> {
        if self.open.len() == MAX_DEPTH {
            return Err(YamlError::TooDeep);
        }
        self.count(1)?;
        self.open.push(Open {
            anchor,
            collection,
            size: 1,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), YamlError> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let value = match open.collection {
            Collection::List(list) => Value::Array(list),
            Collection::Map { map, .. } => Value::Object(map),
        };
        let node = Node {
            value,
            size: open.size,
        };
        self.anchor(open.anchor, &node)?;
        self.put(node);
        Ok(())
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), YamlError> {
        self.count(node.size)?;
        self.anchor(anchor, &node)?;
        self.put(node);
        Ok(())
    }

    /// Stores a copy for the aliases; its size is counted too.
    fn anchor(&mut self, anchor: usize, node: &Node) -> Result<(), YamlError> {
        if anchor > 0 {
            self.count(node.size)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(())
    }

    fn count(&mut self, size: usize) -> Result<(), YamlError> {
        self.size = self.size.saturating_add(size);
        if self.size > MAX_SIZE {
            return Err(YamlError::TooLarge);
        }
        Ok(())
    }

    fn put(&mut self, node: Node) {
        let Some(parent) = self.open.last_mut() else {
            self.documents.push(node.value);
            return;
        };
        parent.size += node.size;
        match &mut parent.collection {
            Collection::List(list) => list.push(node.value),
            Collection::Map { map, key } => match key.take() {
                Some(key) => drop(map.insert(key, node.value)),
                None => *key = Some(text_of(node.value)),
            },
        }
    }
}

/// Converts a key of any type to text.
fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Only plain scalars are numbers, booleans or null, and only if JSON has the same syntax for them.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return text.into();
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ => text
            .parse::<Number>()
            .map_or_else(|_| text.into(), Value::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn blocks_of_real_tools() {
        for (text, value) in [
            ("", json!(null)),
            ("duration_ms: 0.650467", json!({"duration_ms": 0.650_467})),
            (
                "error: |-\n  two\n  \n  lines\n  \nexpected: 3\nat: 'a.js:1:2'\nstack: |-\n  x\n",
                json!({"error": "two\n\nlines", "expected": 3, "at": "a.js:1:2", "stack": "x"}),
            ),
            (
                "  operator: deepEqual\n  at: Test.<anonymous> (/a/b.js:4:5)\n",
                json!({"operator": "deepEqual", "at": "Test.<anonymous> (/a/b.js:4:5)"}),
            ),
            (
                "data:\n  got:\n    - foo\n  expect: [bar, 1, true, ~]\n",
                json!({"data": {"got": ["foo"], "expect": ["bar", 1, true, null]}}),
            ),
            (
                "- a\n- 'null'\n- 0x10\n- .5\n",
                json!(["a", "null", "0x10", ".5"]),
            ),
            (
                "1: x\ntrue: y\n[a]: z\n",
                json!({"1": "x", "true": "y", "[\"a\"]": "z"}),
            ),
            ("a: &x [1]\nb: *x\n", json!({"a": [1], "b": [1]})),
            ("a: 1\n---\nb: 2\n", json!([{"a": 1}, {"b": 2}])),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn numbers_keep_all_their_digits() {
        let text = "12345678901234567890123";
        assert_eq!(parse(text).unwrap().to_string(), text);
    }

    #[test]
    fn excessive_nesting_and_alias_expansion_are_rejected() {
        let mut bomb = vec!["a0: &a0 [x]\n".to_owned()];
        for level in 1..40 {
            let one = format!("*a{}, ", level - 1);
            bomb.push(format!("a{level}: &a{level} [{}]\n", one.repeat(10)));
        }
        assert_eq!(parse(&bomb.concat()), Err(YamlError::TooLarge));
        assert_eq!(parse("a: &a [*a]"), Err(YamlError::Cycle));
        for deep in [
            "[".repeat(100_000),
            "- ".repeat(100_000),
            "? ".repeat(1_000),
        ] {
            assert!(parse(&deep).is_err());
        }
        assert!(parse(&format!("{}{}", "[".repeat(60), "]".repeat(60))).is_ok());
    }

    #[test]
    fn invalid_yaml_is_rejected() {
        for text in ["a: b: c", "'open", "*unknown", "%TAG ! x", "a: [1"] {
            assert!(matches!(parse(text), Err(YamlError::Syntax(_))), "{text}");
        }
    }
}
