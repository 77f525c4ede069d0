//! Writes the Test Anything Protocol, version 13, while tests finish.
//!
//! The plan comes first, then the results in the planned order: early results wait for those before them. A failure has
//! a YAML block. `prove` and `bats` both read and write version 13. Where it is unspecified (a `#` or a line break in a
//! name), version 14 is followed.

mod finished;
mod point;
mod reorder;
mod trace;
mod yaml;

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use casebook_record::event::{EvaluationRecorded, ExampleStarted};
use casebook_record::{Event, EventFilter, EventKind, Listener, ListenerError};
use serde_json::Value;

use crate::examples::split_location;
use crate::failures::{self, Failure};
use crate::flag;
use crate::locks;
use crate::terminal::{rename, started_title};
pub use finished::write;
use point::PointResult;
use reorder::ReorderBuffer;

/// Options of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether to write ` in 12ms` after each name, as `bats --timing` does.
    pub timing: bool,
    /// Whether to write each command and its output as comments after its result.
    pub trace: bool,
}

/// Writes a run as TAP. Returns the first error of the writer once and writes nothing afterwards.
pub struct Tap<W> {
    options: Options,
    out: W,
    broken: bool,
    planned: Option<u64>,
    /// Parts of the run that have started and not ended. Each worker is one.
    parts: usize,
    running: HashMap<String, Test>,
    ended: HashSet<String>,
    results: ReorderBuffer<(Test, PointResult)>,
    written: u64,
    /// The suite of the last result.
    file: String,
}

/// A test that has started.
struct Test {
    name: String,
    /// Its name at the start, without its groups.
    description: String,
    position: Option<u64>,
    file: String,
    location: String,
    earlier: usize,
    /// Its locks, as text.
    locks: Option<String>,
    /// The checks of the last attempt that failed.
    failed_checks: Vec<Failure<'static>>,
}

impl Test {
    /// The test of the event. The groups are part of the name only for tests without a suite, because a comment names
    /// the suite.
    fn of(event: &ExampleStarted) -> Test {
        let text = |field| event.metadata.get(field).and_then(Value::as_str);
        let file = text("file").unwrap_or(split_location(&event.location).0);
        Test {
            name: match text("suite") {
                Some(_) => event.description.clone(),
                None => started_title(event),
            },
            description: event.description.clone(),
            position: event.position,
            file: file.to_owned(),
            location: event.location.clone(),
            earlier: 0,
            locks: locks::shown(&event.metadata),
            failed_checks: Vec::new(),
        }
    }
}

impl<W: io::Write> Tap<W> {
    /// Creates a listener that writes to `out`.
    pub fn new(options: Options, out: W) -> Tap<W> {
        Tap {
            options,
            out,
            broken: false,
            planned: None,
            parts: 0,
            running: HashMap::new(),
            ended: HashSet::new(),
            results: ReorderBuffer::default(),
            written: 0,
            file: String::new(),
        }
    }

