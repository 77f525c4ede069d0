//! `design mark`: a step that an agent did itself is recorded, in the agent's own sections alone.

use serde_json::Value;

use super::progress::Step;
use super::spec_workspace::{finished, methods_of, require_step};
use super::{StepError, Target};
use crate::metadata::document::Document;
use crate::metadata::read::{ReadError, plans};
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
        let named = methods_of(target, &document);
        let before = step
            .needs()
            .map(|before| require_step(&document, before, &named));
        if let Err(error) = is_about(target, &document).and(before.unwrap_or(Ok(()))) {
            refused = Some(error);
            return Ok(document);
        }
        for (path, value) in values {
            set(&mut document, path, value);
        }
        finished(step, &mut document, &named);
        Ok(document)
    })?;
    refused.map_or(Ok(()), Err)
}

/// A document about another method is none of the agent's business.
fn is_about(target: &Target, document: &Document) -> Result<(), StepError> {
    match (target.method.as_deref(), plans(document, None)) {
        (Some(method), Ok(all)) if all.iter().all(|plan| plan.method != method) => {
            Err(StepError::Read {
                path: target.metadata.clone(),
                source: ReadError::OtherMethod(method.to_owned()),
            })
        }
        _ => Ok(()),
    }
}

fn set(document: &mut Document, path: &str, value: &Value) {
    match path.split_once('.') {
        Some((section, key)) => document.set_in(section, key, value),
        None => document.set(path, value),
    }
}
