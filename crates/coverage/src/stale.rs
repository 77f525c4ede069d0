//! Finds designs whose source has changed since it was analyzed, or was deleted.

use std::path::Path;

use casebook_design::metadata::document::Document;
use casebook_design::metadata::freshness::mtime;
use serde_json::Value;

/// The maximum number of files in a warning.
const MAX_NAMED: usize = 3;

/// Sources that have changed or are missing.
#[derive(Default)]
pub(crate) struct StaleSources {
    changed: Vec<String>,
    missing: Vec<String>,
}

impl StaleSources {
    /// Compares the modification time of a source with the one in its metadata.
    pub(crate) fn check(&mut self, document: &Document, source: &Path, file: Option<&str>) {
        let recorded = document
            .at(&["analyzer", "source_file_mtime"])
            .or_else(|| document.at(&["source_mtime"]))
            .and_then(Value::as_i64);
        let file = file.unwrap_or_default().to_owned();
        let list = match (mtime(source), recorded) {
            (None, _) => &mut self.missing,
            (Some(now), Some(then)) if now != then => &mut self.changed,
            _ => return,
        };
        if !list.contains(&file) {
            list.push(file);
        }
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let all = [
            (
                &self.changed,
                "changed since it was analyzed",
                "run `casebook design analyze` again",
            ),
            (
                &self.missing,
                "source file not found",
                "delete its metadata, or analyze it at its new location",
            ),
        ];
        let found = all.into_iter().filter(|(files, ..)| !files.is_empty());
        found
            .map(|(files, what, hint)| format!("{what}: {}; {hint}", first_names(files)))
            .collect()
    }
}

/// The first names, and how many more there are.
pub(crate) fn first_names(files: &[String]) -> String {
    let named = files[..files.len().min(MAX_NAMED)].join(", ");
    match files.len().saturating_sub(MAX_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
