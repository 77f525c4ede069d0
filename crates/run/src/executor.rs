//! Runs one test in this process: attempts until it passes, and emits their events.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use casebook_suite::model::{Action, Step};
use casebook_suite::run_time::shown;

use crate::attempt::{AttemptNumber, AttemptResult, Failure, StepResult, TestEnd};
use crate::emitter::{AttemptReport, EventEmitter, hook_message};
use crate::engine::Engine;
use crate::options::{KeepTemp, Options, UnmetConditions};
use crate::plan::PlannedTest;
use crate::repetition::MAX_PASSED;
use crate::scratch;
use crate::seconds::seconds;
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

impl<E: Engine> TestExecutor<'_, E> {
    /// Runs attempts until the test passes, is interrupted or has no retries left. Runs one attempt if it is a
    /// repetition, which has this number.
    pub(crate) fn run_test(
        &self,
        planned: PlannedTest<'_>,
        open_suite: Option<&io::Result<E::OpenSuite>>,
        worker: usize,
        repetition: Option<u32>,
    ) -> TestEnd {
        if let Some(number) = repetition {
            return self.run_repetition(planned, open_suite, worker, number);
        }
        // The pass rate of trials is that of first attempts.
        let retries = match planned.trial {
            Some(_) => 0,
            None => planned.test().retries.max(self.options.retries),
        };
        let attempts = 1 + retries;
        for number in 1..attempts {
            let number = AttemptNumber::Try(number);
            if let Some(end) = self.run_attempt(planned, open_suite, number, false, worker) {
                return end;
            }
        }
        self.run_last(planned, open_suite, AttemptNumber::Try(attempts), worker)
    }

    /// Runs one repetition. Most passed ones are not recorded, so their output does not count.
    fn run_repetition(
        &self,
        planned: PlannedTest<'_>,
        open_suite: Option<&io::Result<E::OpenSuite>>,
        worker: usize,
        number: u32,
    ) -> TestEnd {
        let fork = self.emitter.budget().fork();
        let executor = TestExecutor {
            emitter: &self.emitter.with_budget(&fork.budget),
            ..*self
        };
        let attempt = AttemptNumber::Repetition(number);
        let end = executor.run_last(planned, open_suite, attempt, worker);
        if end == TestEnd::Failed || u64::from(number) <= MAX_PASSED {
            self.emitter.budget().join(&fork);
        }
        end
    }

    /// Runs an attempt that no other one follows.
    fn run_last(
        &self,
        planned: PlannedTest<'_>,
        open_suite: Option<&io::Result<E::OpenSuite>>,
        number: AttemptNumber,
        worker: usize,
    ) -> TestEnd {
        let end = self.run_attempt(planned, open_suite, number, true, worker);
        end.expect("another attempt follows only if this is not the last")
    }

    /// Runs one attempt; `None` if another one follows.
    fn run_attempt(
        &self,
        planned: PlannedTest<'_>,
        open_suite: Option<&io::Result<E::OpenSuite>>,
        number: AttemptNumber,
        is_last: bool,
        worker: usize,
    ) -> Option<TestEnd> {
        let emitter = self.emitter;
        emitter.attempt_started(planned, number, worker);
        let started = (self.instant)();
        let mut attempt = self.execute(planned, open_suite, number.get());
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
            kept_dir: None,
        };
        let dir = attempt.dir.take();
        if attempt.interrupted {
            dir.iter().for_each(|dir| scratch::remove(dir));
            // The turns of an interrupted conversation are recorded.
            if attempt.conversation.is_some() {
                emitter.attempt_finished(&report, &attempt, Some(&interrupted()));
            }
            return Some(TestEnd::Interrupted);
        }
        let is_skipped = self.options.unmet_conditions == UnmetConditions::Skip;
        if let Some(reason) = attempt.unmet.as_ref().filter(|_| is_skipped) {
            dir.iter().for_each(|dir| scratch::remove(dir));
            emitter.skipped(planned, reason);
            return Some(TestEnd::Skipped);
        }
        let failure = self.failure(planned, &attempt, timeout);
        let (failure, is_expected) = known_failure(planned, &attempt, failure);
        let is_bad = failure.is_some() && !is_expected;
        report.kept_dir = dir.filter(|dir| self.keeps(dir, is_bad));
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

    /// Whether the directory of a test is kept. If not, it is removed.
    fn keeps(&self, dir: &Path, has_failed: bool) -> bool {
        let is_kept = has_failed || self.options.keep_temp == Some(KeepTemp::Always);
        if !is_kept {
            scratch::remove(dir);
        }
        is_kept
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
    fn failure(
        &self,
        planned: PlannedTest<'_>,
        attempt: &AttemptResult,
        timeout: Option<Duration>,
    ) -> Option<Failure> {
        let failure = |class, phase, message: String| {
            Some(Failure {
                class,
                message,
                phase,
            })
        };
        if let Some(reason) = &attempt.unmet {
            return failure("Casebook::RequirementNotMet", "requirement", reason.clone());
        }
        let hook = attempt.hook.as_ref();
        if let Some(hook) = hook.filter(|hook| matches!(hook.hook, Hook::SetupFile | Hook::Setup)) {
            return failure("Casebook::SetupFailed", "setup", hook_message(hook));
        }
        if let Some(service) = &attempt.service_failure {
            let (phase, message) = (service.phase(), service.message.clone());
            return failure("Casebook::ServiceFailed", phase, message);
        }
        if let Some(error) = &attempt.error {
            let message = match &planned.test().action {
                Action::Steps(steps) if attempt.workdir_is_missing => {
                    format!("{}: {error}", step_title(steps, attempt.steps.len()))
                }
                _ => error.clone(),
            };
            return failure("Casebook::AssertionFailed", "command", message);
        }
        let conversation = attempt.conversation.as_ref();
        if let Some(failure) = conversation.and_then(|conversation| conversation.failure.as_ref()) {
            return Some(failure.clone());
        }
        let mut steps = attempt.steps.iter().enumerate();
        let failed =
            steps.find_map(|(index, step)| Some((index, self.step_failure(step, timeout)?)));
        if let Some((index, (class, message))) = failed {
            let message = match &planned.test().action {
                Action::Steps(steps) => format!("{}: {message}", step_title(steps, index)),
                _ => message,
            };
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

/// `step 2 of 3`, with its name.
fn step_title(steps: &[Step], index: usize) -> String {
    let name = steps[index].name.as_ref();
    let name = name.map_or_else(String::new, |name| format!(" ({})", shown(name)));
    format!("step {} of {}{name}", index + 1, steps.len())
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
