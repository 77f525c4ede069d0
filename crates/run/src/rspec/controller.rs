//! Whoever leads the workers: hands out examples, counts results, replaces those who die.

use std::collections::{BTreeMap, HashMap};

use casebook_record::event::{
    ExampleFailed, ExampleStarted, SuiteStarted, SuiteStopped, SuiteSummary,
};
use casebook_record::{Event, Metadata};
use serde_json::{Value, json};

use super::plan::Plan;
use super::queue::Queue;
use super::tally::Tally;
use super::worker::{Start, Worker};
use super::{Message, Outcome, RspecError};
use crate::channel::{Connection, Heard};

/// Errors outside of examples are examples with such ids.
const OUTSIDE: &str = "error:";

pub(super) struct Controller<'r> {
    start: Start<'r>,
    publish: &'r mut dyn FnMut(Event),
    began: std::time::Instant,
    workers: BTreeMap<u64, Worker>,
    /// Which worker speaks on which connection.
    speakers: HashMap<u64, u64>,
    next_number: u64,
    plan: Option<Plan>,
    /// The file of each example.
    files: HashMap<String, String>,
    queue: Queue,
    tally: Tally,
    /// Who told of an error outside of examples: others only repeat it.
    outside: HashMap<String, u64>,
    not_run: usize,
    /// How often somebody asked to stop.
    asked: usize,
    last_end: Option<String>,
}

impl<'r> Controller<'r> {
    pub(super) fn new(start: Start<'r>, publish: &'r mut dyn FnMut(Event)) -> Controller<'r> {
        Controller {
            began: (start.world.instant)(),
            start,
            publish,
            workers: BTreeMap::new(),
            speakers: HashMap::new(),
            next_number: 1,
            plan: None,
            files: HashMap::new(),
            queue: Queue::default(),
            tally: Tally::default(),
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

    pub(super) fn is_going_on(&self) -> bool {
        !self.workers.is_empty()
    }

    pub(super) fn take(&mut self, message: Message) {
        match message {
            Message::Heard(connection, heard) => self.hear(&connection, *heard),
            Message::Ended(number, status) => {
                if let Some(worker) = self.workers.get_mut(&number) {
                    worker.end(status);
                }
                self.bury(number);
            }
            Message::Stop => self.stop_asked(),
        }
    }

    fn hear(&mut self, connection: &Connection, heard: Heard) {
        if let Heard::Request(request) = &heard
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
        match heard {
            Heard::Request(request) => self.answer(number, &request),
            Heard::Line(line) => match line.event {
                Ok(event) => self.event(number, event),
                Err(error) => self.expel(number, &format!("a line that is no event: {error}")),
            },
            Heard::Closed => {
                if let Some(worker) = self.workers.get_mut(&number) {
                    worker.is_silent = true;
                }
                self.bury(number);
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
            ..SuiteStarted::at((self.start.world.now)(), plan.examples.len() as u64)
        });
        self.tally.plan(plan.by_file());
        let files = plan.examples.iter();
        self.files = files
            .map(|example| (example.id.clone(), example.file.clone()))
            .collect();
        self.queue = Queue::new(&plan.examples, &self.start.request.durations);
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
            worker.send_home();
        }
        let slot = worker.slot;
        // What it was given, did not run, and does not mention: it does not know it.
        for id in std::mem::take(&mut worker.assigned) {
            self.fail_unknown(&id, slot);
        }
        self.hand_out();
    }

    /// Gives those who wait something to do, or sends them home when nothing can come any more.
    fn hand_out(&mut self) {
        let count = self.workers.len();
        for worker in self.workers.values_mut().filter(|worker| worker.is_idle) {
            if worker.is_leaving || self.queue.is_empty() {
                continue;
            }
            worker.give(self.queue.next(count));
        }
        let is_done = self.queue.is_empty()
            && self.plan.is_some()
            && self
                .workers
                .values()
                .all(|worker| worker.assigned.is_empty());
        if is_done {
            self.workers.values_mut().for_each(Worker::dismiss);
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
        let file = self.files.get(&started.example_id);
        let first = file.and_then(|file| self.tally.begin(file, started.time));
        first.into_iter().for_each(|event| self.tell(event));
        self.tell(started);
    }

    fn finish(&mut self, id: &str, event: Event) {
        let file = self.files.get(id).map_or("", String::as_str);
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
        self.workers.values_mut().for_each(Worker::dismiss);
    }

    fn expel(&mut self, number: u64, offence: &str) {
        if let Some(worker) = self.workers.get_mut(&number) {
            worker.offence.get_or_insert_with(|| offence.to_owned());
            worker.kill();
        }
    }

    /// Takes leave of a worker that is gone: what it ran is failed, what it was to run goes to others.
    fn bury(&mut self, number: u64) {
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
            self.fail_running(running, &how);
        }
        let is_stopping = worker.is_leaving || self.asked > 0;
        if is_stopping {
            self.not_run += worker.assigned.len();
        } else {
            self.queue.put_back(worker.assigned);
        }
        self.last_end = Some(how);
        if !is_stopping && worker.was_useful && !self.queue.is_empty() {
            // Where it cannot be started any more, those who are left do the work.
            let _ = self.start_one(worker.slot);
        }
        self.hand_out();
    }

    fn fail_running(&mut self, example: ExampleStarted, how: &str) {
        let (class, message) = if self.asked > 0 {
            self.not_run += 1;
            (
                "Casebook::Interrupted",
                "the run was stopped before this example ended".to_owned(),
            )
        } else {
            (
                "Casebook::WorkerDied",
                format!("the RSpec process ended while it ran this example: {how}"),
            )
        };
        let time = (self.start.world.now)();
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
        let time = (self.start.world.now)();
        let started = ExampleStarted {
            time,
            example_id: id.to_owned(),
            stable_id: None,
            canonical_path: None,
            description: id.to_owned(),
            full_description: id.to_owned(),
            location: self.files.get(id).cloned().unwrap_or_default(),
            scenario: None,
            position: None,
            metadata: Metadata::from_iter([("worker", json!(slot))]),
        };
        self.begin(started.clone());
        let failed = ExampleFailed {
            message: Some(format!(
                "worker {slot} has no such example: do the examples differ from one loading to the next?"
            )),
            exception_class: Some("Casebook::NotFound".into()),
            ..unexplained(started)
        };
        self.finish(id, failed.into());
    }

    fn tell(&mut self, event: impl Into<Event>) {
        (self.publish)(event.into());
    }

    /// The last words: what the run came to.
    pub(super) fn end(mut self) -> Outcome {
        self.not_run += self.queue.give_up();
        let planned = self.plan.as_ref().map(|plan| plan.examples.len());
        if planned.is_some() || self.tally.finished > 0 {
            let time = (self.start.world.now)();
            self.tell(SuiteStopped { time });
            self.tell(SuiteSummary {
                time,
                duration: ((self.start.world.instant)() - self.began).as_secs_f64(),
                example_count: self.tally.finished as u64,
                failure_count: self.tally.failed as u64,
                pending_count: self.tally.pending as u64,
            });
        }
        let ended_early = self.last_end.filter(|_| planned.is_none());
        Outcome {
            planned,
            failed: self.tally.failed,
            not_run: self.not_run,
            ended_early,
        }
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
