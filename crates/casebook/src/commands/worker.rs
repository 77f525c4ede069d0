//! `casebook worker`: runs tests for a controller, which speaks to it on its standard input.

use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(context: &mut Context) -> Result<Exit, CommandError> {
    let _three = Context::descriptor_three();
    let channel = Context::stdin_channel()?;
    casebook_run::serve(channel, &context.world())?;
    Ok(Exit::Passed)
}
