//! [`EarlierAttempts`]: what earlier attempts to run a chunk achieved before their workers died.

use async_nats::jetstream::consumer::{AckPolicy, pull};
use futures_util::StreamExt as _;

use super::RETRY;
use crate::error::ClusterError;
use crate::names::RunSubject;
use crate::progress::{RunProgress, SuiteOutline};
use crate::server::Server;
use crate::wire::{Chunk, Line, Task, read_lines};

/// What the next attempt does with a test.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TestAction {
    Run,
    /// It has a result.
    Ended,
    /// Too many workers died during it.
    GiveUp,
}

/// What earlier attempts achieved, as the controller sees it.
#[derive(Debug)]
pub(crate) struct EarlierAttempts {
    chunk: String,
    progress: RunProgress,
}

impl EarlierAttempts {
    pub(crate) fn new(chunk: String) -> EarlierAttempts {
        // Also the tests of a whole suite are counted one by one.
        let suite = SuiteOutline {
            name: String::new(),
            whole: false,
            tests: None,
        };
        let mut progress = RunProgress::new([suite]);
        progress.add_chunk(&chunk, 0, Vec::new());
        EarlierAttempts { chunk, progress }
    }

    /// Adds a batch of an earlier attempt, in the order in which the server has them.
    pub(crate) fn add(&mut self, attempt: u64, sequence: u64, lines: Vec<Line>) {
        self.progress.batch(&self.chunk, attempt, sequence, lines);
    }

    /// The tests to run, and the ids of those that are given up because too many workers died during them.
    pub(super) fn select(&self, chunk: &Chunk) -> (Task, Vec<String>) {
        let next_action = |id: &str| {
            let lost = chunk.lost.get(id).copied().unwrap_or_default();
            self.next_action(id, lost, chunk.lost_retries, chunk.whole)
        };
        let ids = chunk.task.ids().into_iter();
        let given_up = ids.filter(|id| next_action(id) == TestAction::GiveUp);
        let given_up = given_up.map(str::to_owned).collect();
        let mut task = chunk.task.clone();
        task.retain(|id| next_action(id) == TestAction::Run);
        (task, given_up)
    }

    /// What to do with a test of the chunk, during which `lost` workers died before the chunk was made.
    pub(crate) fn next_action(
        &self,
        id: &str,
        lost: u32,
        lost_retries: u32,
        whole: bool,
    ) -> TestAction {
        if lost + self.progress.lost(id) > lost_retries {
            TestAction::GiveUp
        } else if !whole && self.progress.has_result(id) {
            TestAction::Ended
        } else {
            TestAction::Run
        }
    }
}

/// Reads the events of the attempts before `attempt`. Waits for a server that cannot be reached.
pub(super) async fn read(server: Server, chunk: Chunk, attempt: u64) -> EarlierAttempts {
    loop {
        match try_read(&server, &chunk, attempt).await {
            Ok(earlier) => return earlier,
            Err(_) => tokio::time::sleep(RETRY).await,
        }
    }
}

async fn try_read(
    server: &Server,
    chunk: &Chunk,
    attempt: u64,
) -> Result<EarlierAttempts, ClusterError> {
    let failed = |error: &dyn std::fmt::Display| {
        ClusterError::request("read the events of an earlier attempt", error)
    };
    let consumer = server
        .events()
        .await?
        .create_consumer(pull::Config {
            filter_subject: server.names.events(&chunk.run, &chunk.id, "*"),
            ack_policy: AckPolicy::None,
            ..pull::Config::default()
        })
        .await
        .map_err(|error| failed(&error))?;
    let mut earlier = EarlierAttempts::new(chunk.id.clone());
    let mut pending = consumer.cached_info().num_pending;
    let mut messages = consumer.messages().await.map_err(|error| failed(&error))?;
    while pending > 0 {
        let Some(message) = messages.next().await else {
            break;
        };
        let message = message.map_err(|error| failed(&error))?;
        pending -= 1;
        if let Some(RunSubject::Events { attempt: of, .. }) = RunSubject::parse(&message.subject)
            && of < attempt
        {
            let id = message.headers.as_ref().and_then(Server::message_id);
            let id = id.unwrap_or_default();
            let batch = server.payload(id, &message.payload).await;
            let batch = batch.ok_or_else(|| failed(&"the object store cannot be read"))?;
            let lines = read_lines(&batch).unwrap_or_default();
            earlier.add(of, Server::batch_number(id).unwrap_or_default(), lines);
        }
    }
    Ok(earlier)
}
