//! Blocks that are called later, and the matchers that want one.

use ruby_prism::{Location, Node};

use super::found;
use crate::ruby::syntax::called;

/// Matchers of what happens, not of what is: they want a block.
const OF_BLOCKS: [&str; 9] = [
    "change",
    "output",
    "raise_error",
    "raise_exception",
    "throw_symbol",
    "yield_control",
    "yield_successive_args",
    "yield_with_args",
    "yield_with_no_args",
];

/// Whether what is asserted has to be a block.
pub(super) fn wants_block(matcher: &Node<'_>) -> bool {
    OF_BLOCKS.contains(&first_called(matcher).as_str())
}

/// The method a chain begins with: `change` in `change { x }.by(1)`.
fn first_called(matcher: &Node<'_>) -> String {
    let Some(call) = matcher.as_call_node() else {
        return String::new();
    };
    match call.receiver() {
        Some(receiver) => first_called(&receiver),
        None => called(&call).to_owned(),
    }
}

/// Whether it ends early by a word that would end an example, too.
pub(super) fn exits_early(receiver: &Node<'_>) -> bool {
    !found(receiver, |_| true, ways_out).is_empty()
}

fn ways_out(node: &Node<'_>) -> Vec<()> {
    let is_one = node.as_return_node().is_some() || node.as_break_node().is_some();
    is_one.then_some(()).into_iter().collect()
}

/// `-> { }`, `lambda { }`, `proc { }`, whatever they take.
pub(super) fn is_block(receiver: &Node<'_>) -> bool {
    receiver.as_lambda_node().is_some()
        || receiver.as_call_node().is_some_and(|call| {
            call.receiver().is_none() && matches!(called(&call), "lambda" | "proc")
        })
}

/// `->` or `lambda`, and where its block begins: a block that is called later, and takes nothing.
pub(super) fn block_word<'pr>(receiver: &Node<'pr>) -> Option<(Location<'pr>, Location<'pr>)> {
    if let Some(lambda) = receiver.as_lambda_node() {
        return takes_nothing(lambda.parameters())
            .then(|| (lambda.operator_loc(), lambda.opening_loc()));
    }
    let call = receiver.as_call_node()?;
    let block = call.block()?.as_block_node()?;
    let is_plain = is_block(receiver) && call.arguments().is_none() && block.parameters().is_none();
    is_plain
        .then(|| Some((call.message_loc()?, block.opening_loc())))
        .flatten()
}

/// Empty parentheses are no parameters.
fn takes_nothing(parameters: Option<Node<'_>>) -> bool {
    parameters.is_none_or(|parameters| {
        parameters
            .as_block_parameters_node()
            .is_some_and(|list| list.parameters().is_none() && list.locals().iter().count() == 0)
    })
}
