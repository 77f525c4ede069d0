//! Whether the code is still what was analyzed.

use std::path::Path;

use casebook_design::metadata::cache::mtime;
use casebook_design::metadata::document::Document;
use serde_json::Value;

use crate::context::Context;

/// How many files are named before the others are only counted.
const NAMED: usize = 3;

/// Designs whose source is not what it was.
#[derive(Default)]
pub(super) struct Stale {
    changed: Vec<String>,
    missing: Vec<String>,
}

impl Stale {
    pub(super) fn look(&mut self, document: &Document, source: &Path, file: Option<&str>) {
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

    pub(super) fn tell(&self, context: &Context) {
        for (files, what, advice) in [
            (
                &self.changed,
                "changed since it was analyzed",
                "run `casebook design analyze` again",
            ),
            (
                &self.missing,
                "no longer there",
                "delete its metadata, or analyze it where it is now",
            ),
        ] {
            if !files.is_empty() {
                context
                    .messages
                    .warn(&format!("{what}: {}; {advice}", some(files)));
            }
        }
    }
}

/// The first few by name.
pub(super) fn some(files: &[String]) -> String {
    let named = files[..files.len().min(NAMED)].join(", ");
    match files.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
