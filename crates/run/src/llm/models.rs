//! The models of a run: what its conversations have in common.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use casebook_suite::model::conversation::{Llm, Provider};

use crate::evidence::Evidence;
use crate::http::Client;
use crate::options::LlmOptions;
use crate::world::World;

use super::anthropic::Anthropic;
use super::key::Key;
use super::limits::Limits;
use super::openai::OpenAi;
use super::remote::{Api, Line, Remote};
use super::scripted::Script;
use super::{Model, ModelError};

/// Opens models, for as many conversations at once as there are.
pub(crate) struct Models<'a> {
    world: &'a World,
    options: &'a LlmOptions,
    evidence: &'a dyn Evidence,
    client: Client,
    /// By address and model.
    lines: Mutex<HashMap<(String, String), Arc<Line>>>,
}

impl<'a> Models<'a> {
    /// One per run, or per worker.
    pub(crate) fn new(
        world: &'a World,
        options: &'a LlmOptions,
        evidence: &'a dyn Evidence,
    ) -> Models<'a> {
        Models {
            world,
            options,
            evidence,
            client: Client::new(world),
            lines: Mutex::default(),
        }
    }

    /// What sends requests to agents as well, so that there is one of it.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The model for one conversation. The key tells it from all others of the run and is the same in the next run: the
    /// stable id with the trial, and with the attempt where there is more than one.
    pub(crate) fn open(&self, llm: &Llm, key: &str) -> Result<Box<dyn Model + '_>, ModelError> {
        let api: &'static dyn Api = match &llm.provider {
            Provider::Scripted(script) => return Ok(Box::new(Script::new(script, &llm.model))),
            Provider::Anthropic => &Anthropic,
            Provider::OpenAi => &OpenAi,
        };
        let _ = key;
        Ok(Box::new(Remote {
            api,
            llm: llm.clone(),
            key: Key::of(llm, api.key_variable(), self.world)?,
            line: self.line(llm, api),
            client: &self.client,
            evidence: self.evidence,
        }))
    }

    fn line(&self, llm: &Llm, api: &dyn Api) -> Arc<Line> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (api.url(llm.url.as_deref()), llm.model.clone());
        let line = lines.entry(name).or_insert_with(|| {
            let limits = Limits::new(llm, self.options.processes, self.world.instant);
            Arc::new(Line {
                limits,
                knows: Mutex::default(),
            })
        });
        Arc::clone(line)
    }
}
