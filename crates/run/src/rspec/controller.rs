//! [`Controller`]: distributes examples over workers, counts results, and replaces workers that die.

mod dead_worker;

use std::collections::{BTreeMap, HashMap, HashSet};

use casebook_record::Event;
use casebook_record::event::{ExampleStarted, PLANNED, SuiteStarted, SuiteStopped, SuiteSummary};
use serde_json::Value;

use super::plan::{Plan, Planned};
use super::queue::Queue;
use super::tally::ExampleCounts;
use super::worker::{KillReason, Start, Worker};
use super::{ListedExample, Message, RspecError, RspecOutcome};
use crate::event_socket::{Connection, SocketMessage};

pub use dead_worker::failed_event;

/// The prefix of the ids of errors outside of examples, which are recorded as examples.
const OUTSIDE: &str = "error:";
/// After this many workers in a row exited before running any example, they are no longer replaced.
const MAX_EARLY_EXITS: usize = 3;

pub(super) struct Controller<'r> {
    start: Start<'r>,
    publish: &'r mut dyn FnMut(Event),
    /// Whether only the list of examples is requested.
    only_lists: bool,
    began: std::time::Instant,
    workers: BTreeMap<u64, Worker>,
    /// The worker of each connection, both by number.
    workers_by_connection: HashMap<u64, u64>,
    next_number: u64,
    plan: Option<Plan>,
    /// Whether the start event was published.
    is_started: bool,
    /// The examples by id.
    planned: HashMap<String, Planned>,
    queue: Queue,
    tally: ExampleCounts,
    /// The worker that first reported an error outside of examples; others report the same one.
    outside: HashMap<String, u64>,
    /// Examples that were next when a worker exited before running any example.
    suspects: HashSet<String>,
    /// The number of workers in a row that exited before running any example.
    early_exits: usize,
    not_run: usize,
    /// The number of stop requests.
    stop_requests: usize,
    last_end: Option<String>,
}

