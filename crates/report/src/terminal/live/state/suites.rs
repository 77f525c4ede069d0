//! The suites that have ended, and tests that take long.

use std::io;

use casebook_record::Time;

use super::LiveState;
use crate::terminal::duration::human;
use crate::terminal::live::Verbosity;
use crate::terminal::live::suites::Suite;
use crate::terminal::page::Page;
use crate::terminal::style::{BAD, DIM, GOOD, LOCATION, PLAIN, WARN};
use crate::terminal::summary::RunCounts;

impl LiveState {
    pub(super) fn suites_ended(&mut self, mut ended: Vec<(String, Suite)>) {
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

    pub(super) fn name_slow(&mut self, now: Time) {
        for test in self.running.slow(now) {
            let line = format!("still running after {}: ", human(test.age(now)));
            let spans = [
                (WARN, line.as_str()),
                (LOCATION, test.location.as_str()),
                (PLAIN, "  "),
                (PLAIN, test.title.as_str()),
            ];
            self.screen.note(|page| page.row(0, &spans));
        }
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
