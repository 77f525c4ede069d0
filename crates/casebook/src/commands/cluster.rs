//! `casebook cluster status`: the runs and the workers of a cluster.

use std::io::Write as _;

use casebook_cluster::{ClusterStatus, RunStatus, WorkerStatus};

use crate::arguments::cluster::{Cluster, ClusterCommand, Status};
use crate::commands::shared::plural::plural;
use crate::commands::shared::table::table;
use crate::commands::shared::{cluster, documents};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(arguments: &Cluster, context: &mut Context) -> Result<Exit, CommandError> {
    let ClusterCommand::Status(arguments) = &arguments.command;
    status(arguments, context)
}

fn status(arguments: &Status, context: &mut Context) -> Result<Exit, CommandError> {
    let url = arguments.url.as_deref().unwrap_or_default();
    let address = cluster::address(url, &arguments.cluster_args, context)?;
    let status = casebook_cluster::status(address)?;
    if arguments.json {
        documents::write_json(&status, context)?;
    } else {
        context.stdout.write_all(describe(&status).as_bytes())?;
        context.stdout.flush()?;
    }
    Ok(Exit::Passed)
}

/// The parts of the page, with an empty line between them.
fn describe(status: &ClusterStatus) -> String {
    let runs = match status.runs.as_slice() {
        [] => "no runs".to_owned(),
        runs => {
            let titles = ["RUN", "WAITING", "LEASED", "REDELIVERED", "FINISHED"];
            table(titles, runs.iter().map(run_row).collect())
        }
    };
    let workers = match status.workers.as_slice() {
        [] => "no workers; start one with `casebook worker --connect URL`".to_owned(),
        workers => {
            let titles = ["WORKER", "RUNS", "ANSWERED AFTER"];
            table(titles, workers.iter().map(worker_row).collect())
        }
    };
    let mut parts = vec![runs, workers];
    if status.silent > 0 {
        let chunks = plural(status.silent as u64, "chunk");
        parts.push(format!(
            "{} {chunks} leased by workers that do not answer",
            status.silent
        ));
    }
    format!("{}\n", parts.join("\n\n"))
}

fn run_row(run: &RunStatus) -> [String; 5] {
    let RunStatus {
        id,
        waiting,
        leased,
        redelivered,
        finished,
    } = run;
    let [waiting, leased, redelivered, finished] =
        [waiting, leased, redelivered, finished].map(ToString::to_string);
    [id.clone(), waiting, leased, redelivered, finished]
}

/// The id of a chunk without that of its controller: `c3-1` for `c3_5YEL8tk-1`.
fn short_id(chunk: &str) -> String {
    let (number, controller) = chunk.split_once('_').unwrap_or((chunk, ""));
    match controller.rsplit_once('-') {
        Some((_, generation)) => format!("{number}-{generation}"),
        None => number.to_owned(),
    }
}

fn worker_row(worker: &WorkerStatus) -> [String; 3] {
    let runs = match (&worker.run, &worker.chunk) {
        (Some(run), Some(chunk)) => format!("{} of {run}", short_id(chunk)),
        _ => "nothing".to_owned(),
    };
    let full = worker
        .full_store
        .as_ref()
        .map_or("", |_| ", waits: the store is full");
    [
        worker.name.clone(),
        format!("{runs}{full}"),
        format!("{} ms", worker.answered_ms),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_chunks_are_short() {
        for (id, shown) in [("c3", "c3"), ("c3_5YEL8tk", "c3"), ("c3_5YEL8tk-1", "c3-1")] {
            assert_eq!(short_id(id), shown, "{id}");
        }
    }
}
