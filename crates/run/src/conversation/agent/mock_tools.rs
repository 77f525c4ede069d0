//! The tools that Casebook provides to a model: their results are in the suite.

use casebook_record::Metadata;
use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{Tool, ToolResult};
use serde_json::{Value, json};

use super::AgentError;
use super::chat::{CallRequest, ROUND};
use crate::conversation::ConversationContext;
use crate::conversation::command::{self, CommandFailure};

/// The tools of one conversation.
pub(super) struct MockTools<'a> {
    tools: Vec<Tool>,
    /// The number of calls of each tool so far.
    calls: Vec<usize>,
    services: ConversationContext<'a>,
}

impl<'a> MockTools<'a> {
    pub(super) fn new(tools: Vec<Tool>, services: ConversationContext<'a>) -> MockTools<'a> {
        MockTools {
            calls: vec![0; tools.len()],
            tools,
            services,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Executes a call. A list of results that is exhausted fails the test.
    pub(super) fn call(
        &mut self,
        request: &CallRequest,
        round: u32,
    ) -> Result<ToolCall, AgentError> {
        let outcome = self.outcome(request)?;
        let (result, error) = match outcome {
            Ok(value) => (Some(value.into()), None),
            Err(error) => (None, Some(error)),
        };
        Ok(ToolCall {
            name: request.name.clone(),
            arguments: request.arguments.clone().into(),
            result,
            error,
            metadata: Metadata::of(&json!({ROUND: round})),
        })
    }

    /// The result of a call, or its error message for the model.
    fn outcome(&mut self, request: &CallRequest) -> Result<Result<Value, String>, AgentError> {
        let mut tools = self.tools.iter();
        let Some(index) = tools.position(|tool| tool.name == request.name) else {
            return Ok(Err(format!("there is no tool `{}`", request.name)));
        };
        if !request.arguments.is_object() {
            return Ok(Err("the arguments are not a JSON object".to_owned()));
        }
        let number = self.calls[index];
        self.calls[index] += 1;
        let result = match &self.tools[index].result {
            ToolResult::InOrder(results) => results.get(number).ok_or_else(|| {
                AgentError::Failed(format!(
                    "the model called `{}` {} times, but the suite has {} for it; add to its `result`",
                    request.name,
                    number + 1,
                    counted(results.len(), "result")
                ))
            })?,
            result => result,
        };
        self.evaluate(result, request)
    }

    fn evaluate(
        &self,
        result: &ToolResult,
        request: &CallRequest,
    ) -> Result<Result<Value, String>, AgentError> {
        match result {
            ToolResult::Value(value) => Ok(Ok(value.clone())),
            ToolResult::Error(text) => Ok(Err(text.clone())),
            ToolResult::Run(script) => self.run(&script.text, request),
            ToolResult::InOrder(_) => unreachable!("a list of results contains no lists"),
        }
    }

    /// The output of a command that reads the arguments: JSON, or else text. One that cannot be run fails the test.
    fn run(
        &self,
        script: &str,
        request: &CallRequest,
    ) -> Result<Result<Value, String>, AgentError> {
        let arguments = request.arguments.to_string();
        match command::run(script, &arguments, true, self.services) {
            Ok(result) => {
                let output = result.streams.output();
                let text = String::from_utf8_lossy(output.text());
                let text = text.trim_end();
                Ok(Ok(
                    serde_json::from_str(text).unwrap_or_else(|_| text.into())
                ))
            }
            Err(CommandFailure::Interrupted) => Err(AgentError::Interrupted),
            Err(CommandFailure::ExitCode(why)) => Ok(Err(why)),
            Err(CommandFailure::Failed(why)) => Err(self.not_run(&request.name, &why)),
        }
    }

    fn not_run(&self, tool: &str, why: &str) -> AgentError {
        let now = (self.services.processes.instant)();
        let is_late = |deadline| deadline <= now;
        if self.services.site.deadline.is_some_and(is_late) {
            return AgentError::TooLong(format!(
                "the command of the tool `{tool}` did not end in time: {why}"
            ));
        }
        AgentError::Failed(format!(
            "the command of the tool `{tool}` could not be run; check its `result`: {why}"
        ))
    }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
