//! `casebook coverage --observe -- COMMAND`: runs the specs, and stores which states their examples reach.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use casebook_coverage::{Observation, ProcessResult, collect};
use casebook_design::probes::ProbePlan;
use casebook_design::steps::{Subject, probe_plan};
use casebook_record::Redactor;
use casebook_run::rspec::ObserveMode;

use crate::arguments::coverage::Coverage;
use crate::commands::record::command::exit_of;
use crate::commands::shared::bundler;
use crate::commands::shared::probed_command::ProbedCommand;
use crate::commands::shared::ruby_sources::ruby_sources;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(
    arguments: &Coverage,
    root: &Path,
    redactor: &Redactor,
    context: &Context,
) -> Result<Exit, CommandError> {
    let plan = plan(&arguments.paths, root, context)?;
    let (command, mode) = (&arguments.command, ObserveMode::Observe);
    let (exit, results) = run_command(command, &plan, mode, root, context)?;
    let results = process_results(&results)?;
    let read = |path: &str| std::fs::read(root.join(path)).unwrap_or_default();
    let mut observation = collect(&plan, results, &read);
    observation.command = words(&arguments.command);
    warn_of_unobserved(&observation, context);
    if observation.examples.is_empty() {
        return Err(CommandError::CannotObserve(
            "the command ran no examples; what was observed before is kept".to_owned(),
        ));
    }
    observation.redact(redactor);
    // An unreadable file is replaced.
    if let Ok(Some(earlier)) = Observation::load(root) {
        observation.keep_proofs(earlier);
    }
    observation.save(root)?;
    Ok(exit)
}

/// What the processes of the command reported.
fn process_results(reports: &[Vec<u8>]) -> Result<Vec<ProcessResult>, CommandError> {
    let results = reports
        .iter()
        .map(|text| serde_json::from_slice::<ProcessResult>(text));
    let results = results.collect::<Result<Vec<_>, _>>();
    let results = results.map_err(|error| CommandError::CannotObserve(error.to_string()))?;
    if results.is_empty() {
        return Err(CommandError::CannotObserve(
            "the command reported nothing; it must start RSpec, and keep RUBYOPT and SPEC_OPTS"
                .to_owned(),
        ));
    }
    Ok(results)
}

/// Where to probe: the named files and directories, otherwise all source files.
pub(super) fn plan(
    paths: &[String],
    root: &Path,
    context: &Context,
) -> Result<ProbePlan, CommandError> {
    let without_methods: Vec<PathBuf> =
        paths.iter().map(|path| Subject::parse(path).file).collect();
    let files = ruby_sources(&without_methods, &context.dir);
    let files = files.map_err(|error| CommandError::CannotObserve(error.to_string()))?;
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let (plan, warnings) = probe_plan(&files, root, threads);
    for warning in warnings {
        context.messages.warn(&warning);
    }
    if plan.files.is_empty() {
        let place = match paths {
            [] => context.dir.display().to_string(),
            paths => paths.join(", "),
        };
        return Err(CommandError::CannotObserve(format!(
            "no public method in {place} has a condition"
        )));
    }
    Ok(plan)
}

/// Runs the command with the probes, and returns its exit code and what its processes reported.
pub(super) fn run_command(
    command: &[OsString],
    plan: &ProbePlan,
    mode: ObserveMode<'_>,
    root: &Path,
    context: &Context,
) -> Result<(Exit, Vec<Vec<u8>>), CommandError> {
    let (program, arguments) = command.split_first().ok_or(CommandError::NothingToRecord)?;
    let (program, arguments) = bundler::without_missing(program, arguments, context);
    let command = ProbedCommand {
        program,
        arguments,
        dir: &context.dir,
        root,
        plan,
        system: &context.system(),
    };
    // Standard output is for the coverage.
    let streams = (Context::stderr_of_child()?, Stdio::inherit());
    let (status, results) = command.run(mode, streams)?;
    Ok((exit_of(status), results))
}

fn words(command: &[OsString]) -> Vec<String> {
    let words = command.iter();
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

fn warn_of_unobserved(observation: &Observation, context: &Context) {
    for one in &observation.unobserved {
        let message = format!("not observed: {}: {}", one.file, one.reason);
        context.messages.warn(&message);
    }
}
