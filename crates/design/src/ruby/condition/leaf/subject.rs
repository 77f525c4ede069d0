//! The subject of a condition: the variable or attribute that it reads.

use ruby_prism::{CallNode, Node};

use crate::characteristic::AttributeCall;
use crate::ruby::condition::draft::ConditionKind;
use crate::ruby::condition::leaf::predicate::presence;
use crate::ruby::syntax::node::{arguments, bare, called, receiver, source, text, variable};
use crate::ruby::syntax::words::literal_text;

/// The parameter or variable that a condition tests: the receiver of a predicate or operator, or the expression itself.
pub(in crate::ruby::condition::leaf) fn tested_variable(node: &Node<'_>) -> Option<String> {
    match node.as_call_node() {
        Some(call) if is_predicate_or_operator(&call) => variable_under(&bare(call.receiver()?)),
        _ => variable_under(node),
    }
}

/// Whether a call only tests its receiver. `list[0]` and `a + b` compute another value.
fn is_predicate_or_operator(call: &CallNode<'_>) -> bool {
    let name = called(call);
    name.ends_with('?')
        || matches!(
            name,
            "!" | "==" | "!=" | "===" | "=~" | "!~" | "<" | "<=" | ">" | ">=" | "<=>"
        )
}

/// The hash variable and the key of `options[:key]`, as a literal key of a hash.
pub(in crate::ruby::condition::leaf) fn hash_key(node: &Node<'_>) -> Option<(String, String)> {
    let call = node.as_call_node().filter(|call| called(call) == "[]")?;
    let hash = variable(&call.receiver()?)?.to_owned();
    let [key] = arguments(&call).try_into().ok()?;
    let key: Node<'_> = key;
    let word = literal_text(&key)?;
    let is_word = word
        .chars()
        .all(|letter| letter.is_alphanumeric() || letter == '_')
        && word.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let written = if key.as_symbol_node().is_some() {
        format!("{word}:")
    } else {
        format!("'{word}' =>")
    };
    is_word.then_some((hash, written))
}

/// The attribute that a condition reads: a predicate itself, or the receiver of a presence test.
pub(in crate::ruby::condition::leaf) fn attribute_call(
    node: &Node<'_>,
    condition_kind: &ConditionKind,
) -> Option<AttributeCall> {
    let receiver = node.as_call_node().and_then(|call| call.receiver());
    match (condition_kind, receiver) {
        (ConditionKind::Presence(_), Some(subject)) if is_presence_test(node) => {
            let subject = bare(subject);
            attribute_of_variable(&subject).or_else(|| own_attribute(&subject))
        }
        _ => attribute_of_variable(node).or_else(|| own_attribute(node)),
    }
}

/// `active?` or `self.active?`, and nothing more: an attribute of the method's own object.
fn own_attribute(node: &Node<'_>) -> Option<AttributeCall> {
    let call = node.as_call_node()?;
    let is_own = call
        .receiver()
        .is_none_or(|receiver| receiver.as_self_node().is_some());
    let is_plain = call.arguments().is_none() && call.block().is_none();
    (is_own && is_plain).then(|| AttributeCall {
        variable: AttributeCall::OWN.to_owned(),
        method: called(&call).to_owned(),
    })
}

fn is_presence_test(node: &Node<'_>) -> bool {
    node.as_call_node()
        .is_some_and(|call| presence(&call).is_some())
}

/// `user.name` or `@user.name`, and nothing more.
pub(crate) fn attribute_of_variable(node: &Node<'_>) -> Option<AttributeCall> {
    let call = node.as_call_node()?;
    let receiver = bare(call.receiver()?);
    let is_plain = call.arguments().is_none() && call.block().is_none();
    let local = receiver.as_local_variable_read_node();
    let local = local.map(|variable| variable.name());
    let own = receiver.as_instance_variable_read_node();
    let name = local.or_else(|| Some(own?.name())).filter(|_| is_plain)?;
    Some(AttributeCall {
        variable: text(name.as_slice()).to_owned(),
        method: called(&call).to_owned(),
    })
}

/// The variable that an expression reads, directly or through conversions.
pub(crate) fn variable_under(node: &Node<'_>) -> Option<String> {
    if let Some(name) = variable(node) {
        return Some(name.to_owned());
    }
    let call = node.as_call_node()?;
    if receiver(&call).is_none() && call.arguments().is_none() && call.block().is_none() {
        return Some(called(&call).to_owned());
    }
    let is_conversion = matches!(
        called(&call),
        "strip" | "to_s" | "to_sym" | "downcase" | "upcase"
    );
    if is_conversion {
        variable_under(&bare(call.receiver()?))
    } else {
        None
    }
}

/// The source of the subject, normalized for comparison: `&.` counts as `.`, and `self.` is removed (rule E11s).
pub(crate) fn subject(node: &Node<'_>) -> String {
    let text = source(node).replace("&.", ".");
    text.strip_prefix("self.")
        .map(ToOwned::to_owned)
        .unwrap_or(text)
}
