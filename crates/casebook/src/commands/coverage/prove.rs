//! `casebook coverage --prove`: inverts each exercised state while the examples that reach it run again.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::Path;

use casebook_coverage::{MutantPlan, MutantResult, Observation, ObservedMethod, Proof, mutants};
use casebook_design::probes::ProbePlan;
use casebook_record::mean;
use casebook_run::rspec::ObserveMode;
use serde_json::json;

use super::observe::{plan, run_command};
use crate::arguments::coverage::Coverage;
use crate::commands::shared::changed_lines::ChangedLines;
use crate::commands::shared::plural::plural;
use crate::context::Context;
use crate::error::CommandError;

/// States named in the list of those that are not checked; the others are counted.
const NAMED: usize = 20;

const NO_RESULTS: &str = "the command reported no results; --prove needs a command that starts RSpec itself, such as \
                          `bundle exec rspec`";

pub(super) fn run(
    arguments: &Coverage,
    root: &Path,
    context: &Context,
) -> Result<(), CommandError> {
    let mut observation = Observation::load(root)?.ok_or_else(|| {
        CommandError::CannotObserve(
            "nothing was observed yet; run `casebook coverage --observe --prove -- rspec`"
                .to_owned(),
        )
    })?;
    let changed = arguments.since.as_ref();
    let changed = changed
        .map(|commit| ChangedLines::since(commit, root))
        .transpose();
    let changed = changed.map_err(CommandError::CannotObserve)?;
    let is_selected = |method: &ObservedMethod| {
        changed
            .as_ref()
            .is_none_or(|changed| changed.touch(&method.file, method.lines()))
    };
    let plan = plan(&arguments.paths, root, context)?;
    let found = mutants(&mut observation, &plan, root, &is_selected);
    if !found.mutants.is_empty() {
        let command = command(arguments, &observation);
        let results = run_mutants(&found, &command, &plan, root, context)?;
        found.finish(&mut observation, &results);
    }
    // Results that were known are new in an observation that was made again.
    observation.save(root)?;
    report(&observation, &is_selected, context);
    Ok(())
}

fn run_mutants(
    found: &MutantPlan,
    command: &[OsString],
    plan: &ProbePlan,
    root: &Path,
    context: &Context,
) -> Result<Vec<MutantResult>, CommandError> {
    let count = found.mutants.len();
    let states = format!("{count} {}", plural(count as u64, "state"));
    context.messages.info(&format!("inverting {states}…"));
    let jobs = std::thread::available_parallelism().map_or(1, NonZero::get);
    let text = json!({ "mutants": found.mutants, "jobs": jobs }).to_string();
    let (_, results) = run_command(command, plan, ObserveMode::Prove(&text), root, context)?;
    let results = results.iter().map(|text| serde_json::from_slice(text));
    let results = results.collect::<Result<Vec<Vec<MutantResult>>, _>>();
    let results = results.map_err(|error| CommandError::CannotObserve(error.to_string()))?;
    let results = results.concat();
    if results.is_empty() {
        return Err(CommandError::CannotObserve(NO_RESULTS.to_owned()));
    }
    // Without mutants that took too long or did not run.
    let in_time = results.iter().filter(|result| result.ended());
    let seconds = mean(in_time.map(|result| result.seconds)).unwrap_or_default();
    context
        .messages
        .info(&format!("{states} inverted, {seconds:.2} s each"));
    Ok(results)
}

/// The command that runs the specs: the one that was typed, otherwise the one that was observed.
fn command(arguments: &Coverage, observation: &Observation) -> Vec<OsString> {
    match arguments.command.as_slice() {
        [] => observation.command.iter().map(OsString::from).collect(),
        command => command.to_vec(),
    }
}

/// Lists the states that no example checks, and those that were only found by a timeout.
fn report(
    observation: &Observation,
    is_selected: &dyn Fn(&ObservedMethod) -> bool,
    context: &Context,
) {
    for (proof, heading) in [
        (Proof::Survived, "exercised, but not checked"),
        (Proof::Timeout, "proven by a timeout"),
        (
            Proof::NotRepeatable,
            "not proven, because their examples fail in a forked process even if nothing is inverted",
        ),
    ] {
        let lines = lines(observation, proof, is_selected);
        if lines.is_empty() {
            continue;
        }
        let count = lines.len();
        let noun = plural(count as u64, "state");
        context.messages.info(&format!("{count} {noun} {heading}:"));
        for line in lines.iter().take(NAMED) {
            context.messages.info(&format!("  {line}"));
        }
        if count > NAMED {
            context
                .messages
                .info(&format!("  and {} more", count - NAMED));
        }
    }
}

fn lines(
    observation: &Observation,
    proof: Proof,
    is_selected: &dyn Fn(&ObservedMethod) -> bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    for method in observation.methods.iter().filter(|one| is_selected(one)) {
        for state in method.states.iter().filter(|one| one.proof == Some(proof)) {
            let examples = state.examples.len();
            let first = state
                .examples
                .first()
                .map(|index| &observation.examples[*index]);
            let first = first.map_or("", |example| example.location.as_str());
            lines.push(format!(
                "{}:{} {}: {} = {} ({first}{})",
                method.file,
                state.line,
                method.id,
                state.characteristic,
                state.state,
                match examples {
                    0 | 1 => String::new(),
                    _ => format!(" and {} more", examples - 1),
                }
            ));
        }
    }
    lines
}
