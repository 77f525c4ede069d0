//! Fails turns whose reply is not complete: a refusal, a filtered or a cut-off reply, or too many rounds of tool calls.

use casebook_record::Comparison;
use casebook_source::Span;
use casebook_suite::model::conversation::{Agent, StopReason};

use super::expectations::{CheckSubject, CheckedExpectation, EvaluatedCheck};
use super::session::Session;

impl Session<'_> {
    /// Records a failed check if the reply of the turn is not complete and `allow` does not contain the reason. `span` is the
    /// location of the turn.
    pub(super) fn check_complete(&mut self, index: usize, span: Span, allow: &[StopReason]) {
        let reply = self.transcript.turns[index].reply.as_ref();
        let reason = reply.and_then(|reply| reply.stop_reason);
        let Some(reason) = reason.filter(|reason| !allow.contains(reason)) else {
            return;
        };
        let evaluated = EvaluatedCheck {
            field: "allow",
            span,
            hard: true,
            description: "the reply is complete".to_owned(),
            comparison: Comparison::Equals,
            name: None,
            checked: CheckedExpectation::problem(problem(reason, &self.conversation.agent)),
        };
        self.record_check(evaluated, &CheckSubject::Turn(index));
    }
}

fn problem(reason: StopReason, agent: &Agent) -> String {
    let allow = format!("allow it with `allow: [{}]`", reason.name());
    match (reason, agent) {
        (StopReason::Refusal, _) => {
            format!("the agent refused to reply; if this is expected, {allow}")
        }
        (StopReason::Filter, _) => {
            format!("a content filter stopped the reply; if this is expected, {allow}")
        }
        (StopReason::Cut, Agent::Model(_)) => {
            format!(
                "the reply was cut off at the maximum number of tokens; set `maxTokens`, or {allow}"
            )
        }
        (StopReason::Cut, _) => {
            format!("the reply was cut off at the maximum number of tokens; raise it, or {allow}")
        }
        (StopReason::ToolRounds, Agent::Model(agent)) => format!(
            "the model called tools in more than {} rounds without a reply; raise `maxToolRounds`, or check the results of the tools",
            agent.max_tool_rounds
        ),
        (StopReason::ToolRounds, _) => {
            "the agent called tools in too many rounds without a reply".to_owned()
        }
    }
}
