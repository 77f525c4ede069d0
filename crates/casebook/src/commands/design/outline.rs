//! `casebook design outline`.

use std::fs;

use casebook_design::outline::outline;
use casebook_design::ruby::RubyError;
use casebook_design::steps::{StepContext, StepError};

use super::CommandOutput;
use crate::arguments::design::Outline;

pub(super) fn run(
    arguments: &Outline,
    world: &StepContext<'_>,
) -> Result<CommandOutput, StepError> {
    let name = arguments.spec.display().to_string();
    let spec =
        fs::read(world.cwd.join(&arguments.spec)).map_err(|source| StepError::Unreadable {
            path: arguments.spec.clone(),
            source,
        })?;
    let outline = match outline(&spec, &name) {
        Ok(outline) => outline,
        Err(error @ RubyError::Syntax { .. }) => {
            return Ok(CommandOutput::error(format!(
                "{name}: {error}\nRun `ruby -c {name}` for details."
            )));
        }
        Err(error) => return Ok(CommandOutput::error(format!("{name}: {error}"))),
    };
    if outline.groups.is_empty() {
        return Ok(CommandOutput::error(format!(
            "{name} contains no RSpec groups"
        )));
    }
    let data = serde_json::to_string_pretty(&outline.to_json()).unwrap_or_default();
    Ok(CommandOutput::data(data).warning(outline.warnings()))
}
