//! Checks of a conversation that need neither a model nor a process.
//!
//! In a turn a check is about that turn's reply and calls. At the end it is about all of them: what must be there
//! (`contains`, `matches`, `equals`, `called`) may be in any reply, what must not (`notContains`, `notMatches`,
//! `maxLength`, `notCalled`, `latency`) in none.

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

/// The demand in a few words: `called book_room`.
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
        ConversationCheck::Tokens(bounds) => format!("tokens {}", format::bounds(*bounds)),
        ConversationCheck::Cost(bounds) => format!("cost {}", format::bounds(*bounds)),
        ConversationCheck::Run(command) => format!("run {}", shortened(command)),
    }
}

fn describe_text(check: &TextCheck) -> String {
    let mut name = check.name().to_owned();
    // A field of its own begins with a small letter.
    name[..1].make_ascii_lowercase();
    format!("{name} {}", expected_text(check))
}

/// What the record calls the comparison.
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

/// What is found; nothing for a check that needs a model or a process.
pub(crate) fn find(check: &ConversationCheck, scope: Scope<'_>) -> Option<CheckResult> {
    Some(match check {
        ConversationCheck::Text(check) => text::find(check, scope),
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

/// Whether the call is one that the pattern means.
pub(crate) fn is_like(pattern: &CallPattern, call: &ToolCall) -> bool {
    call.name == pattern.tool && call::is_as_wanted(pattern, call)
}

#[cfg(test)]
mod tests;
