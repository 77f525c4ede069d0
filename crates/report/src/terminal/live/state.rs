//! Updates the shown state with each event.

use std::io;

use casebook_record::event::{ExampleFailed, ExamplePassed, ExamplePending, ExampleStarted};
use casebook_record::{Event, ExampleLookup, Metadata, RunData, Time};

use super::failure_recap::{self, Failure};
use super::running::{Running, Test};
use super::screen::Screen;
use super::suites::{Suite, Suites};
use super::warnings::Warnings;
use super::{Clock, Options, Verbosity, progress};
use crate::examples::{expected_failure, is_failed_hook, is_interruption, millis};
use crate::flag;
use crate::terminal::Transcripts;
use crate::terminal::command::Command;
use crate::terminal::duration::human;
use crate::terminal::evaluation::AlreadyShown;
use crate::terminal::failure::{self, FailureOptions, IN_FULL};
use crate::terminal::output::record_dir;
use crate::terminal::page::Page;
use crate::terminal::soft_checks::SoftChecks;
use crate::terminal::style::{BAD, DIM, GOOD, LOCATION, PLAIN, WARN};
use crate::terminal::styled::Span;
use crate::terminal::summary::{self, RunCounts};
use crate::terminal::transcript;
use crate::terminal::trials::Trials;

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
    soft: SoftChecks,
}

