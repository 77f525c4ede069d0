//! Builds the request for RSpec from arguments and the durations of the latest run.

use std::ffi::OsString;

use casebook_record::{Metadata, Redactor};
use casebook_run::rspec::Request;
use serde_json::json;
use uuid::Uuid;

use crate::arguments::rspec::Rspec;
use crate::commands::shared::{bundler, durations};
use crate::context::Context;

pub(super) fn resolve(arguments: &Rspec, redactor: Redactor, context: &Context) -> Request {
    let workers = arguments.workers.unwrap_or_else(Context::cpus);
    Request {
        command: command(arguments, context),
        workers,
        fail_fast: arguments.fail_fast,
        timeout: arguments.timeout,
        stopped_timeout: arguments.worker_silence,
        seed: arguments.seed.unwrap_or_else(any_seed),
        durations: durations::from_latest_run(context),
        metadata: configuration(arguments, workers),
        redactor,
    }
}

fn command(arguments: &Rspec, context: &Context) -> Vec<OsString> {
    let typed = arguments.command.as_deref();
    let starts = typed.unwrap_or_else(|| bundler::rspec_command(context));
    let mut command: Vec<OsString> = starts.split_whitespace().map(OsString::from).collect();
    if command.is_empty() {
        command.push("rspec".into());
    }
    command.extend(arguments.specs.iter().cloned());
    command.extend(arguments.options.iter().cloned());
    if let Some(seed) = arguments.seed {
        command.extend(["--seed".into(), seed.to_string().into()]);
    }
    command
}

/// A random seed in the range that RSpec uses.
fn any_seed() -> u64 {
    Uuid::new_v4().as_u64_pair().0 % 0xffff
}

fn configuration(arguments: &Rspec, workers: usize) -> Metadata {
    let specs: Vec<_> = arguments
        .specs
        .iter()
        .map(|spec| spec.to_string_lossy())
        .collect();
    Metadata::from_iter([
        (
            "configuration",
            json!({"engine": "rspec", "workers": workers, "paths": specs}),
        ),
        ("versions", json!({"casebook": env!("CARGO_PKG_VERSION")})),
    ])
}
