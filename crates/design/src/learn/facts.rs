//! [`MethodFacts`]: what the code of a method shows about the values that it expects.
//!
//! They are collected for every method of the project: an object that is an argument has to be created first, and its
//! `initialize` has parameters, too.

mod parameter_facts;
mod yard;

use std::collections::BTreeMap;

use ruby_prism::{CallNode, DefNode, Node, Visit};
use serde_json::{Value, json};

pub(super) use parameter_facts::ParameterFacts;
use parameter_facts::is_read;

use crate::ruby::syntax::{argument, called, constant, line, source, visit_children};

/// A longer literal is data, and makes examples hard to read.
const LONGEST_LITERAL: usize = 60;

/// The facts about one method.
#[derive(Debug, Default)]
pub(super) struct MethodFacts {
    /// The line of its `def`.
    line: usize,
    parameters: BTreeMap<String, ParameterFacts>,
    /// Strings, symbols and numbers, as written.
    literals: Vec<String>,
    /// Regular expressions, as written.
    regexps: Vec<String>,
    /// Constants that it reads, as written.
    constants: Vec<String>,
    /// Last parts of the names of the errors that it raises itself.
    raised: Vec<String>,
    /// Literal keys that it reads from anything but its parameters.
    keys: Vec<String>,
    /// Methods that it calls on its own object.
    own_calls: Vec<String>,
    /// Methods that it calls on any other object.
    calls: Vec<String>,
    /// Whether it yields or asks for a block.
    takes_block: bool,
}

impl MethodFacts {
    /// The facts as the helper reads them.
    pub(super) fn to_json(&self) -> Value {
        let parameters = self.parameters.iter();
        let parameters: serde_json::Map<_, _> = parameters
            .map(|(name, facts)| (name.clone(), facts.to_json()))
            .collect();
        json!({
            "line": self.line,
            "parameters": parameters,
            "literals": self.literals,
            "regexps": self.regexps,
            "constants": self.constants,
            "raised": self.raised,
            "keys": self.keys,
            "own_calls": self.own_calls,
            "calls": self.calls,
            "takes_block": self.takes_block,
        })
    }
}

/// The facts about all methods of a file; none if it is not valid Ruby.
pub(super) fn facts_of(text: &[u8]) -> Vec<MethodFacts> {
    let parsed = ruby_prism::parse(text);
    let mut methods = Methods {
        lines: text.split(|byte| *byte == b'\n').collect(),
        found: Vec::new(),
    };
    if parsed.errors().next().is_none() {
        methods.visit(&parsed.node());
    }
    methods.found
}

struct Methods<'t> {
    lines: Vec<&'t [u8]>,
    found: Vec<MethodFacts>,
}

impl<'pr> Visit<'pr> for Methods<'_> {
    fn visit_def_node(&mut self, method: &DefNode<'pr>) {
        let line = line(&method.as_node());
        let mut body = Body::new(method);
        if let Some(statements) = method.body() {
            body.visit(&statements);
        }
        let mut facts = body.facts;
        facts.line = line;
        for (name, kind) in yard::types_above(&self.lines, line) {
            if let Some(parameter) = facts.parameters.get_mut(&name) {
                parameter.types.push(kind);
            }
        }
        self.found.push(facts);
        ruby_prism::visit_def_node(self, method);
    }
}

/// Reads the body of one method.
struct Body {
    facts: MethodFacts,
}

impl Body {
    fn new(method: &DefNode<'_>) -> Body {
        let parameters = crate::ruby::parameters_of(method).into_iter();
        let parameters = parameters.map(|parameter| {
            let facts = ParameterFacts {
                default: parameter.default.filter(|default| is_short(default)),
                ..ParameterFacts::default()
            };
            (parameter.name, facts)
        });
        Body {
            facts: MethodFacts {
                parameters: parameters.collect(),
                ..MethodFacts::default()
            },
        }
    }

    fn parameter(&mut self, node: &Node<'_>) -> Option<&mut ParameterFacts> {
        let read = node.as_local_variable_read_node()?;
        let name = String::from_utf8_lossy(read.name().as_slice()).into_owned();
        self.facts.parameters.get_mut(&name)
    }

