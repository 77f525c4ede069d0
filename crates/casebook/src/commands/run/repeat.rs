//! Repetitions and kept directories: what cannot have them, and what is reported about them.

use std::path::Path;

use casebook_run::{EngineKind, Plan, PlannedSuite, PlannedTest};
use serde_json::{Value, json};

use super::settings::Settings;
use crate::context::Context;
use crate::error::CommandError;

/// Rejects tests that cannot be repeated, and directories that cannot be kept.
pub(super) fn check(plan: &Plan, settings: &Settings) -> Result<(), CommandError> {
    let keeps = settings.options.keep_temp.map(|_| "--keep-temp");
    let is_bats = settings.options.engine == EngineKind::Bats;
    if let Some(option) = settings.repeated_by.or(keeps).filter(|_| is_bats) {
        return Err(CommandError::NotWithBats(option));
    }
    let Some(option) = settings.repeated_by else {
        return Ok(());
    };
    let mut tests = plan.suites.iter().flat_map(PlannedSuite::planned_tests);
    match tests.find(|test| test.trial.is_some()) {
        None => Ok(()),
        Some(test) => Err(repeated_trials(test, option)),
    }
}

fn repeated_trials(planned: PlannedTest<'_>, option: &'static str) -> CommandError {
    let (suite, test) = (&planned.suite.suite, planned.test());
    let line = suite.file.position(test.span.start).line;
    CommandError::RepeatedTrials {
        place: format!("{}:{line}", suite.file.name()),
        test: test.name.clone(),
        option,
    }
}

/// How tests are repeated, for the configuration in the record.
pub(super) fn configuration(settings: &Settings) -> Option<Value> {
    let repeat = settings.options.repeat?;
    let mut fields = json!({});
    if repeat.until_fail {
        fields["until_fail"] = true.into();
    }
    if let Some(times) = repeat.times {
        fields["times"] = times.into();
    }
    if let Some(duration) = repeat.duration {
        fields["duration"] = duration.as_secs_f64().into();
    }
    Some(fields)
}

/// Names the directory of the kept directories.
pub(super) fn report_kept(dir: &Path, context: &Context) {
    let dir = dir.display();
    context.messages.info(&format!(
        "test directories are kept in {dir}; delete it when you no longer need them"
    ));
}
