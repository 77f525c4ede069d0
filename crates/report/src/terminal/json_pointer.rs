//! Hints for JSON pointers that do not resolve.

use serde_json::Value;

/// How far a JSON pointer resolves in the output, and what is there: `/a exists and has "b", "c"`.
pub(super) fn deepest_match(pointer: &str, output: &str) -> Option<String> {
    let document: Value = serde_json::from_str(output).ok()?;
    if !pointer.starts_with('/') || document.pointer(pointer).is_some() {
        return None;
    }
    let ends = pointer.rmatch_indices('/').map(|(at, _)| &pointer[..at]);
    let (existing, value) = ends
        .into_iter()
        .find_map(|start| Some((start, document.pointer(start)?)))?;
    let pointer = match existing {
        "" => "the document",
        existing => existing,
    };
    Some(format!("{pointer} {}", contents(value)))
}

/// Keys listed.
const KEYS: usize = 12;

fn contents(value: &Value) -> String {
    match value {
        Value::Object(map) if map.is_empty() => "exists and is empty".into(),
        Value::Object(map) => {
            let keys: Vec<_> = map
                .keys()
                .take(KEYS)
                .map(|key| format!("{key:?}"))
                .collect();
            let more = if map.len() > KEYS { ", …" } else { "" };
            format!("exists and has {}{more}", keys.join(", "))
        }
        Value::Array(list) => match list.len() {
            0 => "exists and is empty".into(),
            1 => "exists and has 1 element".into(),
            length => format!("exists and has {length} elements"),
        },
        other => format!("exists and is {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_deepest_existing_value() {
        let output = r#"{"a": {"b": 1, "c": [1, 2]}, "e": {}}"#;
        for (pointer, expected) in [
            ("/a/x", Some(r#"/a exists and has "b", "c""#)),
            ("/a/c/7", Some("/a/c exists and has 2 elements")),
            ("/a/b/x/y", Some("/a/b exists and is 1")),
            ("/x", Some(r#"the document exists and has "a", "e""#)),
            ("/e/x", Some("/e exists and is empty")),
            ("/a/b", None),
            ("x", None),
        ] {
            assert_eq!(
                deepest_match(pointer, output).as_deref(),
                expected,
                "{pointer}"
            );
        }
        assert_eq!(deepest_match("/a", "no JSON"), None);
    }
}
