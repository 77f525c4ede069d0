//! Errors for selections that match no test.

use casebook_run::{Plan, SelectedSuite, TagFilter};
use casebook_source::closest_match;

use super::settings::Settings;
use crate::error::CommandError;

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
