//! What every step after the skeleton needs, and the checks before it: rule P4.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::progress::Step;
use super::skeleton::{root_of, write};
use super::validate::judge;
use super::{StepContext, StepError, Target};
use crate::factories::factories;
use crate::metadata::document::Document;
use crate::metadata::freshness::{mtime, recorded_mtime};
use crate::metadata::location::slug;
use crate::metadata::read::{Layout, Plan, factories_in, layout, plans};
use crate::metadata::store::{read, update};
use crate::ruby::{Analysis, MethodQuery, RubyError, analyze, analyze_all};

/// A method on its way.
pub(super) struct SpecWorkspace {
    pub(super) metadata: PathBuf,
    pub(super) root: PathBuf,
    /// The source, from the root.
    file: String,
    /// The methods that were named, where its document holds others as well.
    named: Vec<String>,
    /// The methods it is about: one, or those of a document that holds several.
    pub(super) plans: Vec<Plan>,
    pub(super) source: PathBuf,
    pub(super) spec: PathBuf,
    pub(super) text: String,
}

impl SpecWorkspace {
    /// Writes the spec's next text, with line ends as it has them.
    pub(super) fn write(&self, text: &str) -> Result<(), StepError> {
        let count = |end: &str| self.text.matches(end).count();
        let is_windows = count("\r\n") > 0 && count("\r\n") == count("\n");
        if is_windows {
            let text = text.replace("\r\n", "\n").replace('\n', "\r\n");
            write(&self.spec, &text)
        } else {
            write(&self.spec, text)
        }
    }

    /// Opens what was named, for this step.
    pub(super) fn of(
        target: &Target,
        step: Step,
        world: &StepContext<'_>,
    ) -> Result<SpecWorkspace, StepError> {
        let metadata = target.metadata.clone();
        let document = read(&metadata)?;
        let named = methods_of(target, &document);
        if let Some(before) = step.needs() {
            require_step(&document, before, &named)?;
        }
        let findings = judge(&document, &metadata, world);
        if !findings.is_valid() {
            return Err(StepError::Other(format!(
                "{} is not valid: run `casebook design validate` to see why",
                metadata.display()
            )));
        }
        let plans = plans(&document, target.method.as_deref());
        let mut plans = plans.map_err(|source| StepError::Read {
            path: metadata.clone(),
            source,
        })?;
        let root = root_of(&metadata, world);
        let file = plans.first().and_then(|plan| plan.file.clone());
        let file = file.unwrap_or_default();
        let source = root.join(&file);
        with_factories(&mut plans, &root);
        unchanged(&document, &source)?;
        let spec = spec_of(&document, &root)?;
        let text = fs::read_to_string(&spec).map_err(|source| StepError::Unreadable {
            path: spec.clone(),
            source,
        })?;
        Ok(SpecWorkspace {
            metadata,
            root,
            file,
            named,
            plans,
            source,
            spec,
            text,
        })
    }

    /// The analyses of its methods, from the source as it is now, in the words of their document.
    pub(super) fn analyses(&self) -> Result<Vec<Analysis>, StepError> {
        let source = fs::read(&self.source).map_err(|source| StepError::Unreadable {
            path: self.source.clone(),
            source,
        })?;
        let all = match self.plans.as_slice() {
            [first, _, ..] => self.public(&source, first.layout)?,
            _ => Vec::new(),
        };
        let analysis = |plan: &Plan| {
            let known = all.iter().find(|found| found.method.id() == plan.id());
            let mut found = known.cloned().map_or_else(|| self.one(&source, plan), Ok)?;
            found.match_document(plan);
            Ok(found)
        };
        self.plans.iter().map(analysis).collect()
    }

    /// All public methods at once, where several are wanted.
    fn public(&self, source: &[u8], layout: Layout) -> Result<Vec<Analysis>, StepError> {
        let all = analyze_all(source, &self.file, layout.reading());
        let all = all.map_err(|source| self.in_source(source))?;
        Ok(all.into_iter().flatten().collect())
    }

