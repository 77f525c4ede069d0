//! How groups and examples are called.

use super::Review;
use crate::outline::{Example, Group};

const FIRST_WORDS: [&str; 5] = ["when", "with", "without", "and", "but"];
const CORNER_WORDS: [&str; 9] = [
    "invalid",
    "missing",
    "error",
    "unauthorized",
    "forbidden",
    "insufficient",
    "exceeds",
    "below",
    "above",
];

/// A group and everything in it.
pub(super) fn check(group: &Group, review: &mut Review) {
    for inner in group.groups() {
        if inner.kind == "context" {
            context(inner, group, review);
        }
        check(inner, review);
    }
    for one in group.examples() {
        example(one, review);
    }
    happy_path_first(group, review);
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '\'')
        .filter(|word| !word.is_empty())
}

/// Descriptions that are code have no words of ours.
fn is_text(text: &str) -> bool {
    text != "unknown" && !text.starts_with('"')
}

fn context(context: &Group, around: &Group, review: &mut Review) {
    let text = context.description.as_str();
    if !is_text(text) {
        return;
    }
    let first = words(text).next().unwrap_or_default();
    let is_level_one = around.kind == "describe";
    if !FIRST_WORDS.contains(&first) {
        review.add(
            "context-word",
            context.line,
            format!("context '{text}' begins with '{first}'"),
        );
    } else if is_level_one && first != "when" {
        review.add(
            "context-word",
            context.line,
            format!("the first level begins with when, not with '{first}'"),
        );
    }
    lower_not(text, context.line, review);
}

fn lower_not(text: &str, line: usize, review: &mut Review) {
    if words(text).any(|word| word == "not") {
        review.add("lower-not", line, format!("'{text}' has a small not"));
    }
}

fn example(example: &Example, review: &mut Review) {
    let text = example.description.as_str();
    if !is_text(text) {
        return;
    }
    let modal = words(text).find(|word| {
        matches!(
            word.to_lowercase().as_str(),
            "should" | "must" | "can" | "will"
        )
    });
    if let Some(modal) = modal {
        review.add(
            "modal-wording",
            example.line,
            format!("'{text}' says '{modal}'"),
        );
    }
    lower_not(text, example.line, review);
    let clause = words(text)
        .skip(1)
        .find(|word| matches!(*word, "when" | "with" | "without" | "but"));
    if let Some(clause) = clause {
        review.add(
            "state-in-example",
            example.line,
            format!("'{text}' has a clause with '{clause}'"),
        );
    }
}

fn happy_path_first(group: &Group, review: &mut Review) {
    let contexts: Vec<&Group> = group
        .groups()
        .filter(|inner| inner.kind == "context" && is_text(&inner.description))
        .collect();
    let first_corner = contexts
        .iter()
        .position(|context| is_corner(&context.description));
    let Some(corner) = first_corner else { return };
    if contexts[corner..]
        .iter()
        .any(|context| !is_corner(&context.description))
    {
        let context = contexts[corner];
        review.add(
            "happy-path-first",
            context.line,
            format!(
                "corner case '{}' comes before a happy path",
                context.description
            ),
        );
    }
}

/// Whether a context says that something is amiss.
fn is_corner(text: &str) -> bool {
    let first = words(text).next().unwrap_or_default();
    matches!(first, "but" | "without")
        || words(text)
            .any(|word| word == "NOT" || CORNER_WORDS.contains(&word.to_lowercase().as_str()))
}
