//! `casebook check`: reports all problems in suites.

use std::io::Write as _;

use crate::arguments::Check;
use crate::commands::shared::project::Project;
use crate::commands::shared::suites::{self, ProblemOutput};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(arguments: &Check, context: &mut Context) -> Result<Exit, CommandError> {
    let project = Project::read(context, context.color)?;
    for problem in &project.problems {
        write!(context.stdout, "{problem}\n\n")?;
    }
    let paths = if arguments.paths.is_empty() {
        &project.defaults.paths
    } else {
        &arguments.paths
    };
    let mut summary = suites::read(paths, ProblemOutput::Stdout, context)?.summary;
    summary.add_problems(project.problems.len() as u64);
    context.messages.info(&summary.summary());
    Ok(if summary.is_ok() {
        Exit::Passed
    } else {
        Exit::CouldNotTest
    })
}
