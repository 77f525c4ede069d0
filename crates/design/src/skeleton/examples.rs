//! [`Examples`]: the examples of a method's leaves, from the behaviors in the document (rules L10 and S13).

use super::tree::Context;
use crate::metadata::read::{Behavior, Plan};

/// An example that occurs at least this many times in a method becomes a template (`shared_examples`).
const TEMPLATE_THRESHOLD: usize = 3;

/// A leaf with the contexts around it, outermost first; empty for a method without contexts.
pub(crate) type Leaf<'c> = [&'c Context];

/// The examples of a method.
pub(crate) struct Examples<'p> {
    plan: &'p Plan,
    templates: Vec<&'p Behavior>,
}

impl<'p> Examples<'p> {
    /// `None` if the document has no behaviors.
    pub(crate) fn of(plan: &'p Plan, contexts: &[Context]) -> Option<Examples<'p>> {
        if !plan.behaviors.are_described {
            return None;
        }
        let mut counts: Vec<(&Behavior, usize)> = Vec::new();
        for leaf in leaves(contexts) {
            for behavior in behaviors_of(plan, &leaf) {
                match counts.iter_mut().find(|(counted, _)| *counted == behavior) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((behavior, 1)),
                }
            }
        }
        let frequent = counts
            .into_iter()
            .filter(|(_, count)| *count >= TEMPLATE_THRESHOLD);
        Some(Examples {
            plan,
            templates: frequent.map(|(behavior, _)| behavior).collect(),
        })
    }

    /// The behaviors that occur so often that their example is written once.
    pub(crate) fn templates(&self) -> &[&'p Behavior] {
        &self.templates
    }

    /// The behaviors of a leaf.
    pub(crate) fn behaviors_of(&self, leaf: &Leaf<'_>) -> Vec<&'p Behavior> {
        behaviors_of(self.plan, leaf)
    }

    /// The name of the shared examples for a behavior.
    pub(super) fn name(&self, behavior: &Behavior) -> String {
        format!(
            "__rspec_testing__{}__{}__{}",
            self.plan.id(),
            behavior.id,
            behavior.kind.as_str()
        )
    }
}

fn behaviors_of<'p>(plan: &'p Plan, leaf: &Leaf<'_>) -> Vec<&'p Behavior> {
    let last = leaf.last().map(|context| {
        let name = plan.entries[context.entry].name.as_str();
        (name, context.state.as_str())
    });
    plan.behaviors.of_leaf(last)
}

/// Every leaf with the contexts around it, in the order of the text. Without contexts, one empty leaf.
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
    path: &mut Vec<&'c Context>,
    found: &mut Vec<Vec<&'c Context>>,
) {
    path.push(context);
    if context.children.is_empty() {
        found.push(path.clone());
    }
    for child in &context.children {
        collect(child, path, found);
    }
    path.pop();
}
