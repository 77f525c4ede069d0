//! Checks of a conversation that need neither a model nor a process.
//!
//! In a turn a check is about that turn's reply and calls. At the end it is about all of them: what must be there
//! (`contains`, `matches`, `equals`, `called`) may be in any reply, what must not (`notContains`, `notMatches`,
//! `maxLength`, `notCalled`, `latency`) in none.

mod call;
mod data;
mod figure;
mod pattern;
mod text;
mod topic;
mod words;

use casebook_record::Comparison;
use casebook_record::event::ToolCall;
use casebook_suite::model::TextCheck;
use casebook_suite::model::conversation::{CallPattern, Named, TalkCheck};

use crate::judge::{Finding, expected_text, shortened, text_comparison};
use crate::transcript::Scope;

/// The demand in a few words: `called book_room`.
pub(crate) fn describe(check: &TalkCheck) -> String {
    match check {
        TalkCheck::Text(check) => describe_text(check),
        TalkCheck::MaxLength(max) => format!("maxLength {max}"),
        TalkCheck::Called(check) => format!("called {}", words::calls(check)),
        TalkCheck::NotCalled(check) => format!("notCalled {}", words::calls(check)),
        TalkCheck::OnlyCalled(tools) => format!("onlyCalled {}", words::list(tools)),
        TalkCheck::CalledInOrder { tools, exact } => {
            let exactly = if *exact { " exactly" } else { "" };
            format!("calledInOrder{exactly} {}", words::list(tools))
        }
        TalkCheck::Satisfies(Named::Criterion(text) | Named::Text(text)) => {
            format!("satisfies {}", shortened(text))
        }
        TalkCheck::Intent(text) => format!("intent {}", shortened(text)),
        TalkCheck::Grounded { what, from } if from.is_empty() => {
            format!("grounded {}", shortened(what))
        }
        TalkCheck::Grounded { what, from } => {
            format!("grounded {} from {}", shortened(what), words::list(from))
        }
        TalkCheck::Claims(text) => format!("claims {}", shortened(text)),
        TalkCheck::NotClaims(text) => format!("notClaims {}", shortened(text)),
        TalkCheck::Topic(topic) => format!("topic {topic}"),
        TalkCheck::ReachedTopic(topic) => format!("reachedTopic {topic}"),
        TalkCheck::Topics(topics) => format!("topics {}", words::list(topics)),
        TalkCheck::Turns(bounds) => format!("turns {}", words::bounds(*bounds)),
        TalkCheck::Latency(bounds) => format!("latency {} seconds", words::bounds(*bounds)),
        TalkCheck::Tokens(bounds) => format!("tokens {}", words::bounds(*bounds)),
        TalkCheck::Cost(bounds) => format!("cost {}", words::bounds(*bounds)),
        TalkCheck::Run(command) => format!("run {}", shortened(command)),
    }
}

fn describe_text(check: &TextCheck) -> String {
    let mut name = check.name().to_owned();
    // A field of its own begins with a small letter.
    name[..1].make_ascii_lowercase();
    format!("{name} {}", expected_text(check))
}

/// What the record calls the comparison.
pub(crate) fn comparison(check: &TalkCheck) -> Comparison {
    match check {
        TalkCheck::Text(check) => text_comparison(check),
        TalkCheck::Called(_)
        | TalkCheck::NotCalled(_)
        | TalkCheck::OnlyCalled(_)
        | TalkCheck::CalledInOrder { .. } => Comparison::ToolCalls,
        TalkCheck::Topic(_) | TalkCheck::ReachedTopic(_) | TalkCheck::Topics(_) => {
            Comparison::Topic
        }
        TalkCheck::MaxLength(_)
        | TalkCheck::Turns(_)
        | TalkCheck::Latency(_)
        | TalkCheck::Tokens(_)
        | TalkCheck::Cost(_) => Comparison::Number,
        TalkCheck::Satisfies(_)
        | TalkCheck::Intent(_)
        | TalkCheck::Grounded { .. }
        | TalkCheck::Claims(_)
        | TalkCheck::NotClaims(_) => Comparison::Judge,
        TalkCheck::Run(_) => Comparison::Command,
    }
}

/// What is found; nothing for a check that needs a model or a process.
pub(crate) fn find(check: &TalkCheck, scope: Scope<'_>) -> Option<Finding> {
    Some(match check {
        TalkCheck::Text(check) => text::find(check, scope),
        TalkCheck::MaxLength(max) => text::max_length(*max, scope),
        TalkCheck::Called(check) => call::called(check, scope),
        TalkCheck::NotCalled(check) => call::not_called(check, scope),
        TalkCheck::OnlyCalled(tools) => call::only_called(tools, scope),
        TalkCheck::CalledInOrder { tools, exact } => call::in_order(tools, *exact, scope),
        TalkCheck::Topic(topic) => topic::is_in(topic, scope),
        TalkCheck::ReachedTopic(topic) => topic::reached(topic, scope),
        TalkCheck::Topics(topics) => topic::visited(topics, scope),
        TalkCheck::Turns(bounds) => figure::turns(*bounds, scope),
        TalkCheck::Latency(bounds) => figure::latency(*bounds, scope),
        TalkCheck::Tokens(bounds) => figure::tokens(*bounds, scope),
        TalkCheck::Cost(bounds) => figure::cost(*bounds, scope),
        TalkCheck::Satisfies(_)
        | TalkCheck::Intent(_)
        | TalkCheck::Grounded { .. }
        | TalkCheck::Claims(_)
        | TalkCheck::NotClaims(_)
        | TalkCheck::Run(_) => return None,
    })
}

/// Whether the call is one that the pattern means.
pub(crate) fn is_like(pattern: &CallPattern, call: &ToolCall) -> bool {
    call.name == pattern.tool && call::is_as_wanted(pattern, call)
}

#[cfg(test)]
mod tests;
