//! Finds the happy context of a characteristic: rule W1. A heuristic, and labeled as one.

use crate::metadata::read::Plan;
use crate::review::CORNER_WORDS;
use crate::ruby::{Analysis, BranchOutcome};
use crate::skeleton::Context;

/// Whether a context is the happy one of its characteristic. The first rule that applies decides.
pub(super) fn is_happy(
    context: &Context,
    is_first: bool,
    plan: &Plan,
    analysis: &Analysis,
) -> bool {
    let entry = &plan.entries[context.entry];
    let has_corner_word = context
        .description
        .split(' ')
        .any(|word| word == "NOT" || CORNER_WORDS.contains(&word));
    match context.word {
        Some("with") => true,
        Some("but" | "without") => false,
        _ if has_corner_word => false,
        _ if entry.default.as_ref() == Some(&context.state) => true,
        _ if context.is_terminal || ends_early(&entry.name, &context.state, analysis) => false,
        _ => is_first,
    }
}

/// Whether the method ends early in this state, or raises.
fn ends_early(name: &str, state: &str, analysis: &Analysis) -> bool {
    let mut all = analysis.characteristics.iter();
    let is_terminal = all
        .find(|found| found.name == name)
        .is_some_and(|found| found.terminal_states.iter().any(|end| end == state));
    let raises = analysis.branches.iter().any(|branch| {
        analysis.is_at(branch.state_ref, name, state)
            && matches!(branch.outcome, Some(BranchOutcome::Raises(_)))
    });
    is_terminal || raises
}

/// One note for each context that precedes the happy one of its characteristic.
pub(super) fn misplaced(contexts: &[Context], plan: &Plan, analysis: &Analysis) -> Vec<String> {
    let mut notes = Vec::new();
    for siblings in contexts.chunk_by(|one, other| one.entry == other.entry) {
        let happy = siblings
            .iter()
            .enumerate()
            .position(|(at, one)| is_happy(one, at == 0, plan, analysis));
        if let Some(at) = happy.filter(|at| *at > 0) {
            notes.push(format!(
                "order: '{}' is the happy path and should come before '{}' (heuristic)",
                siblings[at].description, siblings[0].description
            ));
        }
        for one in siblings {
            notes.extend(misplaced(&one.children, plan, analysis));
        }
    }
    notes
}
