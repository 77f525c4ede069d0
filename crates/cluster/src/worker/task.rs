//! Runs the tests of a chunk.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use casebook_record::{Event, Metadata};
use casebook_run::rspec::{self, ControllerInbox, Output, Request, RspecOutcome, Stopper};
use casebook_run::{
    EventSink as _, Options, Plan, PlannedSuite, RunContext, SharedLimiter, SharedLocks,
    SnapshotMode, StopToken, SystemContext,
};

use casebook_suite::model::conversation::Budget;

use super::Session;
use super::history::{self, EarlierAttempts};
use super::publisher::Publisher;
use super::sink::ChunkSink;
use crate::error::ClusterError;
use crate::limits::ClusterLimiter;
use crate::locks::ClusterLocks;
use crate::progress::outcome;
use crate::wire::{Chunk, Note, RspecCommand, Task};

/// How often stop requests are passed to RSpec.
const POLL: Duration = Duration::from_millis(50);

/// One attempt to run a chunk.
pub(super) struct Attempt<'a> {
    pub(super) chunk: &'a Chunk,
    /// From 1.
    pub(super) number: u64,
    /// With the directory in which the tests run.
    pub(super) system: &'a SystemContext,
    pub(super) stop: &'a StopToken,
    pub(super) publisher: &'a Publisher,
}

impl Session<'_> {
    /// Runs what earlier attempts left. Returns why this worker cannot run it.
    pub(super) fn run_task(
        &mut self,
        attempt: &Attempt<'_>,
        suite: Option<PlannedSuite>,
    ) -> Result<Option<String>, ClusterError> {
        let Attempt {
            chunk,
            number,
            system,
            publisher,
            ..
        } = *attempt;
        let earlier = if number > 1 {
            let read = history::read(self.server.clone(), chunk.clone(), number);
            self.bridge.call(read)
        } else {
            EarlierAttempts::new(chunk.id.clone())
        };
        let (task, given_up) = earlier.select(chunk);
        publisher.note(&Note::Begin {
            worker: self.worker.name.clone(),
            suite: chunk.suite.clone(),
            given_up,
        });
        let of_suite = suite.as_ref().map(|planned| &planned.suite);
        let sink = ChunkSink::new(publisher, chunk, of_suite, system)?;
        if task.ids().is_empty() {
            return Ok(None);
        }
        match (task, suite) {
            (Task::Tests { options, tests }, Some(mut suite)) => {
                suite.tests = tests;
                let limiter =
                    ClusterLimiter::new(self.bridge.handle(), self.server.clone(), chunk.lease);
                let limiter: Arc<dyn SharedLimiter> = Arc::new(limiter);
                let (handle, server) = (self.bridge.handle(), self.server.clone());
                let locks = ClusterLocks::new(handle, server, chunk, number);
                let locks: Arc<dyn SharedLocks> = Arc::new(locks);
                let suites = run_tests(suite, options, &sink, attempt, (&limiter, &locks))?;
                self.suites.put(chunk, suites);
                Ok(None)
            }
            (Task::Examples { command, examples }, _) => {
                let run = ExampleRun {
                    command,
                    file: &chunk.suite,
                    examples,
                    sink: &sink,
                    attempt,
                };
                Ok(run.run(self.worker.slot).err())
            }
            (Task::Tests { .. }, None) => Ok(Some(format!("{} was not read", chunk.suite))),
        }
    }
}

/// Returns the suite, for the next chunk.
fn run_tests(
    suite: PlannedSuite,
    options: Options,
    sink: &ChunkSink<'_>,
    attempt: &Attempt<'_>,
    (limiter, locks): (&Arc<dyn SharedLimiter>, &Arc<dyn SharedLocks>),
) -> Result<Vec<PlannedSuite>, ClusterError> {
    let plan = Plan {
        selected: suite.tests.len(),
        max_shards: 1,
        suites: vec![suite],
        only: false,
        finished: 0,
    };
    let options = Options {
        jobs: 1,
        seed: None,
        // What a worker writes would stay on its machine.
        snapshots: SnapshotMode::Keep,
        ..options
    };
    let context = RunContext {
        system: attempt.system,
        stop: attempt.stop,
        sink,
        workers: None,
        limiter: Some(limiter),
        locks: Some(locks),
        budget: Budget::default(),
    };
    casebook_run::run(&plan, &options, context, Metadata::new())?;
    Ok(plan.suites)
}

