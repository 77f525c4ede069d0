//! What the server and the controller of a simulated run do.

use casebook_record::Event;

use super::queue::Expiry;
use super::work::LOST_RETRIES;
use super::world::{
    Batch, EVENTS_BEHIND, SimulatedChunk, SimulatedCluster, SimulatedEvent, ToController, ToServer,
    number,
};
use crate::progress::{Action, outcome};

impl SimulatedCluster {
    /// The lease of a delivery ends, unless it was renewed.
    pub(super) fn expire(&mut self, item: usize, attempt: u64) {
        match self.queue.expire(item, attempt, self.now) {
            Expiry::Later(None) => {}
            Expiry::Later(Some(time)) => self.at(time, SimulatedEvent::Expires { item, attempt }),
            Expiry::Redelivery => self.wake(),
            Expiry::Exhausted => {
                self.after(
                    1,
                    SimulatedEvent::AtController(ToController::Exhausted { item }),
                );
            }
        }
    }

    pub(super) fn at_server(&mut self, message: ToServer) {
        match message {
            ToServer::Renewal { item } => self.queue.renew(item, self.now),
            ToServer::Batch(batch) => {
                let stored = self.stored.entry(batch.chunk.clone()).or_default();
                stored.push(batch.clone());
                let message = SimulatedEvent::AtController(ToController::Batch(batch));
                self.after(EVENTS_BEHIND, message);
            }
            ToServer::Commit {
                worker,
                life,
                item,
                done,
            } => {
                let chunk = self.chunks[item].id.clone();
                if self.queue.commit(&chunk) {
                    let message = SimulatedEvent::AtController(ToController::Done { chunk, done });
                    self.after(EVENTS_BEHIND, message);
                }
                if self.lives(worker, life) {
                    self.acknowledge(worker, item);
                }
            }
        }
    }

    /// The worker knows that the chunk is committed, so it removes the chunk from the queue and asks for the next.
    fn acknowledge(&mut self, worker: usize, item: usize) {
        self.queue.acknowledge(item);
        self.ask(worker);
    }

    pub(super) fn at_controller(&mut self, message: ToController) {
        let actions = match message {
            ToController::Batch(Batch {
                chunk,
                attempt,
                sequence,
                lines,
            }) => self.progress.batch(&chunk, attempt, sequence, lines),
            ToController::Done { chunk, done } => {
                self.stored.remove(&chunk);
                self.progress.done(&chunk, done)
            }
            ToController::Exhausted { item } => return self.replace(item),
        };
        self.perform(actions);
    }

    fn perform(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Publish(event) => self.record(&event),
                Action::Redelivered { .. } => {}
                Action::GiveUp(id) => self.give_up(&id),
                Action::Superseded(chunk) => {
                    let item = self.chunks.iter().position(|known| known.id == chunk);
                    item.into_iter().for_each(|item| self.replace(item));
                }
                other => panic!("unexpected: {other:?}"),
            }
        }
    }

    fn record(&mut self, event: &Event) {
        if outcome(event).is_some()
            && let Some(id) = event.example_id()
        {
            self.results[number(id)] += 1;
        }
    }

    fn give_up(&mut self, id: &str) {
        self.results[number(id)] += 1;
        self.progress.set_failed(id);
    }

    /// No worker finished this chunk. What is left of it becomes a new one.
    fn replace(&mut self, item: usize) {
        self.queue.acknowledge(item);
        let SimulatedChunk { id, whole, .. } = self.chunks[item].clone();
        let replaced = self.progress.replace(&id, LOST_RETRIES);
        for id in &replaced.given_up {
            self.give_up(id);
        }
        if let Some(replacement) = replaced.replacement {
            let tests = replacement.tests.iter();
            self.put(SimulatedChunk {
                id: replacement.id,
                whole,
                tests: tests.map(|(id, lost)| (number(id), *lost)).collect(),
            });
        }
    }
}
