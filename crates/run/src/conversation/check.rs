//! Checks of a conversation that need neither a model nor a process.
//!
//! The check of a turn applies to its reply and tool calls. A check at the end applies to all turns: `contains`, `matches`,
//! `equals` and `called` must pass for at least one reply; `notContains`, `notMatches`, `maxLength`, `notCalled` and `latency`
//! must pass for every reply.

mod call;
mod data;
mod format;
mod metrics;
mod pattern;
mod text;
mod topic;

use casebook_record::Comparison;
use casebook_record::event::ToolCall;
use casebook_suite::model::TextCheck;
use casebook_suite::model::conversation::{CallPattern, ConversationCheck, CriterionRef};

use crate::assertions::{CheckResult, expected_text, shortened, text_comparison};
use crate::transcript::Scope;

/// A short description of the check: `called book_room`.
pub(crate) fn describe(check: &ConversationCheck) -> String {
    match check {
        ConversationCheck::Text(check) => describe_text(check),
        ConversationCheck::MaxLength(max) => format!("maxLength {max}"),
        ConversationCheck::Called(check) => format!("called {}", format::calls(check)),
        ConversationCheck::NotCalled(check) => format!("notCalled {}", format::calls(check)),
        ConversationCheck::OnlyCalled(tools) => format!("onlyCalled {}", format::list(tools)),
        ConversationCheck::CalledInOrder { tools, exact } => {
            let exactly = if *exact { " exactly" } else { "" };
            format!("calledInOrder{exactly} {}", format::list(tools))
        }
        ConversationCheck::Satisfies(CriterionRef::Criterion(text) | CriterionRef::Text(text)) => {
            format!("satisfies {}", shortened(text))
        }
        ConversationCheck::Satisfies(CriterionRef::Scored { name, min }) => {
            format!("satisfies {} with at least {min}", shortened(name))
        }
        ConversationCheck::Intent(text) => format!("intent {}", shortened(text)),
        ConversationCheck::Grounded { what, from } if from.is_empty() => {
            format!("grounded {}", shortened(what))
        }
        ConversationCheck::Grounded { what, from } => {
            format!("grounded {} from {}", shortened(what), format::list(from))
        }
        ConversationCheck::Claims(text) => format!("claims {}", shortened(text)),
        ConversationCheck::NotClaims(text) => format!("notClaims {}", shortened(text)),
        ConversationCheck::Topic(topic) => format!("topic {topic}"),
        ConversationCheck::ReachedTopic(topic) => format!("reachedTopic {topic}"),
        ConversationCheck::Topics(topics) => format!("topics {}", format::list(topics)),
        ConversationCheck::Turns(bounds) => format!("turns {}", format::bounds(*bounds)),
        ConversationCheck::Latency(bounds) => {
            format!("latency {} seconds", format::bounds(*bounds))
        }
        ConversationCheck::FirstToken(bounds) => {
            format!("latency.firstToken {} seconds", format::bounds(*bounds))
        }
        ConversationCheck::Tokens(bounds) => format!("tokens {}", format::bounds(*bounds)),
        ConversationCheck::Cost(bounds) => format!("cost {}", format::bounds(*bounds)),
        ConversationCheck::Run(command) => format!("run {}", shortened(command)),
    }
}

fn describe_text(check: &TextCheck) -> String {
    let mut name = check.name().to_owned();
    // `name` is the second part of a field such as `outputContains`; in a conversation it is the complete field.
    name[..1].make_ascii_lowercase();
    format!("{name} {}", expected_text(check))
}

/// The kind of comparison in the record.
pub(crate) fn comparison(check: &ConversationCheck) -> Comparison {
    match check {
        ConversationCheck::Text(check) => text_comparison(check),
        ConversationCheck::Called(_)
        | ConversationCheck::NotCalled(_)
        | ConversationCheck::OnlyCalled(_)
        | ConversationCheck::CalledInOrder { .. } => Comparison::ToolCalls,
        ConversationCheck::Topic(_)
        | ConversationCheck::ReachedTopic(_)
        | ConversationCheck::Topics(_) => Comparison::Topic,
        ConversationCheck::MaxLength(_)
        | ConversationCheck::Turns(_)
        | ConversationCheck::Latency(_)
        | ConversationCheck::FirstToken(_)
        | ConversationCheck::Tokens(_)
        | ConversationCheck::Cost(_) => Comparison::Number,
        ConversationCheck::Satisfies(_)
        | ConversationCheck::Intent(_)
        | ConversationCheck::Grounded { .. }
        | ConversationCheck::Claims(_)
        | ConversationCheck::NotClaims(_) => Comparison::Judge,
        ConversationCheck::Run(_) => Comparison::Command,
    }
}

/// Evaluates a check; `None` if it needs a model or a process.
pub(crate) fn evaluate(check: &ConversationCheck, scope: Scope<'_>) -> Option<CheckResult> {
    Some(match check {
        ConversationCheck::Text(check) => text::evaluate(check, scope),
        ConversationCheck::MaxLength(max) => text::max_length(*max, scope),
        ConversationCheck::Called(check) => call::called(check, scope),
        ConversationCheck::NotCalled(check) => call::not_called(check, scope),
        ConversationCheck::OnlyCalled(tools) => call::only_called(tools, scope),
        ConversationCheck::CalledInOrder { tools, exact } => call::in_order(tools, *exact, scope),
        ConversationCheck::Topic(topic) => topic::is_in(topic, scope),
        ConversationCheck::ReachedTopic(topic) => topic::reached(topic, scope),
        ConversationCheck::Topics(topics) => topic::visited(topics, scope),
        ConversationCheck::Turns(bounds) => metrics::turns(*bounds, scope),
        ConversationCheck::Latency(bounds) => metrics::latency(*bounds, scope),
        ConversationCheck::FirstToken(bounds) => metrics::first_token(*bounds, scope),
        ConversationCheck::Tokens(bounds) => metrics::tokens(*bounds, scope),
        ConversationCheck::Cost(bounds) => metrics::cost(*bounds, scope),
        ConversationCheck::Satisfies(_)
        | ConversationCheck::Intent(_)
        | ConversationCheck::Grounded { .. }
        | ConversationCheck::Claims(_)
        | ConversationCheck::NotClaims(_)
        | ConversationCheck::Run(_) => return None,
    })
}

/// Whether tool, arguments and outcome of the call match the pattern.
pub(crate) fn matches_call(pattern: &CallPattern, call: &ToolCall) -> bool {
    call.name == pattern.tool && call::matches_arguments(pattern, call)
}

#[cfg(test)]
mod tests;
