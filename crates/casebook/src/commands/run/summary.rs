//! What is said at the end of a run: where it is recorded, and which tests failed before it or did not run.

use casebook_report::live::Verbosity;
use casebook_run::RunOutcome;

use super::resume::EarlierRun;
use super::settings::Settings;
use crate::commands::shared::plural::plural;
use crate::commands::shared::recording::Recorded;
use crate::context::Context;
use crate::exit::Exit;

/// Explains why nothing is run. The tests that failed before decide about the exit code.
pub(super) fn report_nothing_to_run(earlier: &EarlierRun, context: &Context) -> Exit {
    context.messages.info(&earlier.nothing_to_run(context));
    if report_earlier_failures(Some(earlier), context) {
        Exit::Failed
    } else {
        Exit::Passed
    }
}

/// Names the tests that failed before the run was resumed, because they decide about the exit code. Returns whether there
/// are any.
pub(super) fn report_earlier_failures(earlier: Option<&EarlierRun>, context: &Context) -> bool {
    let failed = earlier.map_or(&[][..], |earlier| &earlier.failed);
    if !failed.is_empty() {
        let count = failed.len() as u64;
        let tests = plural(count, "test");
        let title = format!("{count} {tests} of this run had already failed:");
        context.messages.info(&listed(&title, failed));
    }
    !failed.is_empty()
}

/// At most this many tests are named in a message.
const NAMED: usize = 10;

/// A title, and one line for each of the first tests.
fn listed(title: &str, tests: &[String]) -> String {
    let mut lines = vec![title.to_owned()];
    lines.extend(tests.iter().take(NAMED).map(|test| format!("  {test}")));
    if let more @ 1.. = tests.len().saturating_sub(NAMED) {
        lines.push(format!("  … and {more} more"));
    }
    lines.join("\n")
}

/// Reports the tests that a stopped run did not finish.
pub(super) fn report_unfinished(
    why: &str,
    outcome: &RunOutcome,
    recorded: &Recorded,
    context: &Context,
) {
    let counts = unfinished_counts(outcome);
    if counts.is_empty() {
        return context
            .messages
            .info(&format!("{why}, but all tests had finished"));
    }
    let hint = if recorded.can_resume() {
        format!(
            "; to run the rest, use `casebook run --resume{}`",
            recorded.named_dir()
        )
    } else {
        String::new()
    };
    let title = format!("{why}: {}{hint}", counts.join(", "));
    context.messages.info(&listed(&title, &outcome.not_started));
}

/// Reports the tests that were not run because a budget is spent.
pub(super) fn report_spent_budget(outcome: &RunOutcome, recorded: &Recorded, context: &Context) {
    let why = format!("budget spent: {}", outcome.spent_budgets.join(", "));
    if outcome.not_started.is_empty() {
        let message = format!("{why}: no more repetitions were started");
        return context.messages.info(&message);
    }
    report_unfinished(&why, outcome, recorded, context);
}

/// `1 test interrupted`, `2 tests not run`
fn unfinished_counts(outcome: &RunOutcome) -> Vec<String> {
    let counts = [
        (outcome.interrupted, "interrupted"),
        (outcome.not_started.len(), "not run"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    counts
        .map(|(count, what)| format!("{count} {} {what}", plural(count as u64, "test")))
        .collect()
}

/// Says where the run is recorded, if that matters.
pub(super) fn say_where(recorded: &Recorded, settings: &Settings, context: &Context) {
    // After a successful run the record is rarely needed.
    if recorded.has_failures() || settings.show.verbosity == Verbosity::Verbose {
        recorded.say_where(&context.messages);
    } else {
        recorded.say_incomplete(&context.messages);
    }
}
