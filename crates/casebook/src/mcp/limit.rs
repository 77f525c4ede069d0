//! Shortens a result that is too long for a response.

use std::mem;

use serde_json::Value;

/// About 8,000 tokens.
const MAX_BYTES: usize = 30_000;
/// Shorter texts, lists and objects are not shortened.
const MIN_TEXT: usize = 400;
const MIN_LIST: usize = 2;
const MIN_OBJECT: usize = 50;

/// Shortens the longest lists and texts until the value fits. Returns what was shortened: `problems: 20 of 500`.
pub(super) fn shorten(value: &mut Value) -> Vec<String> {
    let mut full: Vec<(String, usize, &'static str)> = Vec::new();
    while size(value) > MAX_BYTES {
        let Some(path) = largest(value) else { break };
        let Some(part) = value.pointer_mut(&path) else {
            break;
        };
        let (length, unit) = halve(part);
        if !full.iter().any(|(known, ..)| *known == path) {
            full.push((path, length, unit));
        }
    }
    // A list may have lost parts that were shortened before.
    full.retain(|(path, ..)| value.pointer(path).is_some());
    let shortened = full.iter().map(|(path, length, unit)| {
        let now = value.pointer(path).map_or(0, length_of);
        let name = path.trim_start_matches('/').replace('/', ".");
        format!("{name}: {now} of {length} {unit}")
    });
    shortened.collect()
}

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 3,
        Value::Array(values) => values.iter().map(size).sum::<usize>() + 2,
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(name, value)| name.len() + 4 + size(value))
                .sum::<usize>()
                + 2
        }
        _ => 6,
    }
}

fn length_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    }
}

/// The pointer of the largest list or text that can be shortened. A list is preferred to what it contains, unless one item is most
/// of it.
fn largest(value: &Value) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    visit(value, "", &mut |path, size| {
        if best.as_ref().is_none_or(|(largest, _)| size > *largest) {
            best = Some((size, path.to_owned()));
        }
    });
    best.map(|(_, path)| path)
}

fn visit(value: &Value, path: &str, found: &mut dyn FnMut(&str, usize)) {
    match value {
        Value::String(text) if text.len() > MIN_TEXT => found(path, text.len()),
        Value::Array(values) => {
            if values.len() > MIN_LIST {
                found_parts(values.iter(), path, found);
            }
            for (index, value) in values.iter().enumerate() {
                visit(value, &format!("{path}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            if fields.len() > MIN_OBJECT {
                found_parts(fields.values(), path, found);
            }
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                visit(value, &format!("{path}/{name}"), found);
            }
        }
        _ => {}
    }
}

/// A list or an object, unless one part is most of it.
fn found_parts<'v>(
    parts: impl Iterator<Item = &'v Value>,
    path: &str,
    found: &mut dyn FnMut(&str, usize),
) {
    let sizes: Vec<_> = parts.map(size).collect();
    let most = sizes.iter().max().copied().unwrap_or_default();
    let total: usize = sizes.iter().sum();
    if most * 2 < total {
        found(path, total);
    }
}

/// Keeps the first half, and returns the full length and its unit.
fn halve(value: &mut Value) -> (usize, &'static str) {
    let length = length_of(value);
    match value {
        Value::String(text) => {
            let mut end = length / 2;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            (length, "bytes")
        }
        Value::Array(values) => {
            values.truncate(length / 2);
            (length, "items")
        }
        Value::Object(fields) => {
            *fields = mem::take(fields).into_iter().take(length / 2).collect();
            (length, "fields")
        }
        _ => (length, ""),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_and_texts_are_shortened_until_the_value_fits() {
        let items: Vec<_> = (0..5_000).map(|n| json!({ "n": n })).collect();
        let text = "é".repeat(50_000);
        let mut value = json!({ "count": 5_000, "items": items, "deep": [{ "text": text }] });
        let shortened = shorten(&mut value);
        assert!(
            value.to_string().len() <= MAX_BYTES + 1_000,
            "{shortened:?}"
        );
        assert_eq!(value["count"], 5_000);
        assert_eq!(value["items"][0]["n"], 0);
        assert_eq!(shortened.len(), 2, "{shortened:?}");
        assert!(
            shortened
                .iter()
                .any(|one| one.starts_with("items: ") && one.ends_with(" of 5000 items"))
        );
        assert!(
            shortened
                .iter()
                .any(|one| one.starts_with("deep.0.text: ") && one.ends_with(" of 100000 bytes"))
        );
    }

    #[test]
    fn a_short_value_is_unchanged() {
        let mut value = json!({ "items": [1, 2, 3], "text": "x" });
        assert!(shorten(&mut value).is_empty());
        assert_eq!(value, json!({ "items": [1, 2, 3], "text": "x" }));
    }

    #[test]
    fn objects_with_many_fields_are_shortened() {
        let fields = (0..10_000).map(|n| (n.to_string(), json!(n)));
        let fields = Value::Object(fields.collect());
        let mut value = json!({ "exit_code": 0, "result": { "count": 1, "factories": fields } });
        let shortened = shorten(&mut value);
        assert!(value.to_string().len() <= MAX_BYTES);
        assert_eq!(value["result"]["count"], 1);
        assert_eq!(value["result"]["factories"]["0"], 0);
        let left = value["result"]["factories"].as_object().unwrap().len();
        assert_eq!(
            shortened,
            [format!("result.factories: {left} of 10000 fields")]
        );
    }

    #[test]
    fn what_cannot_be_shortened_ends() {
        let fields = (0..40).map(|n| (n.to_string(), json!("x".repeat(1_000))));
        let mut value = Value::Object(fields.collect());
        assert!(!shorten(&mut value).is_empty());
        assert!(value.to_string().len() <= MAX_BYTES + 1_000);
        let fields = (0..40).map(|n| ("x".repeat(1_000 + n), json!(n)));
        let mut value = Value::Object(fields.collect());
        assert!(shorten(&mut value).is_empty());
    }
}
