//! `casebook mcp`: a Model Context Protocol server on standard input and output.
//!
//! A thin front end: a tool parses its arguments as the command line does, runs the same function as the command, in this process,
//! and returns the JSON that the command prints. [`server`] reads messages and answers them, [`protocol`] knows the two versions of the
//! protocol, [`tools`] lists the tools, [`call`] runs a command, [`jobs`] gives it a thread and cancels it.

mod call;
mod input;
mod jobs;
mod limit;
mod message;
mod output;
mod progress;
mod prompts;
mod protocol;
mod resources;
mod ruby_project;
mod schema;
mod server;
mod session;
mod tools;

use crate::arguments::mcp::Mcp;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use session::Session;

/// Serves one client until it closes its end, or until a signal arrives.
pub(crate) fn serve(arguments: &Mcp, context: &mut Context) -> Result<Exit, CommandError> {
    let session = Session::new(arguments, context)?;
    let streams = Context::take_protocol_streams()?;
    casebook_run::adopt_orphans();
    server::run(session, &streams)
}
