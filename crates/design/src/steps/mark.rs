//! `design mark`: records a step that was done outside Casebook. Only the step's own keys can be set.

use serde_json::Value;

use super::progress::Step;
use super::spec_workspace::{methods_of, record_step, require_step};
use super::{StepError, Target};
use crate::metadata::document::Document;
use crate::metadata::read::{ReadError, plans};
use crate::metadata::store::update;

/// Records a step as done and sets keys that it owns, given as paths and values.
pub fn mark(target: &Target, step: Step, values: &[(String, Value)]) -> Result<(), StepError> {
    if let Some((path, _)) = values.iter().find(|(path, _)| !step.may_write(path)) {
        return Err(StepError::Other(format!(
            "{} does not own `{path}`; a step can only write its own sections",
            step.name()
        )));
    }
    let mut refused = None;
    update(&target.metadata, |document| {
        let mut document = document?;
        let named = methods_of(target, &document);
        let previous = step
            .needs()
            .map(|previous| require_step(&document, previous, &named));
        if let Err(error) = check_method(target, &document).and(previous.unwrap_or(Ok(()))) {
            refused = Some(error);
            return Ok(document);
        }
        for (path, value) in values {
            set(&mut document, path, value);
        }
        record_step(step, &mut document, &named);
        Ok(document)
    })?;
    refused.map_or(Ok(()), Err)
}

/// Fails if the document describes another method.
fn check_method(target: &Target, document: &Document) -> Result<(), StepError> {
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
