//! `method_mode` of the plugin layout: how each method of a file changed since its spec was written (rule L14).
//!
//! A document contains a digest of each method's code and characteristics. After the method's block has been written, an
//! equal digest means that the method is unchanged, and a different one that it was modified.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::progress::Step;
use crate::metadata::document::Document;

/// The existing document, if it can contain modes other than new. Most cannot, and searching the text is much cheaper than
/// parsing it.
pub(super) fn load_previous(path: &Path) -> Option<Document> {
    let text = fs::read_to_string(path).ok()?;
    let mode_words = ["skeleton", "modified", "unchanged"];
    if !mode_words.iter().any(|word| text.contains(word)) {
        return None;
    }
    Document::parse(&path.display().to_string(), text).ok()
}

/// Writes digests and modes into a new document of this source. `old` is the document that it replaces.
pub(super) fn write_modes(
    document: &mut Map<String, Value>,
    source: &[u8],
    old: Option<&Document>,
) {
    let lines: Vec<&[u8]> = source.split(|byte| *byte == b'\n').collect();
    let before = old.map(|old| ids(old.value())).unwrap_or_default();
    let modes: Vec<(String, &str)> = ids(document)
        .iter()
        .enumerate()
        .map(|(index, id)| {
            let digest = digest(document, index, &lines);
            let old_index = before.iter().position(|other| other == id);
            let old_index = old.zip(old_index);
            let mode = old_index.map_or("new", |(old, index)| mode(id, &digest, old, index));
            (digest, mode)
        })
        .collect();
    for (index, (digest, mode)) in modes.into_iter().enumerate() {
        document["methods"][index]["digest"] = json!(digest);
        for list in ["methods", "methods_to_analyze"] {
            document[list][index]["method_mode"] = json!(mode);
        }
    }
}

/// `Class#method` of every method of a document.
fn ids(document: &Map<String, Value>) -> Vec<String> {
    let methods = document.get("methods").and_then(Value::as_array);
    let id = |method: &Value| {
        let class = method.get("class_name").or(document.get("class_name"));
        let sign = if method["type"] == "class" { '.' } else { '#' };
        let text =
            |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        format!("{}{sign}{}", text(class), text(method.get("name")))
    };
    methods.into_iter().flatten().map(id).collect()
}

/// The new mode of the method that the old document has at this index.
fn mode(id: &str, digest: &str, old: &Document, index: usize) -> &'static str {
    let before = &old.value()["methods"][index];
    let Some(old_digest) = before.get("digest").and_then(Value::as_str) else {
        return "new";
    };
    let is_written = Step::Skeleton.is_done_for(old, &[id.to_owned()]);
    match before["method_mode"].as_str() {
        Some("unchanged") if old_digest == digest => "unchanged",
        _ if is_written && old_digest == digest => "unchanged",
        Some("modified" | "unchanged") => "modified",
        _ if is_written => "modified",
        _ => "new",
    }
}

/// A digest of a method's lines, without their indentation, and of its characteristics.
fn digest(document: &Map<String, Value>, index: usize, lines: &[&[u8]]) -> String {
    let range = &document["methods_to_analyze"][index]["line_range"];
    let line = |at: usize| {
        range[at]
            .as_u64()
            .and_then(|line| usize::try_from(line).ok())
    };
    let (first, last) = (line(0).unwrap_or(1), line(1).unwrap_or(0));
    let lines = lines
        .get(first.saturating_sub(1)..last)
        .unwrap_or_default()
        .iter();
    let varying = document["methods"][index]["characteristics"].as_array();
    let varying = varying.into_iter().flatten().map(|one| {
        let states = one["values"].as_array().into_iter().flatten();
        let states: Vec<&Value> = states.map(|value| &value["state"]).collect();
        json!([one["name"], states]).to_string().into_bytes()
    });
    let parts = lines.map(|line| line.trim_ascii().to_vec()).chain(varying);
    format!("x{:016x}", fnv(parts))
}

/// FNV-1a: short, and stable across machines and versions.
fn fnv(parts: impl Iterator<Item = Vec<u8>>) -> u64 {
    let bytes = parts.flat_map(|part| part.into_iter().chain([b'\n']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
