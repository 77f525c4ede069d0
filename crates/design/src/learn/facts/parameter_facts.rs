//! [`ParameterFacts`]: how a method uses one of its parameters.

use ruby_prism::Node;
use serde_json::{Value, json};

use super::{add, is_short};
use crate::ruby::syntax::source;

/// Calls that every object responds to, which say nothing about its class.
const OF_EVERY_OBJECT: [&str; 24] = [
    "!",
    "!=",
    "==",
    "class",
    "clone",
    "dup",
    "eql?",
    "equal?",
    "extend",
    "freeze",
    "frozen?",
    "hash",
    "inspect",
    "instance_of?",
    "is_a?",
    "itself",
    "kind_of?",
    "method",
    "nil?",
    "object_id",
    "respond_to?",
    "tap",
    "then",
    "to_s",
];

/// Calls with a key as the first argument.
const WITH_KEY: [&str; 10] = [
    "[]",
    "[]=",
    "fetch",
    "key?",
    "has_key?",
    "delete",
    "dig",
    "include?",
    "member?",
    "values_at",
];

/// How a method uses one of its parameters.
#[derive(Debug, Default)]
pub(in crate::learn) struct ParameterFacts {
    /// Its default, as written.
    pub(super) default: Option<String>,
    /// Methods that are called on it.
    pub(super) calls: Vec<String>,
    /// Literal keys that are read from it.
    pub(super) keys: Vec<String>,
    /// Classes that it is compared with, as written.
    pub(super) classes: Vec<String>,
    /// Literals and constants that it is compared with, as written.
    pub(super) compared: Vec<String>,
    /// Names of the methods that it is asked for with `respond_to?`.
    pub(super) responds_to: Vec<String>,
    /// Types in its YARD tag.
    pub(super) types: Vec<String>,
}

impl ParameterFacts {
    pub(super) fn to_json(&self) -> Value {
        json!({
            "default": self.default,
            "calls": self.calls,
            "keys": self.keys,
            "classes": self.classes,
            "compared": self.compared,
            "responds_to": self.responds_to,
            "types": self.types,
        })
    }

    /// A call on the parameter.
    pub(super) fn record_call(&mut self, name: &str, argument: Option<&Node<'_>>) {
        if !OF_EVERY_OBJECT.contains(&name) {
            add(&mut self.calls, name.to_owned());
        }
        let Some(argument) = argument else {
            return;
        };
        if is_read(name, argument) {
            add(&mut self.keys, source(argument));
        }
        match name {
            "is_a?" | "kind_of?" | "instance_of?" => add(&mut self.classes, source(argument)),
            "respond_to?" => {
                let text = source(argument);
                add(
                    &mut self.responds_to,
                    text.trim_matches([':', '\'', '"']).to_owned(),
                );
            }
            "==" | "!=" | "eql?" | "equal?" | "<" | ">" | "<=" | ">=" | "=~" | "match?"
            | "match" | "start_with?" | "end_with?" => self.compared(argument),
            _ => {}
        }
    }

    /// The other side of a comparison whose right side is the parameter.
    pub(super) fn record_compared(&mut self, name: &str, other: &Node<'_>) {
        let is_constant = matches!(
            other,
            Node::ConstantReadNode { .. } | Node::ConstantPathNode { .. }
        );
        match name {
            // `===` of a constant may also be that of a regular expression; the helper looks at its value.
            "===" if is_constant => add(&mut self.classes, source(other)),
            "===" | "==" | "=~" | "match?" | "include?" | "key?" | "[]" | "fetch" => {
                self.compared(other);
            }
            _ => {}
        }
    }

    fn compared(&mut self, other: &Node<'_>) {
        let text = source(other);
        let is_value = is_key(other)
            || matches!(
                other,
                Node::IntegerNode { .. }
                    | Node::FloatNode { .. }
                    | Node::NilNode { .. }
                    | Node::TrueNode { .. }
                    | Node::FalseNode { .. }
                    | Node::ArrayNode { .. }
                    | Node::RangeNode { .. }
                    | Node::RegularExpressionNode { .. }
                    | Node::ConstantReadNode { .. }
                    | Node::ConstantPathNode { .. }
            );
        if is_value && is_short(&text) {
            add(&mut self.compared, text);
        }
    }
}

/// Whether a call with this argument reads a literal key.
pub(super) fn is_read(name: &str, argument: &Node<'_>) -> bool {
    WITH_KEY.contains(&name) && is_key(argument)
}

fn is_key(node: &Node<'_>) -> bool {
    matches!(node, Node::StringNode { .. } | Node::SymbolNode { .. })
}
