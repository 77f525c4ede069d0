//! `casebook init`: a first suite.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

const NAME: &str = "hello.casebook.yaml";
const SUITE: &str = include_str!("init/hello.casebook.yaml");

/// Writes the suite, unless there is one of that name.
pub(super) fn run(context: &mut Context) -> Result<Exit, CommandError> {
    write_new(&context.folder.join(NAME), SUITE).map_err(|source| {
        if source.kind() == io::ErrorKind::AlreadyExists {
            CommandError::Exists(NAME.into())
        } else {
            CommandError::Write {
                path: NAME.into(),
                source,
            }
        }
    })?;
    writeln!(context.stdout, "wrote {NAME}; `casebook run` runs it")?;
    context.stdout.flush()?;
    Ok(Exit::Passed)
}

/// Writes a file that is not there yet.
pub(crate) fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())
}