    fn one(&self, source: &[u8], plan: &Plan) -> Result<Analysis, StepError> {
        let wanted = MethodQuery {
            class: Some(plan.class.clone()),
            name: Some(plan.method.clone()),
            method_type: Some(plan.method_type),
            reading: plan.layout.reading(),
        };
        analyze(source, &self.file, &wanted).map_err(|source| self.in_source(source))
    }

    fn in_source(&self, source: RubyError) -> StepError {
        StepError::Ruby {
            file: self.source.clone(),
            source,
        }
    }

    /// Records a step as done, with what it had to say.
    pub(super) fn finish(
        &self,
        step: Step,
        warnings: &[String],
        change: impl FnOnce(&mut Document),
    ) -> Result<(), StepError> {
        update(&self.metadata, |document| {
            let mut document = document?;
            for warning in warnings {
                document.append_in(
                    "automation",
                    "warnings",
                    &format!("{}: {warning}", step.name()),
                );
            }
            change(&mut document);
            finished(step, &mut document, &self.named);
            Ok(document)
        })?;
        Ok(())
    }

    /// The metadata's name without its folder, to name reports by.
    pub(super) fn slug(&self) -> String {
        slug(&self.file)
    }
}

/// Records a failure, if that is possible.
pub(super) fn fail(metadata: &Path, step: Step, error: &StepError) {
    let told = update(metadata, |document| {
        let mut document = document?;
        document.append_in("automation", "errors", &format!("{}: {error}", step.name()));
        Ok(document)
    });
    // Nobody can be told that telling failed; the error itself is on its way to the caller.
    drop(told);
}

/// The ids of the methods that were named, where a document holds others as well.
pub(super) fn methods_of(target: &Target, document: &Document) -> Vec<String> {
    if target.method.is_none() || layout(document.value()) != Layout::Plugin {
        return Vec::new();
    }
    let plans = plans(document, target.method.as_deref()).unwrap_or_default();
    plans.iter().map(Plan::id).collect()
}

/// Records a step for the methods that were named, or for the whole document.
pub(super) fn finished(step: Step, document: &mut Document, named: &[String]) {
    let version = env!("CARGO_PKG_VERSION");
    if named.is_empty() {
        step.finish(document, version);
    } else {
        step.finish_for(document, version, named);
    }
}

/// Whether the step before was done, for these methods at least.
pub(super) fn require_step(
    document: &Document,
    step: Step,
    methods: &[String],
) -> Result<(), StepError> {
    if step.is_done_for(document, methods) {
        return Ok(());
    }
    Err(StepError::NotYet {
        step: step.name(),
        command: step.command().to_owned(),
    })
}

/// A document that holds several methods does not repeat the project's factories.
fn with_factories(plans: &mut [Plan], root: &Path) {
    let is_missing = |plan: &Plan| plan.layout == Layout::Plugin && plan.factories.is_empty();
    if !plans.iter().any(is_missing) {
        return;
    }
    let found = factories(root, None)
        .map(|found| found.found)
        .unwrap_or_default();
    let found = factories_in(&found);
    for plan in plans.iter_mut().filter(|plan| is_missing(plan)) {
        plan.factories.clone_from(&found);
    }
}

fn unchanged(document: &Document, source: &Path) -> Result<(), StepError> {
    let now = mtime(source)
        .ok_or_else(|| StepError::Other(format!("there is no file {}", source.display())))?;
    if recorded_mtime(document).and_then(Value::as_i64) == Some(now) {
        return Ok(());
    }
    Err(StepError::Other(format!(
        "{} has changed since it was analyzed: run `casebook design analyze` again",
        source.display()
    )))
}

/// Where the spec is.
pub(super) fn spec_of(document: &Document, root: &Path) -> Result<PathBuf, StepError> {
    let file = document
        .at(&["automation", "skeleton_file"])
        .and_then(Value::as_str);
    let spec = file.map(|file| root.join(file)).ok_or(StepError::NotYet {
        step: "skeleton",
        command: "skeleton".to_owned(),
    })?;
    if spec.is_file() {
        return Ok(spec);
    }
    Err(StepError::Other(format!(
        "there is no spec {}: run `casebook design skeleton` again",
        spec.display()
    )))
}
