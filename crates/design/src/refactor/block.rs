//! Blocks as subjects of assertions, and the matchers that require one.

use ruby_prism::{Location, Node};

use super::found;
use crate::ruby::syntax::called;

/// Matchers that require a block.
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

/// Whether the matcher requires a block.
pub(super) fn requires_block(matcher: &Node<'_>) -> bool {
    OF_BLOCKS.contains(&first_called(matcher).as_str())
}

/// The first method of a chain: `change` for `change { x }.by(1)`.
fn first_called(matcher: &Node<'_>) -> String {
    let Some(call) = matcher.as_call_node() else {
        return String::new();
    };
    match call.receiver() {
        Some(receiver) => first_called(&receiver),
        None => called(&call).to_owned(),
    }
}

/// Whether it contains `return` or `break`, which would end the example.
pub(super) fn exits_early(receiver: &Node<'_>) -> bool {
    !found(receiver, |_| true, early_exits).is_empty()
}

fn early_exits(node: &Node<'_>) -> Vec<()> {
    let is_one = node.as_return_node().is_some() || node.as_break_node().is_some();
    is_one.then_some(()).into_iter().collect()
}

/// Whether it is `-> { }`, `lambda { }` or `proc { }`, with or without parameters.
pub(super) fn is_block(receiver: &Node<'_>) -> bool {
    receiver.as_lambda_node().is_some()
        || receiver.as_call_node().is_some_and(|call| {
            call.receiver().is_none() && matches!(called(&call), "lambda" | "proc")
        })
}

/// The locations of `->` or `lambda` and of its opening brace. `None` unless it is a lambda without parameters.
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

/// Whether there are no parameters. Empty parentheses count as none.
fn takes_nothing(parameters: Option<Node<'_>>) -> bool {
    parameters.is_none_or(|parameters| {
        parameters
            .as_block_parameters_node()
            .is_some_and(|list| list.parameters().is_none() && list.locals().iter().count() == 0)
    })
}
