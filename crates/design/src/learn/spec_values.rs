//! [`SpecValues`]: values that existing specs use, which are the best examples of the values that a method expects.

use std::collections::{BTreeMap, BTreeSet};

use ruby_prism::{CallNode, Node, Visit};
use serde_json::{Value, json};

use crate::ruby::syntax::{argument, arguments, called, constant, source, visit_children};

/// Longer code is not readable in an example.
const LONGEST: usize = 160;

/// Values found in specs, as written. `described_class` is replaced by the class that the spec describes.
#[derive(Debug, Default)]
pub(super) struct SpecValues {
    /// Code that creates an object, by the class as written.
    instances: BTreeMap<String, BTreeSet<String>>,
    /// Lists of arguments, by the name of the called method.
    calls: BTreeMap<String, BTreeSet<String>>,
}

impl SpecValues {
    pub(super) fn to_json(&self) -> Value {
        json!({ "instances": self.instances, "calls": self.calls })
    }

    /// Adds the values of a spec.
    pub(super) fn read(&mut self, spec: &[u8]) {
        let parsed = ruby_prism::parse(spec);
        if parsed.errors().next().is_some() {
            return;
        }
        let mut lets = NamedValues::default();
        lets.visit(&parsed.node());
        let mut reader = Reader {
            values: self,
            lets: lets.values,
            described: Vec::new(),
        };
        reader.visit(&parsed.node());
    }
}

/// The values of `let` and `subject` with a name that is used once, so that the name alone says which value it has.
#[derive(Default)]
struct NamedValues {
    values: BTreeMap<String, Option<String>>,
}

impl<'pr> Visit<'pr> for NamedValues {
    fn visit_call_node(&mut self, call: &CallNode<'pr>) {
        if matches!(called(call), "let" | "let!" | "subject")
            && let Some(name) = argument(call).and_then(|name| name.as_symbol_node())
            && let Some(body) = call.block().and_then(|block| block.as_block_node()?.body())
        {
            let name = String::from_utf8_lossy(name.unescaped()).into_owned();
            let value = Some(source(&body)).filter(|text| is_short(text));
            self.values
                .entry(name)
                .and_modify(|known| *known = None)
                .or_insert(value);
        }
        ruby_prism::visit_call_node(self, call);
    }
}

struct Reader<'h> {
    values: &'h mut SpecValues,
    lets: BTreeMap<String, Option<String>>,
    described: Vec<String>,
}

impl Reader<'_> {
    fn record(&mut self, call: &CallNode<'_>) {
        let name = called(call);
        let Some(receiver) = call.receiver() else {
            return;
        };
        let list: Vec<_> = arguments(call)
            .iter()
            .map(|node| self.closed(node))
            .collect();
        let Some(list) = list.into_iter().collect::<Option<Vec<String>>>() else {
            return;
        };
        let list = list.join(", ");
        if !list.is_empty() && is_short(&list) {
            let calls = self.values.calls.entry(name.to_owned()).or_default();
            calls.insert(list.clone());
        }
        if let Some(class) = self.class(&receiver)
            && !matches!(name, "describe" | "configure" | "to" | "not_to")
            && call.block().is_none()
        {
            let call = match name {
                "[]" => format!("{class}[{list}]"),
                _ if list.is_empty() => format!("{class}.{name}"),
                _ => format!("{class}.{name}({list})"),
            };
            let instances = self.values.instances.entry(class).or_default();
            instances.insert(call);
        }
    }

    /// The class that a receiver names.
    fn class(&self, receiver: &Node<'_>) -> Option<String> {
        if constant(receiver).is_some() {
            return Some(source(receiver));
        }
        let is_described = receiver
            .as_call_node()
            .is_some_and(|call| call.receiver().is_none() && called(&call) == "described_class");
        is_described.then(|| self.described.last().cloned())?
    }

    /// The code of an argument if it needs nothing around it. Names of `let` are replaced by their value.
    fn closed(&self, node: &Node<'_>) -> Option<String> {
        let mut open = OpenNames::default();
        open.visit(node);
        let text = source(node);
        match open.names.as_slice() {
            [] if !open.has_variable => Some(text),
            [name] if *name == text => {
                let value = self.lets.get(name)?.clone()?;
                let parsed = ruby_prism::parse(value.as_bytes());
                let mut inner = OpenNames::default();
                inner.visit(&parsed.node());
                (inner.names.is_empty() && !inner.has_variable).then(|| value.clone())
            }
            _ => None,
        }
    }
}

impl<'pr> Visit<'pr> for Reader<'_> {
    fn visit_call_node(&mut self, call: &CallNode<'pr>) {
        self.record(call);
        let class = argument(call).filter(|node| constant(node).is_some());
        let is_group = matches!(called(call), "describe" | "context") && call.block().is_some();
        let depth = self.described.len();
        if let Some(class) = class.filter(|_| is_group) {
            self.described.push(source(&class));
        }
        ruby_prism::visit_call_node(self, call);
        self.described.truncate(depth);
    }
}

/// Names that code needs from around it: variables, and calls without a receiver.
#[derive(Default)]
struct OpenNames {
    names: Vec<String>,
    has_variable: bool,
}

impl<'pr> Visit<'pr> for OpenNames {
    fn visit(&mut self, node: &Node<'pr>) {
        match node {
            Node::LocalVariableReadNode { .. }
            | Node::InstanceVariableReadNode { .. }
            | Node::GlobalVariableReadNode { .. }
            | Node::BlockArgumentNode { .. }
            | Node::SplatNode { .. }
            | Node::BlockNode { .. } => self.has_variable = true,
            Node::CallNode { .. } => {
                if let Some(call) = node.as_call_node().filter(|call| call.receiver().is_none()) {
                    self.names.push(called(&call).to_owned());
                }
            }
            _ => {}
        }
        visit_children(self, node);
    }
}

fn is_short(text: &str) -> bool {
    text.len() <= LONGEST && !text.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_with_self_contained_arguments_are_collected() {
        let mut values = SpecValues::default();
        values.read(
            b"RSpec.describe Shop::Cart do\n  let(:limit) { 3 }\n  it { described_class.new(limit, 'a').add(:b, 1) }\n  \
              it { Shop::Item[1].price(other) }\nend",
        );
        let found = values.to_json();
        assert_eq!(
            found["instances"],
            json!({"Shop::Cart": ["Shop::Cart.new(3, 'a')"], "Shop::Item": ["Shop::Item[1]"]})
        );
        assert_eq!(found["calls"]["add"], json!([":b, 1"]));
        assert_eq!(found["calls"].get("price"), None);
    }
}
