//! Keys: from the environment, to the provider, and nowhere else.

use casebook_record::Redactor;
use casebook_suite::model::conversation::{Llm, Provider};

use crate::event_sink::EventSink;
use crate::plan::Plan;
use crate::system::SystemContext;

use super::ModelError;

/// A key and what hides it.
pub(super) struct Key {
    pub(super) value: String,
    redactor: Redactor,
}

impl Key {
    /// The key for a model, if it needs one or there is one.
    pub(super) fn of(
        llm: &Llm,
        own: &str,
        system: &SystemContext,
    ) -> Result<Option<Key>, ModelError> {
        let name = llm.key_env.as_deref().unwrap_or(own);
        match read(name, system) {
            Some(value) => Ok(Some(Key {
                redactor: Redactor::of([value.as_str()]),
                value,
            })),
            None if needs_none(llm) => Ok(None),
            None => Err(ModelError::Failed(missing(llm, name))),
        }
    }

    /// The text without the key.
    pub(super) fn hide(&self, text: &str) -> String {
        self.redactor.text(text)
    }
}

fn read(name: &str, system: &SystemContext) -> Option<String> {
    let value = system.variable(name)?.to_str()?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// Whether it is a server of one's own, which seldom wants a key; one that does says so.
fn needs_none(llm: &Llm) -> bool {
    let is_own = llm
        .url
        .as_ref()
        .is_some_and(|url| url.starts_with("http://"));
    is_own && llm.key_env.is_none()
}

fn missing(llm: &Llm, name: &str) -> String {
    let who = match llm.provider {
        Provider::Anthropic => "anthropic",
        _ => "openai",
    };
    let other = match llm.key_env {
        Some(_) => "",
        None => ", or name another variable with `llm.keyEnv`",
    };
    format!("there is no key for `provider: {who}`: set {name} in the environment{other}")
}

/// Tells the evidence of the keys whose variables do not look secret by their names.
pub(crate) fn register_keys(plan: &Plan, system: &SystemContext, sink: &dyn EventSink) {
    let tests = plan.suites.iter().flat_map(|suite| &suite.suite.tests);
    let named = tests
        .filter_map(|test| test.conversation()?.llm.as_ref()?.key_env.as_deref())
        .filter_map(|name| Some((format!("{name}_KEY"), read(name, system)?)));
    let keys: std::collections::BTreeSet<_> = named.collect();
    if !keys.is_empty() {
        sink.register_secrets(&keys.into_iter().collect::<Vec<_>>());
    }
}
