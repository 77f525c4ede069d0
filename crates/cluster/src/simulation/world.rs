//! [`SimulatedCluster`]: the clock, the network, the workers and the controller of a simulated run.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::queue::Queue;
use super::random::Random;
use super::scenario::{Scenario, SimulatedSuite};
use crate::progress::{Outcome, RunProgress, SuiteOutline};
use crate::schedule::divide;
use crate::wire::{Done, Line};

/// From the offer of a chunk to its first test, in milliseconds.
pub(super) const START: u64 = 20;
/// A process that a test killed is replaced after this time.
pub(super) const RESTART: u64 = 1_000;
/// How long an unreachable worker is unreachable: longer than two leases.
const UNREACHABLE: u64 = 90_000;
/// How far events are behind other messages to the controller.
pub(super) const EVENTS_BEHIND: u64 = 7;

/// What a simulated run came to.
#[derive(Debug)]
pub(super) struct Report {
    /// How many tests have no result in the record.
    pub(super) without_result: usize,
    /// How many tests have more than one.
    pub(super) with_several: usize,
    pub(super) failed: usize,
    pub(super) poison: usize,
    pub(super) chunks: usize,
    pub(super) redelivered: usize,
    /// How long the run took, in milliseconds.
    pub(super) makespan: u64,
    /// How long the work takes at least.
    pub(super) lower_bound: u64,
}

impl Report {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
    pub(super) fn ratio(&self) -> f64 {
        self.makespan as f64 / self.lower_bound as f64
    }
}

/// Something that happens at a point in time.
pub(super) enum SimulatedEvent {
    /// A worker asks for a chunk.
    Take {
        worker: usize,
        life: u32,
    },
    /// The running test of a worker ends.
    TestEnds {
        worker: usize,
        life: u32,
    },
    /// Waiting events are sent.
    Flush {
        worker: usize,
        life: u32,
        job: u64,
    },
    /// A worker renews its lease.
    Renew {
        worker: usize,
        life: u32,
        job: u64,
    },
    /// A worker dies, and comes back later or never.
    Dies {
        worker: usize,
        life: u32,
        comes_back: bool,
    },
    ComesBack {
        worker: usize,
    },
    /// The lease of a delivery ends.
    Expires {
        item: usize,
        attempt: u64,
    },
    AtServer(ToServer),
    AtController(ToController),
}

/// A message from a worker to the server.
pub(super) enum ToServer {
    Batch(Batch),
    Renewal {
        item: usize,
    },
    Commit {
        worker: usize,
        life: u32,
        item: usize,
        done: Done,
    },
}

pub(super) enum ToController {
    Batch(Batch),
    Done { chunk: String, done: Done },
    Exhausted { item: usize },
}

#[derive(Clone)]
pub(super) struct Batch {
    pub(super) chunk: String,
    pub(super) attempt: u64,
    pub(super) sequence: u64,
    pub(super) lines: Vec<Line>,
}

/// What a worker needs to know of a chunk.
#[derive(Clone)]
pub(super) struct SimulatedChunk {
    pub(super) id: String,
    pub(super) whole: bool,
    /// The numbers of its tests, and how many workers died during them.
    pub(super) tests: Vec<(usize, u32)>,
}

pub(super) struct Worker {
    /// How many milliseconds it needs for one of work.
    pub(super) slowness: u64,
    pub(super) latency: u64,
    pub(super) unreachable: Option<(u64, u64)>,
    /// Increases when it dies. Nothing of an earlier life happens.
    pub(super) life: u32,
    pub(super) is_alive: bool,
    pub(super) comes_back: bool,
    pub(super) job: Option<Job>,
}

pub(super) struct Job {
    pub(super) number: u64,
    pub(super) item: usize,
    pub(super) chunk: String,
    pub(super) attempt: u64,
    /// The tests to run, in reverse order.
    pub(super) rest: Vec<usize>,
    pub(super) running: Option<usize>,
    pub(super) lines: Vec<Line>,
    pub(super) batches: u64,
}

pub(super) struct SimulatedCluster {
    pub(super) now: u64,
    /// The key orders what happens at the same time.
    pub(super) schedule: BinaryHeap<Reverse<(u64, u64)>>,
    pub(super) contents: HashMap<u64, SimulatedEvent>,
    pub(super) next_key: u64,
    pub(super) queue: Queue,
    /// The chunk of each item of the queue.
    pub(super) chunks: Vec<SimulatedChunk>,
    /// The batches of unfinished chunks on the server.
    pub(super) stored: HashMap<String, Vec<Batch>>,
    pub(super) workers: Vec<Worker>,
    pub(super) idle: Vec<usize>,
    pub(super) progress: RunProgress,
    pub(super) durations: Vec<u64>,
    pub(super) is_poison: Vec<bool>,
    pub(super) results: Vec<u32>,
    pub(super) lower_bound: u64,
}

impl SimulatedCluster {
    pub(super) fn new(scenario: &Scenario) -> SimulatedCluster {
        let mut random = Random::new(17 + scenario.tests as u64);
        let suites = scenario.suites(&mut random);
        let durations: Vec<u64> = suites
            .iter()
            .flat_map(|suite| suite.durations.iter().copied())
            .collect();
        let total: u64 = durations.iter().sum();
        let speed =
            (scenario.workers - scenario.stragglers) as u64 * 3 + scenario.stragglers as u64;
        let longest = durations.iter().copied().max().unwrap_or_default();
        let lower_bound = longest.max(total * 3 / speed);
        let mut world = SimulatedCluster {
            now: 0,
            schedule: BinaryHeap::new(),
            contents: HashMap::new(),
            next_key: 0,
            queue: Queue::default(),
            chunks: Vec::new(),
            stored: HashMap::new(),
            workers: Vec::new(),
            idle: Vec::new(),
            progress: RunProgress::new(suites.iter().map(|suite| SuiteOutline {
                name: String::new(),
                whole: suite.costs.whole,
                tests: None,
            })),
            is_poison: vec![false; durations.len()],
            results: vec![0; durations.len()],
            durations,
            lower_bound,
        };
        world.add_workers(scenario, &mut random);
        for _ in 0..scenario.poison {
            let test = random.index(scenario.tests);
            world.is_poison[test] = true;
        }
        world.add_chunks(suites, scenario.workers);
        world
    }

