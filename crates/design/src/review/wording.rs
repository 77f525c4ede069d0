//! Checks the descriptions of groups and examples.

use super::{Guide, Review, Severity};
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
pub(super) fn check(top: &Group, guide: Guide, review: &mut Review) {
    if top.kind == "context" {
        context(top, true, guide, review);
    }
    group(top, guide, review);
}

fn group(parent: &Group, guide: Guide, review: &mut Review) {
    for inner in parent.groups() {
        if inner.kind == "context" {
            context(inner, parent.kind == "describe", guide, review);
        }
        group(inner, guide, review);
    }
    for shared in &parent.shared {
        group(shared, guide, review);
    }
    for one in parent.examples() {
        example(one, guide, review);
    }
    happy_path_first(parent, review);
}

fn context(context: &Group, is_level_one: bool, guide: Guide, review: &mut Review) {
    let Some(text) = &context.text else { return };
    lower_not(text, context.line, guide, review);
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
        let severity = match first {
            "with" | "without" => guide.severity(),
            _ => Severity::Violation,
        };
        review.add_as(
            "context-word",
            severity,
            context.line,
            format!("the first level begins with when, not with '{first}'"),
        );
    }
}

fn lower_not(text: &str, line: usize, guide: Guide, review: &mut Review) {
    if has_lowercase_not(text) {
        review.add_as(
            "lower-not",
            guide.severity(),
            line,
            format!("'{text}' contains a lowercase not"),
        );
    }
}

fn example(example: &Example, guide: Guide, review: &mut Review) {
    let Some(text) = &example.text else { return };
    if let Some(modal) = words(text).find(|word| is_modal(word)) {
        review.add(
            "modal-wording",
            example.line,
            format!("'{text}' contains '{modal}'"),
        );
    }
    lower_not(text, example.line, guide, review);
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

/// Whether two contexts are states of the same characteristic: they differ only in a `NOT`, or without one in their last word.
/// Contexts of different characteristics may follow each other, each with its own happy path.
fn are_alternatives(one: &Group, other: &Group) -> bool {
    let state_words = |group: &Group| -> Vec<String> {
        let plain = words(&group.description)
            .skip(1)
            .filter(|word| *word != "NOT");
        plain.map(str::to_lowercase).collect()
    };
    let is_negated = words(&one.description).any(|word| word == "NOT");
    let (one, other) = (state_words(one), state_words(other));
    let without_last = |words: &[String]| words[..words.len().saturating_sub(1)].to_vec();
    one == other
        || !is_negated && one.len() == other.len() && without_last(&one) == without_last(&other)
}

/// Whether the description is that of a corner case.
fn is_corner(text: &str) -> bool {
    let first = words(text).next().unwrap_or_default();
    matches!(first, "but" | "without")
        || words(text)
            .any(|word| word == "NOT" || CORNER_WORDS.contains(&word.to_lowercase().as_str()))
}
