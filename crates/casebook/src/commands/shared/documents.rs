//! Writes JSON documents and pages, to standard output or to a file.

use std::io::Write as _;
use std::path::Path;

use casebook_report::terminal;

use crate::commands::shared::atomic_file::{self, ORDINARY};
use crate::context::Context;
use crate::error::CommandError;

/// Writes a document to standard output.
pub(crate) fn write_json(
    document: &impl serde::Serialize,
    context: &mut Context,
) -> Result<(), CommandError> {
    serde_json::to_writer_pretty(&mut context.stdout, document).map_err(std::io::Error::from)?;
    Ok(context.stdout.write_all(b"\n")?)
}

/// Writes a complete page to a file, or to standard output for `-`.
pub(crate) fn write_page(
    file: &Path,
    context: &mut Context,
    page: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<(), CommandError> {
    if file == Path::new("-") {
        return Ok(page(&mut context.stdout)?);
    }
    atomic_file::write(&context.dir.join(file), ORDINARY, page).map_err(|error| {
        CommandError::of_report(error, |source| CommandError::Write {
            path: file.into(),
            source,
        })
    })
}

/// Options for text on standard output: the width and color of the terminal.
pub(crate) fn terminal_options(context: &Context) -> terminal::Options {
    let defaults = terminal::Options::default();
    terminal::Options {
        color: context.color,
        width: context.width.unwrap_or(defaults.width),
        ..defaults
    }
}
