//! Reads `let`, `subject` and hooks, with code that can be compared.

use ruby_prism::{CallNode, Node, Visit};

use super::SetupBlock;
use crate::ruby::syntax::{
    argument, called, line, literal_text, source, string_text, visit_children,
};

/// The setup block that a call defines, if any.
pub(super) fn read(call: &CallNode<'_>) -> Option<SetupBlock> {
    let kind = match called(call) {
        "let" => "let",
        "let!" => "let!",
        "subject" => "subject",
        "subject!" => "subject!",
        "before" | "append_before" | "prepend_before" => "before",
        "after" | "append_after" | "prepend_after" => "after",
        _ => return None,
    };
    let is_hook = matches!(kind, "before" | "after");
    let name = argument(call).as_ref().and_then(literal_text);
    Some(SetupBlock {
        kind,
        name: name.filter(|name| !(is_hook && matches!(name.as_str(), "each" | "example"))),
        code: code(call),
        line: line(&call.as_node()),
    })
}

fn code(call: &CallNode<'_>) -> String {
    let body = call
        .block()
        .and_then(|block| block.as_block_node())
        .and_then(|block| block.body());
    let Some(body) = body else {
        return String::new();
    };
    let written = source(&body);
    let mut lines: Vec<String> = written.lines().map(|line| line.trim().to_owned()).collect();
    let mut heredocs = Heredocs(Vec::new());
    heredocs.visit(&body);
    lines.extend(heredocs.0);
    lines.join("\n")
}

/// The texts of heredocs. They follow the statement they belong to, so its source does not include them.
struct Heredocs(Vec<String>);

impl<'pr> Visit<'pr> for Heredocs {
    fn visit(&mut self, node: &Node<'pr>) {
        match string_text(node).filter(|_| source(node).starts_with("<<")) {
            Some(text) => self.0.push(text),
            None => visit_children(self, node),
        }
    }
}
