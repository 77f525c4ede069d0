//! What is sent to agents and must not reach a record.

use std::ffi::OsStr;

use casebook_suite::model::conversation::{Agent, Conversation};

use super::context::HookScope;
use crate::event_sink::EventSink;
use crate::plan::Plan;

/// Headers with such a word in their names hold secrets.
const WORDS: [&str; 7] = [
    "auth",
    "cookie",
    "credential",
    "key",
    "password",
    "secret",
    "token",
];
/// A name by which everybody knows a secret.
const NAME: &str = "SECRET";

/// The secrets in the headers of all agents, as variables with names that secrets have.
pub(crate) fn secrets(plan: &Plan) -> Vec<(String, String)> {
    let tests = plan.suites.iter().flat_map(|suite| &suite.suite.tests);
    let mut secrets: Vec<_> = tests
        .filter_map(|test| test.conversation())
        .flat_map(of_headers)
        .map(|value| (NAME.to_owned(), value.to_owned()))
        .collect();
    secrets.sort();
    secrets.dedup();
    secrets
}

/// Tells the evidence what the setup of a test has exported, because the agent sees it and may say it.
pub(super) fn learn_exports(site: &HookScope<'_>, sink: &dyn EventSink) {
    if !site.exported.is_empty() {
        sink.register_secrets(&site.exported);
    }
}

/// All variables of a test, and what else is secret about it, as if it were one.
pub(super) fn variables(
    site: &HookScope<'_>,
    conversation: &Conversation,
) -> Vec<(String, String)> {
    let text = |text: &OsStr| text.to_string_lossy().into_owned();
    let own = site.environment.iter();
    let own = own.map(|(name, value)| (text(name), text(value)));
    let sent = of_headers(conversation).map(|value| (NAME.to_owned(), value.to_owned()));
    own.chain(sent).collect()
}

/// The values, and what follows `Bearer` or its like.
fn of_headers(conversation: &Conversation) -> impl Iterator<Item = &str> {
    let headers = match &*conversation.agent {
        Agent::Command(_) => &[][..],
        Agent::Http(endpoint) | Agent::OpenAi { endpoint, .. } => &endpoint.headers,
    };
    headers
        .iter()
        .filter(|(name, _)| is_secret(name))
        .flat_map(|(_, value)| {
            let bare = value.split_once(' ').map(|(_, rest)| rest.trim());
            [Some(value.as_str()), bare].into_iter().flatten()
        })
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_hold_secrets_are_known_by_their_names() {
        for name in ["Authorization", "x-api-key", "Cookie", "X-Auth-Token"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["Accept", "content-type", "x-request-id"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
