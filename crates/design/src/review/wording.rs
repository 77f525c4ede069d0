//! Checks the descriptions of groups and examples.

use super::Review;
use crate::negation::{has_lowercase_not, words};
use crate::outline::{Example, Group};

const FIRST_WORDS: [&str; 5] = ["when", "with", "without", "and", "but"];
/// Words that mark a corner case.
pub(crate) const CORNER_WORDS: [&str; 9] = [
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

/// Checks an outermost group and everything in it.
pub(super) fn check(top: &Group, review: &mut Review) {
    if top.kind == "context" {
        context(top, true, review);
    }
    group(top, review);
}

fn group(parent: &Group, review: &mut Review) {
    for inner in parent.groups() {
        if inner.kind == "context" {
            context(inner, parent.kind == "describe", review);
        }
        group(inner, review);
    }
    for shared in &parent.shared {
        group(shared, review);
    }
    for one in parent.examples() {
        example(one, review);
    }
    happy_path_first(parent, review);
}

fn context(context: &Group, is_level_one: bool, review: &mut Review) {
    let Some(text) = &context.text else { return };
    lower_not(text, context.line, review);
    // A first word that is interpolated is only known at run time.
    if text.starts_with("#{") {
        return;
    }
    let first = words(text).next().unwrap_or_default();
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
}

fn lower_not(text: &str, line: usize, review: &mut Review) {
    if has_lowercase_not(text) {
        review.add(
            "lower-not",
            line,
            format!("'{text}' contains a lowercase not"),
        );
    }
}

fn example(example: &Example, review: &mut Review) {
    let Some(text) = &example.text else { return };
    if let Some(modal) = words(text).find(|word| is_modal(word)) {
        review.add(
            "modal-wording",
            example.line,
            format!("'{text}' contains '{modal}'"),
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

fn is_modal(word: &str) -> bool {
    let word = word.to_lowercase();
    let verb = word.strip_suffix("n't").unwrap_or(&word);
    matches!(verb, "should" | "must" | "can" | "cannot" | "will")
        || matches!(word.as_str(), "can't" | "won't")
}

fn happy_path_first(group: &Group, review: &mut Review) {
    let contexts: Vec<&Group> = group
        .groups()
        .filter(|inner| inner.kind == "context" && inner.text.is_some())
        .collect();
    let is_happy = |context: &&&Group| !is_corner(&context.description);
    let early = contexts.iter().enumerate().find(|(index, corner)| {
        let (before, after) = contexts.split_at(*index);
        let is_first = !before.iter().any(|context| is_happy(&context));
        let is_other = |happy: &&&Group| is_first || are_alternatives(corner, happy);
        is_corner(&corner.description) && after.iter().filter(is_happy).any(|one| is_other(&one))
    });
    if let Some((_, corner)) = early {
        review.add(
            "happy-path-first",
            corner.line,
            format!(
                "corner case '{}' comes before a happy path",
                corner.description
            ),
        );
    }
}

/// Whether two contexts are states of the same characteristic: they differ only in their last word or in a `NOT`.
/// Contexts of different characteristics may follow each other, each with its own happy path.
fn are_alternatives(one: &Group, other: &Group) -> bool {
    let state_words = |group: &Group| -> Vec<String> {
        let plain = words(&group.description)
            .skip(1)
            .filter(|word| *word != "NOT");
        plain.map(str::to_lowercase).collect()
    };
    let (one, other) = (state_words(one), state_words(other));
    let without_last = |words: &[String]| words[..words.len().saturating_sub(1)].to_vec();
    one == other || one.len() == other.len() && without_last(&one) == without_last(&other)
}

/// Whether the description is that of a corner case.
fn is_corner(text: &str) -> bool {
    let first = words(text).next().unwrap_or_default();
    matches!(first, "but" | "without")
        || words(text)
            .any(|word| word == "NOT" || CORNER_WORDS.contains(&word.to_lowercase().as_str()))
}
