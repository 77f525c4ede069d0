//! [`status`]: the runs and the workers of a cluster.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::stream::Stream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde::Serialize;
use tokio::time::Instant;

use crate::address::QueueAddress;
use crate::bridge::Bridge;
use crate::error::ClusterError;
use crate::names::{Names, RunSubject};
use crate::presence::Heartbeat;
use crate::server::Server;

/// How long workers have to answer.
const ANSWERS: Duration = Duration::from_millis(500);

/// The runs and the workers of a cluster.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClusterStatus {
    /// The runs that have chunks or results on the server.
    pub runs: Vec<RunStatus>,
    /// The workers that answered.
    pub workers: Vec<WorkerStatus>,
    /// How many chunks workers have that did not answer: they are busy, cut off or dead.
    pub silent: usize,
}

/// One run.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunStatus {
    /// Its id.
    pub id: String,
    /// How many chunks wait for a worker.
    pub waiting: usize,
    /// How many chunks workers run.
    pub leased: usize,
    /// How many chunks were given to another worker.
    pub redelivered: usize,
    /// How many chunks are finished.
    pub finished: usize,
}

/// One worker.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct WorkerStatus {
    /// Its name.
    pub name: String,
    /// The run of its chunk.
    pub run: Option<String>,
    /// The chunk it runs.
    pub chunk: Option<String>,
    /// How long it took to answer, in milliseconds.
    pub answered_ms: u64,
    /// Why the server does not store its results.
    pub full_store: Option<String>,
}

/// Asks the server and the workers.
pub fn status(address: QueueAddress) -> Result<ClusterStatus, ClusterError> {
    let bridge = Bridge::start()?;
    bridge.call(async move {
        let server = Server::connect(address).await?;
        let workers = workers(&server).await?;
        let work = server.find_work().await?;
        let events = server.find_events().await?;
        let mut runs = Runs::default();
        let mut leased = 0;
        if let Some((work, consumer)) = &work {
            for subject in subjects(work, server.names.work("*", "*")).await? {
                runs.get(&subject).waiting += 1;
            }
            leased = pending(consumer).await?;
        }
        if let Some(events) = &events {
            let all = subjects(events, server.names.all_runs()).await?;
            runs.add_events(&all);
        }
        Ok(runs.with(workers, leased))
    })
}

/// The workers that answer a ping.
async fn workers(server: &Server) -> Result<Vec<WorkerStatus>, ClusterError> {
    let failed = |error: &dyn std::fmt::Display| ClusterError::request("ask the workers", error);
    let presences = server.client.subscribe(server.names.presence("*")).await;
    let mut presences = presences.map_err(|error| failed(&error))?;
    let asked = server.client.publish(server.names.ping(), "".into()).await;
    asked.map_err(|error| failed(&error))?;
    let started = Instant::now();
    let mut workers = BTreeMap::new();
    while let Ok(Some(message)) = tokio::time::timeout_at(started + ANSWERS, presences.next()).await
    {
        if let Ok(presence) = serde_json::from_slice::<Heartbeat>(&message.payload) {
            let (run, chunk) = presence.chunk.unzip();
            let worker = WorkerStatus {
                name: presence.worker.clone(),
                run,
                chunk,
                answered_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                full_store: presence.full_store.map(|rejection| rejection.reason),
            };
            workers.entry(presence.worker).or_insert(worker);
        }
    }
    Ok(workers.into_values().collect())
}

/// The subjects of a stream that match a filter.
async fn subjects(stream: &Stream, filter: String) -> Result<Vec<String>, ClusterError> {
    let failed = |error: &dyn std::fmt::Display| ClusterError::request("list the chunks", error);
    let found = stream.info_with_subjects(filter).await;
    let found = found.map_err(|error| failed(&error))?;
    let subjects = found.map_ok(|(subject, _)| subject).try_collect().await;
    subjects.map_err(|error| failed(&error))
}

/// How many chunks workers have.
async fn pending(consumer: &PullConsumer) -> Result<usize, ClusterError> {
    let info = consumer.get_info().await;
    let info = info.map_err(|error| ClusterError::request("open the work queue", error))?;
    Ok(info.num_ack_pending)
}

#[derive(Default)]
struct Runs(BTreeMap<String, RunStatus>);

impl Runs {
    /// The run of a subject.
    fn get(&mut self, subject: &str) -> &mut RunStatus {
        let id = Names::run(subject).unwrap_or_default();
        let run = self.0.entry(id.to_owned()).or_default();
        id.clone_into(&mut run.id);
        run
    }

    fn add_events(&mut self, subjects: &[String]) {
        let mut redelivered = HashSet::new();
        for subject in subjects {
            let run = self.get(subject);
            match RunSubject::parse(subject) {
                Some(RunSubject::Done { .. }) => run.finished += 1,
                Some(RunSubject::Events { chunk, attempt })
                    if attempt > 1 && redelivered.insert((Names::run(subject), chunk)) =>
                {
                    run.redelivered += 1;
                }
                _ => {}
            }
        }
    }

    /// A chunk stays in the queue while a worker runs it.
    fn with(mut self, workers: Vec<WorkerStatus>, leased: usize) -> ClusterStatus {
        let mut answered = 0;
        for worker in &workers {
            if let Some(run) = worker.run.as_ref().and_then(|run| self.0.get_mut(run)) {
                run.leased += 1;
                run.waiting = run.waiting.saturating_sub(1);
                answered += 1;
            }
        }
        ClusterStatus {
            runs: self.0.into_values().collect(),
            workers,
            silent: leased.saturating_sub(answered),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_counted_by_run() {
        let names = Names::new("shop").unwrap();
        let mut runs = Runs::default();
        for chunk in ["c0", "c1", "c2"] {
            runs.get(&names.work("r1", chunk)).waiting += 1;
        }
        runs.add_events(&[
            names.events("r1", "c0", "1"),
            names.events("r1", "c0", "2"),
            names.events("r1", "c0", "3"),
            names.done("r1", "c9"),
            names.done("r2", "c0"),
        ]);
        let worker = WorkerStatus {
            name: "a".into(),
            run: Some("r1".into()),
            chunk: Some("c0".into()),
            answered_ms: 1,
            full_store: None,
        };
        let status = runs.with(vec![worker], 2);
        let counts: Vec<_> = status
            .runs
            .iter()
            .map(|run| (run.waiting, run.leased, run.redelivered, run.finished))
            .collect();
        assert_eq!(counts, [(2, 1, 1, 1), (0, 0, 0, 1)]);
        assert_eq!(status.silent, 1);
    }
}
