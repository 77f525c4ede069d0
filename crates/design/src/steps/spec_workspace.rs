//! [`SpecWorkspace`]: what every step after the skeleton reads, with the checks before it (rule P4).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::method_document::{method_plans, read_method, update_method};
use super::progress::Step;
use super::project::factories_of;
use super::skeleton::{root_of, write};
use super::validate::require_valid;
use super::{StepContext, StepError, Target};
use crate::metadata::document::Document;
use crate::metadata::freshness::{mtime, recorded_mtime};
use crate::metadata::location::slug;
use crate::metadata::read::{Layout, Plan, factories_in, layout, plans};
use crate::ruby::{Analysis, MethodQuery, RubyError, analyze, analyze_all};
use crate::skeleton::component_of;

/// The files of a design step.
pub(super) struct SpecWorkspace {
    pub(super) target: Target,
    pub(super) root: PathBuf,
    /// The source, relative to the root.
    file: String,
    /// The ids of the requested methods, if the document contains others as well.
    named: Vec<String>,
    /// The plans of the methods: one, or all of a document with several.
    pub(super) plans: Vec<Plan>,
    pub(super) source: PathBuf,
    pub(super) spec: PathBuf,
    pub(super) text: String,
}

impl SpecWorkspace {
    /// Writes the spec's new text with its existing line ends.
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

    /// Reads and checks the files for a step.
    pub(super) fn of(
        target: &Target,
        step: Step,
        context: &StepContext<'_>,
    ) -> Result<SpecWorkspace, StepError> {
        let metadata = target.metadata.clone();
        let document = read_method(target)?;
        let named = methods_of(target, &document);
        if let Some(before) = step.needs() {
            require_step(&document, before, &named)?;
        }
        require_valid(&document, &metadata, context)?;
        let mut plans = method_plans(&document, target)?;
        let root = root_of(&metadata, context);
        let file = plans.first().and_then(|plan| plan.file.clone());
        let file = file.unwrap_or_default();
        let source = root.join(&file);
        with_factories(&mut plans, &root, component_of(&file, &root));
        require_unchanged(&document, &source)?;
        let spec = spec_of(&document, &root)?;
        let text = fs::read_to_string(&spec).map_err(|source| StepError::Unreadable {
            path: spec.clone(),
            source,
        })?;
        Ok(SpecWorkspace {
            target: target.clone(),
            root,
            file,
            named,
            plans,
            source,
            spec,
            text,
        })
    }

    /// The analyses of its methods, from the current source, with the names of their document.
    pub(super) fn analyses(&self) -> Result<Vec<Analysis>, StepError> {
        let source = fs::read(&self.source).map_err(|source| StepError::Unreadable {
            path: self.source.clone(),
            source,
        })?;
        let all = match self.plans.as_slice() {
            [first, _, ..] => self.public_methods(&source, first.layout)?,
            _ => Vec::new(),
        };
        let analysis = |plan: &Plan| {
            let known = all.iter().find(|found| found.method.id() == plan.id());
            let mut found = known
                .cloned()
                .map_or_else(|| self.analyze_one(&source, plan), Ok)?;
            found.match_document(plan);
            Ok(found)
        };
        self.plans.iter().map(analysis).collect()
    }

    /// Analyzes all public methods with one parse.
    fn public_methods(&self, source: &[u8], layout: Layout) -> Result<Vec<Analysis>, StepError> {
        let all = analyze_all(source, &self.file, layout.analysis_options());
        let all = all.map_err(|source| self.in_source(source))?;
        Ok(all.into_iter().flatten().collect())
    }

    fn analyze_one(&self, source: &[u8], plan: &Plan) -> Result<Analysis, StepError> {
        let query = MethodQuery {
            class: Some(plan.class.clone()),
            name: Some(plan.method.clone()),
            method_type: Some(plan.method_type),
            options: plan.layout.analysis_options(),
        };
        analyze(source, &self.file, &query).map_err(|source| self.in_source(source))
    }

