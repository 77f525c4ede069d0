//! Whoever leads the workers: hands out examples, counts results, replaces those who die.

use std::collections::{BTreeMap, HashMap, HashSet};

use casebook_record::event::{
    ExampleFailed, ExampleStarted, SuiteStarted, SuiteStopped, SuiteSummary,
};
use casebook_record::{Event, Metadata};
use serde_json::Value;

use super::plan::{Plan, Planned};
use super::queue::Queue;
use super::tally::ExampleCounts;
use super::worker::{KillReason, Start, Worker, seconds};
use super::{ListedExample, Message, RspecError, RspecOutcome};
use crate::event_socket::{Connection, SocketMessage};

/// Errors outside of examples are examples with such ids.
const OUTSIDE: &str = "error:";
/// So many workers in a row may end before they have run anything, and are replaced.
const MAX_EARLY_EXITS: usize = 3;

pub(super) struct Controller<'r> {
    start: Start<'r>,
    publish: &'r mut dyn FnMut(Event),
    /// Whether the plan is all that is wanted.
    only_lists: bool,
    began: std::time::Instant,
    workers: BTreeMap<u64, Worker>,
    /// Which worker speaks on which connection.
    speakers: HashMap<u64, u64>,
    next_number: u64,
    plan: Option<Plan>,
    /// The examples by their ids.
    planned: HashMap<String, Planned>,
    queue: Queue,
    tally: ExampleCounts,
    /// Who told of an error outside of examples: others only repeat it.
    outside: HashMap<String, u64>,
    /// Those that were next when a worker ended outside of any example.
    unlucky: HashSet<String>,
    /// How many workers in a row have ended before they have run anything.
    useless: usize,
    not_run: usize,
    /// How often somebody asked to stop.
    asked: usize,
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
            speakers: HashMap::new(),
            next_number: 1,
            plan: None,
            planned: HashMap::new(),
            unlucky: HashSet::new(),
            useless: 0,
            queue: Queue::default(),
            tally: ExampleCounts::default(),
            outside: HashMap::new(),
            not_run: 0,
            asked: 0,
            last_end: None,
        }
    }

    /// All at once: they load while the first one tells what there is.
    pub(super) fn start_all(&mut self) -> Result<(), RspecError> {
        for slot in 1..=self.start.request.workers {
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
            Message::Heard(connection, heard) => self.hear(&connection, *heard),
            Message::Ended(number, status) => {
                if let Some(worker) = self.workers.get_mut(&number) {
                    worker.end(status);
                }
                self.remove_worker(number);
            }
            Message::Stop => self.stop_asked(),
        }
    }

    fn hear(&mut self, connection: &Connection, heard: SocketMessage) {
        if let SocketMessage::Request(request) = &heard
            && let Some(number) = request["worker"].as_u64()
            && let Some(worker) = self.workers.get_mut(&number)
            && !worker.is_connected()
        {
            worker.connect(connection);
            self.speakers.insert(connection.number(), number);
        }
        let Some(number) = self.speakers.get(&connection.number()).copied() else {
            return;
        };
        if let Some(worker) = self.workers.get_mut(&number) {
            worker.hear((self.start.system.instant)());
        }
        match heard {
            SocketMessage::Request(request) => self.answer(number, &request),
            SocketMessage::Line(line) => match line.event {
                Ok(event) => self.event(number, event),
                Err(error) => self.expel(number, KillReason::Garbage(error.to_string())),
            },
            SocketMessage::Closed => {
                if let Some(worker) = self.workers.get_mut(&number) {
                    worker.is_silent = true;
                }
                self.remove_worker(number);
            }
        }
    }

    fn answer(&mut self, number: u64, request: &Value) {
        match request["request"].as_str() {
            Some("plan") => {
                if let Some(worker) = self.workers.get_mut(&number) {
                    worker.has_loaded = true;
                }
                if self.plan.is_none() {
                    self.adopt(Plan::read(request));
                }
                self.wants_more(number);
            }
            Some("next") => self.wants_more(number),
            // Its RSpec wants to end the run, as after a failed before(:suite): then all do.
            Some("quit") => {
                if let Some(worker) = self.workers.get_mut(&number) {
                    worker.is_leaving = true;
                }
                self.stop();
            }
            _ => {}
        }
    }

    /// The first worker that has loaded the specs says what there is to do.
    fn adopt(&mut self, plan: Plan) {
        let mut metadata = plan.versions.clone();
        metadata.merge(self.start.request.metadata.clone());
        self.tell(SuiteStarted {
            seed: plan.seed.clone(),
            load_time: plan.load_time,
            metadata,
            ..SuiteStarted::at((self.start.system.now)(), plan.examples.len() as u64)
        });
        self.tally.plan(plan.by_file());
        let planned = plan.examples.iter().cloned();
        self.planned = planned
            .map(|planned| (planned.example.example_id.clone(), planned))
            .collect();
        if !self.only_lists {
            self.queue = Queue::new(&plan.examples, &self.start.request.durations);
        }
        if self.asked > 0 {
            self.not_run += self.queue.give_up();
        }
        self.plan = Some(plan);
    }

    fn wants_more(&mut self, number: u64) {
        let Some(worker) = self.workers.get_mut(&number) else {
            return;
        };
        worker.is_idle = true;
        if worker.is_leaving {
            // It may have been loading still when all were told.
            worker.send_quit();
        }
        let slot = worker.slot;
        // What it was given, did not run, and does not mention: it does not know it.
        for id in std::mem::take(&mut worker.assigned) {
            self.fail_unknown(&id, slot);
        }
        self.assign_examples();
    }

    /// Gives those who wait something to do, or sends them home when nothing can come any more.
    fn assign_examples(&mut self) {
        let count = self.workers.len();
        let now = (self.start.system.instant)();
        for worker in self.workers.values_mut().filter(|worker| worker.is_idle) {
            if worker.is_leaving || self.queue.is_empty() {
                continue;
            }
            worker.give(self.queue.next(count), now);
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
            self.error_outside(number, &id, event);
            return;
        }
        let Some(worker) = self.workers.get_mut(&number) else {
            return;
        };
        match event {
            Event::ExampleStarted(mut started) => {
                started.metadata.set("worker", worker.slot as u64);
                worker.was_useful = true;
                self.useless = 0;
                worker.running = Some(started.clone());
                self.begin(started);
            }
            Event::ExamplePassed(_) | Event::ExampleFailed(_) | Event::ExamplePending(_) => {
                worker.running = None;
                worker.assigned.retain(|assigned| *assigned != id);
                self.finish(&id, event);
            }
            event => self.tell(event),
        }
    }

    fn begin(&mut self, started: ExampleStarted) {
        let planned = self.planned.get(&started.example_id);
        let first = planned.and_then(|planned| self.tally.begin(&planned.file, started.time));
        first.into_iter().for_each(|event| self.tell(event));
        self.tell(started);
    }

    fn finish(&mut self, id: &str, event: Event) {
        let file = self.planned.get(id).map_or("", |planned| &planned.file);
        let last = self.tally.end(file, &event);
        let failed = matches!(event, Event::ExampleFailed(_));
        self.tell(event);
        last.into_iter().for_each(|event| self.tell(event));
        if failed && self.has_failed_enough() {
            self.stop();
        }
    }

    fn has_failed_enough(&self) -> bool {
        let projects = self.plan.as_ref().and_then(|plan| plan.fail_fast);
        let limit = self.start.request.fail_fast.then_some(1).or(projects);
        limit.is_some_and(|limit| self.tally.failed as u64 >= limit)
    }

    /// Every worker meets the same error when it loads the same file: it is told once.
    fn error_outside(&mut self, number: u64, id: &str, event: Event) {
        if *self.outside.entry(id.to_owned()).or_insert(number) != number {
            return;
        }
        if matches!(event, Event::ExampleFailed(_)) {
            self.tally.count(&event);
        }
        self.tell(event);
    }

    fn stop_asked(&mut self) {
        self.asked += 1;
        self.stop();
        let urgent = self.asked > 1;
        // One that is still loading has nothing to finish. Of any other it is not known whether it runs something:
        // what it says of that may be on its way.
        let to_end = self
            .workers
            .values()
            .filter(|worker| urgent || !worker.has_loaded);
        to_end.for_each(Worker::kill);
    }

    /// No example is begun any more.
    fn stop(&mut self) {
        self.not_run += self.queue.give_up();
        self.dismiss_all();
    }

    fn dismiss_all(&mut self) {
        let now = (self.start.system.instant)();
        for worker in self.workers.values_mut() {
            worker.finish_then_quit(now);
        }
    }

    /// Ends those that would not end by themselves.
    pub(super) fn check_timeouts(&mut self) {
        let now = (self.start.system.instant)();
        let request = self.start.request;
        let workers = self.workers.iter_mut();
        let offences: Vec<_> = workers
            .filter_map(|(number, worker)| Some((*number, worker.kill_reason(now, request)?)))
            .collect();
        for (number, offence) in offences {
            self.expel(number, offence);
        }
    }

    fn expel(&mut self, number: u64, offence: KillReason) {
        if let Some(worker) = self.workers.get_mut(&number) {
            worker.offence.get_or_insert(offence);
            worker.kill();
        }
    }

    /// Takes leave of a worker that is gone: what it ran is failed, what it was to run goes to others.
    fn remove_worker(&mut self, number: u64) {
        if !self.workers.get(&number).is_some_and(Worker::is_gone) {
            return;
        }
        let Some(mut worker) = self.workers.remove(&number) else {
            return;
        };
        let how = worker.how_it_ended();
        if let Some(running) = worker.running.take() {
            // It could not clean up after itself.
            worker.kill();
            worker.assigned.retain(|id| *id != running.example_id);
            self.fail_running(running, &worker, &how);
        }
        let is_stopping = worker.is_leaving || self.asked > 0;
        self.useless += usize::from(!worker.was_useful);
        if !is_stopping && !worker.was_useful {
            self.retry_or_fail_next(&mut worker, &how);
        }
        if is_stopping {
            self.not_run += worker.assigned.len();
        } else {
            self.queue.put_back(worker.assigned);
        }
        self.last_end = Some(how);
        let is_worth_it = worker.was_useful || worker.has_loaded && self.useless < MAX_EARLY_EXITS;
        if !is_stopping && is_worth_it && !self.queue.is_empty() {
            // Where it cannot be started any more, those who are left do the work.
            let _ = self.start_one(worker.slot);
        }
        self.assign_examples();
    }

    /// A worker that was of no use is gone. Whoever was next is tried once more; if that ends in the same way, it fails
    /// with all that share its setup.
    fn retry_or_fail_next(&mut self, worker: &mut Worker, how: &str) {
        let Some(next) = worker.assigned.first().cloned() else {
            return;
        };
        if self.unlucky.insert(next.clone()) {
            return;
        }
        let unit = |id: &String| {
            self.planned
                .get(id)
                .and_then(|planned| planned.unit.clone())
        };
        let shared = unit(&next);
        let (failed, others) = std::mem::take(&mut worker.assigned)
            .into_iter()
            .partition(|id| *id == next || shared.is_some() && unit(id) == shared);
        worker.assigned = others;
        let reason = format!("the RSpec process ended before this example began: {how}");
        let failed: Vec<String> = failed;
        for id in failed {
            self.fail_unbegun(&id, worker.slot, "Casebook::WorkerDied", reason.clone());
        }
    }

    fn fail_running(&mut self, example: ExampleStarted, worker: &Worker, how: &str) {
        let (class, message) = match worker.offence {
            _ if self.asked > 0 => {
                self.not_run += 1;
                (
                    "Casebook::Interrupted",
                    "the run was stopped before this example ended".to_owned(),
                )
            }
            Some(KillReason::Late(limit)) => (
                "Casebook::Timeout",
                format!("timed out after {}", seconds(limit)),
            ),
            _ => (
                "Casebook::WorkerDied",
                format!("the RSpec process ended while it ran this example: {how}"),
            ),
        };
        let time = (self.start.system.now)();
        let seconds = time.millis_since(example.time).unsigned_abs();
        let id = example.example_id.clone();
        let failed = ExampleFailed {
            time,
            duration: std::time::Duration::from_millis(seconds).as_secs_f64(),
            message: Some(message),
            exception_class: Some(class.into()),
            ..unexplained(example)
        };
        self.finish(&id, failed.into());
    }

    fn fail_unknown(&mut self, id: &str, slot: usize) {
        let message = format!(
            "worker {slot} has no such example: do the examples differ from one loading to the next?"
        );
        self.fail_unbegun(id, slot, "Casebook::NotFound", message);
    }

    /// Fails an example that never began.
    fn fail_unbegun(&mut self, id: &str, slot: usize, class: &str, message: String) {
        let Some(planned) = self.planned.get(id) else {
            return;
        };
        let mut started = planned.example.clone();
        started.time = (self.start.system.now)();
        started.metadata.set("worker", slot as u64);
        self.begin(started.clone());
        let failed = ExampleFailed {
            message: Some(message),
            exception_class: Some(class.into()),
            ..unexplained(started)
        };
        self.finish(id, failed.into());
    }

    fn tell(&mut self, event: impl Into<Event>) {
        (self.publish)(event.into());
    }

    /// The last words: what there was to run, and what that came to.
    pub(super) fn end(mut self) -> (Vec<ListedExample>, RspecOutcome) {
        self.not_run += self.queue.give_up();
        let planned = self.plan.as_ref().map(|plan| plan.examples.len());
        if planned.is_some() || self.tally.finished > 0 {
            let time = (self.start.system.now)();
            self.tell(SuiteStopped { time });
            self.tell(SuiteSummary {
                time,
                duration: ((self.start.system.instant)() - self.began).as_secs_f64(),
                example_count: self.tally.finished as u64,
                failure_count: self.tally.failed as u64,
                pending_count: self.tally.pending as u64,
            });
        }
        let ended_early = self.last_end.filter(|_| planned.is_none());
        let listed = self.plan.map_or_else(Vec::new, Plan::list);
        let outcome = RspecOutcome {
            planned,
            failed: self.tally.failed,
            not_run: self.not_run,
            ended_early,
        };
        (listed, outcome)
    }
}

/// The failure of an example of which only the beginning is known.
fn unexplained(example: ExampleStarted) -> ExampleFailed {
    ExampleFailed {
        time: example.time,
        example_id: example.example_id,
        stable_id: example.stable_id,
        description: example.description,
        full_description: example.full_description,
        location: example.location,
        duration: 0.0,
        message: None,
        backtrace: None,
        exception_class: None,
        metadata: Metadata::new(),
    }
}
