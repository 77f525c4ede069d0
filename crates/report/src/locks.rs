//! The locks of a test as text.

use casebook_record::Metadata;
use serde_json::Value;

/// The locks that a test holds while it runs: `db, room (shared)`; `None` if it has none.
pub(crate) fn shown(metadata: &Metadata) -> Option<String> {
    let names = names(metadata);
    (!names.is_empty()).then(|| names.join(", "))
}

/// The name of each lock, with its mode if it is shared.
pub(crate) fn names(metadata: &Metadata) -> Vec<String> {
    let locks = metadata.get("locks").and_then(Value::as_array);
    let names = locks.into_iter().flatten().filter_map(|lock| match lock {
        Value::String(name) => Some(name.clone()),
        Value::Object(modes) => {
            let (name, mode) = modes.iter().next()?;
            Some(format!("{name} ({})", mode.as_str()?))
        }
        _ => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shared_locks_are_marked() {
        for (locks, expected) in [
            (json!(["db", {"room": "shared"}]), Some("db, room (shared)")),
            (json!([]), None),
            (json!("db"), None),
            (json!([1]), None),
        ] {
            let metadata = Metadata::from_iter([("locks", locks)]);
            assert_eq!(shown(&metadata).as_deref(), expected);
        }
        assert_eq!(shown(&Metadata::new()), None);
    }
}
