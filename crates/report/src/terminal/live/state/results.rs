//! The results of tests, as they end.

use std::io;

use casebook_record::event::{ExampleFailed, ExamplePassed, ExamplePending};
use casebook_record::{Metadata, Repetitions, RunData, TrialResult, is_tolerated, is_unreachable};

use super::LiveState;
use crate::examples::{expected_failure, is_failed_hook, is_interruption, millis};
use crate::flag;
use crate::terminal::Transcripts;
use crate::terminal::command::Command;
use crate::terminal::duration::human;
use crate::terminal::evaluation::AlreadyShown;
use crate::terminal::failure::{self, FailureOptions, IN_FULL};
use crate::terminal::live::failure_recap::Failure;
use crate::terminal::live::running::Test;
use crate::terminal::live::{Options, Verbosity};
use crate::terminal::output::record_dir;
use crate::terminal::page::Page;
use crate::terminal::style::{BAD, DIM, GOOD, PLAIN, WARN};
use crate::terminal::styled::Span;
use crate::terminal::summary::RunCounts;
use crate::terminal::transcript;

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
    pub(super) fn passed(&mut self, test: &Test, event: &ExamplePassed) {
        let flaky = test.earlier > 0 || flag(&event.metadata, "command.flaky");
        self.count(test, |counts| {
            counts.passed += 1;
            counts.flaky += usize::from(flaky);
        });
        self.warnings.note(test, true, &event.metadata);
        self.add_trial(test, Some(TrialResult::Passed));
        self.add_repetitions(test, &event.metadata);
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
        let conversations =
            conversations.filter_map(|example| Some((example, example.transcript()?)));
        self.print(|page| {
            let mut conversations = conversations;
            conversations.try_for_each(|(example, conversation)| {
                transcript::show(page, 2, example, conversation, &AlreadyShown::default())
            })
        });
    }

    pub(super) fn pending(&mut self, test: &Test, event: &ExamplePending) {
        let is_expected = expected_failure(&event.metadata).is_some();
        self.count(test, |counts| {
            counts.pending += 1;
            counts.expected_failures += usize::from(is_expected);
        });
        let failed = is_tolerated(&event.metadata).then_some(TrialResult::Failed);
        self.add_trial(test, failed);
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

    pub(super) fn failed(&mut self, test: &Test, event: &ExampleFailed) {
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
        let is_unreachable = is_unreachable(&event.metadata);
        self.add_trial(
            test,
            Some(if is_unreachable {
                TrialResult::NotRun
            } else {
                TrialResult::Failed
            }),
        );
        self.add_repetitions(test, &event.metadata);
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

    fn add_trial(&mut self, test: &Test, result: Option<TrialResult>) {
        if let Some(trial_of) = &test.trial_of {
            let threshold = test.threshold;
            self.trials.add(trial_of, test.position, threshold, result);
        }
    }

    fn add_repetitions(&mut self, test: &Test, metadata: &Metadata) {
        if let Some(repetitions) = Repetitions::of(metadata) {
            let title = test.title.clone();
            self.repeated.add(title, test.position, repetitions);
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

    pub(super) fn print(&mut self, print: impl FnOnce(&mut Page) -> io::Result<()>) {
        let gap_due = std::mem::take(&mut self.gap_due);
        self.screen.print(|page| {
            if gap_due {
                page.blank()?;
            }
            print(page)
        });
    }
}
