//! Rewrites `x.should eq(1)` as `expect(x).to eq(1)`, if the assertion is a separate statement.

use ruby_prism::{CallNode, Location, Node};

use super::block::{block_word, exits_early, is_block, requires_block};
use super::{custom_should, found};
use crate::edits::Edit;
use crate::ruby::syntax::{argument, arguments, called};

/// The edits, grouped by assertion.
pub(super) fn edits(program: &Node<'_>) -> Vec<Vec<Edit>> {
    if custom_should::has_custom_should(program) {
        return Vec::new();
    }
    found(program, custom_should::is_in_example, |node| {
        let statements = node.as_statements_node();
        let statements = statements
            .iter()
            .flat_map(|statements| statements.body().iter());
        let calls = statements.filter_map(|statement| statement.as_call_node());
        calls.filter_map(|call| assertion(&call)).collect()
    })
}

/// The edits of one statement.
fn assertion(call: &CallNode<'_>) -> Option<Vec<Edit>> {
    if let Some(verb) = matcher_verb(called(call)) {
        return rewrite_matcher(call, verb);
    }
    rewrite_operator(call).or_else(|| rewrite_message_chain(call))
}

/// What follows `expect(…)` with a matcher.
fn matcher_verb(name: &str) -> Option<&'static str> {
    match name {
        "should" => Some("to"),
        "should_not" => Some("not_to"),
        _ => None,
    }
}

/// What follows `expect(…)` with an expected message.
fn message_verb(name: &str) -> Option<&'static str> {
    match name {
        "should_receive" => Some("to receive"),
        "should_not_receive" => Some("not_to receive"),
        _ => None,
    }
}

/// `x.should eq(1)`: with a matcher.
fn rewrite_matcher(call: &CallNode<'_>, verb: &str) -> Option<Vec<Edit>> {
    let matcher = argument(call)?;
    // With a text or a block it is the `should` of another library.
    let is_other = matcher.as_string_node().is_some()
        || matcher.as_keyword_hash_node().is_some()
        || call.block().is_some();
    if is_other {
        return None;
    }
    let is_of_blocks = requires_block(&matcher);
    let receiver = call.receiver();
    match receiver {
        // The subject may or may not return a block.
        None if is_of_blocks => None,
        Some(receiver) if is_block(&receiver) || is_of_blocks => is_of_blocks
            .then(|| wrap_block(call, &receiver, verb))
            .flatten(),
        _ => wrap_receiver(call, verb),
    }
}

/// `x.should == 1`: with an operator after `should`.
fn rewrite_operator(call: &CallNode<'_>) -> Option<Vec<Edit>> {
    let should = call.receiver()?.as_call_node()?;
    let verb = matcher_verb(called(&should))?;
    let is_bare = should.arguments().is_none()
        && should.block().is_none()
        && should.opening_loc().is_none()
        && call.call_operator_loc().is_none();
    if !is_bare
        || should
            .receiver()
            .is_some_and(|receiver| is_block(&receiver))
    {
        return None;
    }
    let value = argument(call)?;
    let matcher = match called(call) {
        "==" => "eq",
        "=~" if value.as_regular_expression_node().is_some() => "match",
        "=~" if value.as_array_node().is_some() => "match_array",
        ">" | "<" | ">=" | "<=" | "===" => "be",
        _ => return None,
    };
    let operator = call.message_loc()?;
    let should_end = end_of(&should.message_loc()?);
    let (start, end) = (start_of(&operator), end_of(&operator));
    let value = value.location();
    is_blank(call, should_end, start).then_some(())?;
    let mut edits = wrap_receiver(&should, verb)?;
    if matcher == "be" {
        edits.push((should_end, start, " be ".to_owned()));
    } else {
        is_blank(call, end, start_of(&value)).then_some(())?;
        let opening = format!(" {matcher}(");
        edits.push((should_end, start_of(&value), opening));
        edits.push((end_of(&value), end_of(&value), ")".to_owned()));
    }
    Some(edits)
}

