//! `accept --prune`: deletes the snapshots that no test uses.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use casebook_suite::snapshot::DIRECTORY;

use crate::arguments::accept::Accept;
use crate::commands::shared::plural::plural;
use crate::commands::shared::project::Project;
use crate::commands::shared::suites::{self, ProblemOutput};
use crate::commands::shared::unused_snapshots;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// Deletes the unused snapshots of the suites that `check` finds. None is deleted if a suite has errors, because it may use them.
pub(super) fn run(arguments: &Accept, context: &mut Context) -> Result<Exit, CommandError> {
    let paths = if arguments.paths.is_empty() {
        let project = Project::read(context)?;
        project.into_defaults(context)?.paths
    } else {
        arguments.paths.clone()
    };
    let suites = suites::read(&paths, ProblemOutput::Stderr, context)?;
    if !suites.summary.is_ok() {
        let message = format!("{}; nothing was deleted", suites.summary.summary());
        context.messages.info(&message);
        return Ok(Exit::CouldNotTest);
    }
    let unused: BTreeSet<PathBuf> = suites
        .files
        .iter()
        .flat_map(|(found, checked)| {
            unused_snapshots::files(checked, &context.dir.join(&found.path))
        })
        .collect();
    for file in unused.iter().filter(|_| !arguments.dry_run) {
        delete(file)?;
    }
    report(&unused, arguments.dry_run, context)?;
    Ok(Exit::Passed)
}

/// Deletes a snapshot, and the directories of its suite that are empty then.
fn delete(file: &Path) -> Result<(), CommandError> {
    let failed = |source| CommandError::Write {
        path: file.to_owned(),
        source,
    };
    fs::remove_file(file).map_err(failed)?;
    let dirs = file.ancestors().skip(1);
    for dir in dirs.take_while(|dir| !dir.ends_with(DIRECTORY)) {
        // A directory that is not empty stays.
        if fs::remove_dir(dir).is_err() {
            break;
        }
    }
    Ok(())
}

fn report(
    unused: &BTreeSet<PathBuf>,
    is_dry_run: bool,
    context: &mut Context,
) -> Result<(), CommandError> {
    if unused.is_empty() {
        context.messages.info("no unused snapshots");
        return Ok(());
    }
    for file in unused {
        let shown = file.strip_prefix(&context.dir).unwrap_or(file);
        writeln!(context.stdout, "{}", shown.display())?;
    }
    context.stdout.flush()?;
    let count = unused.len() as u64;
    let verb = if is_dry_run { "would be " } else { "" };
    let snapshots = plural(count, "unused snapshot");
    context
        .messages
        .info(&format!("{count} {snapshots} {verb}deleted"));
    Ok(())
}
