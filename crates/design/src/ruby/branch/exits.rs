//! Whether a branch always exits early: rule E2.

use ruby_prism::{BeginNode, CallNode, ElseNode, IfNode, Node, StatementsNode};

use crate::ruby::condition::leaf::is_persistence;
use crate::ruby::syntax::node::{bare, called, constant};
use crate::ruby::syntax::traverse::clone_handle;

/// Whether a list of statements always leaves the enclosing code.
pub(crate) fn always_exits(statements: Option<&StatementsNode<'_>>) -> bool {
    statements.is_some_and(|statements| {
        statements
            .body()
            .iter()
            .any(|node| node_always_exits(&node))
    })
}

/// Whether an `else` exists and always exits.
pub(crate) fn else_always_exits(clause: Option<&ElseNode<'_>>) -> bool {
    clause.is_some_and(|clause| always_exits(clause.statements().as_ref()))
}

/// Whether the `elsif` or `else` of an `if` exists and always exits.
pub(crate) fn subsequent_always_exits(subsequent: Option<&Node<'_>>) -> bool {
    let Some(subsequent) = subsequent else {
        return false;
    };
    match subsequent.as_else_node() {
        Some(clause) => else_always_exits(Some(&clause)),
        None => node_always_exits(subsequent),
    }
}

/// Whether a statement always exits.
pub(crate) fn node_always_exits(node: &Node<'_>) -> bool {
    if node.as_return_node().is_some()
        || node.as_next_node().is_some()
        || node.as_break_node().is_some()
    {
        return true;
    }
    if let Some(call) = node.as_call_node() {
        return call_always_exits(&call);
    }
    if let Some(and) = node.as_and_node() {
        return node_always_exits(&bare(and.right())) && exit_operand(node).is_none();
    }
    conditional_always_exits(node) || group_always_exits(node)
}

fn call_always_exits(call: &CallNode<'_>) -> bool {
    let is_kernel = call
        .receiver()
        .is_none_or(|receiver| matches!(constant(&receiver), Some("Kernel" | "Process")));
    is_kernel
        && matches!(
            called(call),
            "raise" | "fail" | "throw" | "exit" | "exit!" | "abort"
        )
}

fn conditional_always_exits(node: &Node<'_>) -> bool {
    if let Some(branch) = node.as_if_node() {
        return if_always_exits(&branch);
    }
    if let Some(branch) = node.as_unless_node() {
        return always_exits(branch.statements().as_ref())
            && else_always_exits(branch.else_clause().as_ref());
    }
    if let Some(case) = node.as_case_node() {
        return else_always_exits(case.else_clause().as_ref())
            && case.conditions().iter().all(|when| arm_always_exits(&when));
    }
    if let Some(case) = node.as_case_match_node() {
        return else_always_exits(case.else_clause().as_ref())
            && case.conditions().iter().all(|arm| arm_always_exits(&arm));
    }
    false
}

fn if_always_exits(branch: &IfNode<'_>) -> bool {
    always_exits(branch.statements().as_ref())
        && subsequent_always_exits(branch.subsequent().as_ref())
}

/// Whether a `when` or `in` always exits.
pub(crate) fn arm_always_exits(arm: &Node<'_>) -> bool {
    if let Some(when) = arm.as_when_node() {
        return always_exits(when.statements().as_ref());
    }
    arm.as_in_node()
        .is_some_and(|arm| always_exits(arm.statements().as_ref()))
}

fn group_always_exits(node: &Node<'_>) -> bool {
    if let Some(begin) = node.as_begin_node() {
        return begin_always_exits(&begin);
    }
    node.as_parentheses_node()
        .and_then(|parentheses| parentheses.body())
        .and_then(|body| body.as_statements_node())
        .is_some_and(|statements| always_exits(Some(&statements)))
}

/// A body that exits by an exception does not count if a `rescue` may catch it and continue.
fn begin_always_exits(begin: &BeginNode<'_>) -> bool {
    let mut rescue = begin.rescue_clause();
    while let Some(clause) = rescue {
        if !always_exits(clause.statements().as_ref()) {
            return false;
        }
        rescue = clause.subsequent();
    }
    always_exits(begin.statements().as_ref()) || else_always_exits(begin.else_clause().as_ref())
}

/// An operator whose right side always leaves.
pub(crate) struct ExitOperand<'pr> {
    pub(crate) condition: Node<'pr>,
    /// The value of the condition for which it leaves.
    pub(crate) exits_when: bool,
    pub(crate) exit: Node<'pr>,
}

/// `x.ok? && return` and `x.valid? or raise E`.
pub(crate) fn exit_operand<'pr>(node: &Node<'pr>) -> Option<ExitOperand<'pr>> {
    let (condition, exits_when, exit) = if let Some(and) = node.as_and_node() {
        (and.left(), true, and.right())
    } else {
        let or = node.as_or_node()?;
        (or.left(), false, or.right())
    };
    let condition = bare(condition);
    let is_branch =
        node_always_exits(&bare(clone_handle(&exit))) && !(exits_when && is_command(&condition));
    is_branch.then_some(ExitOperand {
        condition,
        exits_when,
        exit,
    })
}

/// Whether a call is made for its effect and not as a condition, as in `render(:new) and return`.
fn is_command(node: &Node<'_>) -> bool {
    let Some(call) = node.as_call_node() else {
        return false;
    };
    let name = called(&call);
    let is_own = call.receiver().is_none() && call.arguments().is_some();
    let is_word = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    name.ends_with('!') && name != "!"
        || matches!(
            name,
            "add" | "push" | "append" | "<<" | "info" | "debug" | "warn" | "error"
        )
        || is_own && is_word && !name.ends_with('?') && !is_search(name)
}

/// Whether a method of this name returns nil if there is nothing to return.
fn is_search(name: &str) -> bool {
    name.starts_with("find")
        || matches!(name, "detect" | "lookup" | "fetch")
        || is_persistence(name)
}

/// Whether a block leaves the method that contains it. `next` and `break` only end the block or the call.
pub(crate) fn leaves_method(body: &StatementsNode<'_>) -> bool {
    let leaves = |node: Node<'_>| {
        let ends_block = node.as_next_node().is_some() || node.as_break_node().is_some();
        !ends_block && node_always_exits(&node)
    };
    body.body().iter().any(leaves)
}
