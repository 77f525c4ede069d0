//! Checks that every state of the metadata has a context.

use super::{Review, ReviewContext};
use crate::metadata::read::Plan;
use crate::outline::{Group, Outline};
use crate::skeleton::{Context, contexts};

/// Words that do not distinguish states.
const FILLERS: [&str; 7] = ["a", "an", "are", "is", "the", "was", "were"];

pub(super) fn check(outline: &Outline, context: &ReviewContext<'_>, review: &mut Review) {
    for plan in context.plans {
        let texts = texts_of(outline, plan);
        let mut missing = Vec::new();
        find_missing(&contexts(plan), &texts, &mut missing);
        for description in missing {
            review.add(
                "missing-state",
                1,
                format!("no context describes '{description}'"),
            );
        }
    }
}

/// The descriptions, as words, of the contexts of a method: those in its own group, or all if it has none.
fn texts_of(outline: &Outline, plan: &Plan) -> Vec<Vec<String>> {
    let mut texts = Vec::new();
    let method = plan.short();
    let all = || outline.groups.iter().chain(&outline.shared);
    let own: Vec<&Group> = all().filter_map(|group| find(group, &method)).collect();
    if own.is_empty() {
        all().for_each(|group| collect(group, &mut texts));
    }
    for group in own {
        collect(group, &mut texts);
    }
    texts
}

fn find<'g>(group: &'g Group, method: &str) -> Option<&'g Group> {
    let rest = group.description.strip_prefix(method);
    let is_match = group.kind == "describe"
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('('));
    if is_match {
        return Some(group);
    }
    group.groups().find_map(|inner| find(inner, method))
}

fn collect(group: &Group, texts: &mut Vec<Vec<String>>) {
    let inner = group.groups().chain(&group.shared);
    for inner in inner {
        let words: Vec<String> = words(&inner.description).collect();
        texts.push(words.get(1..).unwrap_or_default().to_vec());
        collect(inner, texts);
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let all = text.split(|letter: char| letter.is_whitespace() || letter == '_');
    all.map(str::to_lowercase)
        .filter(|word| !word.is_empty() && !FILLERS.contains(&word.as_str()))
}

fn find_missing(contexts: &[Context], texts: &[Vec<String>], missing: &mut Vec<String>) {
    for context in contexts {
        let expected: Vec<String> = words(&context.description).collect();
        if !texts.contains(&expected) && !missing.contains(&context.description) {
            missing.push(context.description.clone());
        }
        find_missing(&context.children, texts, missing);
    }
}
