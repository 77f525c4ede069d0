//! `casebook lsp`: a language server for suites on standard input and output.
//!
//! A thin front end of the checker: [`server`] reads messages and answers them, [`frame`] splits the stream into messages,
//! [`document`] checks the text of an open file, [`position`] converts positions, [`assist`] answers what an editor asks about
//! one, and [`names`] finds definitions.

mod assist;
mod document;
mod frame;
mod names;
mod position;
mod server;

use crate::arguments::lsp::Lsp;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// Serves one editor until it ends.
pub(crate) fn serve(_: &Lsp, context: &Context) -> Result<Exit, CommandError> {
    let streams = Context::take_protocol_streams()?;
    server::run(&streams, context)
}
