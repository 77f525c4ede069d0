//! `casebook schema`: prints the JSON Schema of suites.

use std::io::Write as _;

use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(context: &mut Context) -> Result<Exit, CommandError> {
    serde_json::to_writer_pretty(&mut context.stdout, &casebook_suite::schema())
        .map_err(std::io::Error::from)?;
    context.stdout.write_all(b"\n")?;
    context.stdout.flush()?;
    Ok(Exit::Passed)
}
