//! Formats 1.3 and 2.0: one method per file.

use serde_json::{Map, Value, json};

use super::decisions::decisions;
use super::{DocumentHeader, Format, text_or_null};
use crate::characteristic::{Characteristic, Setup, Threshold};
use crate::ruby::Analysis;

/// Converts an analysis into a document. The second value contains warnings, also for what the format cannot express.
pub fn flat(
    mut analysis: Analysis,
    header: &DocumentHeader,
    format: Format,
) -> (Map<String, Value>, Vec<String>) {
    header.apply_project(&mut analysis);
    let mut warnings = std::mem::take(&mut analysis.warnings);
    let characteristics = characteristics(&analysis, header, format, &mut warnings);
    let method = &analysis.method;
    let version = format.version();
    let Value::Object(mut document) = json!({
        "analyzer": {
            "completed": true,
            "timestamp": header.timestamp,
            "source_file_mtime": header.source_mtime,
            "version": version,
        },
        "test_level": analysis.test_level.as_str(),
        "target": {
            "class": method.class,
            "method": method.name,
            "method_type": method.method_type.as_str(),
            "file": header.file,
            "uses_models": analysis.uses_models,
        },
        "characteristics": characteristics,
        "factories_detected": header.factories,
        "automation": automation(header, version),
    }) else {
        unreachable!("`json!` with braces creates an object");
    };
    if let Some(names) = header.names.metadata_value(format) {
        document["analyzer"]["names"] = json!(names);
    }
    (document, warnings)
}

fn characteristics(
    analysis: &Analysis,
    header: &DocumentHeader,
    format: Format,
    warnings: &mut Vec<String>,
) -> Vec<Value> {
    let all = analysis.characteristics.iter().enumerate();
    all.map(|(index, found)| {
        let mut value = characteristic(found, format, warnings);
        if format == Format::V2_0 {
            add_details(&mut value, found, header);
            value.insert("decisions".to_owned(), decisions(index, analysis));
        }
        Value::Object(value)
    })
    .collect()
}

/// The `automation` section after the analysis: no later step is done.
fn automation(header: &DocumentHeader, version: &str) -> Value {
    json!({
        "analyzer_completed": true,
        "analyzer_version": version,
        "factories_detected": !header.factories.is_empty(),
        "errors": [],
        "warnings": [],
    })
}

fn characteristic(
    found: &Characteristic,
    format: Format,
    warnings: &mut Vec<String>,
) -> Map<String, Value> {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    put("name", json!(found.name));
    put("type", json!(found.kind.as_str()));
    put("states", json!(found.states));
    put("default", text_or_null(found.default.as_ref()));
    put("depends_on", text_or_null(found.depends_on.as_ref()));
    put("when_parent", when_parent(found, format, warnings));
    put("level", json!(found.level));
    map
}

/// Adds what only format 2.0 has.
fn add_details(map: &mut Map<String, Value>, found: &Characteristic, header: &DocumentHeader) {
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    put("terminal_states", json!(found.terminal_states));
    put("setup", setup(found, header));
    let (value, operator) = threshold(found.threshold.as_ref());
    put("threshold_value", value);
    put("threshold_operator", operator);
}

fn when_parent(found: &Characteristic, format: Format, warnings: &mut Vec<String>) -> Value {
    match (found.when_parent.as_slice(), format) {
        ([], _) => Value::Null,
        (states, Format::V2_0 | Format::Plugin) => json!(states),
        ([state], _) => json!(state),
        (states, Format::V1_3) => json!(states),
        ([first, others @ ..], Format::Strict1_3) => {
            warnings.push(format!(
                "`{}` matters in {} states of its parent; format 1.3 allows only one, so `{}` is dropped",
                found.name,
                others.len() + 1,
                others.join("`, `")
            ));
            json!(first)
        }
    }
}

fn setup(found: &Characteristic, header: &DocumentHeader) -> Value {
    let Setup { kind, class, .. } = &found.setup;
    json!({
        "type": kind.as_str(),
        "class": text_or_null(class.as_ref()),
        "source": source(found, &header.file),
    })
}

/// `path:N`, or `path:N-M` for several lines.
pub(super) fn source(found: &Characteristic, file: &str) -> String {
    match found.lines {
        (first, last) if first < last => format!("{file}:{first}-{last}"),
        (first, _) => format!("{file}:{first}"),
    }
}

/// Value and operator. The value is null if it is not a number.
pub(super) fn threshold(threshold: Option<&Threshold>) -> (Value, Value) {
    let Some(threshold) = threshold else {
        return (Value::Null, Value::Null);
    };
    let value = threshold.value.as_deref().and_then(|text| {
        let integer = text.parse::<i64>().ok().map(Value::from);
        integer.or_else(|| text.parse::<f64>().ok().map(Value::from))
    });
    (value.unwrap_or(Value::Null), json!(threshold.operator))
}
