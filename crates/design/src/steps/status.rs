//! `design status`: where each file stands.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::World;
use super::progress::Step;
use crate::metadata::cache::{mtime, of_document};
use crate::metadata::document::Document;
use crate::metadata::place::Directory;
use crate::metadata::store::read;

/// How far one file has come.
#[derive(Debug, Clone)]
pub struct Standing {
    /// The metadata file.
    pub metadata: PathBuf,
    /// `Class#method`.
    pub method: String,
    /// The source, from the root.
    pub file: String,
    /// Which steps are done, in order.
    pub done: Vec<Step>,
    /// The cache's verdict.
    pub reason: &'static str,
    /// Errors that steps recorded.
    pub errors: usize,
}

impl Standing {
    /// The step to do next; none when all are done.
    pub fn next(&self) -> Option<Step> {
        Step::ALL
            .into_iter()
            .filter(|step| *step != Step::Reviewer)
            .find(|step| !self.done.contains(step))
    }

    /// As JSON.
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

/// Every metadata file of this project, by name. Files that cannot be read are told as warnings.
pub fn status(world: &World<'_>) -> (Vec<Standing>, Vec<String>) {
    let directory = Directory::of(world.cwd, world.cwd);
    let mut files: Vec<PathBuf> = fs::read_dir(&directory.path)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.retain(|file| is_metadata(file));
    files.sort();
    let root = directory.root.unwrap_or_else(|| world.cwd.to_owned());
    let mut standings = Vec::new();
    let mut warnings = Vec::new();
    for file in files {
        match read(&file) {
            Ok(document) => standings.push(standing(file, &document, &root)),
            Err(error) => warnings.push(error.to_string()),
        }
    }
    (standings, warnings)
}

fn is_metadata(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("metadata_") && file.extension().is_some_and(|extension| extension == "yml")
}

fn standing(metadata: PathBuf, document: &Document, root: &Path) -> Standing {
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
    let errors = document
        .at(&["automation", "errors"])
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    Standing {
        method: format!("{}{sign}{}", text("class"), text("method")),
        file: text("file"),
        done: Step::ALL
            .into_iter()
            .filter(|step| step.is_done(document))
            .collect(),
        reason: of_document(document, mtime(&source), None).reason(),
        errors,
        metadata,
    }
}