impl<'r> Controller<'r> {
    pub(super) fn new(
        start: Start<'r>,
        publish: &'r mut dyn FnMut(Event),
        only_lists: bool,
    ) -> Controller<'r> {
        Controller {
            only_lists,
            began: (start.system.instant)(),
            start,
            publish,
            workers: BTreeMap::new(),
            workers_by_connection: HashMap::new(),
            next_number: 1,
            plan: None,
            is_started: false,
            planned: HashMap::new(),
            suspects: HashSet::new(),
            early_exits: 0,
            queue: Queue::default(),
            tally: ExampleCounts::default(),
            outside: HashMap::new(),
            not_run: 0,
            stop_requests: 0,
            last_end: None,
        }
    }

    /// Starts all workers at once: they load the specs in parallel.
    pub(super) fn start_all(&mut self) -> Result<(), RspecError> {
        let first = self.start.request.first_slot;
        for slot in first..first + self.start.request.workers {
            if let Err(error) = self.start_one(slot) {
                self.workers.values().for_each(Worker::kill);
                return Err(error);
            }
        }
        Ok(())
    }

    fn start_one(&mut self, slot: usize) -> Result<(), RspecError> {
        let worker = self.start.worker(self.next_number, slot)?;
        self.workers.insert(self.next_number, worker);
        self.next_number += 1;
        Ok(())
    }

    pub(super) fn is_running(&self) -> bool {
        !self.workers.is_empty()
    }

    pub(super) fn take(&mut self, message: Message) {
        match message {
            Message::Received(connection, message) => self.receive(&connection, *message),
            Message::Ended(number, status) => {
                if let Some(worker) = self.workers.get_mut(&number) {
                    worker.end(status);
                }
                self.remove_worker(number);
            }
            Message::Stop => self.stop_requested(),
        }
    }

    fn receive(&mut self, connection: &Connection, message: SocketMessage) {
        if let SocketMessage::Request(request) = &message
            && let Some(number) = request["worker"].as_u64()
            && let Some(worker) = self.workers.get_mut(&number)
            && !worker.is_connected()
        {
            worker.connect(connection);
            self.workers_by_connection
                .insert(connection.number(), number);
        }
        let Some(number) = self
            .workers_by_connection
            .get(&connection.number())
            .copied()
        else {
            return;
        };
        if let Some(worker) = self.workers.get_mut(&number) {
            worker.mark_active((self.start.system.instant)());
        }
        match message {
            SocketMessage::Request(request) => self.handle_request(number, &request),
            SocketMessage::Line(line) => match line.event {
                Ok(event) => self.event(number, event),
                Err(error) => self.kill_worker(number, KillReason::Garbage(error.to_string())),
            },
            SocketMessage::Closed => {
                if let Some(worker) = self.workers.get_mut(&number) {
                    worker.is_silent = true;
                }
                self.remove_worker(number);
            }
        }
    }

    fn handle_request(&mut self, number: u64, request: &Value) {
        match request["request"].as_str() {
            Some("plan") => {
                if let Some(worker) = self.workers.get_mut(&number) {
                    worker.has_loaded = true;
                }
                if self.plan.is_none() {
                    self.set_plan(Plan::read(request));
                }
                self.next_examples(number);
            }
            Some("next") => self.next_examples(number),
            // RSpec ends the run, as after a failed `before(:suite)`: then all workers stop.
            Some("quit") => {
                if let Some(worker) = self.workers.get_mut(&number) {
                    worker.is_leaving = true;
                }
                self.stop();
            }
            _ => {}
        }
    }

    /// Uses the plan of the first worker that has loaded the specs.
    fn set_plan(&mut self, mut plan: Plan) {
        let finished = &self.start.request.finished;
        plan.remove(finished);
        // A resumed run that has nothing left to do adds nothing to its record.
        if plan.examples.is_empty() && !finished.is_empty() {
            self.plan = Some(plan);
            return;
        }
        self.is_started = true;
        let mut metadata = plan.versions.clone();
        metadata.merge(self.start.request.metadata.clone());
        metadata.set(PLANNED, plan.planned_examples());
        self.publish(SuiteStarted {
            seed: plan.seed.clone(),
            load_time: plan.load_time,
            metadata,
            ..SuiteStarted::at(self.start.system.clock.now(), plan.examples.len() as u64)
        });
        self.tally.plan(plan.by_file());
        let planned = plan.examples.iter().cloned();
        self.planned = planned
            .map(|planned| (planned.example.example_id.clone(), planned))
            .collect();
        if !self.only_lists {
            self.queue = Queue::new(&plan.examples, &self.start.request.durations);
        }
        if self.stop_requests > 0 {
            self.not_run += self.queue.clear();
        }
        self.plan = Some(plan);
    }

    fn next_examples(&mut self, number: u64) {
        let Some(worker) = self.workers.get_mut(&number) else {
            return;
        };
        worker.is_idle = true;
        if worker.is_leaving {
            // It may still have been loading when the others were asked to quit.
            worker.send_quit();
        }
        let slot = worker.slot;
        // Examples that it was given but neither ran nor reported do not exist in its process.
        for id in std::mem::take(&mut worker.assigned) {
            self.fail_unknown(&id, slot);
        }
        self.assign_examples();
    }

    /// Assigns examples to idle workers, or dismisses all if none are left.
    fn assign_examples(&mut self) {
        let count = self.workers.len();
        let now = (self.start.system.instant)();
        for worker in self.workers.values_mut().filter(|worker| worker.is_idle) {
            if worker.is_leaving || self.queue.is_empty() {
                continue;
            }
            worker.assign(self.queue.next(count), now);
        }
        let is_done = self.queue.is_empty()
            && self.plan.is_some()
            && self
                .workers
                .values()
                .all(|worker| worker.assigned.is_empty());
        if is_done {
            self.dismiss_all();
        }
    }

    fn event(&mut self, number: u64, event: Event) {
        let id = event.example_id().unwrap_or_default().to_owned();
        if id.starts_with(OUTSIDE) {
            self.report_outside_error(number, &id, event);
            return;
        }
        let Some(worker) = self.workers.get_mut(&number) else {
            return;
        };
        match event {
            Event::ExampleStarted(mut started) => {
                started.metadata.set("worker", worker.slot as u64);
                worker.was_useful = true;
                self.early_exits = 0;
                // An example may run others; it is still the one that must be reported if the worker dies.
                worker.running.get_or_insert_with(|| started.clone());
                self.start_example(started);
                if self.start.request.confirms_starts
                    && let Some(worker) = self.workers.get(&number)
                {
                    worker.confirm_start();
                }
            }
            Event::ExamplePassed(_) | Event::ExampleFailed(_) | Event::ExamplePending(_) => {
                let is_running = |running: &mut ExampleStarted| running.example_id == id;
                worker.running.take_if(is_running);
                worker.assigned.retain(|assigned| *assigned != id);
                self.finish_example(&id, event);
            }
            event => self.publish(event),
        }
    }

    fn start_example(&mut self, started: ExampleStarted) {
        let planned = self.planned.get(&started.example_id);
        let first = planned.and_then(|planned| self.tally.begin(&planned.file, started.time));
        first.into_iter().for_each(|event| self.publish(event));
        self.publish(started);
    }

    fn finish_example(&mut self, id: &str, event: Event) {
        let file = self.planned.get(id).map_or("", |planned| &planned.file);
        let last = self.tally.end(file, &event);
        let failed = matches!(event, Event::ExampleFailed(_));
        self.publish(event);
        last.into_iter().for_each(|event| self.publish(event));
        if failed && self.has_failed_enough() {
            self.stop();
        }
    }

    fn has_failed_enough(&self) -> bool {
        self.fail_fast()
            .is_some_and(|limit| self.tally.failed as u64 >= limit)
    }

    fn fail_fast(&self) -> Option<u64> {
        let configured = self.plan.as_ref().and_then(|plan| plan.fail_fast);
        self.start.request.fail_fast.then_some(1).or(configured)
    }

    /// Publishes an error outside of examples. Every worker that loads the same file reports it, so only one is
    /// published.
    fn report_outside_error(&mut self, number: u64, id: &str, event: Event) {
        if *self.outside.entry(id.to_owned()).or_insert(number) != number {
            return;
        }
        if matches!(event, Event::ExampleFailed(_)) {
            self.tally.count(&event);
        }
        self.publish(event);
    }

    fn stop_requested(&mut self) {
        self.stop_requests += 1;
        self.stop();
        let immediate = self.stop_requests > 1;
        // A worker that is still loading has nothing to finish. Any other may be running an example whose start event
        // has not arrived yet.
        let to_kill = self
            .workers
            .values()
            .filter(|worker| immediate || !worker.has_loaded);
        to_kill.for_each(Worker::kill);
    }

    /// Starts no further examples.
    fn stop(&mut self) {
        self.not_run += self.queue.clear();
        self.dismiss_all();
    }

    fn dismiss_all(&mut self) {
        let now = (self.start.system.instant)();
        for worker in self.workers.values_mut() {
            worker.finish_then_quit(now);
        }
    }

    /// Kills workers that exceeded a timeout.
    pub(super) fn check_timeouts(&mut self) {
        let now = (self.start.system.instant)();
        let request = self.start.request;
        let workers = self.workers.iter_mut();
        let overdue: Vec<_> = workers
            .filter_map(|(number, worker)| Some((*number, worker.timeout_reason(now, request)?)))
            .collect();
        for (number, reason) in overdue {
            self.kill_worker(number, reason);
        }
    }

    fn kill_worker(&mut self, number: u64, reason: KillReason) {
        if let Some(worker) = self.workers.get_mut(&number) {
            worker.kill_reason.get_or_insert(reason);
            worker.kill();
        }
    }

    fn publish(&mut self, event: impl Into<Event>) {
        (self.publish)(event.into());
    }

    /// Publishes the end of the run. Returns the list of examples and the counts.
    pub(super) fn end(mut self) -> (Vec<ListedExample>, RspecOutcome) {
        self.not_run += self.queue.clear();
        let planned = self.plan.as_ref().map(|plan| plan.examples.len());
        if self.is_started || self.tally.finished > 0 {
            let time = self.start.system.clock.now();
            self.publish(SuiteStopped { time });
            self.publish(SuiteSummary {
                time,
                duration: ((self.start.system.instant)() - self.began).as_secs_f64(),
                example_count: self.tally.finished as u64,
                failure_count: self.tally.failed as u64,
                pending_count: self.tally.pending as u64,
            });
        }
        let fail_fast = self.fail_fast();
        let ended_early = self.last_end.filter(|_| planned.is_none());
        let listed = self.plan.map_or_else(Vec::new, Plan::list);
        let outcome = RspecOutcome {
            planned,
            failed: self.tally.failed,
            not_run: self.not_run,
            fail_fast,
            ended_early,
        };
        (listed, outcome)
    }
}
