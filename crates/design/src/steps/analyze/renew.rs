//! The existing metadata with a new analysis in it: rule M4.

use serde_json::{Map, Value};

use crate::metadata::document::Document;
use crate::metadata::methods::{promote, remove_undefined};
use crate::metadata::read::{Layout, layout};
use crate::metadata::store::StoreError;
use crate::ruby::Method;

/// The existing document with the method at the top level, all sections of the analyzer rewritten and the progress of later
/// steps removed. The other methods that the source still defines are kept.
pub(super) fn renew(
    old: Result<Document, StoreError>,
    fresh: Map<String, Value>,
    method: &Method,
    defined: &[Method],
    warnings: &mut Vec<String>,
) -> Document {
    let Ok(mut document) = old else {
        return Document::new(fresh);
    };
    if document.value().is_empty() || layout(document.value()) == Layout::Plugin {
        return Document::new(fresh);
    }
    let file =
        |value: &Map<String, Value>| Some(value.get("target")?.get("file")?.as_str()?.to_owned());
    let (before, now) = (file(document.value()), file(&fresh));
    if let Some(other) = before.filter(|other| Some(other) != now.as_ref()) {
        warnings.push(format!(
            "{other} has the same metadata file name; its metadata is replaced"
        ));
        return Document::new(fresh);
    }
    let was_analyzed = promote(&mut document, method);
    warnings.extend(
        remove_undefined(&mut document, defined)
            .into_iter()
            .map(|name| format!("the source no longer defines {name}; its metadata was removed")),
    );
    set_sections(&mut document, &fresh, was_analyzed);
    document
}

/// Writes the sections of the analyzer. The keys that users added to `automation` are kept if it belongs to the same method.
fn set_sections(document: &mut Document, fresh: &Map<String, Value>, is_same_method: bool) {
    let automation = document
        .value()
        .get("automation")
        .and_then(Value::as_object);
    let automation = automation.filter(|_| is_same_method).cloned();
    for (key, value) in fresh {
        let is_merged = key == "automation" && automation.is_some();
        if !is_merged && document.value().get(key) != Some(value) {
            document.set(key, value);
        }
    }
    if automation.is_some() {
        clear_progress(document);
    }
    let new_flags = fresh.get("automation").and_then(Value::as_object);
    for (key, value) in new_flags.into_iter().flatten() {
        if document.at(&["automation", key]) != Some(value) {
            document.set_in("automation", key, value);
        }
    }
}

/// Removes what the steps after the analyzer recorded.
pub(in crate::steps) fn clear_progress(document: &mut Document) {
    let automation = document.at(&["automation"]).and_then(Value::as_object);
    let keys: Vec<String> = automation
        .into_iter()
        .flat_map(Map::keys)
        .cloned()
        .collect();
    for key in keys.iter().filter(|key| is_progress(key)) {
        document.remove_in("automation", key);
    }
}

/// Whether a key was recorded by a later step about the previous state of the source.
fn is_progress(key: &str) -> bool {
    let is_step_key = [
        "_completed",
        "_version",
        "_skipped",
        "_skip_reason",
        "_notes",
    ]
    .iter()
    .any(|end| key.ends_with(end));
    is_step_key && !key.starts_with("analyzer_")
        || matches!(
            key,
            "skeleton_generated" | "skeleton_file" | "linter" | "validation_passed"
        )
}
