//! The rules of metadata.

use casebook_record::Metadata;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::arbitrary;

fn metadata(value: Value) -> Metadata {
    serde_json::from_value(value).unwrap()
}

#[test]
fn missing_paths_are_none_at_any_level() {
    let metadata = metadata(json!({"a": {"b": [10, {"c": null}]}, "dotted.key": 1}));
    for (path, found) in [
        ("a.b.0", Some(json!(10))),
        ("a.b.1.c", Some(json!(null))),
        ("a.b.2", None),
        ("a.b.x", None),
        ("a.b.0.deeper", None),
        ("a.x.y.z", None),
        ("", None),
        ("dotted.key", None),
    ] {
        assert_eq!(metadata.dig(path), found.as_ref(), "{path}");
    }
    assert_eq!(
        metadata.get("dotted.key"),
        Some(&json!(1)),
        "dots in a key have no special meaning"
    );
}

#[test]
fn scopes_nest_and_do_not_overwrite_a_value() {
    let mut tracing = Metadata::new();
    tracing
        .scope("tracing")
        .unwrap()
        .scope("tokens")
        .unwrap()
        .set("input", 12);
    tracing.set_path("tracing.tokens.output", 3).unwrap();
    assert_eq!(
        tracing,
        metadata(json!({"tracing": {"tokens": {"input": 12, "output": 3}}}))
    );

    for value in [
        json!(null),
        json!(1),
        json!("text"),
        json!([1]),
        json!(false),
    ] {
        let mut metadata = metadata(json!({ "a": value }));
        let before = metadata.clone();
        assert!(metadata.scope("a").is_err(), "{value}");
        assert!(metadata.set_path("a.b", 1).is_err(), "{value}");
        assert_eq!(metadata, before, "{value}");
    }
    let error = metadata(json!({"a": "text"})).scope("a").err().unwrap();
    assert_eq!(
        error.to_string(),
        "cannot open scope `a`: it already contains a string"
    );
}

#[test]
fn order_is_kept_and_ignored_in_comparisons() {
    let json = r#"{"z":1,"a":{"y":1,"b":2},"m":3}"#;
    let read: Metadata = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
    let mut changed = read.clone();
    changed.set("new", 4);
    assert_eq!(
        serde_json::to_string(&changed).unwrap(),
        r#"{"z":1,"a":{"y":1,"b":2},"m":3,"new":4}"#
    );
    assert_eq!(
        read,
        metadata(json!({"m": 3, "a": {"b": 2, "y": 1}, "z": 1}))
    );
}

#[test]
fn only_a_map_is_metadata() {
    assert_eq!(metadata(json!(null)), Metadata::new());
    for value in ["1", "\"text\"", "[]", "true"] {
        let error = serde_json::from_str::<Metadata>(value).unwrap_err();
        assert!(error.to_string().starts_with("expected a map"), "{error}");
    }
}

#[test]
fn merging_joins_maps_and_replaces_the_rest() {
    for (mine, other, both) in [
        (
            json!({"a": {"x": 1, "y": {"p": 1}}, "b": [1], "c": 1}),
            json!({"a": {"y": {"q": 2}, "z": 3}, "b": [2], "d": null}),
            json!({"a": {"x": 1, "y": {"p": 1, "q": 2}, "z": 3}, "b": [2], "c": 1, "d": null}),
        ),
        (
            json!({"a": {"c": 1}, "b": 1}),
            json!({"c": "}", "d": {"a": 2}}),
            json!({"a": {"c": 1}, "b": 1, "c": "}", "d": {"a": 2}}),
        ),
        (json!({}), json!({"a": 1}), json!({"a": 1})),
        (json!({"a": 1}), json!({}), json!({"a": 1})),
    ] {
        // As maps and as text that was read.
        let mut merged = metadata(mine.clone());
        merged.merge(metadata(other.clone()));
        assert_eq!(merged, metadata(both.clone()));
        let mut merged = Metadata::of(&mine);
        merged.merge(Metadata::of(&other));
        assert_eq!(merged, metadata(both.clone()));
        let (merged, both) = [&merged, &metadata(both)]
            .map(|one| json!(one).to_string())
            .into();
        assert_eq!(merged, both, "in the same order");
    }
}

proptest! {
    #[test]
    fn metadata_survives_json_both_ways(metadata in arbitrary::metadata()) {
        let json = serde_json::to_string(&metadata).unwrap();
        prop_assert_eq!(serde_json::from_str::<Metadata>(&json).unwrap(), metadata);
    }

    #[test]
    fn a_set_field_is_found(metadata in arbitrary::metadata(), key in arbitrary::text(), value in arbitrary::value()) {
        let mut changed = metadata.clone();
        let before = changed.set(key.clone(), value.clone());
        prop_assert_eq!(before.as_ref(), metadata.get(&key));
        prop_assert_eq!(changed.get(&key), Some(&value));
        for (other, value) in metadata.iter().filter(|(other, _)| **other != key) {
            prop_assert_eq!(changed.get(other), Some(value));
        }
    }

    #[test]
    fn merging_nothing_or_equal_metadata_changes_nothing(metadata in arbitrary::metadata()) {
        let mut merged = metadata.clone();
        merged.merge(Metadata::new());
        prop_assert_eq!(&merged, &metadata);
        merged.merge(metadata.clone());
        prop_assert_eq!(&merged, &metadata);
        let mut empty = Metadata::new();
        empty.merge(metadata.clone());
        prop_assert_eq!(empty, metadata);
    }

    #[test]
    fn a_merge_replaces_fields_and_keeps_the_others(mine in arbitrary::metadata(), other in arbitrary::metadata()) {
        let mut merged = mine.clone();
        merged.merge(other.clone());
        for (key, value) in other.iter().filter(|(_, value)| !value.is_object()) {
            prop_assert_eq!(merged.get(key), Some(value));
        }
        for (key, value) in mine.iter().filter(|(key, _)| other.get(key).is_none()) {
            prop_assert_eq!(merged.get(key), Some(value));
        }
    }
}
