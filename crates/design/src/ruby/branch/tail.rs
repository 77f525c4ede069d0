//! The statements at the end of a method that run regardless of earlier branches.

use ruby_prism::{Node, StatementsNode, Visit};

use crate::ruby::branch::outcome::{Branch, BranchOutcome};
use crate::ruby::syntax::traverse::visit_children;
use crate::ruby::walk::is_harmless;

/// The literal at the end of a body that otherwise consists of conditionals.
pub(in crate::ruby) fn plain_result(statements: &StatementsNode<'_>) -> Option<BranchOutcome> {
    let count = statements.body().len();
    let is_plain = statements
        .body()
        .iter()
        .take(count.saturating_sub(1))
        .all(|statement| is_harmless(&statement));
    let last = statements.body().last().filter(|_| is_plain)?;
    Branch::of_value(&last)
}

/// The statements after the last one that contains a conditional.
pub(in crate::ruby) fn unconditional_tail<'pr>(statements: &StatementsNode<'pr>) -> Vec<Node<'pr>> {
    let mut found: Vec<Node<'pr>> = Vec::new();
    for statement in &statements.body() {
        if contains_conditional(&statement) {
            found.clear();
        } else {
            found.push(statement);
        }
    }
    found
}

/// Whether a statement contains a conditional.
fn contains_conditional(statement: &Node<'_>) -> bool {
    struct ConditionalFinder(bool);
    impl<'pr> Visit<'pr> for ConditionalFinder {
        fn visit(&mut self, node: &Node<'pr>) {
            self.0 |= node.as_if_node().is_some()
                || node.as_unless_node().is_some()
                || node.as_case_node().is_some()
                || node.as_case_match_node().is_some()
                || node.as_and_node().is_some()
                || node.as_or_node().is_some();
            visit_children(self, node);
        }
    }
    let mut finder = ConditionalFinder(false);
    finder.visit(statement);
    finder.0
}
