//! [`WorkerHandle`]: the controller's side of one worker, which sends it tests and replaces it if it dies.

use std::collections::HashSet;
use std::fs;
use std::time::{Duration, Instant};

use casebook_record::{Event, decode};
use rustix::process::{Signal, kill_process};
use serde_json::Value;

use super::frame::{self, EVENT, Frame, Hello, RunTest, SaveOutput, SuiteText, VERSION};
use super::link::{Link, LinkError};
use super::os_text::to_text;
use super::pool::WorkerPool;
use super::worker;
use crate::attempt::AttemptNumber;
use crate::attempt::TestEnd;
use crate::emitter::EventEmitter;
use crate::engine::SuiteEnvironment;
use crate::event_sink::EventSink;
use crate::options::{LlmOptions, Options};
use crate::plan::{PlannedTest, TestEntry};
use crate::scratch;
use crate::shell::{TEST_MARK, process_tree};

/// How long it may take to notice a stop request.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long a worker may take to start or to exit.
const START_STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// One worker, started when it is first needed.
pub(crate) struct WorkerHandle<'a> {
    pool: &'a WorkerPool<'a>,
    number: usize,
    link: Option<Box<dyn Link>>,
    /// The suites that were sent to the worker.
    sent_suites: HashSet<usize>,
    next_id: u64,
    /// The id of the last submitted test.
    submitted: Option<u64>,
    /// Events of a finished test, published after the worker got the next one.
    pending_events: Vec<Event>,
}

/// A test for a worker.
#[derive(Clone, Copy)]
pub(crate) struct RemoteJob<'e> {
    /// The index of its suite.
    pub(crate) index: usize,
    pub(crate) planned: PlannedTest<'e>,
    pub(crate) suite_environment: &'e SuiteEnvironment,
    /// The number of the repetition, if the test is repeated.
    pub(crate) repetition: Option<u32>,
}

/// Why a worker is replaced.
#[derive(Debug, thiserror::Error)]
enum WorkerFailure {
    #[error("cannot start it: {0}")]
    NotStarted(std::io::Error),
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("it sent an invalid line: {0}")]
    Garbage(String),
    #[error("it has protocol version {0} instead of {VERSION}")]
    Version(u32),
    #[error("no heartbeat for {:.1} s", .0.as_secs_f64())]
    Silent(Duration),
}

/// The progress of the running test, according to its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestProgress {
    Nothing,
    Started,
    Ended(TestEnd),
}

