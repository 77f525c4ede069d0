//! Where `should` may be somebody else's, or `expect` unknown.

use ruby_prism::{CallNode, Node};

use super::found;
use crate::ruby::syntax::{called, constant};

/// What RSpec gives every object.
const OURS: [&str; 4] = [
    "should",
    "should_not",
    "should_receive",
    "should_not_receive",
];

/// Whether code below this node runs as part of an example: `expect` is a method of examples, `should` one of all objects.
pub(super) fn is_of_examples(node: &Node<'_>) -> bool {
    let is_type = node.as_class_node().is_some()
        || node.as_module_node().is_some()
        || node.as_singleton_class_node().is_some();
    let has_another_self = node.as_call_node().is_some_and(|call| {
        call.block()
            .is_some_and(|block| block.as_block_node().is_some())
            && (changes_self(called(&call)) || makes_type(&call))
    });
    !is_type && !has_another_self
}

/// `its` belongs here: it has a `should` of its own.
fn changes_self(method: &str) -> bool {
    matches!(
        method,
        "its"
            | "instance_eval"
            | "instance_exec"
            | "class_eval"
            | "class_exec"
            | "module_eval"
            | "module_exec"
            | "define_method"
            | "define_singleton_method"
    )
}

fn makes_type(call: &CallNode<'_>) -> bool {
    let receiver = call.receiver().and_then(|receiver| constant(&receiver));
    let is_type = receiver.is_some_and(|name| {
        matches!(
            name.trim_start_matches("::"),
            "Class" | "Module" | "Struct" | "Data"
        )
    });
    is_type && matches!(called(call), "new" | "define")
}

/// Whether the file has a method of such a name, or does without `expect`.
pub(super) fn is_foreign(program: &Node<'_>) -> bool {
    let names = found(program, |_| true, name);
    let is_ours = |name: &String| OURS.contains(&name.as_str());
    // `config.syntax = [:should, :expect]` allows both.
    names.iter().any(is_ours) && !names.iter().any(|name| name == "expect")
}

/// The name of a method that is defined here, or the symbol that would do so.
fn name(node: &Node<'_>) -> Vec<String> {
    let name = node.as_def_node().map(|def| def.name().as_slice().to_vec());
    let symbol = || {
        node.as_symbol_node()
            .map(|symbol| symbol.unescaped().to_vec())
    };
    let name = name.or_else(symbol);
    name.into_iter()
        .filter_map(|name| String::from_utf8(name).ok())
        .collect()
}
