//! `casebook design skeleton`.

use casebook_design::skeleton::{Merge, Policy, Style};
use casebook_design::steps::{
    Asker, Conflict, Mode, Shape, SkeletonOptions, StepError, Target, World, Written, skeleton,
};

use super::CommandOutput;
use crate::arguments::design::{ConflictArg, MergeArg, ModeArg, PolicyArg, Skeleton};

pub(super) fn run(arguments: &Skeleton, world: &World<'_>) -> Result<CommandOutput, StepError> {
    let target = Target::find(&arguments.target, world.cwd)?;
    let options = SkeletonOptions {
        output: arguments.output.clone(),
        shape: match arguments.mode {
            ModeArg::Full => Shape::Full,
            ModeArg::Blocks => Shape::Blocks,
            ModeArg::Outline => Shape::Outline,
        },
        style: if arguments.comments {
            Style::Comments
        } else {
            Style::Bare
        },
        has_small_not: arguments.small_not,
        policy: match arguments.policy {
            PolicyArg::Request => Policy::Request,
            PolicyArg::Controller => Policy::Controller,
            PolicyArg::Ask => Policy::Ask,
        },
        mode: match arguments.merge {
            None => Mode::AsTold,
            Some(MergeArg::Insert) => Mode::Merge(Merge::Insert),
            Some(MergeArg::Replace) => Mode::Merge(Merge::Replace),
            Some(MergeArg::Upsert) => Mode::Merge(Merge::Upsert),
            Some(MergeArg::Missing) => Mode::Merge(Merge::Missing),
        },
        conflict: arguments.conflict.map(|conflict| match conflict {
            ConflictArg::Overwrite => Conflict::Overwrite,
            ConflictArg::Skip => Conflict::Skip,
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
        } => CommandOutput {
            notes: done,
            ..CommandOutput::data(path.display().to_string()).warning(warnings)
        },
        Written::Text { text, warnings } => CommandOutput::data(text).warning(warnings),
        Written::Decide(decision) => CommandOutput::data(decision.to_string())
            .warning(["a decision is needed; nothing was changed".to_owned()]),
    })
}
