//! `design mark`: records a step that was done outside Casebook. Only the step's own keys can be set.

use serde_json::Value;

use super::method_document::update_method;
use super::progress::Step;
use super::spec_workspace::{methods_of, record_step, require_step};
use super::validate::require_valid;
use super::{StepContext, StepError, Target};
use crate::metadata::document::Document;
use crate::metadata::read::{ReadError, plans};

/// Records a step as done and sets keys that it owns, given as paths and values.
pub fn mark(
    target: &Target,
    step: Step,
    values: &[(String, Value)],
    context: &StepContext<'_>,
) -> Result<(), StepError> {
    if let Some((path, _)) = values.iter().find(|(path, _)| !step.may_write(path)) {
        return Err(not_its_own(step, path));
    }
    update_method(target, |document| {
        let named = methods_of(target, document);
        check_method(target, document)?;
        if let Some(previous) = step.needs() {
            require_step(document, previous, &named)?;
        }
        for (path, value) in values {
            set(document, path, value);
        }
        require_valid(document, &target.metadata, context)?;
        record_step(step, document, &named);
        Ok(())
    })
}

fn not_its_own(step: Step, path: &str) -> StepError {
    let own: Vec<_> = step
        .own_keys()
        .iter()
        .map(|key| format!("`{key}`"))
        .collect();
    let allowed = match own.split_last() {
        None => "the step sets no keys".to_owned(),
        Some((only, [])) => format!("it can set {only}"),
        Some((last, others)) => format!("it can set {} and {last}", others.join(", ")),
    };
    StepError::Other(format!(
        "`{}` cannot set `{path}`; {allowed}",
        step.command()
    ))
}

/// Fails if the document describes another method.
fn check_method(target: &Target, document: &Document) -> Result<(), StepError> {
    match (target.method(), plans(document, None)) {
        (Some(method), Ok(all)) if all.iter().all(|plan| plan.method != method) => {
            let known = all.iter().map(|plan| plan.method.as_str());
            Err(StepError::Read {
                path: target.metadata.clone(),
                source: ReadError::other_method(method, known),
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
