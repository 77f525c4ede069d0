//! `casebook init`: writes a first suite.

use std::fs;
use std::io::{self, Write as _};

use crate::arguments::Init;
use crate::commands::shared::atomic_file;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// Files by their names; the first is the suite.
type Files = &'static [(&'static str, &'static str)];

const COMMANDS: Files = &[(
    "hello.casebook.yaml",
    include_str!("init/hello.casebook.yaml"),
)];
const AGENT: Files = &[
    (
        "agent.casebook.yaml",
        include_str!("init/agent.casebook.yaml"),
    ),
    ("agent.py", include_str!("init/agent.py")),
];

/// Writes the suite and its files, all or none. Existing files are not overwritten.
pub(super) fn run(arguments: &Init, context: &mut Context) -> Result<Exit, CommandError> {
    let files = if arguments.agent { AGENT } else { COMMANDS };
    for (place, (name, text)) in files.iter().enumerate() {
        if let Err(source) = atomic_file::write_new(&context.dir.join(name), text) {
            for (written, _) in &files[..place] {
                // It was just written; if it cannot be removed, it does no harm.
                let _ = fs::remove_file(context.dir.join(written));
            }
            return Err(failed(name, source));
        }
    }
    let names: Vec<_> = files.iter().map(|(name, _)| *name).collect();
    let names = names.join(" and ");
    writeln!(
        context.stdout,
        "wrote {names}; run the suite with `casebook run`"
    )?;
    context.stdout.flush()?;
    Ok(Exit::Passed)
}

fn failed(name: &str, source: io::Error) -> CommandError {
    if source.kind() == io::ErrorKind::AlreadyExists {
        return CommandError::AlreadyExists(name.into());
    }
    CommandError::Write {
        path: name.into(),
        source,
    }
}
