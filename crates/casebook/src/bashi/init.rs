//! `bashi --init`: a first suite under Bashi's name for it.

use std::io::{self, Write as _};

use crate::commands::init::write_new;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

const NAME: &str = "hello-world.bashi.yaml";
const SUITE: &str = include_str!("hello-world.bashi.yaml");

/// Writes the suite. That there is one already is exit code 1, unlike other trouble.
pub(super) fn run(context: &mut Context) -> Result<Exit, CommandError> {
    match write_new(&context.folder.join(NAME), SUITE) {
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
