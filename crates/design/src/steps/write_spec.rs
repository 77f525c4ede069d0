//! `design architect` and `design implement`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::progress::Step;
use super::spec_workspace::{SpecWorkspace, fail};
use super::{StepContext, StepError, Target};
use crate::metadata::write::camel;
use crate::review::{ReviewContext, review};
use crate::ruby::{ModelFacts, Table, is_plain_base, model_facts, tables};
use crate::skeleton::{Distance, MergeError, find_blocks};
use crate::spec::{architect as describe, implement as fill, leftovers_of};

/// What a step made of a spec.
#[derive(Debug)]
pub struct SpecStep {
    /// The spec.
    pub path: PathBuf,
    /// What is worth knowing.
    pub warnings: Vec<String>,
    /// Examples with an expectation, and examples left to a person.
    pub examples: (usize, usize),
}

/// Says what the contexts and examples are about.
pub fn architect(target: &Target, world: &StepContext<'_>) -> Result<SpecStep, StepError> {
    let opened = SpecWorkspace::of(target, Step::Architect, world)?;
    let done = recorded(&opened, Step::Architect, || {
        let made = describe(&opened.text, &opened.plans, &opened.analyses()?);
        opened.write(&made.text)?;
        Ok(made.notes)
    })?;
    opened.finish(Step::Architect, &[], |document| {
        document.set_in("automation", "architect_notes", &json!(done));
    })?;
    Ok(SpecStep {
        path: opened.spec,
        warnings: Vec::new(),
        examples: (0, 0),
    })
}

/// Fills in what is certain.
pub fn implement(
    target: &Target,
    distance: Distance,
    world: &StepContext<'_>,
) -> Result<SpecStep, StepError> {
    let opened = SpecWorkspace::of(target, Step::Implementer, world)?;
    let done = recorded(&opened, Step::Implementer, || {
        let (plans, analyses) = (&opened.plans, opened.analyses()?);
        // Those of the project: every plan has the same.
        let factories = plans.first().map(|plan| plan.factories.as_slice());
        let records = records(&opened.root, factories.unwrap_or_default());
        let mut made = fill(&opened.text, plans, &analyses, &records, distance);
        if let Some((line, token)) = leftovers_of(&made.text, plans).into_iter().next() {
            return Err(StepError::Other(format!(
                "{}:{line} still holds {token}: run `casebook design architect` first, or fill it in",
                opened.spec.display()
            )));
        }
        opened.write(&made.text)?;
        made.warnings.extend(forbidden(&made.text));
        Ok(made)
    })?;
    opened.finish(Step::Implementer, &done.warnings, |document| {
        document.set_in("automation", "implementer_pending", &json!(done.pending));
    })?;
    Ok(SpecStep {
        path: opened.spec,
        warnings: done.warnings,
        examples: (done.certain, done.pending),
    })
}

/// What no spec should do.
fn forbidden(spec: &str) -> Vec<String> {
    let findings = review(spec, &ReviewContext::default()).findings.into_iter();
    findings
        .filter(|finding| matches!(finding.check.slug, "any-instance" | "stub-own-method"))
        .map(|finding| format!("line {}: {}", finding.line, finding.issue))
        .collect()
}

/// What the classes of the project's records say, as far as they are where they usually are.
fn records(root: &Path, factories: &[(String, Vec<String>)]) -> Vec<(String, ModelFacts)> {
    let tables = columns_of(root);
    let facts = |name: &String| {
        let file = format!("app/models/{name}.rb");
        let source = fs::read(root.join(&file)).ok()?;
        let facts = model_facts(&source, &file, &camel(name), &tables).ok()?;
        Some((name.clone(), facts))
    };
    factories
        .iter()
        .filter_map(|(name, _)| facts(name))
        .collect()
}

/// The tables of the database, unless the class above all records may change what is read from them.
fn columns_of(root: &Path) -> Vec<Table> {
    let base = fs::read(root.join("app/models/application_record.rb"));
    let schema = fs::read(root.join("db/schema.rb"));
    match (base, schema) {
        (Ok(base), _) if !is_plain_base(&base) => Vec::new(),
        (_, Ok(schema)) => tables(&schema),
        (_, Err(_)) => Vec::new(),
    }
}

/// A failure of a step is put down where the next one looks.
fn recorded<T>(
    opened: &SpecWorkspace,
    step: Step,
    work: impl FnOnce() -> Result<T, StepError>,
) -> Result<T, StepError> {
    let done = is_ruby(opened).and_then(|()| work());
    done.inspect_err(|error| fail(&opened.metadata, step, error))
}

/// Blocks are only found in what is Ruby, placeholders aside.
fn is_ruby(opened: &SpecWorkspace) -> Result<(), StepError> {
    match find_blocks(&opened.text, &opened.plans) {
        Err(source @ MergeError::Ruby(_)) => Err(StepError::Merge {
            path: opened.spec.clone(),
            source,
        }),
        Ok(_) | Err(MergeError::NoGroup) => Ok(()),
    }
}
