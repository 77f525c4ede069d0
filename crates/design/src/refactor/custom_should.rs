//! Finds code in which `should` may not be RSpec's, or in which `expect` is not available.

use ruby_prism::{CallNode, Node};

use super::found;
use crate::ruby::syntax::{called, constant};

/// Methods that RSpec adds to every object.
const RSPEC_METHODS: [&str; 4] = [
    "should",
    "should_not",
    "should_receive",
    "should_not_receive",
];

/// Whether code below this node runs as part of an example. `expect` is a method of examples only, `should` one of all objects.
pub(super) fn is_in_example(node: &Node<'_>) -> bool {
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

/// Whether the block of a method has another `self`. `its` is included because it has its own `should`.
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

/// Whether the file defines such a method itself, or does not use `expect`.
pub(super) fn has_custom_should(program: &Node<'_>) -> bool {
    let names = found(program, |_| true, name);
    let is_rspec_method = |name: &String| RSPEC_METHODS.contains(&name.as_str());
    // `config.syntax = [:should, :expect]` allows both.
    names.iter().any(is_rspec_method) && !names.iter().any(|name| name == "expect")
}

/// The name of a method that is defined here, or a symbol that may define one.
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
