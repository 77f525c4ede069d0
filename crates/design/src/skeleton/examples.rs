//! Which examples the leaves of a method hold, where the document says what they do (rules L10 and S13).

use super::tree::Context;
use crate::metadata::read::{Behaviour, Plan};

/// As often as this in one method, an example becomes a template.
const OFTEN: usize = 3;

/// The contexts around a leaf, outermost first, and the leaf itself; empty where nothing varies.
pub(crate) type Leaf<'c> = [&'c Context];

/// The examples of a method.
pub(crate) struct Examples<'p> {
    plan: &'p Plan,
    templates: Vec<&'p Behaviour>,
}

impl<'p> Examples<'p> {
    /// None where the document says nothing about behaviour.
    pub(crate) fn of(plan: &'p Plan, contexts: &[Context]) -> Option<Examples<'p>> {
        if !plan.behaviours.are_known {
            return None;
        }
        let mut counts: Vec<(&Behaviour, usize)> = Vec::new();
        for leaf in leaves(contexts) {
            for behaviour in shown(plan, &leaf) {
                match counts.iter_mut().find(|(known, _)| *known == behaviour) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((behaviour, 1)),
                }
            }
        }
        let often = counts.into_iter().filter(|(_, count)| *count >= OFTEN);
        Some(Examples {
            plan,
            templates: often.map(|(behaviour, _)| behaviour).collect(),
        })
    }

    /// Those that come so often that they are written once.
    pub(crate) fn templates(&self) -> &[&'p Behaviour] {
        &self.templates
    }

    /// What a leaf shows.
    pub(crate) fn shown(&self, leaf: &Leaf<'_>) -> Vec<&'p Behaviour> {
        shown(self.plan, leaf)
    }

    /// The name of a template.
    pub(super) fn name(&self, behaviour: &Behaviour) -> String {
        format!(
            "__rspec_testing__{}__{}__{}",
            self.plan.id(),
            behaviour.id,
            behaviour.kind.as_str()
        )
    }
}

fn shown<'p>(plan: &'p Plan, leaf: &Leaf<'_>) -> Vec<&'p Behaviour> {
    let last = leaf.last().map(|context| {
        let name = plan.entries[context.entry].name.as_str();
        (name, context.state.as_str())
    });
    plan.behaviours.of_leaf(last)
}

/// Every leaf with the contexts around it, in the order of the text; without any context, the method itself.
pub(crate) fn leaves(contexts: &[Context]) -> Vec<Vec<&Context>> {
    let mut found = Vec::new();
    for context in contexts {
        collect(context, &mut Vec::new(), &mut found);
    }
    if found.is_empty() {
        found.push(Vec::new());
    }
    found
}

fn collect<'c>(
    context: &'c Context,
    around: &mut Vec<&'c Context>,
    found: &mut Vec<Vec<&'c Context>>,
) {
    around.push(context);
    if context.children.is_empty() {
        found.push(around.clone());
    }
    for child in &context.children {
        collect(child, around, found);
    }
    around.pop();
}
