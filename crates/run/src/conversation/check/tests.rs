mod calls;
mod others;
mod patterns;

use std::time::Duration;

use casebook_record::Metadata;
use casebook_suite::model::conversation::{Bounds, CallCheck, Pattern};
use serde_json::{Value, json};

use super::*;
use crate::transcript::{ConversationTurn, Reply, Tokens, Transcript};

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall {
        name: name.into(),
        arguments: arguments.into(),
        result: None,
        error: None,
        metadata: Metadata::new(),
    }
}

fn turn(text: &str, calls: Vec<ToolCall>) -> ConversationTurn {
    ConversationTurn {
        files: Vec::new(),
        user: "…".into(),
        reply: Some(Reply {
            text: text.into(),
            calls,
            ..Reply::default()
        }),
        topic: None,
    }
}

fn transcript(turns: Vec<ConversationTurn>) -> Transcript {
    Transcript {
        turns,
        ..Transcript::default()
    }
}

fn calls(names: &[&str]) -> Vec<ToolCall> {
    names.iter().map(|name| call(name, json!({}))).collect()
}

fn whole_conversation(transcript: &Transcript) -> Scope<'_> {
    Scope {
        transcript,
        turn_index: None,
    }
}

fn problem(check: &ConversationCheck, scope: Scope<'_>) -> Option<String> {
    evaluate(check, scope)
        .expect("the check needs no model")
        .problem
}

fn bounds(min: impl Into<Option<f64>>, max: impl Into<Option<f64>>) -> Bounds {
    Bounds {
        min: min.into(),
        max: max.into(),
    }
}

fn tool(name: &str) -> CallCheck {
    CallCheck {
        call: CallPattern {
            tool: name.into(),
            with: None,
            failed: None,
        },
        times: None,
        before: None,
        after: None,
    }
}

fn with(name: &str, with: Pattern) -> CallCheck {
    let mut check = tool(name);
    check.call.with = Some(with);
    check
}

fn has(fields: impl IntoIterator<Item = (&'static str, Pattern)>) -> Pattern {
    let fields = fields.into_iter();
    Pattern::Has(fields.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn is(value: Value) -> Pattern {
    Pattern::Is(value)
}

fn assert_matches(cases: impl IntoIterator<Item = (Pattern, Value, bool)>) {
    for (pattern, arguments, expected) in cases {
        let check = with("t", pattern);
        let matches_call = matches_call(&check.call, &call("t", arguments.clone()));
        assert_eq!(
            matches_call, expected,
            "{:?} on {arguments}",
            check.call.with
        );
    }
}