impl<'a> WorkerHandle<'a> {
    pub(super) fn new(pool: &'a WorkerPool<'a>, number: usize) -> WorkerHandle<'a> {
        WorkerHandle {
            pool,
            number,
            link: None,
            sent_suites: HashSet::new(),
            next_id: 1,
            submitted: None,
            pending_events: Vec::new(),
        }
    }

    /// Sends the worker a test, which starts immediately, and publishes the events of the previous one. An error is
    /// noticed by [`WorkerHandle::wait`].
    pub(crate) fn submit(&mut self, job: &RemoteJob<'_>) {
        self.submitted = self.send_test(job).ok();
        self.flush_events(self.pool.emitter.sink());
    }

    /// Publishes the remaining events of the last test.
    pub(crate) fn flush_events(&mut self, sink: &dyn EventSink) {
        for event in self.pending_events.drain(..) {
            sink.publish(event);
        }
    }

    /// Waits for the end of the submitted test, which fails if the worker dies, and emits its events. The last events are
    /// not yet published.
    pub(crate) fn wait(&mut self, job: &RemoteJob<'_>, emitter: &EventEmitter<'_>) -> TestEnd {
        let mut progress = TestProgress::Nothing;
        let failure = match self.wait_for_end(job, emitter.sink(), &mut progress) {
            Ok(end) => return end,
            Err(failure) => failure,
        };
        self.flush_events(emitter.sink());
        let reason = self.dispose(&failure);
        if let TestProgress::Ended(end) = progress {
            return end;
        }
        if self.pool.stop.is_requested() {
            return TestEnd::Interrupted;
        }
        let RemoteJob { planned, .. } = *job;
        if progress == TestProgress::Nothing {
            let number = job.repetition.map(AttemptNumber::Repetition);
            let number = number.unwrap_or(AttemptNumber::FIRST);
            emitter.attempt_started(planned, number, self.number);
        }
        let message = format!("worker {} died: {reason}", self.number);
        emitter.worker_died(planned, &message);
        TestEnd::Failed
    }

    fn wait_for_end(
        &mut self,
        job: &RemoteJob<'_>,
        sink: &dyn EventSink,
        progress: &mut TestProgress,
    ) -> Result<TestEnd, WorkerFailure> {
        let id = match self.submitted.take() {
            Some(id) => id,
            None => self.send_test(job)?,
        };
        let mut sent_stops = 0;
        let mut last_received = (self.pool.instant)();
        loop {
            if self.pool.stop.request_count() > sent_stops {
                sent_stops += 1;
                self.send(&Frame::Stop)?;
            }
            match self.receive(&mut last_received)? {
                None | Some(Received::Frame(Frame::Alive)) => {}
                Some(Received::Event(event)) => {
                    progress.update(&event, &job.planned.id);
                    self.pending_events.push(*event);
                    // If the end of the test has already arrived, its events wait until the next test is submitted.
                    if !self.link.as_ref().is_some_and(|link| link.has_more()) {
                        self.flush_events(sink);
                    }
                }
                Some(Received::Frame(Frame::Keep(output))) => save_output(&output, sink),
                Some(Received::Frame(Frame::Warn(message))) => sink.warn(&message),
                Some(Received::Frame(Frame::Learn(exported))) => sink.register_secrets(&exported),
                Some(Received::Frame(Frame::Done {
                    id: done,
                    end,
                    spent,
                })) if done == id => {
                    if let Some(spent) = spent {
                        self.pool.spending.add(job.planned.suite.name(), spent);
                    }
                    return Ok(end);
                }
                Some(Received::Frame(other)) => {
                    return Err(WorkerFailure::Garbage(format!("{other:?}")));
                }
            }
        }
    }

    /// Sends a test; returns the id of the request.
    fn send_test(&mut self, job: &RemoteJob<'_>) -> Result<u64, WorkerFailure> {
        self.ensure_started()?;
        if self.sent_suites.insert(job.index) {
            self.send_suite(job)?;
        }
        let id = self.next_id;
        self.next_id += 1;
        self.send(&Frame::Run(RunTest {
            id,
            suite: job.index,
            test: TestEntry::clone(&job.planned),
            repetition: job.repetition,
        }))?;
        Ok(id)
    }

    /// Starts the worker if there is none.
    fn ensure_started(&mut self) -> Result<(), WorkerFailure> {
        if self.link.is_some() {
            return Ok(());
        }
        self.sent_suites.clear();
        let link = self
            .pool
            .transport
            .start(self.number)
            .map_err(WorkerFailure::NotStarted)?;
        self.link = Some(link);
        let options = self.pool.options;
        self.send(&Frame::Hello(Box::new(Hello {
            version: VERSION,
            worker: self.number,
            scratch: to_text(self.pool.scratch.as_os_str()),
            keeps_output: self.pool.emitter.sink().wants_full_output(),
            options: Options {
                llm: LlmOptions {
                    processes: options.jobs,
                    ..options.llm.clone()
                },
                ..options.clone()
            },
        })))?;
        let started = (self.pool.instant)();
        let mut last_received = started;
        loop {
            match self.receive(&mut last_received)? {
                Some(Received::Frame(Frame::Ready { version: VERSION })) => return Ok(()),
                Some(Received::Frame(Frame::Ready { version })) => {
                    return Err(WorkerFailure::Version(version));
                }
                Some(_) => return Err(WorkerFailure::Garbage("not a `ready` frame".into())),
                None if (self.pool.instant)() - started > START_STOP_TIMEOUT => {
                    return Err(WorkerFailure::Silent(START_STOP_TIMEOUT));
                }
                None => {}
            }
        }
    }

    /// Sends a suite, before its first test.
    fn send_suite(&mut self, job: &RemoteJob<'_>) -> Result<(), WorkerFailure> {
        let file = &job.planned.suite.suite.file;
        self.send(&Frame::Suite(SuiteText {
            suite: job.index,
            name: file.name().to_owned(),
            yaml: file.text().to_owned(),
            files: job.planned.suite.suite.files.clone(),
        }))?;
        let variables = job.suite_environment.environment.iter();
        self.send(&Frame::File(frame::SuiteSetup {
            suite: job.index,
            environment: variables
                .map(|(name, value)| (to_text(name), to_text(value)))
                .collect(),
            dir: to_text(job.suite_environment.dir.as_os_str()),
            services: job.suite_environment.services.clone(),
        }))
    }

    fn send(&mut self, frame: &Frame) -> Result<(), WorkerFailure> {
        let link = self.link.as_mut().ok_or(LinkError::Closed)?;
        Ok(link.send(&frame.line())?)
    }

    /// Receives the next event or frame; `None` if there was none for [`STOP_POLL_INTERVAL`].
    fn receive(&mut self, last_received: &mut Instant) -> Result<Option<Received>, WorkerFailure> {
        let now = self.pool.instant;
        let link = self.link.as_mut().ok_or(LinkError::Closed)?;
        let Some(text) = link.receive(STOP_POLL_INTERVAL)? else {
            let silent = now() - *last_received;
            if silent > self.pool.heartbeat_timeout {
                return Err(WorkerFailure::Silent(silent));
            }
            return Ok(None);
        };
        *last_received = now();
        if text.starts_with(EVENT) {
            let event = decode(text).map_err(|error| WorkerFailure::Garbage(error.to_string()))?;
            return Ok(Some(Received::Event(Box::new(event))));
        }
        serde_json::from_str(text)
            .map(|frame| Some(Received::Frame(frame)))
            .map_err(|error| WorkerFailure::Garbage(error.to_string()))
    }

    /// Kills the rest of a worker and the processes of its tests. Returns why it died.
    fn dispose(&mut self, failure: &WorkerFailure) -> String {
        let exit = self.link.take().and_then(|mut link| link.end());
        let prefix = worker::dir_prefix(self.number);
        let mark = self.pool.scratch.join(&prefix);
        for mark in [&mark, &scratch::kept_root(self.pool.scratch).join(&prefix)] {
            for pid in process_tree::orphans_below(TEST_MARK, mark) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        process_tree::reap_adopted();
        scratch::remove_all(&mark);
        match (failure, exit) {
            // The exit of the process explains more than the closed connection.
            (WorkerFailure::Link(LinkError::Closed), Some(exit)) => exit,
            (failure, _) => failure.to_string(),
        }
    }
}

