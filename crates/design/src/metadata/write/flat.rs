//! Formats 1.3 and 2.0: one method per file.

use serde_json::{Map, Value, json};

use super::{DocumentHeader, Format, text_or_null};
use crate::characteristic::{Characteristic, Setup, Threshold};
use crate::ruby::Analysis;

/// An analysis as a document, and what neither of them could hold.
pub fn flat(
    mut analysis: Analysis,
    stamp: &DocumentHeader,
    format: Format,
) -> (Map<String, Value>, Vec<String>) {
    stamp.settle(&mut analysis);
    let mut warnings = std::mem::take(&mut analysis.warnings);
    let characteristics: Vec<Value> = analysis
        .characteristics
        .iter()
        .map(|found| characteristic(found, setup(found, stamp), format, &mut warnings))
        .collect();
    let method = &analysis.method;
    let version = format.version();
    let Value::Object(mut document) = json!({
        "analyzer": {
            "completed": true,
            "timestamp": stamp.timestamp,
            "source_file_mtime": stamp.source_mtime,
            "version": version,
        },
        "test_level": analysis.test_level.as_str(),
        "target": {
            "class": method.class,
            "method": method.name,
            "method_type": method.method_type.as_str(),
            "file": stamp.file,
            "uses_models": analysis.uses_models,
        },
        "characteristics": characteristics,
        "factories_detected": stamp.factories,
        "automation": automation(stamp, version),
    }) else {
        unreachable!("a JSON object was written out");
    };
    if let Some(names) = stamp.names.metadata_value(format) {
        document["analyzer"]["names"] = json!(names);
    }
    (document, warnings)
}

/// What the analyzer says of itself: no step after it has been done.
fn automation(stamp: &DocumentHeader, version: &str) -> Value {
    json!({
        "analyzer_completed": true,
        "analyzer_version": version,
        "factories_detected": !stamp.factories.is_empty(),
        "errors": [],
        "warnings": [],
    })
}

/// The flags of the analyzer alone, to be set anew when it runs again.
pub fn stamp(stamp: &DocumentHeader, format: Format) -> Value {
    automation(stamp, format.version())
}

fn characteristic(
    found: &Characteristic,
    setup: Value,
    format: Format,
    warnings: &mut Vec<String>,
) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    put("name", json!(found.name));
    put("type", json!(found.kind.as_str()));
    put("states", json!(found.states));
    put("default", text_or_null(found.default.as_ref()));
    put("depends_on", text_or_null(found.depends_on.as_ref()));
    put("when_parent", when_parent(found, format, warnings));
    put("level", json!(found.level));
    if format == Format::V2_0 {
        put("terminal_states", json!(found.terminal_states));
        put("setup", setup);
        let (value, operator) = threshold(found.threshold.as_ref());
        put("threshold_value", value);
        put("threshold_operator", operator);
    }
    Value::Object(map)
}

fn when_parent(found: &Characteristic, format: Format, warnings: &mut Vec<String>) -> Value {
    match (found.when_parent.as_slice(), format) {
        ([], _) => Value::Null,
        (states, Format::V2_0 | Format::Plugin) => json!(states),
        ([state], _) => json!(state),
        (states, Format::V1_3) => json!(states),
        ([first, others @ ..], Format::Strict1_3) => {
            warnings.push(format!(
                "`{}` matters in {} states of its parent; format 1.3 has room for one, and `{}` is left out",
                found.name,
                others.len() + 1,
                others.join("`, `")
            ));
            json!(first)
        }
    }
}

fn setup(found: &Characteristic, stamp: &DocumentHeader) -> Value {
    let Setup { kind, class, .. } = &found.setup;
    json!({
        "type": kind.as_str(),
        "class": text_or_null(class.as_ref()),
        "source": source(found, &stamp.file),
    })
}

/// `path:N`, or `path:N-M` for what takes several lines.
pub(super) fn source(found: &Characteristic, file: &str) -> String {
    match found.lines {
        (first, last) if first < last => format!("{file}:{first}-{last}"),
        (first, _) => format!("{file}:{first}"),
    }
}

/// Value and operator; the value only where it is a number.
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
