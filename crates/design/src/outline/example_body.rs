//! Inspects the body of an example.

use ruby_prism::{CallNode, Node, Visit};

use crate::ruby::syntax::{called, visit_children};

/// Whether the block contains only comments.
pub(super) fn is_empty(example: &CallNode<'_>) -> bool {
    let block = example.block().and_then(|block| block.as_block_node());
    block.is_some_and(|block| block.body().is_none())
}

/// Whether the example contains an expectation, or is marked as pending or skipped.
pub(super) fn expects(example: &CallNode<'_>) -> bool {
    let mut finder = ExpectationFinder(false);
    if let Some(block) = example.block() {
        finder.visit(&block);
    }
    finder.0
}

struct ExpectationFinder(bool);

impl<'pr> Visit<'pr> for ExpectationFinder {
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