/// A run of RSpec with examples of one file.
struct ExampleRun<'a> {
    command: RspecCommand,
    file: &'a str,
    examples: Vec<String>,
    sink: &'a ChunkSink<'a>,
    attempt: &'a Attempt<'a>,
}

impl ExampleRun<'_> {
    fn run(self, slot: usize) -> Result<(), String> {
        let request = self.request(slot);
        let inbox = ControllerInbox::new();
        let stopper = inbox.stopper();
        let is_over = AtomicBool::new(false);
        let mut missing: HashSet<_> = self.examples.iter().cloned().collect();
        let mut publish = |event: Event| {
            if let (Some(_), Some(id)) = (outcome(&event), event.example_id()) {
                missing.remove(id);
            }
            self.sink.publish(event);
        };
        let ran = thread::scope(|scope| {
            scope.spawn(|| forward_stops(self.attempt.stop, &stopper, &is_over));
            let output = self.output();
            let ran = rspec::run(&request, self.attempt.system, inbox, &mut publish, &output);
            is_over.store(true, Ordering::Relaxed);
            ran
        });
        let outcome = ran.map_err(|error| error.to_string())?;
        self.report(&outcome, missing)
    }

    /// RSpec gets the ids of the examples, so it runs nothing else and does not need the filters of the run.
    fn request(&self, slot: usize) -> Request {
        let paths = self.examples.iter();
        let numbers: Vec<_> = paths.filter_map(|id| numbers(id)).collect();
        let specs = OsString::from(format!("{}[{}]", self.file, numbers.join(",")));
        let RspecCommand {
            program, options, ..
        } = &self.command;
        let words = program.iter().chain([&specs]).chain(options);
        Request {
            command: words.cloned().collect(),
            workers: 1,
            first_slot: slot,
            confirms_starts: self.attempt.publisher.confirms_starts,
            fail_fast: self.command.fail_fast,
            timeout: self.command.timeout,
            stopped_timeout: self.command.stopped_timeout,
            seed: self.command.seed,
            durations: HashMap::new(),
            finished: HashSet::new(),
            metadata: Metadata::new(),
            redactor: self.sink.redactor(),
        }
    }

    fn output(&self) -> Arc<Output> {
        let send = self.attempt.publisher.notes();
        Arc::new(move |line: &[u8]| {
            if !line.is_empty() {
                send(&Note::Print(String::from_utf8_lossy(line).into_owned()));
            }
        })
    }

    /// Tells the controller why examples have no result.
    fn report(&self, outcome: &RspecOutcome, missing: HashSet<String>) -> Result<(), String> {
        if self.attempt.stop.is_requested() || missing.is_empty() {
            return Ok(());
        }
        if outcome.failed == 0
            && let Some(how) = &outcome.ended_early
        {
            return Err(format!("RSpec ended before it ran an example: {how}"));
        }
        self.attempt
            .publisher
            .note(&if outcome.planned.is_none() || outcome.not_run > 0 {
                Note::Quit
            } else {
                Note::NotFound(missing.into_iter().collect())
            });
        Ok(())
    }
}

/// The numbers of an example in its file: `1:2` of `./a_spec.rb[1:2]`.
fn numbers(id: &str) -> Option<&str> {
    id.strip_suffix(']')?
        .rsplit_once('[')
        .map(|(_, numbers)| numbers)
}

fn forward_stops(stop: &StopToken, stopper: &Stopper, is_over: &AtomicBool) {
    let mut forwarded = 0;
    while !is_over.load(Ordering::Relaxed) {
        while forwarded < stop.request_count() {
            stopper.request();
            forwarded += 1;
        }
        thread::sleep(POLL);
    }
}
