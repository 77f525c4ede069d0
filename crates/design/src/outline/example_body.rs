//! Inspects the body of an example.

use ruby_prism::{CallNode, Node, Visit};

use crate::ruby::syntax::{arguments, called, literal_text, visit_children};

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

/// Whether the example does not count as passed: it has no block, or calls `skip` or `pending`, or has such a tag.
pub(super) fn is_pending(example: &CallNode<'_>) -> bool {
    let Some(block) = example.block() else {
        return true;
    };
    let mut finder = PendingFinder(false);
    finder.visit(&block);
    finder.0 || arguments(example).iter().any(is_pending_tag)
}

fn is_pending_tag(argument: &Node<'_>) -> bool {
    let is_name = |node: &Node<'_>| {
        let is_symbol = node.as_symbol_node().is_some();
        is_symbol
            && literal_text(node).is_some_and(|name| matches!(name.as_str(), "skip" | "pending"))
    };
    let is_pair = |pair: Node<'_>| {
        let pair = pair.as_assoc_node();
        pair.is_some_and(|pair| is_name(&pair.key()) && pair.value().as_false_node().is_none())
    };
    let tags = argument.as_keyword_hash_node();
    is_name(argument) || tags.is_some_and(|tags| tags.elements().iter().any(is_pair))
}

struct PendingFinder(bool);

impl<'pr> Visit<'pr> for PendingFinder {
    fn visit(&mut self, node: &Node<'pr>) {
        let call = node.as_call_node();
        self.0 |= call.is_some_and(|call| {
            call.receiver().is_none() && matches!(called(&call), "skip" | "pending")
        });
        if !self.0 {
            visit_children(self, node);
        }
    }
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