    fn add_workers(&mut self, scenario: &Scenario, random: &mut Random) {
        let (slow, unreachable) = (scenario.stragglers, scenario.unreachable);
        for number in 0..scenario.workers {
            let cut = random.below(self.lower_bound);
            self.workers.push(Worker {
                slowness: if number < slow { 3 } else { 1 },
                latency: 1 + random.below(20),
                unreachable: (number >= scenario.workers - unreachable)
                    .then_some((cut, cut + UNREACHABLE)),
                life: 0,
                is_alive: true,
                comes_back: true,
                job: None,
            });
            self.ask(number);
        }
        // The last worker never dies for good, so that one is left.
        for _ in 0..scenario.deaths {
            let (worker, at) = (
                random.index(scenario.workers - 1),
                random.below(self.lower_bound),
            );
            let death = SimulatedEvent::Dies {
                worker,
                life: 0,
                comes_back: false,
            };
            self.at(at, death);
        }
    }

    fn add_chunks(&mut self, suites: Vec<SimulatedSuite>, workers: usize) {
        let firsts: Vec<_> = suites.iter().map(|suite| suite.first).collect();
        let costs: Vec<_> = suites.into_iter().map(|suite| suite.costs).collect();
        for (number, slice) in divide(&costs, workers).into_iter().enumerate() {
            let tests = slice.tests.iter().map(|test| firsts[slice.suite] + test);
            let chunk = SimulatedChunk {
                id: format!("c{number}"),
                whole: costs[slice.suite].whole,
                tests: tests.map(|test| (test, 0)).collect(),
            };
            let ids = chunk.tests.iter().map(|(test, _)| id(*test)).collect();
            self.progress.add_chunk(&chunk.id, slice.suite, ids);
            self.put(chunk);
        }
    }

    pub(super) fn put(&mut self, chunk: SimulatedChunk) {
        self.queue.put();
        self.chunks.push(chunk);
        self.wake();
    }

    pub(super) fn wake(&mut self) {
        if let Some(worker) = self.idle.pop() {
            self.ask(worker);
        }
    }

    pub(super) fn run(mut self) -> Report {
        while !self.progress.is_complete() {
            let next = self.schedule.pop();
            let Some(Reverse((time, key))) = next else {
                panic!("the run waits for something that never happens");
            };
            self.now = time;
            if let Some(event) = self.contents.remove(&key) {
                self.handle(event);
            }
        }
        let count = |is: fn(u32) -> bool| self.results.iter().filter(|n| is(**n)).count();
        Report {
            without_result: count(|results| results == 0),
            with_several: count(|results| results > 1),
            failed: self.progress.count(Outcome::Failed),
            poison: self.is_poison.iter().filter(|is| **is).count(),
            chunks: self.chunks.len(),
            redelivered: self.progress.redelivered,
            makespan: self.now,
            lower_bound: self.lower_bound,
        }
    }

    pub(super) fn at(&mut self, time: u64, event: SimulatedEvent) {
        self.schedule.push(Reverse((time, self.next_key)));
        self.contents.insert(self.next_key, event);
        self.next_key += 1;
    }

    pub(super) fn after(&mut self, delay: u64, event: SimulatedEvent) {
        self.at(self.now + delay, event);
    }

    fn handle(&mut self, event: SimulatedEvent) {
        match event {
            SimulatedEvent::Take { worker, life } if self.lives(worker, life) => self.take(worker),
            SimulatedEvent::TestEnds { worker, life } if self.lives(worker, life) => {
                self.end_test(worker);
            }
            SimulatedEvent::Flush { worker, life, job } if self.works(worker, life, job) => {
                self.flush(worker);
            }
            SimulatedEvent::Renew { worker, life, job } if self.works(worker, life, job) => {
                self.renew(worker);
            }
            SimulatedEvent::Dies {
                worker,
                life,
                comes_back,
            } if self.lives(worker, life) || !comes_back => self.die(worker, comes_back),
            SimulatedEvent::ComesBack { worker } if self.workers[worker].comes_back => {
                self.workers[worker].is_alive = true;
                self.ask(worker);
            }
            SimulatedEvent::Expires { item, attempt } => self.expire(item, attempt),
            SimulatedEvent::AtServer(message) => self.at_server(message),
            SimulatedEvent::AtController(message) => self.at_controller(message),
            _ => {}
        }
    }

    pub(super) fn lives(&self, worker: usize, life: u32) -> bool {
        let worker = &self.workers[worker];
        worker.is_alive && worker.life == life
    }

    pub(super) fn works(&self, worker: usize, life: u32, number: u64) -> bool {
        let job = self.workers[worker].job.as_ref();
        self.lives(worker, life) && job.is_some_and(|job| job.number == number)
    }
}

/// The example id of a test.
pub(super) fn id(test: usize) -> String {
    format!("t{test}")
}

/// The test of an example id.
pub(super) fn number(id: &str) -> usize {
    let digits = id.strip_prefix('t').unwrap_or(id);
    digits.parse().unwrap_or(usize::MAX)
}
