//! JSON values that are not what or where they should be.

use serde_json::Value;

/// How far a JSON pointer leads into what the command wrote, and what is there: `/a exists and has b, c`.
pub(super) fn nearest(pointer: &str, output: &str) -> Option<String> {
    let document: Value = serde_json::from_str(output).ok()?;
    if !pointer.starts_with('/') || document.pointer(pointer).is_some() {
        return None;
    }
    let ends = pointer.rmatch_indices('/').map(|(at, _)| &pointer[..at]);
    let (existing, value) = ends
        .into_iter()
        .find_map(|start| Some((start, document.pointer(start)?)))?;
    let place = match existing {
        "" => "the document",
        existing => existing,
    };
    Some(format!("{place} {}", contents(value)))
}

/// So many keys are named.
const KEYS: usize = 12;

fn contents(value: &Value) -> String {
    match value {
        Value::Object(map) if map.is_empty() => "is there and is empty".into(),
        Value::Object(map) => {
            let keys: Vec<_> = map
                .keys()
                .take(KEYS)
                .map(|key| format!("{key:?}"))
                .collect();
            let more = if map.len() > KEYS { ", …" } else { "" };
            format!("is there and has {}{more}", keys.join(", "))
        }
        Value::Array(list) => match list.len() {
            0 => "is there and is empty".into(),
            1 => "is there and has 1 element".into(),
            length => format!("is there and has {length} elements"),
        },
        other => format!("is there and is {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_told() {
        let output = r#"{"a": {"b": 1, "c": [1, 2]}, "e": {}}"#;
        for (pointer, told) in [
            ("/a/x", Some(r#"/a is there and has "b", "c""#)),
            ("/a/c/7", Some("/a/c is there and has 2 elements")),
            ("/a/b/x/y", Some("/a/b is there and is 1")),
            ("/x", Some(r#"the document is there and has "a", "e""#)),
            ("/e/x", Some("/e is there and is empty")),
            ("/a/b", None),
            ("x", None),
        ] {
            assert_eq!(nearest(pointer, output).as_deref(), told, "{pointer}");
        }
        assert_eq!(nearest("/a", "no JSON"), None);
    }
}
