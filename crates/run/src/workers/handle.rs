//! One worker as the controller sees it: given a test, watched, replaced when it dies.

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
use crate::engine::SuiteEnvironment;
use crate::executor::TestEnd;
use crate::plan::PlannedTest;
use crate::scratch;
use crate::shell::{TEST_MARK, process_tree};

/// How long a request to stop may go unnoticed.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long a worker may take to be ready, and to go.
const START_STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// A worker, started when it is needed.
pub(crate) struct WorkerHandle<'a> {
    pool: &'a WorkerPool<'a>,
    number: usize,
    link: Option<Box<dyn Link>>,
    /// The suites that the worker has been told of.
    known: HashSet<usize>,
    next_id: u64,
    /// The test that the worker was given last, by the number of the request.
    given: Option<u64>,
    /// Events of a test that is done: they can wait until the worker has the next one.
    untold: Vec<Event>,
}

/// A test for a worker.
#[derive(Clone, Copy)]
pub(crate) struct RemoteJob<'e> {
    /// The place of its suite.
    pub(crate) index: usize,
    pub(crate) planned: PlannedTest<'e>,
    pub(crate) suite_environment: &'e SuiteEnvironment,
}

/// Why a worker is given up.
#[derive(Debug, thiserror::Error)]
enum WorkerFailure {
    #[error("it could not be started: {0}")]
    NotStarted(std::io::Error),
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("it sent a line that is no frame: {0}")]
    Garbage(String),
    #[error("it speaks version {0} of the protocol, not {VERSION}")]
    Version(u32),
    #[error("it said nothing for {:.1} s", .0.as_secs_f64())]
    Silent(Duration),
}

