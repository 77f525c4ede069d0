//! Under the name `bashi`, a link to the binary, the program takes the command line of Bashi, so that it can stand in
//! its place in a Makefile.
//!
//! Only the command line is Bashi's: what was typed becomes the same options that `casebook run` takes, and is run the
//! same way. Nothing is recorded, and no `casebook.toml` is read: who calls `bashi` knows of neither.

mod arguments;
mod files;
mod init;

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::arguments::keeping::Keeping;
use crate::arguments::run::{FormatKind, OutputFormat, Run};
use crate::arguments::showing::Showing;
use crate::commands;
use crate::commands::suites::{self, Problems};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use arguments::{Asked, Misuse, Wish};

const NAME: &str = "bashi";
const USAGE: &str = include_str!("bashi/usage.txt");

/// How long a test may take unless told otherwise.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Whether the program was started under that name.
pub(crate) fn is_meant(context: &Context) -> bool {
    let program = context.arguments().first().map(Path::new);
    program.and_then(Path::file_name) == Some(NAME.as_ref())
}

/// Does what the arguments ask for.
pub(crate) fn run(context: &mut Context) -> Result<Exit, CommandError> {
    let typed = context.arguments().iter().skip(1);
    let typed = typed.map(|argument| argument.to_string_lossy().into_owned());
    match arguments::parse(typed.collect()) {
        Ok(Asked::Help) => print(USAGE, context),
        Ok(Asked::Version) => print(
            &format!("bashi version {}\n", env!("CARGO_PKG_VERSION")),
            context,
        ),
        Ok(Asked::Init) => init::run(context),
        Ok(Asked::Tests(wish)) => tests(&wish, context),
        Err(misuse) => Ok(complain(&misuse, context)),
    }
}

fn print(text: &str, context: &mut Context) -> Result<Exit, CommandError> {
    context.stdout.write_all(text.as_bytes())?;
    context.stdout.flush()?;
    Ok(Exit::Passed)
}

fn complain(misuse: &Misuse, context: &Context) -> Exit {
    context.messages.say(&format!("Error: {misuse}"));
    if misuse.wants_usage() {
        context.messages.say(USAGE.trim_end());
    }
    Exit::CouldNotTest
}

fn tests(wish: &Wish, context: &mut Context) -> Result<Exit, CommandError> {
    if wish.no_color {
        context.without_color();
    }
    let Some(found) = files::find(&wish.patterns, context) else {
        return Ok(Exit::CouldNotTest);
    };
    let say = |text: &str, context: &Context| {
        if wish.verbose {
            context.messages.say(text);
        }
    };
    say(
        &format!("Found {} test suite file(s)", found.len()),
        context,
    );
    say("Validating YAML schemas...", context);
    let suites = suites::check(found, Problems::Messages, context)?;
    if !suites.tally.is_good() {
        let summary = suites.tally.summary();
        context
            .messages
            .say(&format!("Error: Schema validation failed: {summary}"));
        return Ok(Exit::CouldNotTest);
    }
    if wish.validate_only {
        let files = suites.files.len();
        let passed = format!("✓ Schema validation passed for {files} file(s)\n");
        return print(&passed, context);
    }
    say("Executing tests...", context);
    commands::run::these(&options(wish), suites, context)
}

/// The same wish as `casebook run` would be told it.
fn options(wish: &Wish) -> Run {
    let kind = if wish.tap || !Context::on_terminal() {
        FormatKind::Tap
    } else {
        FormatKind::Pretty
    };
    Run {
        paths: wish.patterns.clone(),
        jobs: Some(wish.jobs.number()),
        timeout: wish.timeout.or(TIMEOUT),
        showing: Showing {
            format: vec![OutputFormat { kind, file: None }],
            timing: wish.timing,
            // A line for each test, as Bats has it.
            verbose: true,
            ..Showing::default()
        },
        trace: wish.trace,
        keeping: Keeping::nothing(),
        ..Run::default()
    }
}
