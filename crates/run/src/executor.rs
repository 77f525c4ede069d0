//! Runs one test in this process: attempts until it passes, and emits their events.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::attempt::{AttemptResult, Failure, StepResult};
use crate::emitter::{AttemptReport, EventEmitter, hook_message, seconds};
use crate::engine::Engine;
use crate::options::Options;
use crate::plan::PlannedTest;
use crate::shell::{Hook, HookFailure, HookReason, Termination, terminal_stop_message};
use crate::stop::StopToken;

/// Runs tests in this process.
pub(crate) struct TestExecutor<'a, E: Engine> {
    pub(crate) options: &'a Options,
    pub(crate) engine: &'a E,
    pub(crate) emitter: &'a EventEmitter<'a>,
    pub(crate) stop: &'a StopToken,
    pub(crate) instant: fn() -> Instant,
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TestEnd {
    Passed,
    Failed,
    /// A condition was not met, or it failed as expected.
    Skipped,
    /// A stop request came before the test was finished, so it has no result.
    Interrupted,
}

impl<E: Engine> TestExecutor<'_, E> {
    /// Runs attempts until the test passes, is interrupted or has no retries left.
    pub(crate) fn run_test(
        &self,
        planned: PlannedTest<'_>,
        open_suite: Option<&io::Result<E::OpenSuite>>,
        worker: usize,
    ) -> TestEnd {
        let attempts = 1 + planned.test().retries.max(self.options.retries);
        let mut number = 1;
        loop {
            let is_last = number == attempts;
            if let Some(end) = self.run_attempt(planned, open_suite, number, is_last, worker) {
                return end;
            }
            number += 1;
        }
    }

    /// Runs one attempt; `None` if another one follows.
    fn run_attempt(
        &self,
        planned: PlannedTest<'_>,
        open_suite: Option<&io::Result<E::OpenSuite>>,
        number: u32,
        is_last: bool,
        worker: usize,
    ) -> Option<TestEnd> {
        let emitter = self.emitter;
        emitter.attempt_started(planned, number, worker);
        let started = (self.instant)();
        let attempt = self.execute(planned, open_suite, number);
        let duration = attempt
            .duration
            .unwrap_or_else(|| (self.instant)() - started);
        let timeout = planned.test().timeout.or(self.options.timeout);
        let mut report = AttemptReport {
            planned,
            number,
            will_retry: false,
            timeout,
            duration,
        };
        if attempt.interrupted {
            // The turns of an interrupted conversation are recorded.
            if attempt.conversation.is_some() {
                emitter.attempt_finished(&report, &attempt, Some(&interrupted()));
            }
            return Some(TestEnd::Interrupted);
        }
        if let Some(reason) = attempt.unmet.as_ref().filter(|_| !self.options.require_all) {
            emitter.skipped(planned, reason);
            return Some(TestEnd::Skipped);
        }
        let failure = self.failure(&attempt, timeout);
        let (failure, is_expected) = known_failure(planned, &attempt, failure);
        if let (Some(failure), true) = (&failure, is_expected) {
            emitter.expected_failure(&report, &attempt, failure);
            return Some(TestEnd::Skipped);
        }
        report.will_retry = failure.is_some() && !is_last && !self.stop.is_requested();
        emitter.attempt_finished(&report, &attempt, failure.as_ref());
        match failure {
            Some(_) if report.will_retry => None,
            Some(_) => Some(TestEnd::Failed),
            None => Some(TestEnd::Passed),
        }
    }

    fn execute(
        &self,
        planned: PlannedTest<'_>,
        open_suite: Option<&io::Result<E::OpenSuite>>,
        number: u32,
    ) -> AttemptResult {
        let open_suite = match open_suite {
            Some(Ok(open_suite)) => open_suite,
            Some(Err(error)) => return not_ready(&error.to_string()),
            None => return not_ready("its suite is not open"),
        };
        if let Some(failure) = self.engine.setup_failure(open_suite) {
            return hook_failed(failure.clone());
        }
        // A panic fails only the test in which it happened; the other tests continue.
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            let emitter = self.emitter;
            self.engine.attempt(planned, open_suite, number, emitter)
        }));
        match attempt {
            Ok(Ok(attempt)) => attempt,
            Ok(Err(error)) => not_run(format!("cannot run the test: {error}")),
            Err(_) => not_run(
                "casebook crashed while running this test; please report this bug".to_owned(),
            ),
        }
    }

    /// Returns why the attempt failed; `None` if it passed.
    fn failure(&self, attempt: &AttemptResult, timeout: Option<Duration>) -> Option<Failure> {
        let failure = |class, phase, message: String| {
            Some(Failure {
                class,
                message,
                phase,
            })
        };
        if let Some(reason) = &attempt.unmet {
            return failure("Casebook::RequirementNotMet", "setup", reason.clone());
        }
        let hook = attempt.hook.as_ref();
        if let Some(hook) = hook.filter(|hook| matches!(hook.hook, Hook::SetupFile | Hook::Setup)) {
            return failure("Casebook::SetupFailed", "setup", hook_message(hook));
        }
        if let Some(error) = &attempt.error {
            return failure("Casebook::AssertionFailed", "command", error.clone());
        }
        let conversation = attempt.conversation.as_ref();
        if let Some(failure) = conversation.and_then(|conversation| conversation.failure.as_ref()) {
            return Some(failure.clone());
        }
        let failed = attempt.steps.iter();
        let failed = failed
            .filter_map(|step| self.step_failure(step, timeout))
            .next();
        if let Some((class, message)) = failed {
            return failure(class, "command", message);
        }
        let hook = hook?;
        failure("Casebook::TeardownFailed", "teardown", hook_message(hook))
    }
}