/// `x.should_receive(:go).with(1)`: an expected message with its constraints.
fn rewrite_message_chain(last: &CallNode<'_>) -> Option<Vec<Edit>> {
    if let Some(verb) = message_verb(called(last)) {
        return message(last, verb);
    }
    let mut receiver = last.receiver()?;
    let mut operator = last.call_operator_loc();
    loop {
        let call = receiver.as_call_node()?;
        // With another operator in the chain, the text cannot be rewritten.
        operator.filter(|operator| operator.as_slice() == b".")?;
        // A `do` block belongs to the whole statement, so the meaning would change.
        if is_do(&call) {
            return None;
        }
        if let Some(verb) = message_verb(called(&call)) {
            return message(&call, verb);
        }
        operator = call.call_operator_loc();
        receiver = call.receiver()?;
    }
}

fn is_do(call: &CallNode<'_>) -> bool {
    let block = call.block().and_then(|block| block.as_block_node());
    block.is_some_and(|block| block.opening_loc().as_slice() == b"do")
}

fn message(call: &CallNode<'_>, verb: &str) -> Option<Vec<Edit>> {
    let given = arguments(call);
    let [name] = given.as_slice() else {
        return None;
    };
    let is_plain = name.as_symbol_node().is_some() || name.as_string_node().is_some();
    let receiver = call.receiver()?;
    let is_any = receiver
        .as_call_node()
        .is_some_and(|receiver| called(&receiver) == "any_instance");
    (is_plain && !is_any && !is_block(&receiver)).then_some(())?;
    wrap_receiver(call, verb)
}

/// Moves the receiver into `expect(…)`.
fn wrap_receiver(call: &CallNode<'_>, verb: &str) -> Option<Vec<Edit>> {
    let message = call.message_loc()?;
    let Some(receiver) = call.receiver() else {
        let text = format!("is_expected.{verb}");
        return Some(vec![(start_of(&message), end_of(&message), text)]);
    };
    is_tight(call, &receiver).then_some(())?;
    let location = receiver.location();
    let (start, end) = (start_of(&location), end_of(&location));
    Some(vec![
        (start, start, "expect(".to_owned()),
        (end, end_of(&message), format!(").{verb}")),
    ])
}

/// Rewrites a lambda as the block of `expect`.
fn wrap_block(call: &CallNode<'_>, receiver: &Node<'_>, verb: &str) -> Option<Vec<Edit>> {
    let message = call.message_loc()?;
    let (word, opening) = block_word(receiver)?;
    let (start, open) = (start_of(&word), start_of(&opening));
    let is_plain = is_tight(call, receiver) && is_blank_but(call, end_of(&word), open, "()");
    // `return` and `break` would then leave the example.
    if !is_plain || exits_early(receiver) {
        return None;
    }
    let end = end_of(&receiver.location());
    Some(vec![
        (start, open, "expect ".to_owned()),
        (end, end_of(&message), format!(".{verb}")),
    ])
}

/// Whether only a dot is between the receiver and `should`.
fn is_tight(call: &CallNode<'_>, receiver: &Node<'_>) -> bool {
    let operator = call.call_operator_loc();
    let message = call.message_loc();
    let (Some(operator), Some(message)) = (operator, message) else {
        return false;
    };
    let end = end_of(&receiver.location());
    operator.as_slice() == b"." && is_blank_but(call, end, start_of(&message), ".")
}

/// Whether there are only blanks, which are replaced. A comment or a line break would be lost.
fn is_blank(call: &CallNode<'_>, start: usize, end: usize) -> bool {
    is_blank_but(call, start, end, "")
}

fn is_blank_but(call: &CallNode<'_>, start: usize, end: usize, but: &str) -> bool {
    let whole = call.location();
    let from = start_of(&whole);
    let gap = whole.as_slice().get(start - from..end - from);
    gap.is_some_and(|gap| {
        gap.iter()
            .all(|byte| matches!(byte, b' ' | b'\t') || but.as_bytes().contains(byte))
    })
}

fn start_of(location: &Location<'_>) -> usize {
    location.start() as usize
}

fn end_of(location: &Location<'_>) -> usize {
    location.end() as usize
}
