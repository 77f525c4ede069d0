//! `--learn`: the sandbox in which the code under test runs.

use casebook_design::learn::{LearnOptions, Learner};
use casebook_design::sandbox::{Limits, Sandbox};

use crate::arguments::design::{DesignCommand, Learn};
use crate::context::Context;

/// The learner that a command asks for. An error if the system offers no isolation.
pub(super) fn learner(
    command: &DesignCommand,
    context: &Context,
) -> Result<Option<Learner>, String> {
    let Some(arguments) = arguments(command).filter(|arguments| arguments.learn) else {
        return Ok(None);
    };
    let environment: Vec<_> = context.environment.clone().into_iter().collect();
    let limits = Limits::default();
    let sandbox = if arguments.unsafe_no_sandbox {
        Sandbox::without_isolation(limits, &environment)
    } else {
        Sandbox::new(limits, &environment).map_err(|error| {
            format!("{error}\n--learn runs the code under test; --unsafe-no-sandbox runs it without isolation")
        })?
    };
    Ok(Some(Learner {
        sandbox,
        temporary: context.system().temporary,
        options: LearnOptions::default(),
    }))
}

fn arguments(command: &DesignCommand) -> Option<Learn> {
    match command {
        DesignCommand::Implement(implement) => Some(implement.learn),
        DesignCommand::Pipeline(pipeline) => Some(pipeline.learn),
        _ => None,
    }
}
