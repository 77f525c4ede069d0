//! The helper functions in the Bats code; each suite contains only those that it needs.

use super::{Case, any, any_step, service};
use crate::model::{Action, CaptureSource, Check, Suite};

const PHASE: &str = include_str!("helpers/phase.bats");
const STOP: &str = include_str!("helpers/stop.bats");
const SUITE: &str = include_str!("helpers/suite.bats");
const SERVICE: &str = include_str!("helpers/service.bats");
const RUN: &str = include_str!("helpers/run.bats");
const EXPECT: &str = include_str!("helpers/expect.bats");
const ENVIRONMENT: &str = include_str!("helpers/environment.bats");
const FILE: &str = include_str!("helpers/file.bats");
const JSON: &str = include_str!("helpers/json.bats");
const SNAPSHOT: &str = include_str!("helpers/snapshot.bats");
const STEPS: &str = include_str!("helpers/steps.bats");
const CAPTURES: &str = include_str!("helpers/captures.bats");
const CAPTURED_JSON: &str = include_str!("helpers/captured_json.bats");
const TIME: &str = include_str!("helpers/time.bats");
const EVENTUALLY: &str = include_str!("helpers/eventually.bats");
const CLOCK: &str = include_str!("helpers/clock.bats");

/// The helpers that these tests need.
pub(super) fn needed(
    suite: &Suite,
    cases: &[Case<'_>],
    has_file_hooks: bool,
    has_timeouts: bool,
    reads_environment: bool,
) -> String {
    let hooks = &suite.hooks;
    let hooks = [
        &hooks.setup_file,
        &hooks.setup,
        &hooks.teardown,
        &hooks.teardown_file,
    ];
    let has_hooks = hooks.into_iter().any(Option::is_some);
    let has_files = any(cases, |check| matches!(check, Check::File { .. }));
    let has_json = any(cases, |check| matches!(check, Check::Json { .. }));
    let has_snapshots = any(cases, |check| matches!(check, Check::Snapshot(_)));
    let mut tests = cases.iter().map(|case| &case.test.action);
    let has_steps = tests.any(|action| matches!(action, Action::Steps(_)));
    let has_captures = any_step(cases, |step| !step.captures.is_empty());
    let has_captured_json = any_step(cases, |step| {
        let mut sources = step.captures.iter().map(|capture| &capture.source);
        sources.any(|source| matches!(source, CaptureSource::Json(_)))
    });
    let is_repeated = any_step(cases, |step| step.eventually.is_some());
    let is_limited = is_repeated || any_step(cases, |step| step.timeout.is_some());
    let helpers = [
        (true, PHASE),
        (has_hooks, STOP),
        (has_file_hooks, SUITE),
        (!service::used(suite, cases).is_empty(), SERVICE),
        (true, RUN),
        (true, EXPECT),
        (has_steps, STEPS),
        (has_captures, CAPTURES),
        (has_captured_json, CAPTURED_JSON),
        (is_limited, TIME),
        (is_repeated, EVENTUALLY),
        (
            reads_environment || has_captures || !suite.services.is_empty(),
            ENVIRONMENT,
        ),
        (has_files, FILE),
        (has_json, JSON),
        (has_snapshots, SNAPSHOT),
        (has_timeouts, CLOCK),
    ];
    let needed = helpers.iter().filter(|(needed, _)| *needed);
    needed
        .map(|(_, helper)| *helper)
        .collect::<Vec<_>>()
        .join("\n")
}
