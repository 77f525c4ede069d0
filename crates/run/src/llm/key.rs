//! API keys: read from the environment, sent to the provider only, redacted everywhere else.

use casebook_record::Redactor;
use casebook_suite::model::conversation::{Conversation, Llm, Provider};

use crate::event_sink::EventSink;
use crate::plan::Plan;
use crate::system::SystemContext;

use super::ModelError;

/// A key and its redactor.
pub(super) struct Key {
    pub(super) value: String,
    redactor: Redactor,
}

impl Key {
    /// Finds the key for a model. `None` if it is not set and not required.
    pub(super) fn find(
        llm: &Llm,
        default_variable: &str,
        system: &SystemContext,
    ) -> Result<Option<Key>, ModelError> {
        let name = llm.key_env.as_deref().unwrap_or(default_variable);
        match read(name, system) {
            Some(value) => Ok(Some(Key {
                redactor: Redactor::of([value.as_str()]),
                value,
            })),
            None if is_optional(llm) => Ok(None),
            None => Err(ModelError::Failed(missing_key_message(llm, name))),
        }
    }

    /// Replaces the key in a text.
    pub(super) fn redact(&self, text: &str) -> String {
        self.redactor.text(text)
    }
}

fn read(name: &str, system: &SystemContext) -> Option<String> {
    let value = system.variable(name)?.to_str()?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// Whether the model may be called without a key. An `http:` server is usually a local one without keys; if it requires one,
/// its error response says so.
fn is_optional(llm: &Llm) -> bool {
    let is_local = llm
        .url
        .as_ref()
        .is_some_and(|url| url.starts_with("http://"));
    is_local && llm.key_env.is_none()
}

fn missing_key_message(llm: &Llm, name: &str) -> String {
    let provider = match llm.provider {
        Provider::Anthropic => "anthropic",
        _ => "openai",
    };
    let other = match llm.key_env {
        Some(_) => "",
        None => ", or set `llm.keyEnv` to another variable",
    };
    format!("no API key for `provider: {provider}`; set {name}{other}")
}

/// Registers the keys as secrets with the sink. They come from variables whose names may not match a secret pattern.
pub(crate) fn register_keys(plan: &Plan, system: &SystemContext, sink: &dyn EventSink) {
    let tests = plan.suites.iter().flat_map(|suite| &suite.suite.tests);
    let named = tests
        .filter_map(|test| test.conversation())
        .flat_map(Conversation::models)
        .filter_map(|llm| llm.key_env.as_deref())
        .filter_map(|name| Some((format!("{name}_KEY"), read(name, system)?)));
    let keys: std::collections::BTreeSet<_> = named.collect();
    if !keys.is_empty() {
        sink.register_secrets(&keys.into_iter().collect::<Vec<_>>());
    }
}
