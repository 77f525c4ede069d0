//! One file per command; `shared` contains what several use.

mod accept;
mod check;
mod cluster;
mod compile;
mod coverage;
pub(crate) mod design;
mod diff;
pub(crate) mod explain;
mod history;
pub(crate) mod init;
mod judge;
mod merge;
mod record;
mod recover;
mod report;
mod rspec;
pub(crate) mod run;
mod schema;
pub(crate) mod shared;
mod studio;
mod worker;

use crate::arguments::{Arguments, Command};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::{lsp, mcp};

/// Runs the selected command.
pub(crate) fn run(arguments: Arguments, context: &mut Context) -> Result<Exit, CommandError> {
    match arguments.command {
        Command::Lsp(arguments) => lsp::serve(&arguments, context),
        Command::Mcp(arguments) => mcp::serve(&arguments, context),
        Command::Init(arguments) => init::run(&arguments, context),
        Command::Run(run) => run::run(&run, context),
        Command::Worker(arguments) => worker::run(&arguments, context),
        Command::Cluster(arguments) => cluster::run(&arguments, context),
        Command::Merge(merge) => merge::run(&merge, context),
        Command::Check(check) => check::run(&check, context),
        Command::Accept(accept) => accept::run(&accept, context),
        Command::Compile(compile) => compile::run(&compile, context),
        Command::Explain(explain) => explain::run(&explain, context),
        Command::Schema(_) => schema::run(context),
        Command::Record(record) => record::run(&record, context),
        Command::Rspec(rspec) => rspec::run(&rspec, context),
        Command::Recover(recover) => recover::run(&recover, context),
        Command::Report(report) => report::run(&report, context),
        Command::Diff(diff) => diff::run(&diff, context),
        Command::Judge(judge) => judge::run(&judge, context),
        Command::History(history) => history::run(&history, context),
        Command::Coverage(coverage) => coverage::run(&coverage, context),
        Command::Studio(studio) => studio::run(&studio, context),
        Command::Design(design) => design::run(&design, context),
    }
}
