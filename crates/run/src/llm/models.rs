//! The models of a run: what its conversations have in common.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use casebook_record::{DEFAULT_PATTERNS, Redactor};
use casebook_suite::model::conversation::{Llm, Provider};
use parking_lot::Mutex;

use crate::event_sink::EventSink;
use crate::http::Client;
use crate::options::LlmOptions;
use crate::system::SystemContext;

use super::anthropic::Anthropic;
use super::api::ProviderApi;
use super::cache::{Cache, CachingModel};
use super::key::Key;
use super::limits::Limits;
use super::openai::OpenAi;
use super::remote::{HttpModel, SharedModel};
use super::scripted::ScriptedModel;
use super::{Model, ModelError};

/// Opens models, for as many conversations at once as there are.
pub(crate) struct Models<'a> {
    system: &'a SystemContext,
    options: &'a LlmOptions,
    sink: &'a dyn EventSink,
    cache: Option<Cache>,
    /// Whether people know that a key is missing.
    keyless: OnceLock<()>,
    client: Client,
    /// By address and model.
    lines: Mutex<HashMap<(String, String), Arc<SharedModel>>>,
}

impl<'a> Models<'a> {
    /// One per run, or per worker.
    pub(crate) fn new(
        system: &'a SystemContext,
        options: &'a LlmOptions,
        sink: &'a dyn EventSink,
    ) -> Models<'a> {
        Models {
            system,
            options,
            sink,
            cache: cache(system, options),
            keyless: OnceLock::new(),
            client: Client::new(system),
            lines: Mutex::default(),
        }
    }

    /// The model for one conversation. The key tells it from all others of the run and is the same in the next run: the
    /// stable id with the trial, and with the attempt where there is more than one. `variables` are those that the
    /// conversation has: what is secret among them must not be kept.
    pub(crate) fn open(
        &self,
        llm: &Llm,
        key: &str,
        variables: &dyn Fn() -> Vec<(String, String)>,
    ) -> Result<Box<dyn Model + '_>, ModelError> {
        let api: &'static dyn ProviderApi = match &llm.provider {
            Provider::Scripted(script) => {
                return Ok(Box::new(ScriptedModel::new(script, &llm.model)));
            }
            Provider::Anthropic => &Anthropic,
            Provider::OpenAi => &OpenAi,
        };
        match &self.cache {
            None => self.live(llm, api),
            Some(cache) => Ok(Box::new(CachingModel {
                models: self,
                cache,
                api,
                llm: llm.clone(),
                secret: Key::of(llm, api.key_variable(), self.system).unwrap_or_default(),
                redactor: redactor(self.options, &variables()),
                key: key.to_owned(),
                times: Mutex::default(),
                live: OnceLock::new(),
            })),
        }
    }

    /// A model that is asked.
    pub(super) fn live(
        &self,
        llm: &Llm,
        api: &'static dyn ProviderApi,
    ) -> Result<Box<dyn Model + '_>, ModelError> {
        let key = Key::of(llm, api.key_variable(), self.system).inspect_err(|error| {
            // Checks that are only recorded would pass over it in silence.
            self.keyless
                .get_or_init(|| self.sink.warn(&error.to_string()));
        })?;
        Ok(Box::new(HttpModel {
            api,
            llm: llm.clone(),
            key,
            line: self.line(llm, api),
            client: &self.client,
            sink: self.sink,
        }))
    }

    fn line(&self, llm: &Llm, api: &dyn ProviderApi) -> Arc<SharedModel> {
        let mut lines = self.lines.lock();
        let name = (api.url(llm.url.as_deref()), llm.model.clone());
        let line = lines.entry(name).or_insert_with(|| {
            let limits = Limits::new(llm, self.options.processes, self.system.instant);
            Arc::new(SharedModel {
                limits,
                knows: Mutex::default(),
            })
        });
        Arc::clone(line)
    }
}

fn cache(system: &SystemContext, options: &LlmOptions) -> Option<Cache> {
    Some(Cache {
        folder: system.folder.join(options.cache.as_ref()?),
        name: options.cache.clone()?,
        only: options.cache_only,
    })
}

/// Hides the values of those variables whose names say that they are secret.
fn redactor(options: &LlmOptions, variables: &[(String, String)]) -> Redactor {
    let named = options.redact.iter().map(String::as_str);
    let patterns = DEFAULT_PATTERNS.into_iter().chain(named);
    let variables = variables.iter();
    let variables = variables.map(|(name, value)| (name.as_str(), value.as_str()));
    Redactor::new(patterns, variables).unwrap_or_default()
}
