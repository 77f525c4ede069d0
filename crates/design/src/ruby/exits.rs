//! Whether a branch always leaves: rule E2.

use ruby_prism::{BeginNode, CallNode, ElseNode, IfNode, Node, StatementsNode};

use super::node::{bare, called, constant};

/// Whether a list of statements always leaves the code around it.
pub(crate) fn leaves(statements: Option<&StatementsNode<'_>>) -> bool {
    statements.is_some_and(|statements| statements.body().iter().any(|node| node_leaves(&node)))
}

/// Whether an `else` is there and always leaves.
pub(crate) fn else_leaves(clause: Option<&ElseNode<'_>>) -> bool {
    clause.is_some_and(|clause| leaves(clause.statements().as_ref()))
}

/// Whether what follows an `if` without its taken branch is there and always leaves.
pub(crate) fn subsequent_leaves(subsequent: Option<&Node<'_>>) -> bool {
    let Some(subsequent) = subsequent else {
        return false;
    };
    match subsequent.as_else_node() {
        Some(clause) => else_leaves(Some(&clause)),
        None => node_leaves(subsequent),
    }
}

/// Whether a statement always leaves.
pub(crate) fn node_leaves(node: &Node<'_>) -> bool {
    if node.as_return_node().is_some()
        || node.as_next_node().is_some()
        || node.as_break_node().is_some()
    {
        return true;
    }
    if let Some(call) = node.as_call_node() {
        return call_leaves(&call);
    }
    if let Some(and) = node.as_and_node() {
        return node_leaves(&bare(and.right()));
    }
    conditional_leaves(node) || grouped_leaves(node)
}

fn call_leaves(call: &CallNode<'_>) -> bool {
    let of_kernel = call
        .receiver()
        .is_none_or(|receiver| matches!(constant(&receiver), Some("Kernel" | "Process")));
    of_kernel
        && matches!(
            called(call),
            "raise" | "fail" | "throw" | "exit" | "exit!" | "abort"
        )
}

fn conditional_leaves(node: &Node<'_>) -> bool {
    if let Some(branch) = node.as_if_node() {
        return if_leaves(&branch);
    }
    if let Some(branch) = node.as_unless_node() {
        return leaves(branch.statements().as_ref()) && else_leaves(branch.else_clause().as_ref());
    }
    if let Some(case) = node.as_case_node() {
        return else_leaves(case.else_clause().as_ref())
            && case.conditions().iter().all(|when| arm_leaves(&when));
    }
    if let Some(case) = node.as_case_match_node() {
        return else_leaves(case.else_clause().as_ref())
            && case.conditions().iter().all(|arm| arm_leaves(&arm));
    }
    false
}

fn if_leaves(branch: &IfNode<'_>) -> bool {
    leaves(branch.statements().as_ref()) && subsequent_leaves(branch.subsequent().as_ref())
}

/// Whether a `when` or `in` always leaves.
pub(crate) fn arm_leaves(arm: &Node<'_>) -> bool {
    if let Some(when) = arm.as_when_node() {
        return leaves(when.statements().as_ref());
    }
    arm.as_in_node()
        .is_some_and(|arm| leaves(arm.statements().as_ref()))
}

fn grouped_leaves(node: &Node<'_>) -> bool {
    if let Some(begin) = node.as_begin_node() {
        return begin_leaves(&begin);
    }
    node.as_parentheses_node()
        .and_then(|parentheses| parentheses.body())
        .and_then(|body| body.as_statements_node())
        .is_some_and(|statements| leaves(Some(&statements)))
}

/// A body that leaves does not if a rescue may catch it and go on.
fn begin_leaves(begin: &BeginNode<'_>) -> bool {
    let mut rescue = begin.rescue_clause();
    while let Some(clause) = rescue {
        if !leaves(clause.statements().as_ref()) {
            return false;
        }
        rescue = clause.subsequent();
    }
    leaves(begin.statements().as_ref())
}
