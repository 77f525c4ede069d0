//! `casebook design skeleton`.

use casebook_design::skeleton::{ControllerPolicy, Merge, Style};
use casebook_design::steps::{
    Conflict, DecisionSource, Mode, SkeletonKind, SkeletonOptions, SkeletonResult, StepContext,
    StepError, Target, skeleton,
};

use super::CommandOutput;
use crate::arguments::design::{ConflictArg, MergeArg, ModeArg, PolicyArg, Skeleton};

pub(super) fn run(
    arguments: &Skeleton,
    world: &StepContext<'_>,
) -> Result<CommandOutput, StepError> {
    let target = Target::find(&arguments.target, world.cwd)?;
    Ok(match skeleton(&target, &options(arguments), world)? {
        SkeletonResult::File {
            path,
            done,
            warnings,
        } => CommandOutput {
            notes: done,
            ..CommandOutput::data(path.display().to_string()).warning(warnings)
        },
        SkeletonResult::Text { text, warnings } => CommandOutput::data(text).warning(warnings),
        SkeletonResult::Decide(decision) => {
            CommandOutput::decision(&decision, "nothing was changed")
        }
    })
}

fn options(arguments: &Skeleton) -> SkeletonOptions {
    SkeletonOptions {
        output: arguments.output.clone(),
        shape: shape(arguments.mode),
        style: if arguments.comments {
            Style::Comments
        } else {
            Style::Bare
        },
        has_small_not: arguments.small_not,
        policy: policy(arguments.policy),
        mode: mode(arguments.merge),
        conflict: arguments.conflict.map(|conflict| match conflict {
            ConflictArg::Overwrite => Conflict::Overwrite,
            ConflictArg::Skip => Conflict::Skip,
            ConflictArg::Ask => Conflict::Ask,
        }),
        as_suite: arguments.suite,
        level: arguments.level.map(super::analyze::level),
        decision_source: DecisionSource::Skeleton,
    }
}

fn shape(mode: ModeArg) -> SkeletonKind {
    match mode {
        ModeArg::Full => SkeletonKind::Full,
        ModeArg::Blocks => SkeletonKind::Blocks,
        ModeArg::Outline => SkeletonKind::Outline,
    }
}

fn policy(policy: PolicyArg) -> ControllerPolicy {
    match policy {
        PolicyArg::Request => ControllerPolicy::Request,
        PolicyArg::Controller => ControllerPolicy::Controller,
        PolicyArg::Ask => ControllerPolicy::Ask,
    }
}

fn mode(merge: Option<MergeArg>) -> Mode {
    match merge {
        None => Mode::ByDocument,
        Some(MergeArg::Insert) => Mode::Merge(Merge::Insert),
        Some(MergeArg::Replace) => Mode::Merge(Merge::Replace),
        Some(MergeArg::Upsert) => Mode::Merge(Merge::Upsert),
        Some(MergeArg::Missing) => Mode::Merge(Merge::Missing),
    }
}
