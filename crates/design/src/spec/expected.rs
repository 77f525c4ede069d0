//! What each example of a spec expects, in the order of the text.

use super::behavior::{BehaviorResult, behaviors};
use super::inputs::Inputs;
use crate::metadata::read::{Behavior, BehaviorKind};
use crate::skeleton::{Context, Examples, leaves_of};

/// Contexts from the outermost to an inner one.
pub(super) type ContextPath<'a> = Vec<&'a Context>;

/// What an example expects: an effect, or the result of these paths.
pub(super) struct ExpectedResult<'a> {
    pub(super) paths: Vec<ContextPath<'a>>,
    pub(super) is_effect: bool,
}

/// The examples that the architect wrote from the code.
fn from_code<'a>(inputs: &Inputs<'_>, tree: &'a [Context]) -> Vec<ExpectedResult<'a>> {
    let names: Vec<&str> = inputs
        .plan
        .entries
        .iter()
        .map(|entry| entry.name.as_str())
        .collect();
    let mut expected = Vec::new();
    for path in leaves_of(tree) {
        let found = behaviors(inputs.analysis, &names, &path);
        expected.extend(found.into_iter().map(|one| ExpectedResult {
            paths: vec![path.clone()],
            is_effect: one.result == BehaviorResult::Effect,
        }));
    }
    expected
}

/// The examples that the document describes, shared ones first.
fn from_document<'a>(examples: &Examples<'_>, tree: &'a [Context]) -> Vec<ExpectedResult<'a>> {
    let leaves = leaves_of(tree);
    let is_effect = |behavior: &Behavior| behavior.kind == BehaviorKind::SideEffect;
    let template = |behavior: &&Behavior| ExpectedResult {
        paths: leaves
            .iter()
            .filter(|leaf| examples.behaviors_of(leaf).contains(behavior))
            .cloned()
            .collect(),
        is_effect: is_effect(behavior),
    };
    let mut expected: Vec<_> = examples.templates().iter().map(template).collect();
    for leaf in &leaves {
        let own = examples.behaviors_of(leaf).into_iter();
        let own = own.filter(|behavior| !examples.templates().contains(behavior));
        expected.extend(own.map(|behavior| ExpectedResult {
            paths: vec![leaf.clone()],
            is_effect: is_effect(behavior),
        }));
    }
    expected
}

/// The examples of a method: those that the document describes, otherwise those that the architect wrote.
pub(super) fn expected<'a>(inputs: &Inputs<'_>, tree: &'a [Context]) -> Vec<ExpectedResult<'a>> {
    match Examples::of(inputs.plan, tree) {
        Some(examples) => from_document(&examples, tree),
        None => from_code(inputs, tree),
    }
}
