//! `casebook design refactor`. With `--mode full`, the states that the spec proves are compared before and after.

use std::collections::BTreeSet;

use casebook_design::review::{Review, Severity};
use casebook_design::steps::{
    self, RefactorOptions, Refactored, Refactoring, StepContext, StepError,
};
use casebook_run::SystemContext;
use serde_json::{Value, json};

use super::CommandOutput;
use super::proven_states::SpecProof;
use crate::arguments::design::{Refactor, RefactorArg};

pub(super) fn run(
    arguments: &Refactor,
    world: &StepContext<'_>,
    system: &SystemContext,
) -> Result<CommandOutput, StepError> {
    let mode = arguments.mode.map(|mode| match mode {
        RefactorArg::Conservative => Refactoring::Conservative,
        RefactorArg::Full => Refactoring::Full {
            discard_handwork: arguments.discard_handwork,
        },
    });
    let options = RefactorOptions {
        mode,
        keeps_wording: arguments.keep_wording,
    };
    let proof = (arguments.mode == Some(RefactorArg::Full))
        .then(|| SpecProof::of(&arguments.spec, world, system));
    let proven = proof.as_ref().map(SpecProof::states);
    let check = || match (&proof, &proven) {
        (Some(proof), Some(before)) => require_proven(before, proof),
        _ => Ok(()),
    };
    let done = steps::refactor(&arguments.spec, options, &check, world)?;
    Ok(match done {
        Refactored::Done {
            spec,
            backup,
            changes,
            before,
            after,
            warnings,
        } => {
            let answer = json!({
                "spec": spec,
                "backup": backup,
                "changes": changes,
                "before": counts(&before),
                "after": counts(&after),
            });
            CommandOutput::data(answer.to_string()).warning(warnings)
        }
        Refactored::Decide(decision) => CommandOutput::decision(&decision, "nothing was changed"),
    })
}

/// Fails if a state that the spec proved is not proven any more, or if that cannot be found out.
fn require_proven(
    before: &Result<BTreeSet<String>, String>,
    proof: &SpecProof<'_>,
) -> Result<(), String> {
    let after = before.as_ref().map_err(Clone::clone);
    let both = after.and_then(|before| Ok((before, proof.states()?)));
    let (before, after) = both.map_err(|reason| {
        format!(
            "cannot check whether the refactored spec still proves the same states, so it was restored: {reason}; \
             use --mode conservative"
        )
    })?;
    let lost: Vec<_> = before.difference(&after).map(String::as_str).collect();
    if lost.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the refactored spec no longer checks these states, so it was restored:\n  {}",
        lost.join("\n  ")
    ))
}

fn counts(review: &Review) -> Value {
    json!({
        "status": review.status(),
        "violations": review.count(Severity::Violation),
        "warnings": review.count(Severity::Warning),
        "structural": review.structural(),
    })
}
