//! `casebook compile`: compiles a suite to Bats code.

use std::fs;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};
use std::slice;

use casebook_suite::bats::{self, Compiled, SuiteLocation};
use casebook_suite::model::Check;
use casebook_suite::{Suite, snapshot};

use crate::arguments::Compile;
use crate::commands::shared::atomic_file::{self, EXECUTABLE};
use crate::commands::shared::bash_syntax;
use crate::commands::shared::plural::plural;
use crate::commands::shared::suites;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(arguments: &Compile, context: &mut Context) -> Result<Exit, CommandError> {
    let mut checked = suites::read_file(&arguments.suite, context)?;
    bash_syntax::check(slice::from_mut(&mut checked));
    suites::report(&checked, context);
    let Some(suite) = checked.suite else {
        return Ok(Exit::CouldNotTest);
    };
    reject_native_only(&suite)?;
    let suite = suites::read_environment_at_run_time(suite, &arguments.suite, context);
    let suite = without_secrets(suite, context)?;
    warn_of_locks(&suite, context);
    let path = real(&context.dir.join(&arguments.suite));
    match &arguments.output {
        None => {
            let compiled = bats::compile(&suite, SuiteLocation::At(&path));
            warn_of_only(&suite, &compiled, context);
            context.stdout.write_all(compiled.code.as_bytes())?;
            context.stdout.flush()?;
        }
        Some(output) => write_file(&suite, &path, output, context)?,
    }
    Ok(Exit::Passed)
}

/// Writes the code to a file, which finds the suite relative to itself.
fn write_file(
    suite: &Suite,
    path: &Path,
    output: &Path,
    context: &Context,
) -> Result<(), CommandError> {
    let target = real(&context.dir.join(output));
    if target == path {
        return Err(CommandError::WouldReplaceSuite(output.to_owned()));
    }
    let from_code = relative(target.parent().unwrap_or(&target), path);
    let compiled = bats::compile(suite, SuiteLocation::FromCode(&from_code));
    warn_of_only(suite, &compiled, context);
    // Executable, because it starts with a `#!` line.
    let written = atomic_file::write(&target, EXECUTABLE, |out| {
        out.write_all(compiled.code.as_bytes())
    });
    written.map_err(|source| CommandError::Write {
        path: output.to_owned(),
        source,
    })
}

/// Redacts what cannot be read at run time: the names of tests, reasons to skip them and tags. Snapshots keep the file names that they
/// have without this.
fn without_secrets(mut suite: Suite, context: &Context) -> Result<Suite, CommandError> {
    let redactor = context.redactor(&suite.redact)?;
    if redactor.is_empty() {
        return Ok(suite);
    }
    let files = snapshot::files(&suite);
    for (test, files) in suite.tests.iter_mut().zip(files) {
        redactor.apply(&mut test.name);
        redactor.apply(&mut test.skip);
        redactor.apply(&mut test.tags);
        for (step, file) in test.steps_mut().iter_mut().zip(files) {
            for assertion in &mut step.assertions {
                if let (Check::Snapshot(name), Some(file)) = (&mut assertion.check, &file) {
                    *name = snapshot::name(file);
                }
            }
        }
    }
    Ok(suite)
}

/// Bats cannot run conversations and commands in a terminal.
pub(super) fn reject_native_only(suite: &Suite) -> Result<(), CommandError> {
    let Some(found) = bats::first_native_only(suite) else {
        return Ok(());
    };
    let line = suite.file.position(found.span.start).line;
    Err(CommandError::NotForBats {
        place: format!("{}:{line}", suite.file.name()),
        test: found.test.name.clone(),
        reason: found.reason,
    })
}

/// Bats has no locks, so the tests of the suite run one at a time. It cannot keep other suites from running.
fn warn_of_locks(suite: &Suite, context: &Context) {
    if let Some(test) = suite.tests.iter().find(|test| !test.locks.is_empty()) {
        let line = suite.file.position(test.span.start).line;
        let message = format!(
            "{}:{line}: Bats has no locks: the tests of this suite run one at a time, but other suites may run at the same time",
            suite.file.name()
        );
        context.messages.warn(&message);
    }
}

fn warn_of_only(suite: &Suite, compiled: &Compiled, context: &Context) {
    let left_out = (suite.tests.len() - compiled.tests.len()) as u64;
    if left_out > 0 {
        let tests = plural(left_out, "test");
        let message = format!("skipped {left_out} {tests}: others are marked `only`");
        context.messages.warn(&message);
    }
}

/// The path without symbolic links, also of a file that does not exist yet.
fn real(path: &Path) -> PathBuf {
    let whole = fs::canonicalize(path);
    whole.unwrap_or_else(|_| match (path.parent(), path.file_name()) {
        (Some(dir), Some(name)) => fs::canonicalize(dir)
            .unwrap_or_else(|_| dir.to_owned())
            .join(name),
        _ => path.to_owned(),
    })
}

/// The relative path from a directory to a file, both without symbolic links.
fn relative(dir: &Path, file: &Path) -> PathBuf {
    let shared = dir
        .components()
        .zip(file.components())
        .take_while(|(left, right)| left == right)
        .count();
    let up = dir.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_from_a_directory_to_a_file() {
        for (dir, file, expected) in [
            ("/a", "/a/s.yaml", "s.yaml"),
            ("/a", "/a/b/s.yaml", "b/s.yaml"),
            ("/a/b/c", "/a/s.yaml", "../../s.yaml"),
            ("/x/y", "/a/s.yaml", "../../a/s.yaml"),
            ("/", "/a/s.yaml", "a/s.yaml"),
        ] {
            let way = relative(Path::new(dir), Path::new(file));
            assert_eq!(way, Path::new(expected), "{dir} {file}");
        }
    }
}
