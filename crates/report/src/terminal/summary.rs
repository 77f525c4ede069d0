//! The last line: the counts of the run.

use std::io;

use anstyle::Style;
use casebook_record::event::SuiteStarted;
use casebook_record::{Metadata, Run};
use serde_json::Value;

use super::duration::human;
use super::page::Page;
use super::style::{BAD, BOLD, DIM, GOOD, PLAIN, WARN};
use super::text::count;
use crate::examples::ExampleIndex;

/// The counts of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunCounts {
    /// Whether these are tests of suites. Skipped ones are then called skipped and not pending.
    pub(super) counts_tests: bool,
    pub(super) planned: usize,
    pub(super) passed: usize,
    /// Passed only on a retry.
    pub(super) flaky: usize,
    pub(super) failed: usize,
    /// Failed hooks of suites, which are not tests.
    pub(super) failed_hooks: usize,
    /// Started, and stopped with the run.
    pub(super) interrupted: usize,
    pub(super) pending: usize,
    /// How many of the pending ones failed as expected.
    pub(super) expected_failures: usize,
    pub(super) running: usize,
    pub(super) millis: Option<i64>,
}

/// Shows the counts that are not 0, and the duration of the run.
pub(super) fn show(page: &mut Page, counts: &RunCounts) -> io::Result<()> {
    let spans = counts.spans();
    let spans: Vec<_> = spans
        .iter()
        .map(|(style, text)| (*style, text.as_str()))
        .collect();
    page.blank()?;
    page.paragraph(0, 2, &spans)
}

/// The same line as plain text: `12 examples: 9 passed, 2 failed, 1 pending in 1.2 s`.
pub fn summary_line(run: &Run) -> io::Result<String> {
    Ok(line_of(run, &ExampleIndex::of(run)?))
}

/// The same line for a run whose examples have been counted.
pub(crate) fn line_of(run: &Run, index: &ExampleIndex) -> String {
    let spans = RunCounts::of(run, index).spans();
    spans.into_iter().map(|(_, text)| text).collect()
}

fn runs_suites(metadata: &Metadata) -> bool {
    let engine = metadata.dig("configuration.engine");
    engine.is_some_and(|engine| engine != "rspec")
}

impl RunCounts {
    pub(super) fn of(run: &Run, index: &ExampleIndex) -> RunCounts {
        let summary = index.summary;
        let interrupted = index.interrupted.len();
        let planned = run.metadata.get("example_count").and_then(Value::as_u64);
        RunCounts {
            counts_tests: index.are_tests || runs_suites(&run.metadata),
            planned: planned.map_or(0, |planned| usize::try_from(planned).unwrap_or(usize::MAX)),
            passed: summary.passed_count,
            flaky: summary.flaky_count,
            failed: summary.failed_count - interrupted - index.hooks,
            failed_hooks: index.hooks,
            interrupted,
            pending: summary.pending_count,
            expected_failures: index.expected_failures,
            running: summary.running_count,
            millis: run.finished_at.map(|end| end.millis_since(run.started_at)),
        }
    }

    /// Takes what is known of a run, or of one part of it, when it starts.
    pub(super) fn start(&mut self, event: &SuiteStarted) {
        let planned = usize::try_from(event.example_count).unwrap_or(usize::MAX);
        self.planned = self.planned.max(planned);
        self.counts_tests |= runs_suites(&event.metadata);
    }

    /// Whether a test or a hook of a suite failed.
    pub(super) fn has_failures(&self) -> bool {
        self.failed + self.failed_hooks > 0
    }

    /// The number of finished tests.
    pub(super) fn done(&self) -> usize {
        self.passed + self.failed + self.interrupted + self.pending
    }

    /// The number of finished and running tests.
    pub(super) fn started_count(&self) -> usize {
        self.done() + self.running
    }

    fn spans(&self) -> Vec<(Style, String)> {
        let mut spans = vec![(BOLD, self.total())];
        for (number, (style, part)) in self.parts().into_iter().enumerate() {
            let separator = if number == 0 { ": " } else { ", " };
            spans.extend([(PLAIN, separator.to_owned()), (style.bold(), part)]);
        }
        let time = self.millis.map(|millis| format!(" in {}", human(millis)));
        spans.extend(time.map(|time| (DIM, time)));
        spans
    }

    fn total(&self) -> String {
        let noun = if self.counts_tests { "test" } else { "example" };
        let total = match self.started_count() + self.not_run() {
            0 => format!("no {noun}s"),
            number => count(number, noun),
        };
        match self.planned {
            planned if planned > self.started_count() && self.not_run() == 0 => {
                format!("{total} ({planned} planned)")
            }
            _ => total,
        }
    }

    /// The number of planned tests that were never started. For examples, the number of planned ones is shown instead: an
    /// imported record has additional ones, such as the failure to run all tests of a TAP plan.
    pub(super) fn not_run(&self) -> usize {
        if self.counts_tests {
            self.planned.saturating_sub(self.started_count())
        } else {
            0
        }
    }

    /// The counts by status that are not 0.
    pub(super) fn parts(&self) -> Vec<(Style, String)> {
        let passed = match self.flaky {
            0 => "passed".to_owned(),
            flaky => format!("passed ({flaky} flaky)"),
        };
        let pending = if self.counts_tests {
            "skipped"
        } else {
            "pending"
        };
        // A run of suites terminates its running tests before it stops, so they were interrupted.
        let (interrupted, running) = if self.counts_tests && self.millis.is_some() {
            (self.interrupted + self.running, 0)
        } else {
            (self.interrupted, self.running)
        };
        let hooks = if self.failed_hooks == 1 {
            "failed hook"
        } else {
            "failed hooks"
        };
        let expected = if self.expected_failures == 1 {
            "expected failure"
        } else {
            "expected failures"
        };
        [
            (GOOD, self.passed, passed.as_str()),
            (BAD, self.failed, "failed"),
            (BAD, self.failed_hooks, hooks),
            (WARN, self.pending - self.expected_failures, pending),
            (WARN, self.expected_failures, expected),
            (WARN, interrupted, "interrupted"),
            (WARN, running, "still running"),
            (WARN, self.not_run(), "not run"),
        ]
        .into_iter()
        .filter(|(_, number, _)| *number > 0)
        .map(|(style, number, word)| (style, format!("{number} {word}")))
        .collect()
    }
}
