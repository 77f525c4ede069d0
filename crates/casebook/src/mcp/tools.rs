//! The tools, in the order in which they are listed.

mod answer;
mod design;
mod execution;
mod records;
mod rspec_options;
mod suites;

use serde_json::{Value, json};

use super::call::Call;
use super::input::Input;
use super::jobs::JobKind;
use super::schema;
pub(super) use answer::Answer;
pub(super) use records::selected;

/// What a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    Writes,
    RunsCode,
}

/// A tool. Its error is for the client to read: what is wrong, and what to do.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) effect: Effect,
    pub(super) input: fn() -> Value,
    /// The schema of [`Answer::result`].
    pub(super) result: fn() -> Value,
    pub(super) call: fn(&Input<'_>, &Call<'_>) -> Result<Answer, String>,
}

const TOOLS: [&Tool; 13] = [
    &suites::CHECK,
    &suites::LIST,
    &suites::EXPLAIN,
    &records::REPORT,
    &records::DIFF,
    &records::HISTORY,
    &records::COVERAGE,
    &design::READ,
    &design::WRITE,
    &suites::ACCEPT,
    &execution::RUN,
    &execution::RSPEC,
    &design::PIPELINE,
];

/// The tools of a server; with `--read-only` only those that read.
pub(super) fn available(is_read_only: bool) -> impl Iterator<Item = &'static Tool> {
    let tools = TOOLS.into_iter();
    tools.filter(move |tool| !is_read_only || tool.effect == Effect::Reads)
}

impl Tool {
    /// The tool as clients see it.
    pub(super) fn describe(&self) -> Value {
        let reads = self.effect == Effect::Reads;
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": (self.input)(),
            "outputSchema": self.output_schema(),
            "annotations": {
                "title": self.title,
                "readOnlyHint": reads,
                "destructiveHint": !reads,
                "idempotentHint": reads,
                "openWorldHint": self.effect == Effect::RunsCode,
            },
        })
    }

    fn output_schema(&self) -> Value {
        let exit = "0 done or passed, 1 a test failed or something was refused, 2 problems found, warnings, or a decision is needed";
        schema::object(
            &[
                ("exit_code", schema::number(exit)),
                (
                    "messages",
                    schema::text("What the command reports besides its result"),
                ),
                ("result", (self.result)()),
                (
                    "truncated",
                    schema::texts("What was shortened; the resource link leads to everything"),
                ),
            ],
            &["exit_code", "messages", "result"],
        )
    }

    pub(super) fn kind(&self) -> JobKind {
        match self.effect {
            Effect::Reads => JobKind::Read,
            Effect::Writes | Effect::RunsCode => JobKind::Run,
        }
    }
}
