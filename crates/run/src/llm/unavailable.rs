//! A model that cannot be called, because its API key is missing.

use crate::stop::Cancellation;

use super::{Model, ModelError, ModelRequest, ModelResponse};

/// Every request fails with the same error, like those to a server that is down, so that the other members of a jury can decide.
pub(super) struct UnavailableModel {
    pub(super) provider: &'static str,
    pub(super) model: String,
    pub(super) error: ModelError,
}

impl Model for UnavailableModel {
    fn complete(&self, _: &ModelRequest, _: Cancellation<'_>) -> Result<ModelResponse, ModelError> {
        Err(self.error.clone())
    }

    fn name(&self) -> (&str, &str) {
        (self.provider, &self.model)
    }
}
