//! One file per command.

mod problems;
mod record;
mod recover;
mod report;

use crate::arguments::{Arguments, Command};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// Runs the command that was asked for.
pub(crate) fn run(arguments: Arguments, context: &mut Context) -> Result<Exit, CommandError> {
    match arguments.command {
        Command::Record(record) => record::run(&record, context),
        Command::Recover(recover) => recover::run(&recover, context),
        Command::Report(report) => report::run(&report, context),
    }
}
