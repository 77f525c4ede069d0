//! `casebook check`: everything that is wrong with suites.

use super::suites::{self, Problems};
use crate::arguments::Check;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(arguments: &Check, context: &mut Context) -> Result<Exit, CommandError> {
    let tally = suites::read(&arguments.paths, Problems::Data, context)?.tally;
    context.messages.say(&tally.summary());
    Ok(if tally.is_good() {
        Exit::Passed
    } else {
        Exit::CouldNotTest
    })
}
