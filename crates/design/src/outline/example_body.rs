//! What is in an example.

use ruby_prism::{CallNode, Node, Visit};

use crate::ruby::syntax::{called, visit_children};

/// Whether a block holds nothing but comments.
pub(super) fn is_empty(example: &CallNode<'_>) -> bool {
    let block = example.block().and_then(|block| block.as_block_node());
    block.is_some_and(|block| block.body().is_none())
}

/// Whether something is expected, or put off.
pub(super) fn expects(example: &CallNode<'_>) -> bool {
    let mut looking = Looking(false);
    if let Some(block) = example.block() {
        looking.visit(&block);
    }
    looking.0
}

struct Looking(bool);

impl<'pr> Visit<'pr> for Looking {
    fn visit(&mut self, node: &Node<'pr>) {
        let name = node.as_call_node().map(|call| called(&call).to_owned());
        self.0 |= name.is_some_and(|name| {
            name.starts_with("expect")
                || name.starts_with("assert")
                || matches!(
                    name.as_str(),
                    "is_expected" | "should" | "should_not" | "skip" | "pending"
                )
        });
        if !self.0 {
            visit_children(self, node);
        }
    }
}