    fn take(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::SuiteStarted(event) => {
                self.parts += 1;
                self.plan(event.example_count)
            }
            Event::SuiteStopped(_) => {
                self.parts = self.parts.saturating_sub(1);
                if self.parts == 0 {
                    self.end()?;
                }
                Ok(())
            }
            Event::ExampleStarted(event) => {
                self.begin(event);
                Ok(())
            }
            Event::EvaluationRecorded(event) => {
                self.note_check(event);
                Ok(())
            }
            event if event.will_repeat() => Ok(()),
            event => self.test_ended(event),
        }
    }

    fn note_check(&mut self, event: &EvaluationRecorded) {
        if let Some(test) = self.running.get_mut(&event.example_id) {
            let failed = failures::recorded_check(event, &test.location);
            test.failed_checks.extend(failed);
        }
    }

    /// Writes the result of a test. Other events are ignored.
    fn test_ended(&mut self, event: &Event) -> io::Result<()> {
        let trace = self.options.trace;
        match event {
            Event::ExamplePassed(event) => {
                self.result(&event.example_id, &event.description, |test| {
                    PointResult::passed(event, test.earlier, trace)
                })
            }
            Event::ExampleFailed(event) if flag(&event.metadata, "will_retry") => Ok(()),
            Event::ExampleFailed(event) => {
                self.result(&event.example_id, &event.description, |test| {
                    let checks = std::mem::take(&mut test.failed_checks);
                    PointResult::failed(event, checks, test.locks.take(), trace)
                })
            }
            Event::ExamplePending(event) => {
                self.result(&event.example_id, &event.description, |_| {
                    PointResult::skipped(event)
                })
            }
            _ => Ok(()),
        }
    }

    fn plan(&mut self, count: u64) -> io::Result<()> {
        if self.planned.is_some() {
            return Ok(());
        }
        self.planned = Some(count);
        let skip = if count == 0 { " # SKIP no tests" } else { "" };
        writeln!(self.out, "TAP version 13\n1..{count}{skip}")?;
        self.out.flush()
    }

    fn begin(&mut self, event: &ExampleStarted) {
        self.running
            .entry(event.example_id.clone())
            .and_modify(|test| {
                test.earlier += 1;
                test.failed_checks.clear();
            })
            .or_insert_with(|| Test::of(event));
    }

    /// A test whose start was not received.
    fn without_start(&self, name: &str) -> Test {
        Test {
            name: name.to_owned(),
            description: name.to_owned(),
            position: None,
            file: self.file.clone(),
            location: String::new(),
            earlier: 0,
            locks: None,
            failed_checks: Vec::new(),
        }
    }

    /// Writes the result of a test. A result without a start event counts; a second result of the same test does not.
    fn result(
        &mut self,
        id: &str,
        name: &str,
        outcome: impl FnOnce(&mut Test) -> PointResult,
    ) -> io::Result<()> {
        let test = self.running.remove(id);
        if !self.ended.insert(id.to_owned()) {
            return Ok(());
        }
        let mut test = test.unwrap_or_else(|| self.without_start(name));
        rename(&mut test.name, &test.description, name);
        let (position, outcome) = (test.position, outcome(&mut test));
        self.results.put(position, (test, outcome));
        while let Some(result) = self.results.take_next() {
            self.write(result)?;
        }
        self.out.flush()
    }

    fn write(&mut self, (test, outcome): (Test, PointResult)) -> io::Result<()> {
        if test.file != self.file {
            point::write_comment(&mut self.out, &test.file)?;
            self.file = test.file;
        }
        self.written += 1;
        let (number, timing) = (self.written, self.options.timing);
        outcome.write(&mut self.out, number, &test.name, timing)
    }

    /// Reports planned tests without a result as not run, so that the output does not look truncated.
    fn end(&mut self) -> io::Result<()> {
        while let Some(result) = self.results.take_any() {
            self.write(result)?;
        }
        let planned = self.planned.unwrap_or(0);
        match planned.saturating_sub(self.written) {
            0 => {}
            missing => writeln!(
                self.out,
                "Bail out! {missing} of {planned} tests were not run"
            )?,
        }
        self.out.flush()
    }
}

impl<W: io::Write + Send> Listener for Tap<W> {
    fn name(&self) -> &'static str {
        "tap"
    }

    fn interest(&self) -> EventFilter {
        EventFilter::only(&[
            EventKind::SuiteStarted,
            EventKind::SuiteStopped,
            EventKind::ExampleStarted,
            EventKind::ExamplePassed,
            EventKind::ExampleFailed,
            EventKind::ExamplePending,
            EventKind::EvaluationRecorded,
        ])
    }

    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError> {
        if self.broken {
            return Ok(());
        }
        self.take(event).inspect_err(|_| self.broken = true)?;
        Ok(())
    }
}
