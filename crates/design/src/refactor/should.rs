//! `x.should eq(1)` as `expect(x).to eq(1)`.

use ruby_prism::{CallNode, Location, Node};

use super::in_calls;
use crate::edits::Edit;
use crate::ruby::syntax::{argument, called, source};

/// The changes, those of one assertion together.
pub(super) fn edits(program: &Node<'_>) -> Vec<Vec<Edit>> {
    in_calls(program, assertion)
}

/// The changes that one call asks for.
fn assertion(call: &CallNode<'_>) -> Option<Vec<Edit>> {
    let name = called(call);
    if let Some(verb) = received(name) {
        return turned(call, verb);
    }
    if let Some(verb) = matched(name) {
        // With a text and a block it is the `should` of another library.
        let matcher = argument(call).filter(|first| first.as_string_node().is_none())?;
        return (call.block().is_none() && matcher.as_keyword_hash_node().is_none())
            .then(|| turned(call, verb))
            .flatten();
    }
    compared(call)
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

/// `x.should == 1`: an operator called on `should`, which is given nothing.
fn compared(call: &CallNode<'_>) -> Option<Vec<Edit>> {
    let receiver = call.receiver()?;
    let should = receiver.as_call_node()?;
    let verb = matched(called(&should))?;
    if should.arguments().is_some() || should.block().is_some() {
        return None;
    }
    let operator = call.message_loc()?;
    let value = argument(call)?;
    let (verb, matcher) = match called(call) {
        "==" => (verb, "eq"),
        "!=" if verb == "to" => ("not_to", "eq"),
        "=~" if value.as_regular_expression_node().is_some() => (verb, "match"),
        "=~" if value.as_array_node().is_some() => (verb, "match_array"),
        ">" | "<" | ">=" | "<=" | "===" => (verb, "be"),
        _ => return None,
    };
    let mut edits = turned(&should, verb)?;
    let (start, end) = (place(&operator).0, place(&value.location()).1);
    let text = if matcher == "be" {
        format!("be {} {}", called(call), source(&value))
    } else {
        format!("{matcher}({})", source(&value))
    };
    edits.push((start, end, text));
    Some(edits)
}

/// What is asserted moves into `expect`.
fn turned(call: &CallNode<'_>, verb: &str) -> Option<Vec<Edit>> {
    let message = place(&call.message_loc()?);
    let Some(receiver) = call.receiver() else {
        // Only a matcher can be asserted of the subject.
        return matched(called(call)).map(|_| {
            let text = format!("is_expected.{verb}");
            vec![(message.0, message.1, text)]
        });
    };
    if call.is_safe_navigation() {
        return None;
    }
    let (start, end) = place(&receiver.location());
    if let Some(word) = block_word(&receiver) {
        let word = place(&word);
        return Some(vec![
            (word.0, word.1, expect_before(&receiver)),
            (end, message.1, format!(".{verb}")),
        ]);
    }
    Some(vec![
        (start, start, "expect(".to_owned()),
        (end, message.1, format!(").{verb}")),
    ])
}

/// `->` and `lambda`: a block that is called later, and takes nothing.
fn block_word<'pr>(receiver: &Node<'pr>) -> Option<Location<'pr>> {
    if let Some(lambda) = receiver.as_lambda_node() {
        return lambda.parameters().is_none().then(|| lambda.operator_loc());
    }
    let call = receiver.as_call_node()?;
    let is_bare = call.receiver().is_none() && call.arguments().is_none();
    let has_block = call
        .block()
        .is_some_and(|block| block.as_block_node().is_some());
    (is_bare && has_block && matches!(called(&call), "lambda" | "proc"))
        .then(|| call.message_loc())
        .flatten()
}

/// `->{ }` needs a blank that `lambda { }` has.
fn expect_before(receiver: &Node<'_>) -> String {
    let is_tight = source(receiver).starts_with("->{");
    if is_tight { "expect " } else { "expect" }.to_owned()
}

fn place(location: &Location<'_>) -> (usize, usize) {
    (location.start() as usize, location.end() as usize)
}
