//! `casebook design refactor`. With `--mode full`, the states that the spec proves are compared before and after.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

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
    Ok(match steps::refactor(&arguments.spec, options, world)? {
        Refactored::Done {
            spec,
            backup,
            changes,
            before,
            after,
            mut warnings,
        } => {
            if let (Some(proof), Some(proven), Some(backup)) = (&proof, proven, &backup) {
                warnings.extend(keep_if_proven(&spec, backup, proof, proven)?);
            }
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

/// Restores the spec if a state that it proved is not proven any more. A warning if that cannot be found out.
fn keep_if_proven(
    spec: &Path,
    backup: &Path,
    proof: &SpecProof<'_>,
    before: Result<BTreeSet<String>, String>,
) -> Result<Option<String>, StepError> {
    let both = before.and_then(|before| Ok((before, proof.states()?)));
    let (before, after) = match both {
        Ok(both) => both,
        Err(reason) => {
            return Ok(Some(format!(
                "cannot check whether the spec still proves the same states: {reason}"
            )));
        }
    };
    let lost: Vec<_> = before.difference(&after).map(String::as_str).collect();
    if lost.is_empty() {
        return Ok(None);
    }
    let failed = |error: std::io::Error| StepError::Other(error.to_string());
    fs::copy(backup, spec).map_err(failed)?;
    fs::remove_file(backup).map_err(failed)?;
    Err(StepError::Other(format!(
        "the refactored spec no longer checks these states, so it was restored:\n  {}",
        lost.join("\n  ")
    )))
}

fn counts(review: &Review) -> Value {
    json!({
        "status": review.status(),
        "violations": review.count(Severity::Violation),
        "warnings": review.count(Severity::Warning),
        "structural": review.structural(),
    })
}
