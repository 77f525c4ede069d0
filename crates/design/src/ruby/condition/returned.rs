//! The result of a method, if it consists of conditions: rule E18r.

use ruby_prism::Node;

use crate::ruby::condition::boolean_names::{Flags, is_condition};
use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::condition::tree::{Condition, condition_tree};
use crate::ruby::syntax::node::{bare, called, variable};
use crate::ruby::syntax::traverse::clone_handle;

/// The condition that a method's last expression returns. `None` for a single predicate, which only delegates.
pub(crate) fn returned_condition(
    last: &Node<'_>,
    flags: &Flags<'_>,
) -> Option<Condition<CharacteristicDraft>> {
    let value = returned(last);
    if is_combination(&value) && is_made_of_conditions(&value, flags) {
        condition_tree(value, flags)
    } else {
        None
    }
}

/// The expression of a final `return`, or the last expression itself.
fn returned<'pr>(last: &Node<'pr>) -> Node<'pr> {
    let value = last
        .as_return_node()
        .and_then(|node| node.arguments())
        .filter(|arguments| arguments.arguments().len() == 1)
        .and_then(|arguments| arguments.arguments().first());
    bare(value.unwrap_or_else(|| clone_handle(last)))
}

/// Whether this is a boolean combination, a comparison or an equality, possibly negated.
fn is_combination(node: &Node<'_>) -> bool {
    if node.as_and_node().is_some() || node.as_or_node().is_some() {
        return true;
    }
    let Some(call) = node.as_call_node() else {
        return false;
    };
    match called(&call) {
        "==" | "!=" | "<" | "<=" | ">" | ">=" => call.receiver().is_some(),
        "!" => call
            .receiver()
            .is_some_and(|operand| is_combination(&bare(operand))),
        _ => false,
    }
}

fn is_made_of_conditions(node: &Node<'_>, flags: &Flags<'_>) -> bool {
    if let Some(and) = node.as_and_node() {
        return is_made_of_conditions(&bare(and.left()), flags)
            && is_made_of_conditions(&bare(and.right()), flags);
    }
    if let Some(or) = node.as_or_node() {
        return is_made_of_conditions(&bare(or.left()), flags)
            && is_made_of_conditions(&bare(or.right()), flags);
    }
    if let Some(name) = variable(node) {
        return flags.is_flag(name);
    }
    is_condition(node) && node.as_true_node().is_none() && node.as_false_node().is_none()
}
