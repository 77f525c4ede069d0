//! Checks of a conversation that need neither a model nor a process.
//!
//! The check of a turn applies to its reply and tool calls. A check at the end applies to all turns: `contains`, `matches`,
//! `equals`, `json`, `called` and `returned` must pass for at least one reply; `notContains`, `notMatches`, `maxLength`, `minLength`,
//! `notCalled` and `latency` must pass for every reply.

mod call;
mod data;
mod end;
mod format;
mod json;
mod metrics;
mod pattern;
mod returned;
mod text;
mod topic;

use casebook_record::Comparison;
use casebook_record::event::ToolCall;
use casebook_suite::model::TextCheck;
use casebook_suite::model::conversation::{CallPattern, ConversationCheck, CriterionRef, is_tool};

use crate::assertions::{CheckResult, expected_text, shortened, text_comparison};
use crate::transcript::Scope;

/// A short description of the check: `called book_room`.
pub(crate) fn describe(check: &ConversationCheck) -> String {
    match check {
        ConversationCheck::Text(check) => describe_text(check),
        ConversationCheck::TextIgnoringCase(check) => {
            format!("{} in any case", describe_text(check))
        }
        ConversationCheck::MaxLength(max) => format!("maxLength {max}"),
        ConversationCheck::MinLength(min) => format!("minLength {min}"),
        ConversationCheck::Json { pointer, pattern } => {
            format!("json {}", json::describe(pointer, pattern))
        }
        ConversationCheck::Returned { tool, with } => {
            format!("returned {}", returned::describe(tool, with))
        }
        ConversationCheck::Called(check) => format!("called {}", format::calls(check)),
        ConversationCheck::NotCalled(check) => format!("notCalled {}", format::calls(check)),
        ConversationCheck::OnlyCalled(tools) => match tools.as_slice() {
            [] => "onlyCalled []".to_owned(),
            tools => format!("onlyCalled {}", format::list(tools)),
        },
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
        ConversationCheck::Language(language) => format!("language {}", shortened(language)),
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
        ConversationCheck::Ended(reasons) => format!("ended {}", reasons.join(" or ")),
        ConversationCheck::AnyOf(checks) => format!("anyOf {}", describe_all(checks, " or ")),
        ConversationCheck::AllOf(checks) => describe_all(checks, " and "),
        ConversationCheck::Not(check) => format!("not {}", describe(check)),
    }
}

fn describe_all(checks: &[ConversationCheck], separator: &str) -> String {
    let checks: Vec<_> = checks.iter().map(describe).collect();
    checks.join(separator)
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
        ConversationCheck::Text(check) | ConversationCheck::TextIgnoringCase(check) => {
            text_comparison(check)
        }
        ConversationCheck::Json { .. } => Comparison::JsonMatches,
        ConversationCheck::Ended(_) => Comparison::End,
        ConversationCheck::AnyOf(_) | ConversationCheck::AllOf(_) | ConversationCheck::Not(_) => {
            Comparison::Combined
        }
        ConversationCheck::Called(_)
        | ConversationCheck::Returned { .. }
        | ConversationCheck::NotCalled(_)
        | ConversationCheck::OnlyCalled(_)
        | ConversationCheck::CalledInOrder { .. } => Comparison::ToolCalls,
        ConversationCheck::Topic(_)
        | ConversationCheck::ReachedTopic(_)
        | ConversationCheck::Topics(_) => Comparison::Topic,
        ConversationCheck::MaxLength(_)
        | ConversationCheck::MinLength(_)
        | ConversationCheck::Turns(_)
        | ConversationCheck::Latency(_)
        | ConversationCheck::FirstToken(_)
        | ConversationCheck::Tokens(_)
        | ConversationCheck::Cost(_) => Comparison::Number,
        ConversationCheck::Satisfies(_)
        | ConversationCheck::Intent(_)
        | ConversationCheck::Grounded { .. }
        | ConversationCheck::Claims(_)
        | ConversationCheck::NotClaims(_)
        | ConversationCheck::Language(_) => Comparison::Judge,
        ConversationCheck::Run(_) => Comparison::Command,
    }
}

/// The name of the criterion that the check requires.
pub(crate) fn criterion(check: &ConversationCheck) -> Option<&str> {
    match check {
        ConversationCheck::Satisfies(criterion) => criterion.name(),
        _ => None,
    }
}

/// Evaluates a check; `None` if it needs a model or a process, or combines other checks.
pub(crate) fn evaluate(check: &ConversationCheck, scope: Scope<'_>) -> Option<CheckResult> {
    Some(match check {
        ConversationCheck::Text(check) => text::evaluate(check, false, scope),
        ConversationCheck::TextIgnoringCase(check) => text::evaluate(check, true, scope),
        ConversationCheck::MaxLength(max) => text::max_length(*max, scope),
        ConversationCheck::MinLength(min) => text::min_length(*min, scope),
        ConversationCheck::Json { pointer, pattern } => json::evaluate(pointer, pattern, scope),
        ConversationCheck::Returned { tool, with } => returned::evaluate(tool, with, scope),
        ConversationCheck::Ended(reasons) => end::evaluate(reasons, scope),
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
        | ConversationCheck::Language(_)
        | ConversationCheck::Run(_)
        | ConversationCheck::AnyOf(_)
        | ConversationCheck::AllOf(_)
        | ConversationCheck::Not(_) => return None,
    })
}

/// Whether tool, arguments and outcome of the call match the pattern.
pub(crate) fn matches_call(pattern: &CallPattern, call: &ToolCall) -> bool {
    is_tool(&pattern.tool, &call.name) && call::matches_arguments(pattern, call)
}

#[cfg(test)]
mod tests;
