//! `design status`: the progress of each method.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::StepContext;
use super::progress::Step;
use crate::metadata::document::Document;
use crate::metadata::freshness::{mtime, of_document};
use crate::metadata::location::{MetadataDir, plugin_dir};
use crate::metadata::methods::method_documents;
use crate::metadata::read::{Layout, layout, plans};
use crate::metadata::store::read;

/// The progress of one method.
#[derive(Debug, Clone)]
pub struct MethodProgress {
    /// The metadata file.
    pub metadata: PathBuf,
    /// `Class#method`.
    pub method: String,
    /// The source, relative to the root.
    pub file: String,
    /// The steps that are done, in order.
    pub done: Vec<Step>,
    /// The reason of the metadata's freshness.
    pub reason: &'static str,
    /// The number of errors that steps recorded.
    pub errors: usize,
}

impl MethodProgress {
    /// The next step; `None` if all are done. The review is optional.
    pub fn next(&self) -> Option<Step> {
        Step::ALL
            .into_iter()
            .filter(|step| *step != Step::Reviewer)
            .find(|step| !self.done.contains(step))
    }

    /// Converts it to the JSON of `design status`.
    pub fn to_json(&self) -> Value {
        let done: Vec<_> = self.done.iter().map(|step| step.name()).collect();
        json!({
            "metadata_path": self.metadata,
            "method": self.method,
            "file": self.file,
            "done": done,
            "next": self.next().map(Step::command),
            "reason": self.reason,
            "errors": self.errors,
        })
    }
}

/// The progress of every method in the project's metadata, by file name. Unreadable files are returned as warnings.
pub fn status(context: &StepContext<'_>) -> (Vec<MethodProgress>, Vec<String>) {
    let directory = MetadataDir::of(context.cwd, context.cwd);
    let root = directory.root.unwrap_or_else(|| context.cwd.to_owned());
    let mut files = yaml_in(&directory.path);
    files.retain(|file| is_metadata(file));
    files.extend(yaml_in(&plugin_dir(&root)));
    let mut progress = Vec::new();
    let mut warnings = Vec::new();
    for file in files {
        match read(&file) {
            Ok(document) if layout(document.value()) == Layout::Plugin => {
                progress.extend(of_plugin(&file, &document, &root));
            }
            Ok(document) => progress.extend(
                method_documents(&document)
                    .iter()
                    .map(|method| of_flat(&file, method, &root)),
            ),
            Err(error) => warnings.push(error.to_string()),
        }
    }
    (progress, warnings)
}

/// The YAML files of a directory, sorted.
fn yaml_in(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "yml"))
        .collect();
    files.sort();
    files
}

fn is_metadata(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("metadata_")
}

/// The progress of each method of a document in the plugin layout.
fn of_plugin(metadata: &Path, document: &Document, root: &Path) -> Vec<MethodProgress> {
    let plans = plans(document, None).unwrap_or_default();
    plans
        .iter()
        .map(|plan| {
            let file = plan.file.clone().unwrap_or_default();
            MethodProgress {
                method: plan.id(),
                done: done_steps(document, &[plan.id()]),
                reason: of_document(document, mtime(&root.join(&file))).reason(),
                errors: errors(document),
                metadata: metadata.to_owned(),
                file,
            }
        })
        .collect()
}

fn done_steps(document: &Document, methods: &[String]) -> Vec<Step> {
    let steps = Step::ALL.into_iter();
    steps
        .filter(|step| step.is_done_for(document, methods))
        .collect()
}

fn errors(document: &Document) -> usize {
    let errors = document.at(&["automation", "errors"]);
    errors.and_then(Value::as_array).map_or(0, Vec::len)
}

fn of_flat(metadata: &Path, document: &Document, root: &Path) -> MethodProgress {
    let text = |key: &str| {
        document
            .at(&["target", key])
            .and_then(Value::as_str)
            .unwrap_or("?")
            .to_owned()
    };
    let sign = if text("method_type") == "class" {
        '.'
    } else {
        '#'
    };
    let source = root.join(text("file"));
    MethodProgress {
        method: format!("{}{sign}{}", text("class"), text("method")),
        file: text("file"),
        done: done_steps(document, &[]),
        reason: of_document(document, mtime(&source)).reason(),
        errors: errors(document),
        metadata: metadata.to_owned(),
    }
}
