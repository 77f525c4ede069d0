//! Builds the request for RSpec from arguments and the durations of the latest run.

use std::ffi::OsString;

use casebook_record::{Metadata, Redactor};
use casebook_run::rspec::Request;
use serde_json::json;
use uuid::Uuid;

use super::resume::Resumed;
use crate::arguments::rspec::Rspec;
use crate::commands::shared::{bundler, durations};
use crate::context::Context;

pub(super) fn resolve(
    arguments: &Rspec,
    resumed: &Resumed,
    redactor: Redactor,
    context: &Context,
) -> Request {
    let specs = first(&arguments.specs, &resumed.specs);
    let options = first(&arguments.options, &resumed.options);
    let workers = arguments.workers.unwrap_or_else(Context::cpus);
    Request {
        command: command(arguments, specs, options, context),
        workers,
        fail_fast: arguments.fail_fast,
        timeout: arguments.timeout,
        stopped_timeout: arguments.worker_silence,
        seed: arguments.seed.unwrap_or_else(any_seed),
        durations: durations::from_latest_run(context),
        finished: resumed.finished.clone(),
        metadata: configuration(workers, specs, options),
        redactor,
    }
}

/// What was typed, otherwise what the resumed run used.
fn first<'a>(typed: &'a [OsString], resumed: &'a [OsString]) -> &'a [OsString] {
    if typed.is_empty() { resumed } else { typed }
}

fn command(
    arguments: &Rspec,
    specs: &[OsString],
    options: &[OsString],
    context: &Context,
) -> Vec<OsString> {
    let typed = arguments.command.as_deref();
    let starts = typed.unwrap_or_else(|| bundler::rspec_command(context));
    let mut command: Vec<OsString> = starts.split_whitespace().map(OsString::from).collect();
    if command.is_empty() {
        command.push("rspec".into());
    }
    command.extend(specs.iter().chain(options).cloned());
    if let Some(seed) = arguments.seed {
        command.extend(["--seed".into(), seed.to_string().into()]);
    }
    command
}

/// A random seed in the range that RSpec uses.
fn any_seed() -> u64 {
    Uuid::new_v4().as_u64_pair().0 % 0xffff
}

fn configuration(workers: usize, specs: &[OsString], options: &[OsString]) -> Metadata {
    let texts = |words: &[OsString]| -> Vec<String> {
        let words = words.iter();
        words
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    };
    let mut configuration = json!({"engine": "rspec", "workers": workers, "paths": texts(specs)});
    if !options.is_empty() {
        configuration["options"] = json!(texts(options));
    }
    Metadata::from_iter([
        ("configuration", configuration),
        ("versions", json!({"casebook": env!("CARGO_PKG_VERSION")})),
    ])
}
