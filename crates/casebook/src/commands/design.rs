//! `casebook design`: designs tests from Ruby code. One file per command; streams and exit codes follow
//! rule P1 of `docs/design-rules.md`: 0 done, 1 failed (`Error:` on standard error), 2 done with warnings (`Warning:`).

mod analyze;
mod factories;
mod gaps;
mod learning;
mod outline;
mod overview;
mod paths;
mod pipeline;
mod profile;
mod programs;
mod proven_states;
mod refactor;
mod review;
mod skeleton;
mod spec;
mod validate;

use std::io::Write as _;
use std::num::NonZero;
use std::path::Path;

use casebook_design::on_deep_stack;
use casebook_design::steps::{StepContext, StepError};
use casebook_record::io_reason;
use casebook_run::SystemContext;
use serde_json::Value;

use crate::arguments::design::{Design, DesignCommand};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use profile::Profile;

/// What to do about a decision on the command line.
pub(crate) const DECISION_HINT: &str = "run the command again with a `flag` from standard output";

/// The output of a design command.
#[derive(Debug, Default)]
pub(crate) struct CommandOutput {
    /// Data, for standard output.
    data: String,
    /// Each printed as `Warning:`.
    warnings: Vec<String>,
    /// A message without a label.
    notes: Option<String>,
    /// Why the command failed; only this is printed then.
    error: Option<String>,
}

impl CommandOutput {
    fn data(data: impl Into<String>) -> CommandOutput {
        CommandOutput {
            data: data.into(),
            ..CommandOutput::default()
        }
    }

    fn warning(mut self, warnings: impl IntoIterator<Item = String>) -> CommandOutput {
        self.warnings.extend(warnings);
        self
    }

    /// A decision that the user has to make; `unchanged` says what was not done.
    fn decision(decision: &Value, unchanged: &str) -> CommandOutput {
        CommandOutput::data(decision.to_string()).warning([format!(
            "a decision is needed: {DECISION_HINT}; {unchanged}"
        )])
    }

    fn error(error: impl Into<String>) -> CommandOutput {
        CommandOutput {
            error: Some(error.into()),
            ..CommandOutput::default()
        }
    }
}

/// The warning if no project is found.
pub(crate) const FALLBACK: &str = "no project was found: no directory above has .git or a Gemfile\n\
                                   Metadata is kept in /tmp, where other users can see it.";

pub(super) fn run(design: &Design, context: &mut Context) -> Result<Exit, CommandError> {
    // Whole seconds in UTC.
    let now: String = Context::now()
        .to_string()
        .chars()
        .take(19)
        .chain(['Z'])
        .collect();
    let profile = Profile::of(context, design.command.name());
    let system = context.system();
    let learner = match learning::learner(&design.command, context) {
        Ok(learner) => learner,
        Err(error) => return print(CommandOutput::error(error), context),
    };
    let output = {
        let caller = context.caller.as_deref();
        let run_program = |dir: &Path, program: &str, arguments: &[&str]| {
            programs::run(dir, program, arguments, caller)
        };
        let world = StepContext {
            cwd: &context.dir,
            now: &now,
            may_fall_back: profile.is_none(),
            run: &run_program,
            learner: learner.as_ref(),
        };
        let verbose = context.environment.contains_key("VERBOSE");
        let output = on_deep_stack(|| dispatch(&design.command, &world, &system, verbose));
        match &profile {
            Some(profile) => profile.reported(output, &world),
            None => output,
        }
    };
    print(output, context)
}

fn dispatch(
    command: &DesignCommand,
    world: &StepContext<'_>,
    system: &SystemContext,
    verbose: bool,
) -> CommandOutput {
    let output = match command {
        DesignCommand::Analyze(analyze) => analyze::run(analyze, world, cores()),
        DesignCommand::Path(path) => paths::path(path, world, verbose),
        DesignCommand::Cache(cache) => paths::cache(cache, world, verbose),
        DesignCommand::Dir(_) => Ok(paths::dir(world)),
        DesignCommand::Validate(validate) => validate::run(validate, world),
        DesignCommand::Factories(factories) => factories::run(factories, world),
        DesignCommand::Skeleton(skeleton) => skeleton::run(skeleton, world),
        DesignCommand::Outline(outline) => outline::run(outline, world),
        DesignCommand::Architect(architect) => spec::architect(architect, world),
        DesignCommand::Implement(implement) => spec::implement(implement, world),
        DesignCommand::Optimize(optimize) => spec::optimize(optimize, world),
        DesignCommand::Polish(polish) => spec::polish(polish, world),
        DesignCommand::Review(review) => review::run(review, world),
        DesignCommand::Pipeline(pipeline) => pipeline::run(pipeline, world),
        DesignCommand::Status(status) => Ok(overview::status(status, world)),
        DesignCommand::Mark(mark) => overview::mark(mark, world),
        DesignCommand::Gaps(gaps) => gaps::run(gaps, world, cores()),
        DesignCommand::Survey(survey) => overview::survey(survey, world, cores()),
        DesignCommand::Update(update) => overview::update(update, world),
        DesignCommand::Refactor(refactor) => refactor::run(refactor, world, system),
    };
    output.unwrap_or_else(|error: StepError| CommandOutput::error(message(&error)))
}

fn message(error: &StepError) -> String {
    match error {
        StepError::Unreadable { path, source } => {
            format!("cannot read {}: {}", path.display(), io_reason(source))
        }
        error => error.to_string(),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

fn print(output: CommandOutput, context: &mut Context) -> Result<Exit, CommandError> {
    if let Some(error) = output.error {
        context.messages.info(&format!("Error: {error}"));
        return Ok(Exit::Failed);
    }
    if !output.data.is_empty() {
        context.stdout.write_all(output.data.as_bytes())?;
        if !output.data.ends_with('\n') {
            context.stdout.write_all(b"\n")?;
        }
    }
    context.stdout.flush()?;
    if let Some(note) = &output.notes {
        context.messages.info(note);
    }
    for warning in &output.warnings {
        context.messages.info(&format!("Warning: {warning}"));
    }
    Ok(if output.warnings.is_empty() {
        Exit::Passed
    } else {
        Exit::CouldNotTest
    })
}
