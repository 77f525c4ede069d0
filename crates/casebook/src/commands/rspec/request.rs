//! Builds the request for RSpec from arguments and the durations of the latest run.

use std::ffi::OsString;

use casebook_cluster::RspecCommand;
use casebook_record::{Metadata, Redactor};
use casebook_run::rspec::Request;
use serde_json::json;
use uuid::Uuid;

use super::resume::Resumed;
use crate::arguments::rspec::Rspec;
use crate::commands::shared::{bundler, durations};
use crate::context::Context;

/// What to run on this machine, and how a worker of a cluster starts RSpec.
pub(super) fn resolve(
    arguments: &Rspec,
    resumed: &Resumed,
    redactor: Redactor,
    context: &Context,
) -> (Request, RspecCommand) {
    let specs = first(&arguments.specs, &resumed.specs);
    let options = first(&arguments.options, &resumed.options);
    let on_cluster = arguments.cluster_args.cluster.is_some();
    let workers = arguments.workers.unwrap_or_else(Context::cpus);
    let shown_workers = Some(workers).filter(|_| !on_cluster);
    let command = RspecCommand {
        program: program(arguments, context),
        options: rspec_options(arguments, options),
        seed: arguments.seed.unwrap_or_else(any_seed),
        fail_fast: arguments.fail_fast,
        timeout: arguments.timeout,
        stopped_timeout: arguments.worker_silence,
    };
    let words = command.program.iter().chain(specs).chain(&command.options);
    let request = Request {
        command: words.cloned().collect(),
        workers,
        first_slot: 1,
        confirms_starts: false,
        fail_fast: command.fail_fast,
        timeout: command.timeout,
        stopped_timeout: command.stopped_timeout,
        seed: command.seed,
        durations: durations::from_latest_run(context),
        finished: resumed.finished.clone(),
        metadata: configuration(shown_workers, specs, options),
        redactor,
    };
    (request, command)
}

/// What was typed, otherwise what the resumed run used.
fn first<'a>(typed: &'a [OsString], resumed: &'a [OsString]) -> &'a [OsString] {
    if typed.is_empty() { resumed } else { typed }
}

fn program(arguments: &Rspec, context: &Context) -> Vec<OsString> {
    let typed = arguments.command.as_deref();
    let starts = typed.unwrap_or_else(|| bundler::rspec_command(context));
    let mut program: Vec<OsString> = starts.split_whitespace().map(OsString::from).collect();
    if program.is_empty() {
        program.push("rspec".into());
    }
    program
}

fn rspec_options(arguments: &Rspec, options: &[OsString]) -> Vec<OsString> {
    let seed = arguments.seed.map(|seed| seed.to_string().into());
    let seed = seed.map(|seed| ["--seed".into(), seed]);
    options
        .iter()
        .cloned()
        .chain(seed.into_iter().flatten())
        .collect()
}

/// A random seed in the range that RSpec uses.
fn any_seed() -> u64 {
    Uuid::new_v4().as_u64_pair().0 % 0xffff
}

/// The workers of a cluster may change during a run.
fn configuration(workers: Option<usize>, specs: &[OsString], options: &[OsString]) -> Metadata {
    let texts = |words: &[OsString]| -> Vec<String> {
        let words = words.iter();
        words
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    };
    let mut configuration = json!({"engine": "rspec", "paths": texts(specs)});
    if let Some(workers) = workers {
        configuration["workers"] = json!(workers);
    }
    if !options.is_empty() {
        configuration["options"] = json!(texts(options));
    }
    Metadata::from_iter([
        ("configuration", configuration),
        ("versions", json!({"casebook": env!("CARGO_PKG_VERSION")})),
    ])
}