impl Drop for WorkerHandle<'_> {
    fn drop(&mut self) {
        if self.send(&Frame::Shutdown).is_err() {
            return;
        }
        let until = (self.pool.instant)() + START_STOP_TIMEOUT;
        let mut last_received = (self.pool.instant)();
        while (self.pool.instant)() < until && self.receive(&mut last_received).is_ok() {}
    }
}

/// Passes the complete output of a failed test to the sink, and removes the worker's copy.
fn save_output(output: &SaveOutput, sink: &dyn EventSink) {
    let read = |(name, path): &(String, String)| Some((name.clone(), fs::read(path).ok()?));
    let streams: Vec<_> = output.streams.iter().filter_map(read).collect();
    let streams: Vec<_> = streams
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    sink.save_output(&output.example_id, &streams);
    for (_, path) in &output.streams {
        let _ = fs::remove_file(path);
    }
}

/// A message from a worker.
enum Received {
    Event(Box<Event>),
    Frame(Frame),
}

impl TestProgress {
    fn update(&mut self, event: &Event, example_id: &str) {
        if event.example_id() != Some(example_id) {
            return;
        }
        match event {
            Event::ExampleStarted(_) => *self = TestProgress::Started,
            Event::ExamplePassed(_) => *self = TestProgress::Ended(TestEnd::Passed),
            Event::ExampleFailed(failed)
                if failed.metadata.get("will_retry") != Some(&Value::Bool(true)) =>
            {
                *self = TestProgress::Ended(TestEnd::Failed);
            }
            Event::ExamplePending(_) => *self = TestProgress::Ended(TestEnd::Skipped),
            _ => {}
        }
    }
}
