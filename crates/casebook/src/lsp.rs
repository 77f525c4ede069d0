//! `casebook lsp`: a language server for suites on standard input and output.
//!
//! A thin front end of the checker: [`server`] reads messages and answers them, [`frame`] splits the stream into messages,
//! [`document`] checks the text of an open file, [`problems`] shows what was found, [`position`] converts positions. [`symbols`] finds the names in a file, [`files`] the
//! files that share them, [`cursor`] and [`fields`] what can be written at a place; [`hover`], [`completion`], [`names`] and [`lenses`]
//! are what the editor shows. [`results`] reads records, [`test_runs`] runs a test.

mod completion;
mod cursor;
mod document;
mod fields;
mod files;
mod frame;
mod hover;
mod lenses;
mod names;
mod position;
mod problems;
mod results;
mod server;
mod symbols;
mod test_runs;

use crate::arguments::lsp::Lsp;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// Serves one editor until it ends.
pub(crate) fn serve(_: &Lsp, context: &mut Context) -> Result<Exit, CommandError> {
    let streams = Context::take_protocol_streams()?;
    server::run(&streams, context)
}
