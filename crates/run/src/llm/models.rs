//! The models of a run: what its conversations have in common.

use casebook_suite::model::conversation::{Llm, Provider};

use crate::evidence::Evidence;
use crate::options::LlmOptions;
use crate::world::World;

use super::scripted::Script;
use super::{Model, ModelError};

/// Opens models, for as many conversations at once as there are.
pub(crate) struct Models<'a> {
    world: &'a World,
    options: &'a LlmOptions,
    evidence: &'a dyn Evidence,
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
        }
    }

    /// The model for one conversation. The key tells it from all others of the run and is the same in the next run: the
    /// stable id with the trial, and with the attempt where there is more than one.
    pub(crate) fn open(&self, llm: &Llm, key: &str) -> Result<Box<dyn Model + '_>, ModelError> {
        match &llm.provider {
            Provider::Scripted(script) => Ok(Box::new(Script::new(script, &llm.model))),
            Provider::Anthropic | Provider::OpenAi => {
                let _ = (self.world, self.options, self.evidence, key);
                Err(ModelError::Failed(
                    "only `provider: scripted` answers so far".to_owned(),
                ))
            }
        }
    }
}
