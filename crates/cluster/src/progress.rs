//! [`RunProgress`]: what the controller knows of its run, from the messages of the workers.
//!
//! Messages may arrive twice, late, or from a worker that was believed dead. Of each test, exactly one attempt reaches
//! the record as its result: the newest one that started it, or for suites whose tests count only together, that of the
//! committed attempt. An attempt that was lost with its worker is followed by another start of the same test, which the
//! record keeps as `metadata.attempts`.
//!
//! The state depends only on the messages and their order on the server. So a worker that continues a chunk can know
//! which results the controller accepted, by reading the same messages, and so can a controller that continues the run
//! of an earlier one.

mod messages;
mod test;

use std::collections::{BTreeMap, HashMap, HashSet};

use casebook_record::{Event, EventKind, Time};

use crate::wire::{Done, Line};
use test::TestProgress;
pub(crate) use test::{Outcome, outcome, running_test};

/// What the controller does next.
#[derive(Debug, PartialEq)]
pub(crate) enum Action {
    Publish(Box<Event>),
    /// Saves the complete output of a failed test: the name of each stream, and of its object.
    SaveOutput(String, Vec<(String, String)>),
    Warn(String),
    /// Shows what RSpec printed.
    Print(String),
    /// Ends the run, because RSpec did.
    Quit,
    /// Fails an example that does not exist on its worker.
    NotFound(String),
    /// A chunk was given to another worker, because the first one was silent.
    Redelivered {
        suite: String,
        from: Option<String>,
        to: String,
    },
    /// Fails a test that was running when its workers died.
    GiveUp(String),
    /// A worker that was believed dead committed the end of a chunk, while another one was running some of its tests.
    /// The results of neither count for these tests, so they need a new chunk.
    Superseded(String),
    /// A worker cannot run a chunk.
    Refused {
        chunk: String,
        worker: String,
        reason: String,
    },
}

/// What becomes of the tests of a chunk that no worker could finish.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    /// The ids of tests that are not run again.
    pub(crate) given_up: Vec<String>,
    pub(crate) replacement: Option<Replacement>,
}

/// A chunk that replaces another.
#[derive(Debug)]
pub(crate) struct Replacement {
    pub(crate) id: String,
    /// How many workers died during each of its tests, by example id.
    pub(crate) tests: BTreeMap<String, u32>,
}

/// What is known of a run.
#[derive(Debug, Default)]
pub(crate) struct RunProgress {
    chunks: HashMap<String, ChunkProgress>,
    suites: Vec<SuiteProgress>,
    tests: HashMap<String, TestProgress>,
    /// In the order in which they took part.
    workers: Vec<String>,
    worker_numbers: HashMap<String, usize>,
    unfinished: usize,
    last_generation: Option<u64>,
    /// How many chunks were given to another worker.
    pub(crate) redelivered: usize,
    /// Tests that ended before this controller was started.
    finished_earlier: HashSet<String>,
    /// How often an earlier controller recorded an event of a test that did not end.
    recorded: HashMap<EventKey, usize>,
}

type EventKey = (String, EventKind, Time);

/// A suite of the plan.
#[derive(Debug)]
pub(crate) struct SuiteOutline {
    /// The suite's file.
    pub(crate) name: String,
    /// Whether the results of its tests count only together.
    pub(crate) whole: bool,
    /// How many tests it has, if its chunks are not groups themselves.
    pub(crate) tests: Option<u64>,
}

#[derive(Debug, Default)]
struct ChunkProgress {
    /// `None` for a chunk of an earlier controller until its first event arrives, or if the suite is finished.
    suite: Option<usize>,
    /// Chunks that replace others come after them.
    generation: u64,
    tests: Vec<String>,
    attempts: BTreeMap<u64, AttemptProgress>,
    done: Option<Done>,
    finished: bool,
}

#[derive(Debug, Default)]
struct AttemptProgress {
    /// The index of the worker.
    worker: usize,
    /// The sequence number of the next batch.
    next: u64,
    /// Batches that arrived before an earlier one.
    early: BTreeMap<u64, Vec<Line>>,
    /// The events of a chunk whose results count only together.
    held: Vec<Event>,
}

#[derive(Debug)]
struct SuiteProgress {
    outline: SuiteOutline,
    started: bool,
    closed: bool,
    open_chunks: usize,
    group_finished: Option<Event>,
}

impl RunProgress {
    pub(crate) fn new(suites: impl IntoIterator<Item = SuiteOutline>) -> RunProgress {
        let suites = suites.into_iter().map(|outline| SuiteProgress {
            outline,
            started: false,
            closed: false,
            open_chunks: 0,
            group_finished: None,
        });
        RunProgress {
            suites: suites.collect(),
            ..RunProgress::default()
        }
    }

