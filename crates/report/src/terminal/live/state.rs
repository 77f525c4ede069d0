//! Updates the shown state with each event.

mod results;
mod suites;

use std::io;

use casebook_record::event::{ExampleStarted, GroupStarted, SuiteStarted};
use casebook_record::{Event, ExampleLookup, Time};

use super::failure_recap::{self, Failure};
use super::running::Running;
use super::screen::Screen;
use super::suites::Suites;
use super::warnings::Warnings;
use super::{Clock, Options, Verbosity, progress};
use crate::flag;
use crate::terminal::failure::IN_FULL;
use crate::terminal::repetitions::RepeatedTests;
use crate::terminal::retries::RetriedTests;
use crate::terminal::soft_checks::SoftChecks;
use crate::terminal::summary::{self, RunCounts};
use crate::terminal::trials::Trials;
use crate::terminal::turn_limit::LimitedSimulations;

/// The state of the run while it lasts.
pub(super) struct LiveState {
    options: Options,
    clock: Clock,
    /// For details of tests.
    run: Box<dyn ExampleLookup>,
    screen: Screen,
    counts: RunCounts,
    /// The time of the first event.
    started: Option<Time>,
    ended: bool,
    /// Parts of the run that have started and not ended. Each worker is one.
    parts: usize,
    running: Running,
    suites: Suites,
    failures: Vec<Failure>,
    /// The number of lines above the first failure.
    above_failures: Option<usize>,
    /// Whether an empty line precedes the next one; failures are surrounded by empty lines.
    gap_due: bool,
    warnings: Warnings,
    trials: Trials,
    repeated: RepeatedTests,
    soft: SoftChecks,
    retried: RetriedTests,
    limited: LimitedSimulations,
}

impl LiveState {
    pub(super) fn new(
        options: Options,
        clock: Clock,
        run: Box<dyn ExampleLookup>,
        out: Box<dyn io::Write + Send>,
        err: Box<dyn io::Write + Send>,
    ) -> LiveState {
        let screen = Screen::new((options.color, options.width), out, err);
        LiveState {
            options,
            clock,
            run,
            screen,
            counts: RunCounts::default(),
            started: None,
            ended: false,
            parts: 0,
            running: Running::default(),
            suites: Suites::default(),
            failures: Vec::new(),
            above_failures: None,
            gap_due: false,
            warnings: Warnings::default(),
            trials: Trials::default(),
            repeated: RepeatedTests::default(),
            soft: SoftChecks::default(),
            retried: RetriedTests::default(),
            limited: LimitedSimulations::default(),
        }
    }

    pub(super) fn take(&mut self, event: &Event) {
        if self.ended {
            return;
        }
        self.started.get_or_insert(event.time());
        match event {
            Event::SuiteStarted(event) => self.part_started(event),
            Event::SuiteStopped(event) => {
                self.parts = self.parts.saturating_sub(1);
                if self.parts == 0 {
                    self.end(event.time);
                }
            }
            Event::GroupStarted(event) => self.group_started(event),
            Event::GroupFinished(event) => {
                let ended = self.suites.close(&event.description, event.time);
                self.suites_ended(ended);
            }
            Event::ExampleStarted(event) => self.test_started(event),
            // A repeated test is shown as running until its last repetition.
            event if event.will_repeat() => {}
            Event::ExampleFailed(failed) if flag(&failed.metadata, "will_retry") => {
                self.running.attempt_failed(&failed.example_id);
            }
            Event::EvaluationRecorded(evaluation) => self.soft.note(evaluation),
            Event::ExamplePassed(_) | Event::ExampleFailed(_) | Event::ExamplePending(_) => {
                self.test_ended(event);
            }
            _ => {}
        }
    }

    fn part_started(&mut self, event: &SuiteStarted) {
        self.parts += 1;
        self.counts.start(event);
    }

    fn group_started(&mut self, event: &GroupStarted) {
        if let Some(file) = &event.file_path {
            let planned = event.example_count;
            self.counts.counts_tests |= planned.is_some();
            self.suites
                .open(&event.description, file, planned, event.time);
        }
    }

    /// Shows the result of a test.
    fn test_ended(&mut self, event: &Event) {
        let id = event.example_id().unwrap_or_default();
        let Some(test) = self.running.end(id, event) else {
            return;
        };
        match event {
            Event::ExamplePassed(passed) => {
                self.soft.end(id);
                self.retried.add(|| test.title.clone(), &passed.metadata);
                self.limited.add(|| test.title.clone(), &passed.metadata);
                self.passed(&test, passed);
            }
            Event::ExampleFailed(failed) => {
                self.soft.end(id);
                self.retried.add(|| test.title.clone(), &failed.metadata);
                self.limited.add(|| test.title.clone(), &failed.metadata);
                self.failed(&test, failed);
            }
            Event::ExamplePending(pending) => self.pending(&test, pending),
            _ => {}
        }
    }

    /// Writes the waiting lines and draws the progress.
    pub(super) fn tick(&mut self) {
        let now = (self.clock)();
        if self.ended || self.options.verbosity == Verbosity::Quiet {
            return self.screen.flush();
        }
        if !self.options.progress {
            self.name_slow(now);
            return self.screen.flush();
        }
        self.screen.flush();
        if let Some(started) = self.started {
            let (counts, running) = (&self.counts, &self.running);
            self.screen
                .draw(|page| progress::show(page, counts, running, started, now));
        }
    }

    /// Writes the waiting lines and erases the progress.
    pub(super) fn leave(&mut self) {
        self.ended = true;
        self.screen.flush();
        self.screen.erase();
    }

    pub(super) fn message(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.screen.message(bytes)
    }

    pub(super) fn error(&mut self) -> Option<io::Error> {
        self.screen.error()
    }

    fn test_started(&mut self, event: &ExampleStarted) {
        self.counts.counts_tests =
            self.counts.counts_tests || event.metadata.get("suite").is_some();
        self.running.begin(event);
        self.soft.begin(&event.example_id);
    }

    fn end(&mut self, time: Time) {
        self.ended = true;
        let rest = self.suites.close_all(time);
        self.suites_ended(rest);
        self.counts.millis = self.started.map(|started| time.millis_since(started));
        self.counts.running = self.running.count();
        let scrolled = self.above_failures.is_some_and(|above| {
            self.screen.lines() - above > self.options.height || self.failures.len() > IN_FULL
        });
        let quiet = self.options.verbosity == Verbosity::Quiet;
        let (failures, warnings, counts) = (&mut self.failures, &mut self.warnings, &self.counts);
        let (soft, retried, trials) = (&self.soft, &self.retried, &mut self.trials);
        let limited = &self.limited;
        let repeated = &mut self.repeated;
        let k = &self.options.k;
        self.screen.print(|page| {
            if scrolled {
                failure_recap::list(page, failures)?;
            }
            if !quiet {
                warnings.show(page)?;
                soft.show(page)?;
                retried.show(page)?;
                limited.show(page)?;
                trials.show(page, k)?;
            }
            // Even if little is shown, because the user asked for the repetitions.
            repeated.show(page)?;
            summary::show(page, counts)
        });
        self.screen.flush();
        self.screen.erase();
    }
}
