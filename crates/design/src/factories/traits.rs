//! [`TraitDefinition`]: which attributes a trait sets.

use ruby_prism::CallNode;

use crate::ruby::syntax::{argument, called, literal_text};

/// A trait and the names that its block uses: attributes, associations and other traits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraitDefinition {
    /// The name of the trait.
    pub name: String,
    /// What it sets.
    pub sets: Vec<String>,
}

impl TraitDefinition {
    /// The definition in a call of `trait`.
    pub(super) fn of(name: &str, call: &CallNode<'_>) -> TraitDefinition {
        let block = call.block().and_then(|block| block.as_block_node());
        let body = block.and_then(|block| block.body());
        let body = body.and_then(|body| body.as_statements_node());
        let statements = body.iter().flat_map(|body| body.body().iter());
        let calls = statements.filter_map(|statement| statement.as_call_node());
        TraitDefinition {
            name: name.to_owned(),
            sets: calls.filter_map(|call| set_by(&call)).collect(),
        }
    }
}

/// The attribute that a statement in a trait sets.
fn set_by(call: &CallNode<'_>) -> Option<String> {
    match called(call) {
        _ if call.receiver().is_some() => None,
        "association" | "sequence" | "add_attribute" => {
            argument(call).as_ref().and_then(literal_text)
        }
        "after" | "before" | "callback" | "transient" | "initialize_with" | "to_create" => None,
        name => Some(name.to_owned()),
    }
}

/// Whether a trait sets an attribute, itself or through other traits. A trait that is defined several times sets what any
/// of them sets.
pub(crate) fn sets(traits: &[TraitDefinition], name: &str, attribute: &str) -> bool {
    let mut pending = vec![name];
    let mut seen: Vec<&str> = Vec::new();
    while let Some(name) = pending.pop() {
        seen.push(name);
        for definition in traits.iter().filter(|definition| definition.name == name) {
            if definition.sets.iter().any(|set| set == attribute) {
                return true;
            }
            let others = definition.sets.iter().map(String::as_str);
            pending.extend(others.filter(|other| !seen.contains(other)));
        }
    }
    false
}
