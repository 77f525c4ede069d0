//! The tests that would be run.

use std::io::Write as _;

use casebook_run::Plan;

use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// One line each: where it stands, its name, its tags.
pub(super) fn show(plan: &Plan, context: &mut Context) -> Result<Exit, CommandError> {
    for suite in &plan.suites {
        for planned in &suite.tests {
            let test = suite.test(planned);
            let line = suite.suite.file.position(test.span.start).line;
            let title = suite.title(planned);
            write!(
                context.stdout,
                "{}:{line}  {}",
                suite.name(),
                title.escape_debug()
            )?;
            if !test.tags.is_empty() {
                write!(context.stdout, "  [{}]", test.tags.join(", "))?;
            }
            if test.skip.is_some() {
                write!(context.stdout, "  (skipped)")?;
            }
            writeln!(context.stdout)?;
        }
    }
    context.stdout.flush()?;
    Ok(Exit::Passed)
}
