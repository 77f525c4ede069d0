//! `casebook design architect`, `implement`, `optimize` and `polish`: the steps that change a spec.

use casebook_design::skeleton::Distance;
use casebook_design::steps::{self, StepContext, StepError, Target};

use super::CommandOutput;
use crate::arguments::design::{Architect, Implement, Optimize, Polish};

pub(super) fn architect(
    arguments: &Architect,
    world: &StepContext<'_>,
) -> Result<CommandOutput, StepError> {
    let target = Target::find(&arguments.target, world.cwd)?;
    let done = steps::architect(&target, world)?;
    Ok(CommandOutput::data(done.path.display().to_string()).warning(done.warnings))
}

pub(super) fn implement(
    arguments: &Implement,
    world: &StepContext<'_>,
) -> Result<CommandOutput, StepError> {
    let target = Target::find(&arguments.target, world.cwd)?;
    let distance = if arguments.boundary {
        Distance::Boundary
    } else {
        Distance::Apart
    };
    let done = steps::implement(&target, distance, world)?;
    Ok(CommandOutput::data(done.path.display().to_string()).warning(done.warnings))
}

pub(super) fn optimize(
    arguments: &Optimize,
    world: &StepContext<'_>,
) -> Result<CommandOutput, StepError> {
    let target = Target::find(&arguments.target, world.cwd)?;
    let done = steps::optimize(&target, world)?;
    Ok(CommandOutput::data(done.path.display().to_string()).warning(done.warnings))
}

/// Exits with 0 even with warnings, which are printed as notes.
pub(super) fn polish(
    arguments: &Polish,
    world: &StepContext<'_>,
) -> Result<CommandOutput, StepError> {
    let target = Target::find(&arguments.target, world.cwd)?;
    let done = steps::polish(&target, world)?;
    let notes = (!done.warnings.is_empty()).then(|| done.warnings.join("\n"));
    Ok(CommandOutput {
        notes,
        ..CommandOutput::data(done.path.display().to_string())
    })
}
