//! The statements at the end of a method that run regardless of earlier branches.

use ruby_prism::{Node, StatementsNode};

use crate::ruby::branch::outcome::{Branch, BranchOutcome};
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

/// The statements after the last one that contains a conditional, given the offset of the last conditional.
pub(in crate::ruby) fn unconditional_tail<'pr>(
    statements: &StatementsNode<'pr>,
    last_conditional: Option<u32>,
) -> Vec<Node<'pr>> {
    let all = statements.body();
    let is_after = |statement: &Node<'_>| Some(statement.location().start()) > last_conditional;
    all.iter().filter(is_after).collect()
}
