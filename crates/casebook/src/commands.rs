//! One file per command.

mod check;
mod design;
pub(crate) mod explain;
mod problems;
mod record;
mod recover;
mod report;
mod schema;

use crate::arguments::{Arguments, Command};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// Runs the command that was asked for.
pub(crate) fn run(arguments: Arguments, context: &mut Context) -> Result<Exit, CommandError> {
    match arguments.command {
        Command::Check(check) => check::run(&check, context),
        Command::Explain(explain) => explain::run(&explain, context),
        Command::Schema(_) => schema::run(context),
        Command::Record(record) => record::run(&record, context),
        Command::Recover(recover) => recover::run(&recover, context),
        Command::Report(report) => report::run(&report, context),
        Command::Design(design) => design::run(&design, context),
    }
}
