//! Shortens a result that is too long for a response.

use serde_json::Value;

/// About 8,000 tokens.
const MAX_BYTES: usize = 30_000;
/// Shorter texts and lists are not shortened.
const MIN_TEXT: usize = 400;
const MIN_LIST: usize = 2;

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
            let sizes = values.iter().map(size);
            let most = sizes.clone().max().unwrap_or_default();
            let total: usize = sizes.sum();
            if values.len() > MIN_LIST && most * 2 < total {
                found(path, total);
            }
            for (index, value) in values.iter().enumerate() {
                visit(value, &format!("{path}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                visit(value, &format!("{path}/{name}"), found);
            }
        }
        _ => {}
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
    fn what_cannot_be_shortened_ends() {
        let fields = (0..10_000).map(|n| (n.to_string(), json!(n)));
        let mut value = Value::Object(fields.collect());
        assert!(shorten(&mut value).is_empty());
    }
}
