//! What each example of a spec expects, in the order of the text.

use super::behavior::{BehaviorResult, behaviours};
use super::inputs::Inputs;
use crate::metadata::read::{Behaviour, BehaviourKind};
use crate::skeleton::{Context, Examples, leaves_of};

/// Contexts from the outermost to one of them.
pub(super) type ContextPath<'a> = Vec<&'a Context>;

/// What an example expects: an effect, or what comes of these ways.
pub(super) struct ExpectedResult<'a> {
    pub(super) ways: Vec<ContextPath<'a>>,
    pub(super) is_effect: bool,
}

/// The examples that the architect wrote, by the code.
fn found<'a>(inputs: &Inputs<'_>, tree: &'a [Context]) -> Vec<ExpectedResult<'a>> {
    let names: Vec<&str> = inputs
        .plan
        .entries
        .iter()
        .map(|entry| entry.name.as_str())
        .collect();
    let mut expected = Vec::new();
    for way in leaves_of(tree) {
        let found = behaviours(inputs.analysis, &names, &way);
        expected.extend(found.into_iter().map(|one| ExpectedResult {
            ways: vec![way.clone()],
            is_effect: one.what == BehaviorResult::Effect,
        }));
    }
    expected
}

/// The examples that the document names, templates first.
fn told<'a>(examples: &Examples<'_>, tree: &'a [Context]) -> Vec<ExpectedResult<'a>> {
    let leaves = leaves_of(tree);
    let is_effect = |behaviour: &Behaviour| behaviour.kind == BehaviourKind::SideEffect;
    let template = |behaviour: &&Behaviour| ExpectedResult {
        ways: leaves
            .iter()
            .filter(|leaf| examples.shown(leaf).contains(behaviour))
            .cloned()
            .collect(),
        is_effect: is_effect(behaviour),
    };
    let mut expected: Vec<_> = examples.templates().iter().map(template).collect();
    for leaf in &leaves {
        let own = examples.shown(leaf).into_iter();
        let own = own.filter(|behaviour| !examples.templates().contains(behaviour));
        expected.extend(own.map(|behaviour| ExpectedResult {
            ways: vec![leaf.clone()],
            is_effect: is_effect(behaviour),
        }));
    }
    expected
}

/// The examples of a method: as its document names them, else as the architect wrote them by the code.
pub(super) fn expected<'a>(inputs: &Inputs<'_>, tree: &'a [Context]) -> Vec<ExpectedResult<'a>> {
    match Examples::of(inputs.plan, tree) {
        Some(examples) => told(&examples, tree),
        None => found(inputs, tree),
    }
}
