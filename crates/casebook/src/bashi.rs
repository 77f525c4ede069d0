//! The command line of Bashi, used if the program is started as `bashi` (a link to the binary), so that it can replace Bashi
//! in a Makefile.
//!
//! Arguments are translated to those of `casebook run`. Nothing is recorded and no `casebook.toml` is read, because Bashi has
//! neither.

mod arguments;
mod files;
mod init;

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::arguments::output_args::OutputArgs;
use crate::arguments::record_args::RecordArgs;
use crate::arguments::run::{FormatKind, OutputFormat, Run};
use crate::color::ColorChoice;
use crate::commands;
use crate::commands::shared::suites::{self, ProblemOutput};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use arguments::{BashiAction, BashiOptions, UsageError};

const NAME: &str = "bashi";
const USAGE: &str = include_str!("bashi/usage.txt");

/// The default timeout of a test.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Whether the program was started as `bashi`.
pub(crate) fn invoked_as_bashi(context: &Context) -> bool {
    let program = context.arguments().first().map(Path::new);
    program.and_then(Path::file_name) == Some(NAME.as_ref())
}

/// Runs the action of the arguments.
pub(crate) fn run(context: &mut Context) -> Result<Exit, CommandError> {
    let typed = context.arguments().iter().skip(1);
    let typed = typed.map(|argument| argument.to_string_lossy().into_owned());
    match arguments::parse(typed.collect()) {
        Ok(BashiAction::Help) => print(USAGE, context),
        Ok(BashiAction::Version) => print(
            &format!("bashi version {}\n", env!("CARGO_PKG_VERSION")),
            context,
        ),
        Ok(BashiAction::Init) => init::run(context),
        Ok(BashiAction::Tests(options)) => tests(&options, context),
        Err(error) => Ok(report_usage_error(&error, context)),
    }
}

fn print(text: &str, context: &mut Context) -> Result<Exit, CommandError> {
    context.stdout.write_all(text.as_bytes())?;
    context.stdout.flush()?;
    Ok(Exit::Passed)
}

fn report_usage_error(error: &UsageError, context: &Context) -> Exit {
    context.messages.info(&format!("Error: {error}"));
    if error.wants_usage() {
        context.messages.info(USAGE.trim_end());
    }
    Exit::CouldNotTest
}

fn tests(options: &BashiOptions, context: &mut Context) -> Result<Exit, CommandError> {
    if options.no_color {
        context.set_color(ColorChoice::Never);
    }
    let Some(found) = files::find(&options.patterns, context) else {
        return Ok(Exit::CouldNotTest);
    };
    let say = |text: &str, context: &Context| {
        if options.verbose {
            context.messages.info(text);
        }
    };
    say(
        &format!("Found {} test suite file(s)", found.len()),
        context,
    );
    say("Validating YAML schemas...", context);
    let mut suites = suites::check(found, ProblemOutput::Stderr, context)?;
    if !suites.summary.is_ok() {
        let summary = suites.summary.summary();
        context
            .messages
            .info(&format!("Error: Schema validation failed: {summary}"));
        return Ok(Exit::CouldNotTest);
    }
    if options.validate_only {
        let files = suites.files.len();
        let passed = format!("✓ Schema validation passed for {files} file(s)\n");
        return print(&passed, context);
    }
    say("Executing tests...", context);
    // As in Bashi, suites that are not parallel come last.
    suites
        .files
        .sort_by_key(|(_, checked)| checked.suite.as_ref().is_some_and(|suite| !suite.parallel));
    commands::run::run_checked(&run_arguments(options), suites, context)
}

/// The equivalent arguments of `casebook run`.
fn run_arguments(options: &BashiOptions) -> Run {
    let kind = if options.tap || !Context::on_terminal() {
        FormatKind::Tap
    } else {
        FormatKind::Pretty
    };
    Run {
        paths: options.patterns.clone(),
        jobs: Some(options.jobs.number()),
        timeout: options.timeout.or(TIMEOUT),
        output_args: OutputArgs {
            format: vec![OutputFormat { kind, file: None }],
            timing: options.timing,
            // A line for each test, as Bats has it.
            verbose: true,
            ..OutputArgs::default()
        },
        trace: options.trace,
        record_args: RecordArgs::disabled(),
        ..Run::default()
    }
}