    /// Takes over what an earlier controller recorded, so that it is not recorded twice.
    pub(crate) fn restore(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            let Some(id) = event.example_id() else {
                continue;
            };
            if outcome(&event).is_some() {
                self.finished_earlier.insert(id.to_owned());
            } else {
                *self.recorded.entry(key(id, &event)).or_default() += 1;
            }
        }
    }

    /// Adds a chunk with the ids of its tests, unless its events have announced it.
    pub(crate) fn add_chunk(&mut self, id: &str, suite: usize, tests: Vec<String>) {
        self.chunk(id).tests = tests;
        self.set_suite(id, suite);
    }

    fn set_suite(&mut self, chunk: &str, suite: usize) {
        let chunk = self.chunk(chunk);
        if chunk.suite.is_none() {
            chunk.suite = Some(suite);
            self.suites[suite].open_chunks += 1;
        }
    }

    /// The chunk with this id; one that an earlier controller made is new to this one.
    fn chunk(&mut self, id: &str) -> &mut ChunkProgress {
        let generation = chunk_generation(id);
        if !self.chunks.contains_key(id) {
            self.unfinished += 1;
            self.last_generation = self.last_generation.max(Some(generation));
        }
        let chunk = self.chunks.entry(id.to_owned());
        chunk.or_insert_with(|| ChunkProgress {
            generation,
            ..ChunkProgress::default()
        })
    }

    /// The chunks that are not finished.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = &str> {
        let chunks = self.chunks.iter();
        chunks.filter_map(|(id, chunk)| (!chunk.finished).then_some(id.as_str()))
    }

    /// The ids of the tests in unfinished chunks.
    pub(crate) fn assigned(&self) -> HashSet<String> {
        let chunks = self.chunks.values().filter(|chunk| !chunk.finished);
        chunks
            .flat_map(|chunk| chunk.tests.iter().cloned())
            .collect()
    }

    /// Whether a worker has begun the chunk.
    pub(crate) fn has_begun(&self, chunk: &str) -> bool {
        let chunk = self.chunks.get(chunk);
        chunk.is_some_and(|chunk| !chunk.attempts.is_empty())
    }

    /// A generation after those of all chunks.
    pub(crate) fn next_generation(&self) -> u64 {
        self.last_generation.map_or(0, |last| last + 1)
    }

    /// Whether every chunk is finished.
    pub(crate) fn is_complete(&self) -> bool {
        self.unfinished == 0
    }

    pub(crate) fn count(&self, outcome: Outcome) -> usize {
        let outcomes = self.tests.values().filter_map(|test| test.outcome);
        outcomes.filter(|of| *of == outcome).count()
    }

    /// Whether the test has a result, from this controller or an earlier one.
    pub(crate) fn has_result(&self, example_id: &str) -> bool {
        let test = self.tests.get(example_id);
        self.finished_earlier.contains(example_id)
            || test.is_some_and(|test| test.outcome.is_some())
    }

    /// How many tests started and have no result.
    pub(crate) fn running(&self) -> usize {
        let tests = self.tests.values();
        tests.filter(|test| test.running).count()
    }

    pub(crate) fn has_started(&self, example_id: &str) -> bool {
        self.tests.contains_key(example_id)
    }

    /// The suites that started and did not finish.
    pub(crate) fn unclosed_suites(&self) -> impl Iterator<Item = usize> {
        let suites = self.suites.iter().enumerate();
        suites.filter_map(|(index, suite)| (suite.started && !suite.closed).then_some(index))
    }

    /// How many workers died during this test.
    pub(crate) fn lost(&self, example_id: &str) -> u32 {
        let test = self.tests.get(example_id);
        test.map_or(0, |test| test.lost + u32::from(test.running))
    }

    /// Ends a chunk that no worker could finish. Returns the ids of its tests without a result.
    pub(crate) fn abandon(&mut self, chunk: &str) -> Vec<String> {
        let Some(progress) = self.chunks.get_mut(chunk).filter(|chunk| !chunk.finished) else {
            return Vec::new();
        };
        progress.finished = true;
        self.unfinished -= 1;
        if let Some(suite) = progress.suite {
            self.suites[suite].open_chunks -= 1;
        }
        for attempt in progress.attempts.values() {
            if let Some(id) = running_test(&attempt.held) {
                self.tests.entry(id.to_owned()).or_default().lost += 1;
            }
        }
        let tests = progress.tests.clone();
        let has_no_result = |id: &String| !self.has_result(id);
        tests.into_iter().filter(has_no_result).collect()
    }

    /// Ends a chunk that no worker could finish. What is left of it becomes a new one, without the tests during which
    /// more than `lost_retries` workers died.
    pub(crate) fn replace(&mut self, chunk: &str, lost_retries: u32) -> Replaced {
        let suite = self.chunks.get(chunk).and_then(|chunk| chunk.suite);
        let unfinished = self.abandon(chunk);
        let (given_up, rest): (Vec<_>, Vec<_>) = unfinished
            .into_iter()
            .partition(|id| self.lost(id) > lost_retries);
        let base = chunk.split('-').next().unwrap_or(chunk);
        let replacement = suite.filter(|_| !rest.is_empty()).map(|suite| {
            let id = format!("{base}-{}", self.next_generation());
            let tests = rest.iter().map(|id| (id.clone(), self.lost(id))).collect();
            self.add_chunk(&id, suite, rest);
            Replacement { id, tests }
        });
        Replaced {
            given_up,
            replacement,
        }
    }

    /// Sets the result of a test that the controller gave up.
    pub(crate) fn set_failed(&mut self, example_id: &str) {
        let test = self.tests.entry(example_id.to_owned()).or_default();
        test.outcome = Some(Outcome::Failed);
        test.running = false;
    }
}

fn key(example_id: &str, event: &Event) -> EventKey {
    (example_id.to_owned(), event.kind(), event.time())
}

/// The generation in the id of a chunk: `c3-1` replaces `c3`.
fn chunk_generation(id: &str) -> u64 {
    let generation = id.rsplit_once('-');
    generation.map_or(0, |(_, generation)| generation.parse().unwrap_or_default())
}
