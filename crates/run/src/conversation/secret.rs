//! Secrets of agents and models, which must not be recorded.

use std::ffi::OsStr;

use casebook_suite::model::conversation::Conversation;

use super::context::HookScope;
use crate::event_sink::{EventSink, secret};
use crate::plan::Plan;

/// A header is secret if its name contains one of these words.
const SECRET_HEADER_WORDS: [&str; 7] = [
    "auth",
    "cookie",
    "credential",
    "key",
    "password",
    "secret",
    "token",
];

/// The secret headers of all agents and models, as variables with a secret name.
pub(crate) fn secrets(plan: &Plan) -> Vec<(String, String)> {
    let tests = plan.suites.iter().flat_map(|suite| &suite.suite.tests);
    let mut secrets: Vec<_> = tests
        .filter_map(|test| test.conversation())
        .flat_map(header_secrets)
        .map(secret)
        .collect();
    secrets.sort();
    secrets.dedup();
    secrets
}

/// Registers the variables that the setup exported as secrets, because the agent sees them and may repeat them.
pub(super) fn register_exports(site: &HookScope<'_>, sink: &dyn EventSink) {
    if !site.exported.is_empty() {
        sink.register_secrets(&site.exported);
    }
}

/// The environment of a test, and its secret headers as variables.
pub(super) fn variables(
    site: &HookScope<'_>,
    conversation: &Conversation,
) -> Vec<(String, String)> {
    let text = |text: &OsStr| text.to_string_lossy().into_owned();
    let environment = site.environment.iter();
    let environment = environment.map(|(name, value)| (text(name), text(value)));
    let headers = header_secrets(conversation).map(secret);
    environment.chain(headers).collect()
}

/// The values of secret headers, and the part after `Bearer` or another scheme.
fn header_secrets(conversation: &Conversation) -> impl Iterator<Item = &str> {
    let of_models = conversation.models().flat_map(|llm| &llm.headers);
    let endpoint = conversation.agent.endpoint().into_iter();
    endpoint
        .flat_map(|endpoint| &endpoint.headers)
        .chain(of_models)
        .filter(|(name, _)| is_secret(name))
        .flat_map(|(_, value)| {
            let credential = value.split_once(' ').map(|(_, rest)| rest.trim());
            [Some(value.as_str()), credential].into_iter().flatten()
        })
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_HEADER_WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_headers_are_recognized_by_their_names() {
        for name in ["Authorization", "x-api-key", "Cookie", "X-Auth-Token"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["Accept", "content-type", "x-request-id"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
