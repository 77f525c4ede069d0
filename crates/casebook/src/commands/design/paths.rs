//! `casebook design path`, `cache` and `dir`: where metadata lives and whether it is fresh.

use casebook_design::metadata::freshness::freshness;
use casebook_design::metadata::location::{MetadataDir, MetadataLocation};
use casebook_design::steps::{StepContext, StepError, Subject};

use super::{CommandOutput, FALLBACK};
use crate::arguments::design::{Cache, PathArgs};

pub(super) fn path(
    arguments: &PathArgs,
    world: &StepContext<'_>,
    verbose: bool,
) -> Result<CommandOutput, StepError> {
    let located = MetadataLocation::of(&arguments.file, world.cwd)?;
    let notes = created(&located.directory, world, verbose)?;
    Ok(CommandOutput {
        notes,
        ..with_fallback(located.path.display().to_string(), &located.directory)
    })
}

pub(super) fn cache(
    arguments: &Cache,
    world: &StepContext<'_>,
    verbose: bool,
) -> Result<CommandOutput, StepError> {
    let subject = Subject::parse(&arguments.subject);
    let located = MetadataLocation::of(&subject.file, world.cwd)?;
    let notes = created(&located.directory, world, verbose)?;
    let verdict = freshness(&located, &subject.method_query);
    let answer = serde_json::json!({
        "valid": verdict.is_valid(),
        "metadata_path": located.path,
        "reason": verdict.reason(),
    });
    Ok(CommandOutput {
        notes,
        ..with_fallback(answer.to_string(), &located.directory)
    })
}

pub(super) fn dir(world: &StepContext<'_>) -> CommandOutput {
    let directory = MetadataDir::of(world.cwd, world.cwd);
    with_fallback(directory.path.display().to_string(), &directory)
}

fn created(
    directory: &MetadataDir,
    world: &StepContext<'_>,
    verbose: bool,
) -> Result<Option<String>, StepError> {
    let is_new = directory.create(world.may_fall_back)?;
    Ok((is_new && verbose).then(|| format!("created {}", directory.path.display())))
}

fn with_fallback(data: String, directory: &MetadataDir) -> CommandOutput {
    CommandOutput::data(data).warning(directory.is_fallback().then(|| FALLBACK.to_owned()))
}
