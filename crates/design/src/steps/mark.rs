//! `design mark`: a step that an agent did itself is recorded, in the agent's own sections alone.

use serde_json::Value;

use super::open::needed;
use super::progress::Step;
use super::{StepError, Target};
use crate::metadata::document::Document;
use crate::metadata::store::update;

/// Records a step, with values for keys that it owns, each as `path` and value.
pub fn mark(target: &Target, step: Step, values: &[(String, Value)]) -> Result<(), StepError> {
    if let Some((path, _)) = values.iter().find(|(path, _)| !step.may_write(path)) {
        return Err(StepError::Other(format!(
            "{} does not own `{path}`: a step writes its own sections alone",
            step.name()
        )));
    }
    let mut refused = None;
    update(&target.metadata, |document| {
        let mut document = document?;
        if let Some(before) = step.needs()
            && let Err(error) = needed(&document, before)
        {
            refused = Some(error);
            return Ok(document);
        }
        for (path, value) in values {
            set(&mut document, path, value);
        }
        step.finish(&mut document, env!("CARGO_PKG_VERSION"));
        Ok(document)
    })?;
    refused.map_or(Ok(()), Err)
}

fn set(document: &mut Document, path: &str, value: &Value) {
    match path.split_once('.') {
        Some((section, key)) => document.set_in(section, key, value),
        None => document.set(path, value),
    }
}
