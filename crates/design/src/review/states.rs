//! Whether every state of the metadata has a context.

use super::{About, Review};
use crate::outline::{Group, Outline};
use crate::skeleton::{Context, contexts};

pub(super) fn check(outline: &Outline, about: &About<'_>, review: &mut Review) {
    let mut texts = Vec::new();
    for group in &outline.groups {
        collect(group, &mut texts);
    }
    let mut missing = Vec::new();
    for plan in about.plans {
        look(&contexts(plan), &texts, &mut missing);
    }
    missing.dedup();
    for description in missing {
        review.add(
            "missing-state",
            1,
            format!("no context says '{description}'"),
        );
    }
}

fn collect(group: &Group, texts: &mut Vec<String>) {
    for inner in group.groups() {
        texts.push(plain(&inner.description));
        collect(inner, texts);
    }
}

fn plain(text: &str) -> String {
    text.to_lowercase()
}

fn look(contexts: &[Context], texts: &[String], missing: &mut Vec<String>) {
    for context in contexts {
        let wanted = plain(&context.description);
        let is_there = texts.iter().any(|text| {
            let (_, rest) = text.split_once(' ').unwrap_or(("", text));
            rest == wanted
        });
        if !is_there {
            missing.push(context.description.clone());
        }
        look(&context.children, texts, missing);
    }
}
