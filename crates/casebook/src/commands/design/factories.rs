//! `casebook design factories`.

use casebook_design::factories::factories;
use casebook_design::steps::{StepContext, StepError};
use serde_json::Value;

use super::CommandOutput;
use crate::arguments::design::Factories;

pub(super) fn run(
    arguments: &Factories,
    world: &StepContext<'_>,
) -> Result<CommandOutput, StepError> {
    let found = factories(world.cwd, arguments.dir.as_deref())?;
    let data = serde_json::to_string_pretty(&Value::Object(found.found)).unwrap_or_default();
    Ok(CommandOutput::data(data).warning(found.warnings))
}