impl<E: Engine> TestExecutor<'_, E> {
    /// The class and the message of a failed command.
    fn step_failure(
        &self,
        step: &StepResult,
        timeout: Option<Duration>,
    ) -> Option<(&'static str, String)> {
        match step.ran.termination {
            Some(Termination::Timeout) => {
                let timeout = step.own_timeout.or(timeout);
                let given = timeout.map_or_else(String::new, |timeout| {
                    format!(" after {}", seconds(timeout))
                });
                return Some(("Casebook::Timeout", format!("timed out{given}")));
            }
            Some(termination) => {
                let reason = terminal_stop_message(termination).unwrap_or_default();
                return Some(("Casebook::AssertionFailed", format!("the command {reason}")));
            }
            None => {}
        }
        let mut assertions = step.assertions.iter();
        if let Some(problem) = assertions.find_map(|one| one.result.problem.as_ref()) {
            return Some(("Casebook::AssertionFailed", problem.clone()));
        }
        (step.ran.leaky && self.options.leaks_fail).then(|| {
            let message = "the command left processes that keep its output open";
            ("Casebook::Leaked", message.to_owned())
        })
    }
}

/// The failure of a test with `fails`, and whether it is the expected one: a failed assertion or check. A test that passes fails.
/// Failed hooks, timeouts and commands that could not be run are not expected.
fn known_failure(
    planned: PlannedTest<'_>,
    attempt: &AttemptResult,
    failure: Option<Failure>,
) -> (Option<Failure>, bool) {
    let Some(reason) = &planned.test().fails else {
        return (failure, false);
    };
    let Some(failure) = failure else {
        let message = format!(
            "the test passed, but `fails` marks it as a known failure ({reason}): remove the mark"
        );
        let unexpected = Failure {
            class: "Casebook::UnexpectedPass",
            message,
            phase: "command",
        };
        return (Some(unexpected), false);
    };
    let is_assertion = failure.class == "Casebook::AssertionFailed";
    let has_run = attempt.error.is_none() && attempt.hook.is_none();
    let mut steps = attempt.steps.iter();
    let was_terminated = steps.any(|step| step.ran.termination.is_some());
    (Some(failure), is_assertion && has_run && !was_terminated)
}

fn interrupted() -> Failure {
    Failure {
        class: casebook_record::INTERRUPTED,
        message: "the run was stopped before it was done".to_owned(),
        phase: "conversation",
    }
}

fn hook_failed(failure: HookFailure) -> AttemptResult {
    AttemptResult {
        hook: Some(failure),
        ..AttemptResult::default()
    }
}

fn not_run(why: String) -> AttemptResult {
    AttemptResult {
        error: Some(why),
        ..AttemptResult::default()
    }
}

fn not_ready(why: &str) -> AttemptResult {
    hook_failed(HookFailure {
        reason: Some(HookReason::SuiteNotPrepared(why.to_owned())),
        ..HookFailure::new(Hook::SetupFile)
    })
}