    fn call(&mut self, call: &CallNode<'_>) {
        let name = called(call);
        let is_own = call
            .receiver()
            .is_none_or(|receiver| receiver.as_self_node().is_some());
        match name {
            "raise" | "fail" if is_own => self.raised(call),
            "block_given?" => self.facts.takes_block = true,
            _ if is_own => add(&mut self.facts.own_calls, name.to_owned()),
            _ => add(&mut self.facts.calls, name.to_owned()),
        }
        let argument = argument(call);
        if let Some(parameter) = call.receiver().and_then(|node| self.parameter(&node)) {
            parameter.record_call(name, argument.as_ref());
        } else if let Some(key) = argument.as_ref().filter(|node| is_read(name, node)) {
            add(&mut self.facts.keys, source(key));
        }
        // `String === value`, `Integer(value)`, and comparisons with the parameter on the right side.
        if let (Some(receiver), Some(argument)) = (call.receiver(), argument)
            && let Some(parameter) = self.parameter(&argument)
        {
            parameter.record_compared(name, &receiver);
        }
    }

    fn raised(&mut self, call: &CallNode<'_>) {
        let class = argument(call).and_then(|node| {
            let receiver = node.as_call_node().and_then(|new| new.receiver());
            constant(receiver.as_ref().unwrap_or(&node)).map(ToOwned::to_owned)
        });
        add(
            &mut self.facts.raised,
            class.unwrap_or_else(|| "RuntimeError".to_owned()),
        );
    }

    /// The values that the branches of a `case` compare a parameter with.
    fn case(&mut self, node: &Node<'_>) {
        let Some(case) = node.as_case_node() else {
            return;
        };
        let Some(predicate) = case.predicate() else {
            return;
        };
        let Some(parameter) = self.parameter(&predicate) else {
            return;
        };
        for branch in &case.conditions() {
            let values = branch.as_when_node().map(|when| when.conditions());
            for value in values.iter().flat_map(ruby_prism::NodeList::iter) {
                parameter.record_compared("===", &value);
            }
        }
    }

    fn literal(&mut self, node: &Node<'_>) {
        let text = source(node);
        match node {
            Node::StringNode { .. } if text.starts_with(['\'', '"']) => {
                self.add_literal(text);
            }
            Node::SymbolNode { .. } if text.starts_with(':') => self.add_literal(text),
            Node::FloatNode { .. } => self.add_literal(text),
            Node::IntegerNode { .. } => self.number(&text),
            Node::RegularExpressionNode { .. } => add(&mut self.facts.regexps, text),
            Node::ConstantReadNode { .. } | Node::ConstantPathNode { .. } => {
                add(&mut self.facts.constants, text);
            }
            _ => {}
        }
    }

    /// A number with its neighbors, which are on the other side of a comparison.
    fn number(&mut self, text: &str) {
        match text.parse::<i64>() {
            Ok(number) => {
                for near in [number, number.saturating_add(1), number.saturating_sub(1)] {
                    self.add_literal(near.to_string());
                }
            }
            Err(_) => self.add_literal(text.to_owned()),
        }
    }

    fn add_literal(&mut self, text: String) {
        if is_short(&text) {
            add(&mut self.facts.literals, text);
        }
    }
}

impl<'pr> Visit<'pr> for Body {
    fn visit(&mut self, node: &Node<'pr>) {
        match node {
            Node::DefNode { .. } => return,
            Node::YieldNode { .. } => self.facts.takes_block = true,
            Node::CaseNode { .. } => self.case(node),
            Node::CallNode { .. } => {
                if let Some(call) = node.as_call_node() {
                    self.call(&call);
                }
            }
            _ => self.literal(node),
        }
        visit_children(self, node);
    }
}

fn is_short(text: &str) -> bool {
    text.len() <= LONGEST_LITERAL && !text.contains('\n')
}

/// Adds a text that is not in the list yet.
fn add(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}
