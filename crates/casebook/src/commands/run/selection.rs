//! The suites and tests to run, and the errors for selections that match none.

use std::collections::BTreeMap;

use casebook_run::{Plan, PlannedTest, SelectedSuite, TagFilter};
use casebook_source::closest_match;

use super::settings::Settings;
use crate::commands::shared::suites::Suites;
use crate::context::Context;
use crate::error::CommandError;

/// Each suite once, with all of its selected lines.
pub(in crate::commands) fn select_suites(suites: Suites) -> Vec<SelectedSuite> {
    let mut lines: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (found, _) in &suites.files {
        lines
            .entry(found.path.clone())
            .or_default()
            .extend(found.lines.clone());
    }
    let each_once = suites.files.into_iter().filter_map(|(found, checked)| {
        Some(SelectedSuite {
            lines: lines.remove(&found.path)?,
            suite: checked.suite?,
        })
    });
    each_once.collect()
}

/// A line without a test is an error, even if other tests match: the file may have changed.
pub(in crate::commands) fn check_lines(asked: &[SelectedSuite]) -> Result<(), CommandError> {
    let mut slips = asked.iter().filter_map(|asked| {
        let (lines, near) = asked.unmatched_lines()?;
        let file = asked.suite.file.name();
        let place = match lines.into_inner() {
            (first, last) if first == last => format!("{file}:{first}"),
            (first, last) => format!("{file}:{first}-{last}"),
        };
        Some(CommandError::NoTestAt { place, near })
    });
    slips.next().map_or(Ok(()), Err)
}

/// Sets the number of trials of all conversations. A test that needs more passed trials could never pass.
pub(super) fn set_trials(asked: &mut [SelectedSuite], count: u32) -> Result<(), CommandError> {
    for SelectedSuite { suite, .. } in asked {
        for test in &mut suite.tests {
            let Some(trials) = test.trials_mut() else {
                continue;
            };
            trials.is_overridden = trials.count != count;
            trials.count = count;
            if let Some(needs) = trials.needs().filter(|needs| *needs > count) {
                let line = suite.file.position(test.span.start).line;
                return Err(CommandError::TooFewTrials {
                    place: format!("{}:{line}", suite.file.name()),
                    test: test.name.clone(),
                    needs,
                });
            }
        }
    }
    Ok(())
}

/// The tags of all tests.
pub(super) fn tags(asked: &[SelectedSuite]) -> Vec<String> {
    let tests = asked.iter().flat_map(|asked| &asked.suite.tests);
    let mut tags: Vec<_> = tests.flat_map(|test| &test.tags).cloned().collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// The error for an empty plan; these are the tags of all tests.
pub(super) fn no_tests_error(settings: &Settings, tags: &[String], plan: &Plan) -> CommandError {
    if let Some(shard) = settings.shard.filter(|_| plan.selected > 0) {
        return CommandError::EmptyShard {
            shard: shard.to_string(),
            tests: plan.selected,
            shards: plan.max_shards,
        };
    }
    let filter = settings
        .filter
        .iter()
        .map(|text| format!("--filter {text}"));
    let wanted = settings.tags.iter().map(|tags| format!("--tag {tags}"));
    let shard = settings
        .shard
        .iter()
        .map(|shard| format!("--shard {shard}"));
    let chosen: Vec<_> = filter.chain(wanted).chain(shard).collect();
    let unknown = settings.tags.iter().flat_map(TagFilter::required_tags);
    let mut unknown = unknown.filter(|tag| !tags.contains(tag));
    let near = unknown.find_map(|tag| closest_match(tag, tags.iter().map(String::as_str)));
    CommandError::NoTests {
        chosen: if chosen.is_empty() {
            "the given paths".to_owned()
        } else {
            chosen.join(" ")
        },
        near: near.map(str::to_owned),
    }
}

/// `only` is meant for local work: allowed with a warning, but not in CI.
pub(super) fn allows_only(plan: &Plan, context: &Context) -> bool {
    let mut says_only = Vec::new();
    for suite in &plan.suites {
        let tests = suite.planned_tests().map(PlannedTest::test);
        let spans = tests.filter_map(|test| test.only);
        says_only.extend(spans.map(|span| {
            let (file, span) = suite.suite.file.locate(span);
            format!("{}:{}", file.name(), file.position(span.start).line)
        }));
    }
    says_only.dedup();
    let places = says_only.join(", ");
    if context.in_ci {
        context.messages.error(&format!(
            "`only` is not allowed in CI; remove it from {places}"
        ));
    } else {
        context
            .messages
            .warn(&format!("running only tests marked `only`: {places}"));
    }
    !context.in_ci
}
