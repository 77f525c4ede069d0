//! `casebook design pipeline`.

use casebook_design::steps::{
    self, AnalyzeOptions, PipelineResult, StepContext, StepError, Subject,
};
use serde_json::json;

use super::CommandOutput;
use super::analyze::{level, names};
use crate::arguments::design::Pipeline;

pub(super) fn run(
    arguments: &Pipeline,
    world: &StepContext<'_>,
) -> Result<CommandOutput, StepError> {
    let options = AnalyzeOptions {
        force: true,
        level: arguments.level.map(level),
        names: Some(names(arguments.names)),
        ..AnalyzeOptions::default()
    };
    let subject = Subject::parse(&arguments.subject);
    let piped = steps::pipeline(
        &subject,
        options,
        arguments.overwrite,
        arguments.keep_going,
        world,
    )?;
    Ok(match piped {
        PipelineResult::Done {
            metadata,
            spec,
            report,
            examples,
            violations,
            warnings,
        } => {
            let mut answer = json!({
                "metadata_path": metadata,
                "spec": spec,
                "report": report,
                "examples": {
                    "implemented": examples.implemented,
                    "pending": examples.pending,
                    "not_run": examples.not_run,
                },
                "violations": violations,
            });
            if arguments.learn.learn {
                answer["examples"]["observed"] = json!(examples.observed);
            }
            CommandOutput::data(answer.to_string()).warning(warnings)
        }
        PipelineResult::Decide(decision) => {
            CommandOutput::decision(&decision, "nothing was changed")
        }
    })
}
