//! Names of value expressions: rule E5.

use ruby_prism::{CallNode, Node};

use crate::name::Name;
use crate::ruby::syntax::node::{
    argument, arguments, assignment, bare, called, constant, source, variable,
};
use crate::ruby::syntax::words::{is_number, literal, plain, snake};

/// Receivers without a meaning in the domain.
const GENERIC_RECEIVERS: [&str; 8] = [
    "params",
    "options",
    "opts",
    "args",
    "kwargs",
    "attributes",
    "attrs",
    "filters",
];

/// Calls that convert a value without changing its meaning.
const CONVERSIONS: [&str; 10] = [
    "strip", "to_s", "to_i", "to_f", "to_sym", "downcase", "upcase", "squish", "dup", "presence",
];

/// Whether a call converts a value without changing its meaning.
pub(crate) fn is_conversion(method: &str) -> bool {
    CONVERSIONS.contains(&method)
}

/// The name of a value, if it has one.
pub(crate) fn value_name(node: &Node<'_>) -> Option<Name> {
    if let Some(name) = atom(node) {
        return Some(Name::value(name));
    }
    if let Some(call) = node.as_call_node() {
        return call_name(&call);
    }
    if let Some(literal) = literal(node) {
        return Some(Name::plain(literal));
    }
    combined(node).and_then(|part| value_name(&part))
}

/// The name of a value; for an expression without a name, the words of its source.
pub(crate) fn name_or_words(node: &Node<'_>) -> Name {
    value_name(node)
        .filter(|name| !name.full.is_empty())
        .unwrap_or_else(|| Name::plain(words_of(node)))
}

/// The first words of the source.
fn words_of(node: &Node<'_>) -> String {
    let words = snake(&source(node).chars().take(60).collect::<String>());
    let name: Vec<_> = words
        .split('_')
        .filter(|word| !word.is_empty())
        .take(5)
        .collect();
    if name.is_empty() {
        "value".to_owned()
    } else {
        name.join("_")
    }
}

/// The operand that names a compound expression.
fn combined<'pr>(node: &Node<'pr>) -> Option<Node<'pr>> {
    if node.as_parentheses_node().is_some() {
        let inner = inside(node)?;
        return Some(inner);
    }
    if let Some(or) = node.as_or_node() {
        return Some(bare(or.left()));
    }
    if let Some(and) = node.as_and_node() {
        return Some(bare(and.left()));
    }
    if let Some(rescued) = node.as_rescue_modifier_node() {
        return Some(bare(rescued.expression()));
    }
    if let Some(array) = node.as_array_node() {
        return array.elements().first();
    }
    let string = node.as_interpolated_string_node()?;
    let embedded = string
        .parts()
        .iter()
        .find_map(|part| part.as_embedded_statements_node())?;
    embedded.statements()?.body().first()
}

/// The last statement in parentheses, which is their value.
fn inside<'pr>(node: &Node<'pr>) -> Option<Node<'pr>> {
    let body = node.as_parentheses_node()?.body()?;
    body.as_statements_node()?.body().last()
}

/// The name of a variable, constant or other simple expression.
fn atom(node: &Node<'_>) -> Option<String> {
    if let Some(name) = variable(node).or_else(|| assignment(node).map(|(name, _)| name)) {
        return Some(plain(name).to_owned());
    }
    if let Some(name) = constant(node) {
        return Some(snake(name));
    }
    if node.as_self_node().is_some() {
        return Some("self".to_owned());
    }
    if node.as_super_node().is_some() || node.as_forwarding_super_node().is_some() {
        return Some("super".to_owned());
    }
    if let Some(group) = node.as_numbered_reference_read_node() {
        return Some(format!("match_{}", group.number()));
    }
    node.as_yield_node().map(|_| "yield".to_owned())
}

fn call_name(call: &CallNode<'_>) -> Option<Name> {
    let name = called(call);
    let receiver = call.receiver().map(bare);
    let Some(receiver) = receiver else {
        return Some(Name::value(plain(name)));
    };
    if is_transparent(name) {
        return value_name(&receiver);
    }
    if is_operator(name) {
        return leftmost(&receiver, call);
    }
    let identifier = last_identifier(&receiver);
    if name == "[]" {
        return index_name(call, identifier.as_deref()).or_else(|| value_name(&receiver));
    }
    Some(attribute_or_value(identifier.as_deref(), plain(name)))
}

fn is_transparent(name: &str) -> bool {
    CONVERSIONS.contains(&name) || matches!(name, "-@" | "+@" | "~" | "!")
}

/// Whether a method is an operator: neither a word nor `[]`.
fn is_operator(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '[')
}

/// The leftmost operand that has a name; a number has none.
fn leftmost(receiver: &Node<'_>, call: &CallNode<'_>) -> Option<Name> {
    let named = |node: &Node<'_>| {
        if is_number(node) {
            None
        } else {
            value_name(node)
        }
    };
    named(receiver).or_else(|| argument(call).map(bare).and_then(|operand| named(&operand)))
}

/// The name of the element that a call reads by its key: that of `x[key]`.
pub(crate) fn element_name(call: &CallNode<'_>) -> Name {
    let receiver = call.receiver().map(bare);
    let identifier = receiver.as_ref().and_then(last_identifier);
    index_name(call, identifier.as_deref())
        .or_else(|| receiver.as_ref().and_then(value_name))
        .unwrap_or_else(|| Name::value(plain(called(call))))
}

fn index_name(call: &CallNode<'_>, receiver: Option<&str>) -> Option<Name> {
    let keys = arguments(call);
    let [key] = keys.as_slice() else { return None };
    let key_name = value_name(key)?.full;
    if receiver.is_none() && is_number(key) {
        return None;
    }
    Some(attribute_or_value(receiver, &key_name))
}

/// An attribute of a receiver; without a receiver, a bare value.
fn attribute_or_value(receiver: Option<&str>, attribute: &str) -> Name {
    receiver.map_or_else(
        || Name::value(attribute),
        |receiver| Name::with_receiver(receiver, attribute),
    )
}

/// The last step of a receiver: `customer` of `order.customer`. `None` for `self` and for receivers without a meaning.
pub(crate) fn last_identifier(node: &Node<'_>) -> Option<String> {
    let identifier = identifier(node)?;
    (identifier != "self" && !GENERIC_RECEIVERS.contains(&identifier.as_str()))
        .then_some(identifier)
}

fn identifier(node: &Node<'_>) -> Option<String> {
    let Some(call) = node.as_call_node() else {
        let name = value_name(node)?.full;
        return Some(name).filter(|name| !name.is_empty());
    };
    let name = called(&call);
    let Some(receiver) = call.receiver().map(bare) else {
        return Some(plain(name).to_owned());
    };
    if is_transparent(name) {
        return identifier(&receiver);
    }
    if is_operator(name) {
        return leftmost(&receiver, &call).map(|name| name.full);
    }
    if name == "[]" {
        let key = argument(&call).filter(|key| !is_number(key));
        return key
            .and_then(|key| value_name(&key))
            .map(|name| name.full)
            .or_else(|| identifier(&receiver));
    }
    Some(plain(name).to_owned())
}
