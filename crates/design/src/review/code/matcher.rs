//! Finds uses of `eq` that are too strict: for JSON text, unordered collections and exact times.

use ruby_prism::{CallNode, Node};

use super::super::Review;
use super::array_order::{is_ordered, is_tuple};
use crate::ruby::syntax::{argument, called, line, source, string_text};

/// Checks `expect(actual).to eq(expected)` in an example that may be about the order of a collection.
pub(super) fn check(call: &CallNode<'_>, is_about_order: bool, review: &mut Review) {
    let Some((actual, expected)) = eq_sides(call) else {
        return;
    };
    let at = line(&call.as_node());
    if is_body(&actual) && is_text(&expected) {
        review.add("json-string", at, "a body is compared as text");
    }
    let has_order =
        |array: ruby_prism::ArrayNode<'_>| array.elements().len() > 1 && !is_tuple(&array);
    let is_part_of_behavior = is_about_order || is_ordered(&actual);
    if !is_part_of_behavior && expected.as_array_node().is_some_and(has_order) {
        review.add(
            "order-bound-array",
            at,
            "eq also compares the order of a collection",
        );
    }
    if is_now(&expected) || is_now(&actual) {
        review.add("time-precision", at, "a time is compared to the last digit");
    }
}

/// Both sides of an `eq` expectation: actual, expected.
fn eq_sides<'pr>(call: &CallNode<'pr>) -> Option<(Node<'pr>, Node<'pr>)> {
    let is_expectation = matches!(called(call), "to" | "not_to" | "to_not");
    let matcher = argument(call).filter(|_| is_expectation)?.as_call_node()?;
    let is_equality = matches!(called(&matcher), "eq" | "eql") && matcher.receiver().is_none();
    let expected = argument(&matcher).filter(|_| is_equality)?;
    let expect = call.receiver()?.as_call_node()?;
    let actual = argument(&expect).filter(|_| called(&expect) == "expect")?;
    Some((actual, expected))
}

/// Whether this is the response body itself, not a value parsed from it.
fn is_body(actual: &Node<'_>) -> bool {
    let text = source(actual);
    let plain = [".to_s", ".strip", ".chomp"]
        .iter()
        .find_map(|end| text.strip_suffix(end))
        .unwrap_or(&text);
    matches!(plain, "response.body" | "last_response.body")
}

fn is_text(expected: &Node<'_>) -> bool {
    let makes_json = |call: CallNode<'_>| called(&call) == "to_json";
    string_text(expected).is_some() || expected.as_call_node().is_some_and(makes_json)
}

fn is_now(node: &Node<'_>) -> bool {
    let text = source(node);
    let text = text.trim_start_matches("::");
    text.starts_with("Time.now") || text.starts_with("Time.current")
}
