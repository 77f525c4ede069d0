//! `casebook design skeleton`.

use casebook_design::skeleton::{Merge, Policy, Style};
use casebook_design::steps::{
    Asker, Conflict, Mode, Shape, SkeletonOptions, StepError, Target, World, Written, skeleton,
};

use super::Said;
use crate::arguments::design::{ConflictName, MergeName, ModeName, PolicyName, Skeleton};

pub(super) fn run(arguments: &Skeleton, world: &World<'_>) -> Result<Said, StepError> {
    let target = Target::find(&arguments.target, world.cwd)?;
    let options = SkeletonOptions {
        output: arguments.output.clone(),
        shape: match arguments.mode {
            ModeName::Full => Shape::Full,
            ModeName::Blocks => Shape::Blocks,
            ModeName::Outline => Shape::Outline,
        },
        style: if arguments.comments {
            Style::Comments
        } else {
            Style::Bare
        },
        has_small_not: arguments.small_not,
        policy: match arguments.policy {
            PolicyName::Request => Policy::Request,
            PolicyName::Controller => Policy::Controller,
            PolicyName::Ask => Policy::Ask,
        },
        mode: match arguments.merge {
            None => Mode::AsTold,
            Some(MergeName::Insert) => Mode::Merge(Merge::Insert),
            Some(MergeName::Replace) => Mode::Merge(Merge::Replace),
            Some(MergeName::Upsert) => Mode::Merge(Merge::Upsert),
            Some(MergeName::Missing) => Mode::Merge(Merge::Missing),
        },
        conflict: arguments.conflict.map(|conflict| match conflict {
            ConflictName::Overwrite => Conflict::Overwrite,
            ConflictName::Skip => Conflict::Skip,
        }),
        as_suite: arguments.suite,
        level: arguments.level.map(super::analyze::level),
        asker: Asker::Skeleton,
    };
    Ok(match skeleton(&target, &options, world)? {
        Written::File {
            path,
            done,
            warnings,
        } => Said {
            notes: done,
            ..Said::data(path.display().to_string()).warning(warnings)
        },
        Written::Text { text, warnings } => Said::data(text).warning(warnings),
        Written::Decide(decision) => Said::data(decision.to_string())
            .warning(["a decision is needed; nothing was changed".to_owned()]),
    })
}
