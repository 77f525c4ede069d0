//! What the workers of a simulated run do.

use std::time::Duration;

use casebook_record::event::{ExamplePassed, ExampleStarted};
use casebook_record::{Event, Metadata, Time};

use super::queue::LEASE;
use super::world::{
    Batch, Job, RESTART, START, SimulatedCluster, SimulatedEvent, ToServer, Worker, id,
};
use crate::wire::{Done, Line, Note};
use crate::worker::{DELAY, EarlierAttempts, TestAction};

/// How often a test is run again whose worker died.
pub(super) const LOST_RETRIES: u32 = 1;

impl SimulatedCluster {
    /// The worker asks for a chunk.
    pub(super) fn ask(&mut self, worker: usize) {
        let life = self.workers[worker].life;
        self.send_at(worker, SimulatedEvent::Take { worker, life });
    }

    /// Something happens at the server as soon as the worker reaches it.
    fn send_at(&mut self, worker: usize, event: SimulatedEvent) {
        let Worker {
            latency,
            unreachable,
            ..
        } = &self.workers[worker];
        let sent = match unreachable {
            Some((from, to)) if (*from..*to).contains(&self.now) => *to,
            _ => self.now,
        };
        self.at(sent + latency, event);
    }

    pub(super) fn take(&mut self, worker: usize) {
        let Some((item, attempt)) = self.queue.take(self.now) else {
            self.idle.push(worker);
            return;
        };
        self.after(LEASE, SimulatedEvent::Expires { item, attempt });
        let chunk = self.chunks[item].clone();
        let mut earlier = EarlierAttempts::new(chunk.id.clone());
        for batch in self.stored.get(&chunk.id).into_iter().flatten() {
            if batch.attempt < attempt {
                earlier.add(batch.attempt, batch.sequence, batch.lines.clone());
            }
        }
        let (mut rest, mut given_up) = (Vec::new(), Vec::new());
        for (test, lost) in chunk.tests {
            match earlier.next_action(&id(test), lost, LOST_RETRIES, chunk.whole) {
                TestAction::Run => rest.push(test),
                TestAction::Ended => {}
                TestAction::GiveUp => given_up.push(id(test)),
            }
        }
        rest.reverse();
        let number = self.next_key;
        let begin = Note::Begin {
            worker: format!("w{worker}"),
            suite: String::new(),
            given_up,
        };
        let life = self.workers[worker].life;
        self.workers[worker].job = Some(Job {
            number,
            item,
            chunk: chunk.id,
            attempt,
            rest,
            running: None,
            lines: vec![Line::Note(begin)],
            batches: 0,
        });
        self.after(
            LEASE / 3,
            SimulatedEvent::Renew {
                worker,
                life,
                job: number,
            },
        );
        self.after(
            millis(DELAY),
            SimulatedEvent::Flush {
                worker,
                life,
                job: number,
            },
        );
        self.after(START, SimulatedEvent::TestEnds { worker, life });
    }

    /// Ends the running test, if any, and begins the next.
    pub(super) fn end_test(&mut self, worker: usize) {
        let life = self.workers[worker].life;
        let slowness = self.workers[worker].slowness;
        let Some(job) = &mut self.workers[worker].job else {
            return;
        };
        let number = job.number;
        let had_lines = !job.lines.is_empty();
        if let Some(test) = job.running.take() {
            job.lines.push(passed(test));
        }
        let Some(test) = job.rest.pop() else {
            return self.finish(worker);
        };
        job.running = Some(test);
        job.lines.push(started(test));
        if job.attempt > 1 {
            self.flush(worker);
        } else if !had_lines {
            self.after(
                millis(DELAY),
                SimulatedEvent::Flush {
                    worker,
                    life,
                    job: number,
                },
            );
        }
        let duration = self.durations[test] * slowness;
        if self.is_poison[test] {
            let death = SimulatedEvent::Dies {
                worker,
                life,
                comes_back: true,
            };
            // Half of them are faster than their first event.
            let delay = if test % 2 == 0 { 1 } else { duration / 2 };
            self.after(delay, death);
        } else {
            self.after(duration, SimulatedEvent::TestEnds { worker, life });
        }
    }

    /// Sends the waiting events.
    pub(super) fn flush(&mut self, worker: usize) {
        let Some(job) = &mut self.workers[worker].job else {
            return;
        };
        if job.lines.is_empty() {
            return;
        }
        let batch = Batch {
            chunk: job.chunk.clone(),
            attempt: job.attempt,
            sequence: job.batches,
            lines: std::mem::take(&mut job.lines),
        };
        job.batches += 1;
        self.send_at(worker, SimulatedEvent::AtServer(ToServer::Batch(batch)));
    }

    pub(super) fn renew(&mut self, worker: usize) {
        let life = self.workers[worker].life;
        let Some(job) = &self.workers[worker].job else {
            return;
        };
        let (item, job) = (job.item, job.number);
        self.send_at(worker, SimulatedEvent::AtServer(ToServer::Renewal { item }));
        self.after(LEASE / 3, SimulatedEvent::Renew { worker, life, job });
    }

    /// Commits the end of a chunk. The worker asks for the next one when the server has answered.
    fn finish(&mut self, worker: usize) {
        self.flush(worker);
        let life = self.workers[worker].life;
        let Some(job) = self.workers[worker].job.take() else {
            return;
        };
        let done = Done {
            worker: format!("w{worker}"),
            attempt: job.attempt,
            batches: job.batches,
        };
        let commit = ToServer::Commit {
            worker,
            life,
            item: job.item,
            done,
        };
        self.send_at(worker, SimulatedEvent::AtServer(commit));
    }

    pub(super) fn die(&mut self, worker: usize, comes_back: bool) {
        let state = &mut self.workers[worker];
        state.life += 1;
        state.is_alive = false;
        state.comes_back &= comes_back;
        state.job = None;
        self.idle.retain(|idle| *idle != worker);
        if comes_back {
            self.after(RESTART, SimulatedEvent::ComesBack { worker });
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or_default()
}

fn started(test: usize) -> Line {
    Line::Event(Box::new(Event::ExampleStarted(ExampleStarted {
        time: Time::from_millis(0),
        example_id: id(test),
        stable_id: None,
        canonical_path: None,
        description: String::new(),
        full_description: String::new(),
        location: String::new(),
        scenario: None,
        position: None,
        metadata: Metadata::new(),
    })))
}

fn passed(test: usize) -> Line {
    Line::Event(Box::new(Event::ExamplePassed(ExamplePassed {
        time: Time::from_millis(0),
        example_id: id(test),
        stable_id: None,
        description: String::new(),
        full_description: String::new(),
        duration: 0.0,
        metadata: Metadata::new(),
    })))
}
