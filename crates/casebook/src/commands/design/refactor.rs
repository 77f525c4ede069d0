//! `casebook design refactor`.

use casebook_design::review::{Review, Severity};
use casebook_design::steps::{
    self, RefactorOptions, Refactored, Refactoring, StepContext, StepError,
};
use serde_json::{Value, json};

use super::CommandOutput;
use crate::arguments::design::{Refactor, RefactorArg};

pub(super) fn run(
    arguments: &Refactor,
    world: &StepContext<'_>,
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
    Ok(match steps::refactor(&arguments.spec, options, world)? {
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
        Refactored::Decide(decision) => CommandOutput::data(decision.to_string())
            .warning(["a decision is needed; nothing was changed".to_owned()]),
    })
}

fn counts(review: &Review) -> Value {
    json!({
        "status": review.status(),
        "violations": review.count(Severity::Violation),
        "warnings": review.count(Severity::Warning),
        "structural": review.structural(),
    })
}
