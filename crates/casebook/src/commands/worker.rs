//! `casebook worker`: runs tests for a controller, connected by its standard input.

use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(context: &mut Context) -> Result<Exit, CommandError> {
    let _three = Context::open_fd3();
    let channel = Context::stdin_channel()?;
    casebook_run::serve(channel, &context.system())?;
    Ok(Exit::Passed)
}