/// What is known of the running test from the events that came.
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
            known: HashSet::new(),
            next_id: 1,
            given: None,
            untold: Vec::new(),
        }
    }

    /// Gives the worker a test, which begins at once, and tells of the one before it. Whatever goes wrong is noticed
    /// when its end is waited for.
    pub(crate) fn submit(&mut self, job: &RemoteJob<'_>) {
        self.given = self.give(job).ok();
        self.flush_events();
    }

    /// Tells of the last test what can wait until the worker has something to do.
    pub(crate) fn flush_events(&mut self) {
        for event in self.untold.drain(..) {
            self.pool.emitter.sink().publish(event);
        }
    }

    /// Waits for the end of the test that the worker was given. If it dies over it, the test has failed. What came
    /// last of its events is not told yet.
    pub(crate) fn wait(&mut self, job: &RemoteJob<'_>) -> TestEnd {
        let mut seen = TestProgress::Nothing;
        let dead = match self.wait_for_end(job, &mut seen) {
            Ok(end) => return end,
            Err(dead) => dead,
        };
        self.flush_events();
        let reason = self.dispose(&dead);
        if let TestProgress::Ended(end) = seen {
            return end;
        }
        if self.pool.stop.is_requested() {
            return TestEnd::Interrupted;
        }
        let RemoteJob { planned, .. } = *job;
        if seen == TestProgress::Nothing {
            self.pool.emitter.attempt_started(planned, 1, self.number);
        }
        let message = format!("worker {} died: {reason}", self.number);
        self.pool.emitter.worker_died(planned, &message);
        TestEnd::Failed
    }

    fn wait_for_end(
        &mut self,
        job: &RemoteJob<'_>,
        seen: &mut TestProgress,
    ) -> Result<TestEnd, WorkerFailure> {
        let id = match self.given.take() {
            Some(id) => id,
            None => self.give(job)?,
        };
        let mut told_stops = 0;
        let mut heard = (self.pool.instant)();
        loop {
            if self.pool.stop.request_count() > told_stops {
                told_stops += 1;
                self.send(&Frame::Stop)?;
            }
            match self.receive(&mut heard)? {
                None | Some(Received::Frame(Frame::Alive)) => {}
                Some(Received::Event(event)) => {
                    seen.note(&event, &job.planned.id);
                    self.untold.push(*event);
                    // The end of the test may have come with it.
                    if !self.link.as_ref().is_some_and(|link| link.has_more()) {
                        self.flush_events();
                    }
                }
                Some(Received::Frame(Frame::Keep(keep))) => self.keep(&keep),
                Some(Received::Frame(Frame::Warn(message))) => {
                    self.pool.emitter.sink().warn(&message);
                }
                Some(Received::Frame(Frame::Learn(exported))) => {
                    self.pool.emitter.sink().register_secrets(&exported);
                }
                Some(Received::Frame(Frame::Done { id: done, end })) if done == id => {
                    return Ok(end);
                }
                Some(Received::Frame(other)) => {
                    return Err(WorkerFailure::Garbage(format!("{other:?}")));
                }
            }
        }
    }

    /// Sends a test; the number of the request.
    fn give(&mut self, job: &RemoteJob<'_>) -> Result<u64, WorkerFailure> {
        self.ensure_started()?;
        if self.known.insert(job.index) {
            self.send_suite(job)?;
        }
        let id = self.next_id;
        self.next_id += 1;
        self.send(&Frame::Run(RunTest::new(id, job.index, &job.planned)))?;
        Ok(id)
    }

    /// Makes sure that there is a worker.
    fn ensure_started(&mut self) -> Result<(), WorkerFailure> {
        if self.link.is_some() {
            return Ok(());
        }
        self.known.clear();
        let link = self
            .pool
            .transport
            .start(self.number)
            .map_err(WorkerFailure::NotStarted)?;
        self.link = Some(link);
        let scratch = to_text(self.pool.scratch.as_os_str());
        let keeps_output = self.pool.emitter.sink().wants_full_output();
        let hello = Hello::new(self.pool.options, self.number, scratch, keeps_output);
        self.send(&Frame::Hello(hello))?;
        let started = (self.pool.instant)();
        let mut heard = started;
        loop {
            match self.receive(&mut heard)? {
                Some(Received::Frame(Frame::Ready { version: VERSION })) => return Ok(()),
                Some(Received::Frame(Frame::Ready { version })) => {
                    return Err(WorkerFailure::Version(version));
                }
                Some(_) => return Err(WorkerFailure::Garbage("it was not ready".into())),
                None if (self.pool.instant)() - started > START_STOP_TIMEOUT => {
                    return Err(WorkerFailure::Silent(START_STOP_TIMEOUT));
                }
                None => {}
            }
        }
    }

    /// Tells the worker of a suite, before the first of its tests.
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
            folder: to_text(job.suite_environment.folder.as_os_str()),
        }))
    }

    fn send(&mut self, frame: &Frame) -> Result<(), WorkerFailure> {
        let link = self.link.as_mut().ok_or(LinkError::Closed)?;
        Ok(link.send(&frame.line())?)
    }

    /// What the worker says next; nothing for a moment of silence.
    fn receive(&mut self, heard: &mut Instant) -> Result<Option<Received>, WorkerFailure> {
        let now = self.pool.instant;
        let link = self.link.as_mut().ok_or(LinkError::Closed)?;
        let Some(text) = link.receive(STOP_POLL_INTERVAL)? else {
            let silent = now() - *heard;
            if silent > self.pool.heartbeat_timeout {
                return Err(WorkerFailure::Silent(silent));
            }
            return Ok(None);
        };
        *heard = now();
        if text.starts_with(EVENT) {
            let event = decode(text).map_err(|error| WorkerFailure::Garbage(error.to_string()))?;
            return Ok(Some(Received::Event(Box::new(event))));
        }
        serde_json::from_str(text)
            .map(|frame| Some(Received::Frame(frame)))
            .map_err(|error| WorkerFailure::Garbage(error.to_string()))
    }

    /// Hands the whole output of a failed test on, and removes the worker's copy.
    fn keep(&self, keep: &SaveOutput) {
        let read = |(name, path): &(String, String)| Some((name.clone(), fs::read(path).ok()?));
        let streams: Vec<_> = keep.streams.iter().filter_map(read).collect();
        let streams: Vec<_> = streams
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
            .collect();
        self.pool
            .emitter
            .sink()
            .save_output(&keep.example_id, &streams);
        for (_, path) in &keep.streams {
            let _ = fs::remove_file(path);
        }
    }

    /// Ends what is left of a worker and of its tests, and says why it died.
    fn dispose(&mut self, dead: &WorkerFailure) -> String {
        let ended = self.link.take().and_then(|mut link| link.end());
        let mark = worker::folder_prefix(self.pool.scratch, self.number);
        for pid in process_tree::orphans_below(TEST_MARK, &mark) {
            let _ = kill_process(pid, Signal::KILL);
        }
        process_tree::reap_adopted();
        scratch::remove_all(&mark);
        match (dead, ended) {
            // It was not the channel's fault.
            (WorkerFailure::Link(LinkError::Closed), Some(ended)) => ended,
            (dead, _) => dead.to_string(),
        }
    }
}

impl Drop for WorkerHandle<'_> {
    fn drop(&mut self) {
        if self.send(&Frame::Shutdown).is_err() {
            return;
        }
        let until = (self.pool.instant)() + START_STOP_TIMEOUT;
        let mut heard = (self.pool.instant)();
        while (self.pool.instant)() < until && self.receive(&mut heard).is_ok() {}
    }
}

/// What a worker says.
enum Received {
    Event(Box<Event>),
    Frame(Frame),
}

impl TestProgress {
    fn note(&mut self, event: &Event, example_id: &str) {
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
            _ => {}
        }
    }
}
