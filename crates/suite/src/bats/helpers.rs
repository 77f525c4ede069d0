//! The helper functions in the Bats code; each suite contains only those that it needs.

use super::{Case, any, any_step, service};
use crate::model::{Action, CaptureSource, Check, FileCheck, Suite};

const PHASE: &str = include_str!("helpers/phase.bats");
const STOP: &str = include_str!("helpers/stop.bats");
const SUITE: &str = include_str!("helpers/suite.bats");
const SERVICE: &str = include_str!("helpers/service.bats");
const RUN: &str = include_str!("helpers/run.bats");
const EXPECT: &str = include_str!("helpers/expect.bats");
const ENVIRONMENT: &str = include_str!("helpers/environment.bats");
const FILE: &str = include_str!("helpers/file.bats");
const JSON: &str = include_str!("helpers/json.bats");
const FOLDER: &str = include_str!("helpers/folder.bats");
const WORKDIR: &str = include_str!("helpers/workdir.bats");
const ISOLATE: &str = include_str!("helpers/isolate.bats");
const JSON_MATCHES: &str = include_str!("helpers/json_matches.bats");
const LINES: &str = include_str!("helpers/lines.bats");
const DURATION: &str = include_str!("helpers/duration.bats");
const CONDITIONS: &str = include_str!("helpers/conditions.bats");
const KNOWN_FAILURE: &str = include_str!("helpers/known_failure.bats");
const SNAPSHOT: &str = include_str!("helpers/snapshot.bats");
const NORMALIZE: &str = include_str!("helpers/normalize.bats");
const STEPS: &str = include_str!("helpers/steps.bats");
const CAPTURES: &str = include_str!("helpers/captures.bats");
const CAPTURED_JSON: &str = include_str!("helpers/captured_json.bats");
const NOW: &str = include_str!("helpers/now.bats");
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
    let has_folders = any(cases, |check| {
        let is_folder = |check: &FileCheck| matches!(check, FileCheck::EqualsFolder(_));
        matches!(check, Check::File { check, .. } if is_folder(check))
    });
    let has_json = any(cases, |check| {
        matches!(check, Check::Json { .. } | Check::File { .. }) && check.needs_jq()
    });
    let has_new_workdirs = cases.iter().any(|case| case.test.has_new_workdir());
    let isolates = cases.iter().any(|case| case.test.isolate);
    let has_conditions = any(cases, |check| matches!(check, Check::JsonMatches { .. }));
    let has_lines = any(cases, |check| {
        matches!(check, Check::Lines(_) | Check::Line { .. })
    });
    let has_durations = any(cases, |check| matches!(check, Check::MaxDuration(_)));
    let skips = cases.iter().any(|case| !case.test.conditions.is_empty());
    let has_known_failures = cases.iter().any(|case| case.test.fails.is_some());
    let normalizes = cases.iter().any(|case| !case.test.normalize.is_empty());
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
        (normalizes, NORMALIZE),
        (has_steps, STEPS),
        (has_captures, CAPTURES),
        (has_captured_json, CAPTURED_JSON),
        (is_limited || has_durations, NOW),
        (is_limited, TIME),
        (is_repeated, EVENTUALLY),
        (
            reads_environment || has_captures || !suite.services.is_empty(),
            ENVIRONMENT,
        ),
        (has_files, FILE),
        (has_folders, FOLDER),
        (has_new_workdirs, WORKDIR),
        (isolates, ISOLATE),
        (has_json, JSON),
        (has_conditions, JSON_MATCHES),
        (has_lines, LINES),
        (has_durations, DURATION),
        (skips, CONDITIONS),
        (has_known_failures, KNOWN_FAILURE),
        (has_snapshots, SNAPSHOT),
        (has_timeouts, CLOCK),
    ];
    let needed = helpers.iter().filter(|(needed, _)| *needed);
    needed
        .map(|(_, helper)| *helper)
        .collect::<Vec<_>>()
        .join("\n")
}
