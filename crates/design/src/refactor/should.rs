//! `x.should eq(1)` as `expect(x).to eq(1)`, where the assertion is a statement of its own.

use ruby_prism::{CallNode, Location, Node};

use super::block::{block_word, exits_early, is_block, wants_block};
use super::{custom_should, found};
use crate::edits::Edit;
use crate::ruby::syntax::{argument, arguments, called};

/// The changes, those of one assertion together.
pub(super) fn edits(program: &Node<'_>) -> Vec<Vec<Edit>> {
    if custom_should::is_foreign(program) {
        return Vec::new();
    }
    found(program, custom_should::is_of_examples, |node| {
        let statements = node.as_statements_node();
        let statements = statements
            .iter()
            .flat_map(|statements| statements.body().iter());
        let calls = statements.filter_map(|statement| statement.as_call_node());
        calls.filter_map(|call| assertion(&call)).collect()
    })
}

/// The changes that one statement asks for.
fn assertion(call: &CallNode<'_>) -> Option<Vec<Edit>> {
    if let Some(verb) = matched(called(call)) {
        return asserted(call, verb);
    }
    compared(call).or_else(|| expected(call))
}

/// What follows `expect(…)` for a matcher.
fn matched(name: &str) -> Option<&'static str> {
    match name {
        "should" => Some("to"),
        "should_not" => Some("not_to"),
        _ => None,
    }
}

/// What follows `expect(…)` for a message.
fn received(name: &str) -> Option<&'static str> {
    match name {
        "should_receive" => Some("to receive"),
        "should_not_receive" => Some("not_to receive"),
        _ => None,
    }
}

/// `x.should eq(1)`: a matcher.
fn asserted(call: &CallNode<'_>, verb: &str) -> Option<Vec<Edit>> {
    let matcher = argument(call)?;
    // With a text and a block it is the `should` of another library.
    let is_other = matcher.as_string_node().is_some()
        || matcher.as_keyword_hash_node().is_some()
        || call.block().is_some();
    if is_other {
        return None;
    }
    let is_of_blocks = wants_block(&matcher);
    let receiver = call.receiver();
    match receiver {
        // What the subject returns may be a block, or not.
        None if is_of_blocks => None,
        Some(receiver) if is_block(&receiver) || is_of_blocks => is_of_blocks
            .then(|| block_turned(call, &receiver, verb))
            .flatten(),
        _ => turned(call, verb),
    }
}

/// `x.should == 1`: an operator called on `should`, which is given nothing.
fn compared(call: &CallNode<'_>) -> Option<Vec<Edit>> {
    let should = call.receiver()?.as_call_node()?;
    let verb = matched(called(&should))?;
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
    let mut edits = turned(&should, verb)?;
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

/// `x.should_receive(:go).with(1)`: a message, and what is said of it.
fn expected(last: &CallNode<'_>) -> Option<Vec<Edit>> {
    if let Some(verb) = received(called(last)) {
        return message(last, verb);
    }
    let mut receiver = last.receiver()?;
    let mut said = last.call_operator_loc();
    loop {
        let call = receiver.as_call_node()?;
        // An operator would be one between what `expect` takes.
        said.filter(|operator| operator.as_slice() == b".")?;
        // `do` belongs to the whole statement, wherever it stands.
        if is_do(&call) {
            return None;
        }
        if let Some(verb) = received(called(&call)) {
            return message(&call, verb);
        }
        said = call.call_operator_loc();
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
    turned(call, verb)
}

/// What is asserted moves into `expect`.
fn turned(call: &CallNode<'_>, verb: &str) -> Option<Vec<Edit>> {
    let message = call.message_loc()?;
    let Some(receiver) = call.receiver() else {
        let text = format!("is_expected.{verb}");
        return Some(vec![(start_of(&message), end_of(&message), text)]);
    };
    is_tight(call, &receiver).then_some(())?;
    let place = receiver.location();
    let (start, end) = (start_of(&place), end_of(&place));
    Some(vec![
        (start, start, "expect(".to_owned()),
        (end, end_of(&message), format!(").{verb}")),
    ])
}

/// What is done moves behind `expect`.
fn block_turned(call: &CallNode<'_>, receiver: &Node<'_>, verb: &str) -> Option<Vec<Edit>> {
    let message = call.message_loc()?;
    let (word, opening) = block_word(receiver)?;
    let (start, open) = (start_of(&word), start_of(&opening));
    let is_plain = is_tight(call, receiver) && is_blank_but(call, end_of(&word), open, "()");
    // From the example it would be another way out.
    if !is_plain || exits_early(receiver) {
        return None;
    }
    let end = end_of(&receiver.location());
    Some(vec![
        (start, open, "expect ".to_owned()),
        (end, end_of(&message), format!(".{verb}")),
    ])
}

/// Whether a point stands between the receiver and `should`, and nothing else.
fn is_tight(call: &CallNode<'_>, receiver: &Node<'_>) -> bool {
    let operator = call.call_operator_loc();
    let message = call.message_loc();
    let (Some(operator), Some(message)) = (operator, message) else {
        return false;
    };
    let end = end_of(&receiver.location());
    operator.as_slice() == b"." && is_blank_but(call, end, start_of(&message), ".")
}

/// Whether only blanks stand there: what takes their place keeps no comment and no line end.
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
