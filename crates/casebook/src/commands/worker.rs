//! `casebook worker`: runs tests for a controller, over its standard input or over a cluster.

mod slots;

use std::path::Path;

use casebook_cluster::{SuiteReader, Worker};
use casebook_run::StopToken;
use casebook_source::Severity;

use crate::arguments::worker::Worker as Arguments;
use crate::commands::shared::{cluster, signals::Signals, suites};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<Exit, CommandError> {
    let Some(url) = &arguments.connect else {
        let _three = Context::open_fd3();
        let channel = Context::stdin_channel()?;
        casebook_run::serve(channel, &context.system())?;
        return Ok(Exit::Passed);
    };
    match arguments.slot {
        None => slots::supervise(arguments, context),
        Some(slot) => serve(arguments, url, slot, context),
    }
}

/// Takes chunks from the queue, in one of the processes of a worker.
fn serve(
    arguments: &Arguments,
    url: &str,
    slot: usize,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let _three = Context::open_fd3();
    let address = cluster::address(url, &arguments.cluster_args, context)?;
    let stop = std::sync::Arc::new(StopToken::new()?);
    let requested = std::sync::Arc::clone(&stop);
    let signals = Signals::begin(move |_| requested.request(), context);
    slots::end_with_supervisor();
    let read = |dir: &Path, suite: &str| read_suite(dir, suite, context);
    let say = |message: &str| context.messages.info(message);
    casebook_cluster::serve(&Worker {
        address,
        name: format!("{}-{}-{slot}", cluster::host(), std::process::id()),
        slot,
        commit: context.git_checkout().get().commit,
        system: &cluster::system(context),
        read: &read as SuiteReader<'_>,
        stop,
        say: &say,
    })?;
    Ok(signals.first().map_or(Exit::Passed, Exit::Interrupted))
}

fn read_suite(dir: &Path, path: &str, context: &Context) -> Result<casebook_suite::Suite, String> {
    let checked =
        suites::read_file_in(dir, path.as_ref(), context).map_err(|error| error.to_string())?;
    let mut errors = checked.diagnostics.iter();
    match checked.suite {
        Some(suite) => Ok(suite),
        None => Err(errors
            .find(|diagnostic| diagnostic.severity == Severity::Error)
            .map_or_else(
                || format!("{path} is not a valid suite"),
                |diagnostic| format!("{path}: {}", diagnostic.message),
            )),
    }
}