    fn in_source(&self, source: RubyError) -> StepError {
        StepError::Ruby {
            file: self.source.clone(),
            source,
        }
    }

    /// Records a step as done, with its warnings.
    pub(super) fn finish(
        &self,
        step: Step,
        warnings: &[String],
        change: impl FnOnce(&mut Document),
    ) -> Result<(), StepError> {
        update_method(&self.target, |document| {
            for warning in warnings {
                document.append_in(
                    "automation",
                    "warnings",
                    &format!("{}: {warning}", step.name()),
                );
            }
            change(document);
            record_step(step, document, &self.named);
            Ok(())
        })
    }

    /// The directory of the component that contains the source: a gem, an engine, a pack, or the project itself.
    pub(super) fn home(&self) -> PathBuf {
        self.root.join(component_of(&self.file, &self.root))
    }

    /// The source's path as a file name, used for reports.
    pub(super) fn slug(&self) -> String {
        slug(&self.file)
    }
}

/// Records a failure in the metadata.
pub(super) fn fail(target: &Target, step: Step, error: &StepError) {
    let recorded = update_method(target, |document| {
        document.append_in("automation", "errors", &format!("{}: {error}", step.name()));
        Ok(())
    });
    // A failure to record is ignored; the caller reports the error itself.
    drop(recorded);
}

/// The ids of the requested methods, if the document contains others as well.
pub(super) fn methods_of(target: &Target, document: &Document) -> Vec<String> {
    if target.method().is_none() || layout(document.value()) != Layout::Plugin {
        return Vec::new();
    }
    let plans = plans(document, target.method()).unwrap_or_default();
    plans.iter().map(Plan::id).collect()
}

/// Records a step for the given methods, or for the whole document if there are none.
pub(super) fn record_step(step: Step, document: &mut Document, named: &[String]) {
    let version = env!("CARGO_PKG_VERSION");
    if named.is_empty() {
        step.finish(document, version);
    } else {
        step.finish_for(document, version, named);
    }
}

/// Fails if a step has not been done for these methods.
pub(super) fn require_step(
    document: &Document,
    step: Step,
    methods: &[String],
) -> Result<(), StepError> {
    if step.is_done_for(document, methods) {
        return Ok(());
    }
    Err(StepError::NotYet {
        command: step.command(),
    })
}

/// Adds the project's factories to plans of the plugin layout, which does not contain them.
fn with_factories(plans: &mut [Plan], root: &Path, component: &str) {
    let is_missing = |plan: &Plan| plan.layout == Layout::Plugin && plan.factories.is_empty();
    if !plans.iter().any(is_missing) {
        return;
    }
    let found = factories_of(root, component).unwrap_or_default();
    let found = factories_in(&found);
    for plan in plans.iter_mut().filter(|plan| is_missing(plan)) {
        plan.factories.clone_from(&found);
    }
}

fn require_unchanged(document: &Document, source: &Path) -> Result<(), StepError> {
    let now = mtime(source).ok_or_else(|| {
        StepError::Other(format!(
            "cannot read {}: no such file or directory",
            source.display()
        ))
    })?;
    if recorded_mtime(document).and_then(Value::as_i64) == Some(now) {
        return Ok(());
    }
    Err(StepError::Other(format!(
        "{} has changed since it was analyzed; run `casebook design analyze` again",
        source.display()
    )))
}

/// The path of the spec that the document names.
pub(super) fn spec_of(document: &Document, root: &Path) -> Result<PathBuf, StepError> {
    let file = document
        .at(&["automation", "skeleton_file"])
        .and_then(Value::as_str);
    let spec = file.map(|file| root.join(file)).ok_or(StepError::NotYet {
        command: Step::Skeleton.command(),
    })?;
    if spec.is_file() {
        return Ok(spec);
    }
    Err(StepError::Other(format!(
        "spec not found: {}; run `casebook design skeleton` again",
        spec.display()
    )))
}