/// The line of one result.
struct ResultLine<'r> {
    mark: Span<'r>,
    test: &'r Test,
    millis: Option<i64>,
    /// Why it was skipped, or that it is flaky.
    remark: &'r str,
    metadata: &'r Metadata,
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
            soft: SoftChecks::default(),
        }
    }

    pub(super) fn take(&mut self, event: &Event) {
        if self.ended {
            return;
        }
        self.started.get_or_insert(event.time());
        match event {
            Event::SuiteStarted(event) => {
                self.parts += 1;
                let planned = usize::try_from(event.example_count).unwrap_or(usize::MAX);
                self.counts.planned = self.counts.planned.max(planned);
            }
            Event::SuiteStopped(event) => {
                self.parts = self.parts.saturating_sub(1);
                if self.parts == 0 {
                    self.end(event.time);
                }
            }
            Event::GroupStarted(event) => {
                if let Some(file) = &event.file_path {
                    let planned = event.example_count;
                    self.counts.counts_tests |= planned.is_some();
                    self.suites
                        .open(&event.description, file, planned, event.time);
                }
            }
            Event::GroupFinished(event) => {
                let ended = self.suites.close(&event.description, event.time);
                self.suites_ended(ended);
            }
            Event::ExampleStarted(event) => self.test_started(event),
            Event::ExamplePassed(passed) => {
                if let Some(test) = self.running.end(&passed.example_id, event) {
                    self.soft.end(&passed.example_id);
                    self.passed(&test, passed);
                }
            }
            Event::ExampleFailed(failed) if flag(&failed.metadata, "will_retry") => {
                self.running.attempt_failed(&failed.example_id);
            }
            Event::ExampleFailed(failed) => {
                if let Some(test) = self.running.end(&failed.example_id, event) {
                    self.soft.end(&failed.example_id);
                    self.failed(&test, failed);
                }
            }
            Event::ExamplePending(pending) => {
                if let Some(test) = self.running.end(&pending.example_id, event) {
                    self.pending(&test, pending);
                }
            }
            Event::EvaluationRecorded(evaluation) => self.soft.note(evaluation),
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

    fn passed(&mut self, test: &Test, event: &ExamplePassed) {
        let flaky = test.earlier > 0 || flag(&event.metadata, "command.flaky");
        self.count(test, |counts| {
            counts.passed += 1;
            counts.flaky += usize::from(flaky);
        });
        self.warnings.note(test, true, &event.metadata);
        self.add_trial(test, Some(true));
        self.result(&ResultLine {
            mark: if flaky { (WARN, "~ ") } else { (GOOD, "✓ ") },
            test,
            millis: Some(millis(event.duration)),
            remark: if flaky { "flaky" } else { "" },
            metadata: &event.metadata,
        });
        if self.options.trace && event.metadata.get("conversation").is_some() {
            self.show_transcript(test, &event.example_id);
        }
    }

    /// Shows the transcript of a passed conversation.
    fn show_transcript(&mut self, test: &Test, id: &str) {
        let run = self.example(test, id);
        let conversations = run.iter().flat_map(|run| run.examples.values());
        let conversations = conversations
            .filter_map(|example| Some((example, transcript::non_empty_conversation(example)?)));
        self.print(|page| {
            let mut conversations = conversations;
            conversations.try_for_each(|(example, conversation)| {
                transcript::show(page, 2, example, conversation, &AlreadyShown::default())
            })
        });
    }

    fn pending(&mut self, test: &Test, event: &ExamplePending) {
        let is_expected = expected_failure(&event.metadata).is_some();
        self.count(test, |counts| {
            counts.pending += 1;
            counts.expected_failures += usize::from(is_expected);
        });
        self.add_trial(test, None);
        let word = if self.counts.counts_tests {
            "skipped"
        } else {
            "pending"
        };
        self.result(&ResultLine {
            mark: (WARN, "○ "),
            test,
            millis: None,
            remark: event.message.as_deref().unwrap_or(word),
            metadata: &event.metadata,
        });
    }

    fn failed(&mut self, test: &Test, event: &ExampleFailed) {
        self.warnings.note(test, false, &event.metadata);
        if is_interruption(event.exception_class.as_deref()) {
            return self.interrupted(test, event);
        }
        let is_hook = is_failed_hook(&event.metadata);
        self.count(test, |counts| {
            *(if is_hook {
                &mut counts.failed_hooks
            } else {
                &mut counts.failed
            }) += 1;
        });
        self.add_trial(test, Some(false));
        let Some(run) = self.example(test, &event.example_id) else {
            return;
        };
        self.above_failures.get_or_insert(self.screen.lines());
        if self.failures.len() >= IN_FULL {
            self.name_failure(&run, (BAD, "✗ "));
        } else {
            self.show_failure(&run);
        }
        let failures = run
            .examples
            .values()
            .map(|example| Failure::of(test.position, &run, example));
        self.failures.extend(failures);
    }

    fn interrupted(&mut self, test: &Test, event: &ExampleFailed) {
        self.count(test, |counts| counts.interrupted += 1);
        self.add_trial(test, None);
        if let Some(run) = self.example(test, &event.example_id) {
            self.name_failure(&run, (WARN, "○ "));
        }
    }

    /// The run reduced to this test. If it cannot be read, only the name of the test is shown.
    fn example(&mut self, test: &Test, id: &str) -> Option<RunData> {
        match self.run.example(id) {
            Ok(run) => run,
            Err(error) => {
                let reason = format!("  cannot read its record: {error}");
                self.print(|page| {
                    page.row_to_end(0, &[(BAD, "✗ "), (PLAIN, &test.title)], (DIM, &reason))
                });
                None
            }
        }
    }

    fn add_trial(&mut self, test: &Test, passed: Option<bool>) {
        if let Some((id, title)) = &test.trial_of {
            self.trials.add(id, title, test.position, passed);
        }
    }

    fn count(&mut self, test: &Test, count: impl Fn(&mut RunCounts)) {
        count(&mut self.counts);
        count(&mut self.suites.of(&test.file).counts);
    }

    fn result(&mut self, result: &ResultLine) {
        let Options { timing, trace, .. } = self.options;
        if !(timing || trace || self.options.verbosity == Verbosity::Verbose) {
            return;
        }
        self.print(|page| {
            let time = result.millis.filter(|_| timing);
            let time = time.map_or(String::new(), |millis| format!("  {}", human(millis)));
            let remark = match result.remark {
                "" => String::new(),
                remark => format!("  {remark}"),
            };
            let title = (PLAIN, result.test.title.as_str());
            page.row_to_end(0, &[result.mark, title, (WARN, &remark)], (DIM, &time))?;
            match Command::of(result.metadata).filter(|_| trace) {
                Some(command) => command.trace(page, 2),
                None => Ok(()),
            }
        });
    }

    fn show_failure(&mut self, run: &RunData) {
        let record = record_dir(self.options.record.as_deref(), &*self.run);
        let failure_options = FailureOptions {
            transcripts: Transcripts::Failed,
            record: record.as_deref(),
        };
        let first = self.screen.lines() == 0;
        self.screen.print(|page| {
            if !first {
                page.blank()?;
            }
            run.examples.values().try_for_each(|example| {
                failure::show_in_full(page, (BAD.bold(), "✗ "), run, example, failure_options)
            })
        });
        self.gap_due = true;
    }

    fn name_failure(&mut self, run: &RunData, mark: Span) {
        self.print(|page| {
            run.examples
                .values()
                .try_for_each(|example| failure::show_named(page, mark, run, example))
        });
    }

    fn print(&mut self, print: impl FnOnce(&mut Page) -> io::Result<()>) {
        let gap_due = std::mem::take(&mut self.gap_due);
        self.screen.print(|page| {
            if gap_due {
                page.blank()?;
            }
            print(page)
        });
    }

    fn suites_ended(&mut self, mut ended: Vec<(String, Suite)>) {
        if self.options.verbosity == Verbosity::Quiet || ended.is_empty() {
            return;
        }
        // A run of suites stops its tests before it ends a suite.
        if self.counts.counts_tests {
            for (file, suite) in &mut ended {
                suite.counts.counts_tests = true;
                self.name_interrupted(file);
                suite.counts.interrupted += self.running.in_file(file).len();
            }
        }
        self.print(|page| {
            ended
                .iter()
                .try_for_each(|(file, suite)| show_suite(page, file, &suite.counts))
        });
    }

    /// Names the tests of an ended suite that were stopped with the run.
    fn name_interrupted(&mut self, file: &str) {
        let tests = self.running.in_file(file).into_iter();
        let tests: Vec<_> = tests
            .map(|test| (test.location.clone(), test.title.clone()))
            .collect();
        for (location, title) in tests {
            self.print(|page| {
                page.row(
                    0,
                    &[
                        (WARN, "○ "),
                        (LOCATION, &location),
                        (PLAIN, "  "),
                        (PLAIN, &title),
                        (WARN, "  interrupted"),
                    ],
                )
            });
        }
    }

    fn name_slow(&mut self, now: Time) {
        let slow: Vec<_> = self
            .running
            .slow(now)
            .into_iter()
            .map(|test| {
                (
                    human(test.age(now)),
                    test.location.clone(),
                    test.title.clone(),
                )
            })
            .collect();
        for (age, location, title) in slow {
            let line = format!("still running after {age}: ");
            self.screen.note(|page| {
                page.row(
                    0,
                    &[
                        (WARN, &line),
                        (LOCATION, &location),
                        (PLAIN, "  "),
                        (PLAIN, &title),
                    ],
                )
            });
        }
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
        let (soft, trials) = (&self.soft, &mut self.trials);
        self.screen.print(|page| {
            if scrolled {
                failure_recap::list(page, failures)?;
            }
            if !quiet {
                warnings.show(page)?;
                soft.show(page)?;
                trials.show(page)?;
            }
            summary::show(page, counts)
        });
        self.screen.flush();
        self.screen.erase();
    }
}

/// `✓ path  12 passed, 1 skipped  34 ms`
fn show_suite(page: &mut Page, file: &str, counts: &RunCounts) -> io::Result<()> {
    let mark = match counts {
        counts if counts.has_failures() => (BAD, "✗ "),
        // Some tests were stopped or never started.
        counts if counts.interrupted + counts.not_run() > 0 => (WARN, "○ "),
        RunCounts { passed: 1.., .. } => (GOOD, "✓ "),
        _ => (WARN, "○ "),
    };
    let parts = counts.parts();
    let mut spans = vec![mark, (PLAIN, file), (PLAIN, "  ")];
    for (number, (style, part)) in parts.iter().enumerate() {
        let separator = if number == 0 { "" } else { ", " };
        spans.extend([(PLAIN, separator), (*style, part.as_str())]);
    }
    let time = counts
        .millis
        .map_or(String::new(), |millis| format!("  {}", human(millis)));
    spans.push((DIM, &time));
    page.row(0, &spans)
}
