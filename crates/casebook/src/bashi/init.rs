//! `bashi --init`: writes a first suite with Bashi's file name.

use std::io::{self, Write as _};

use crate::commands::shared::atomic_file;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

const NAME: &str = "hello-world.bashi.yaml";
const SUITE: &str = include_str!("hello-world.bashi.yaml");

/// Writes the suite. If it exists, the exit code is 1, unlike for other errors.
pub(super) fn run(context: &mut Context) -> Result<Exit, CommandError> {
    match atomic_file::write_new(&context.dir.join(NAME), SUITE) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            context
                .messages
                .info(&format!("Error: File already exists: {NAME}"));
            return Ok(Exit::Failed);
        }
        Err(source) => {
            return Err(CommandError::Write {
                path: NAME.into(),
                source,
            });
        }
    }
    writeln!(context.stdout, "Created {NAME}\nRun with: bashi {NAME}")?;
    context.stdout.flush()?;
    Ok(Exit::Passed)
}
