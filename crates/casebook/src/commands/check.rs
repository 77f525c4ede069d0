//! `casebook check`: reports all problems in suites.

use crate::arguments::Check;
use crate::commands::shared::suites::{self, ProblemOutput};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(arguments: &Check, context: &mut Context) -> Result<Exit, CommandError> {
    let summary = suites::read(&arguments.paths, ProblemOutput::Stdout, context)?.summary;
    context.messages.info(&summary.summary());
    Ok(if summary.is_ok() {
        Exit::Passed
    } else {
        Exit::CouldNotTest
    })
}
