//! The models of a run: HTTP client, cache and limits that its conversations share.

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

use casebook_record::Redactor;
use casebook_suite::model::conversation::{Llm, Provider};
use parking_lot::Mutex;

use crate::event_sink::EventSink;
use crate::http::Client;
use crate::options::LlmOptions;
use crate::shared_limiter::{RequestLimits, SharedLimiter};
use crate::system::SystemContext;

use super::anthropic::Anthropic;
use super::api::ProviderApi;
use super::cache::{self, Cache, CachingModel, ConversationKey};
use super::key::Key;
use super::limits::{Limits, SharedLimits};
use super::openai::OpenAi;
use super::remote::{HttpModel, SharedModel};
use super::scripted::ScriptedModel;
use super::unavailable::UnavailableModel;
use super::{Model, ModelError, ModelRequest, ModelResponse};
use crate::stop::Cancellation;

/// Opens a model for each conversation.
pub(crate) struct Models<'a> {
    system: &'a SystemContext,
    options: &'a LlmOptions,
    sink: &'a dyn EventSink,
    limiter: Option<&'a Arc<dyn SharedLimiter>>,
    pub(super) cache: Option<Cache>,
    /// Set when recordings of an earlier version were looked for.
    old_recordings_checked: OnceLock<()>,
    /// Set when the warning about checks that could not be judged was shown.
    unjudged_warned: OnceLock<()>,
    /// Set when the warning about missing votes was shown.
    missing_vote_warned: OnceLock<()>,
    client: Client,
    /// By URL and model.
    shared: Mutex<HashMap<(String, String), Arc<SharedModel>>>,
}

impl<'a> Models<'a> {
    /// Called once per run or worker.
    pub(crate) fn new(
        system: &'a SystemContext,
        options: &'a LlmOptions,
        sink: &'a dyn EventSink,
        limiter: Option<&'a Arc<dyn SharedLimiter>>,
    ) -> Models<'a> {
        Models {
            system,
            options,
            sink,
            limiter,
            cache: open_cache(system, options),
            old_recordings_checked: OnceLock::new(),
            unjudged_warned: OnceLock::new(),
            missing_vote_warned: OnceLock::new(),
            client: Client::new(system),
            shared: Mutex::default(),
        }
    }

    /// Opens the model for one conversation, which `key` identifies. `variables` returns the environment of the conversation; its secrets
    /// are redacted in the cache.
    pub(crate) fn open(
        &self,
        llm: &Llm,
        key: &ConversationKey,
        variables: &dyn Fn() -> Vec<(String, String)>,
    ) -> Box<dyn Model + '_> {
        let api: &'static dyn ProviderApi = match &llm.provider {
            Provider::Scripted(script) => {
                return Box::new(ScriptedModel::new(script, &llm.model));
            }
            Provider::Anthropic => &Anthropic,
            Provider::OpenAi => &OpenAi,
        };
        let model: Box<dyn Model + '_> = match &self.cache {
            None => self.live(llm, api),
            Some(cache) => Box::new(CachingModel {
                models: self,
                cache,
                api,
                llm: llm.clone(),
                key_to_redact: Key::find(llm, api.key_variable(), self.system).unwrap_or_default(),
                redactor: redactor(self.options, &[], &variables()),
                key: key.clone(),
                occurrences: Mutex::default(),
                live: OnceLock::new(),
            }),
        };
        if llm.temperature.is_none() && llm.max_tokens.is_none() {
            return model;
        }
        Box::new(ConfiguredModel {
            model,
            temperature: llm.temperature,
            max_tokens: llm.max_tokens,
        })
    }

    /// Whether a soft check that could not be judged fails its test. If it does not, the first one gives a warning.
    pub(crate) fn soft_error_fails(&self, why: &str) -> bool {
        let fails = self.options.soft_errors_fail;
        if !fails {
            self.unjudged_warned.get_or_init(|| {
                self.sink.warn(&format!(
                    "an `evaluate` check could not be judged: {why}; `casebook run --soft-errors fail` fails its test"
                ));
            });
        }
        fails
    }

    /// Warns, once, that a judge cannot be called whose vote is not needed.
    pub(crate) fn warn_of_missing_vote(&self, why: &str) {
        self.missing_vote_warned.get_or_init(|| {
            self.sink.warn(&format!(
                "one of the judges cannot be called, so its votes count as inconclusive: {why}"
            ));
        });
    }

    /// A model without a cache.
    pub(super) fn live(&self, llm: &Llm, api: &'static dyn ProviderApi) -> Box<dyn Model + '_> {
        if let Some(cache) = &self.cache {
            self.old_recordings_checked.get_or_init(|| {
                if let Some(note) = cache::old_recordings_note(cache) {
                    self.sink.warn(&note);
                }
            });
        }
        match Key::find(llm, api.key_variable(), self.system) {
            Ok(key) => Box::new(HttpModel {
                api,
                llm: llm.clone(),
                key,
                shared: self.shared_model(llm, api),
                client: &self.client,
                sink: self.sink,
            }),
            Err(error) => Box::new(UnavailableModel {
                provider: api.name(),
                model: llm.model.clone(),
                error,
            }),
        }
    }

    fn shared_model(&self, llm: &Llm, api: &dyn ProviderApi) -> Arc<SharedModel> {
        let mut shared = self.shared.lock();
        let name = (api.url(llm.url.as_deref()), llm.model.clone());
        let shared = shared.entry(name).or_insert_with_key(|(url, model)| {
            let in_cluster = self.limiter.map(|limiter| SharedLimits {
                limiter: Arc::clone(limiter),
                url: url.clone(),
                model: model.clone(),
                limits: RequestLimits {
                    concurrency: llm.concurrency,
                    per_minute: llm.requests_per_minute,
                },
            });
            let processes = self.options.processes;
            let limits = Limits::new(llm, processes, in_cluster, self.system.instant);
            Arc::new(SharedModel {
                limits,
                capabilities: Mutex::default(),
            })
        });
        Arc::clone(shared)
    }
}

/// A model with the suite's parameters.
struct ConfiguredModel<'a> {
    model: Box<dyn Model + 'a>,
    temperature: Option<f64>,
    max_tokens: Option<u32>,
}

impl Model for ConfiguredModel<'_> {
    fn complete(
        &self,
        request: &ModelRequest,
        cancellation: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let request = ModelRequest {
            temperature: self.temperature.unwrap_or(request.temperature),
            max_tokens: self.max_tokens.unwrap_or(request.max_tokens),
            ..request.clone()
        };
        self.model.complete(&request, cancellation)
    }

    fn name(&self) -> (&str, &str) {
        self.model.name()
    }
}

fn open_cache(system: &SystemContext, options: &LlmOptions) -> Option<Cache> {
    Some(Cache {
        dir: system.dir.join(options.cache.as_ref()?),
        name: options.cache.clone()?,
        only: options.cache_only,
        explained: AtomicU32::new(0),
    })
}

/// Redacts the values of variables whose names match a secret pattern, one of the options or one of the suite.
pub(crate) fn redactor(
    options: &LlmOptions,
    of_suite: &[String],
    variables: &[(String, String)],
) -> Redactor {
    let patterns = options.redact.iter().chain(of_suite).map(String::as_str);
    let variables = variables.iter();
    let variables = variables.map(|(name, value)| (name.as_str(), value.as_str()));
    Redactor::new(patterns, variables).unwrap_or_default()
}
