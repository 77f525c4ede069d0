//! What the controller does with the messages of workers.

use std::time::Instant;

use casebook_record::Event;

use super::Controller;
use super::inbox::Message;
use crate::error::ClusterError;
use crate::presence::Heartbeat;
use crate::progress::Action;
use crate::wire::read_lines;
use crate::work::MissingResult;

impl Controller<'_> {
    pub(super) fn receive(&mut self, message: Message) -> Result<(), ClusterError> {
        let now = self.now();
        match message {
            Message::CaughtUp => Ok(()),
            Message::Present(presence) => {
                self.saw_worker(presence, now);
                Ok(())
            }
            Message::Batch {
                chunk,
                attempt,
                sequence,
                bytes,
            } => {
                self.watch.saw_chunk(&chunk, now);
                let lines = read_lines(&bytes).map_err(|reason| {
                    ClusterError::request("read the events of a worker", reason)
                })?;
                let actions = self.progress.batch(&chunk, attempt, sequence, lines);
                self.perform(actions)
            }
            Message::Done { chunk, done } => {
                let actions = self.progress.done(&chunk, done);
                self.queued.remove(&chunk);
                self.perform(actions)
            }
            Message::Exhausted { sequence } => self.exhausted(sequence),
        }
    }

    fn saw_worker(&mut self, presence: Heartbeat, now: Instant) {
        if let Some(chunk) = presence.chunk_of(&self.cluster.run_id) {
            self.watch.saw_chunk(chunk, now);
        }
        self.saw_full_store(&presence.worker, presence.full_store, now);
        self.present_workers.saw(presence.worker, now);
    }

    fn perform(&mut self, actions: Vec<Action>) -> Result<(), ClusterError> {
        for action in actions {
            match action {
                Action::Publish(event) => self.pass_on(*event),
                Action::Print(text) => (self.cluster.print)(text.as_bytes()),
                Action::Quit => self.is_quitting = true,
                Action::NotFound(id) => self.fail(&id, &MissingResult::NotFound),
                Action::SaveOutput(example_id, streams) => self.save_output(&example_id, streams),
                Action::Warn(message) => self.context.sink.warn(&message),
                Action::Redelivered { suite, from, to } => {
                    self.say_redelivered(&suite, from.as_deref(), &to);
                }
                Action::GiveUp(id) => self.give_up(&id),
                Action::Superseded(chunk) => self.replace(&chunk)?,
                Action::Refused {
                    chunk,
                    worker,
                    reason,
                } => self.refused(&chunk, &worker, &reason)?,
            }
        }
        Ok(())
    }

    fn say_redelivered(&self, suite: &str, from: Option<&str>, to: &str) {
        let from = from.unwrap_or("a worker");
        let seconds = self.cluster.lease.as_secs_f64();
        (self.cluster.say)(&format!(
            "{from} was silent for {seconds} s; {to} continues its tests of {suite}"
        ));
    }

    fn pass_on(&self, mut event: Event) {
        let test = event.example_id().and_then(|id| self.tests.get(id));
        if let Some(test) = test {
            self.work.complete(*test, &mut event);
        }
        self.context.sink.publish(event);
    }

    fn save_output(&self, example_id: &str, streams: Vec<(String, String)>) {
        let server = self.server.clone();
        let streams = self.bridge.call(async move {
            let mut read = Vec::new();
            for (name, object) in streams {
                read.push((name, server.object(&object).await?));
            }
            Some(read)
        });
        let Some(streams) = streams else {
            let warning = format!("cannot read the output of {example_id} from the server");
            return self.context.sink.warn(&warning);
        };
        let streams: Vec<_> = streams
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
            .collect();
        self.context.sink.save_output(example_id, &streams);
    }

    /// Fails a test during which too many workers died.
    pub(super) fn give_up(&mut self, example_id: &str) {
        let lost = self.progress.lost(example_id).max(1);
        self.fail(example_id, &MissingResult::WorkerDied(lost));
    }

    fn fail(&mut self, example_id: &str, failure: &MissingResult) {
        if let Some(test) = self.tests.get(example_id) {
            self.work.fail(*test, failure, self.context);
            self.progress.set_failed(example_id);
        }
    }
}
