//! Assertions on JSON.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::{CheckResult, shortened};
use crate::budget::OutputBudget;

/// Checks the value at the pointer.
pub(super) fn check(
    pointer: &str,
    expected: &Value,
    text: &[u8],
    budget: &OutputBudget,
) -> CheckResult {
    let result = CheckResult {
        expected: Some(expected.clone()),
        more: vec![("pointer", pointer.into())],
        ..CheckResult::default()
    };
    let document: Value = match serde_json::from_slice(text) {
        Ok(document) => document,
        Err(error) => {
            let problem = Some(format!("standard output is not JSON: {error}"));
            return CheckResult { problem, ..result }.with_actual(text, budget);
        }
    };
    match document.pointer(pointer) {
        None => CheckResult {
            problem: Some(missing_pointer_message(pointer, &document)),
            ..result
        },
        Some(actual) => {
            let (kept, is_excerpt) = budget.value(actual);
            CheckResult {
                problem: (!is_same(actual, expected)).then(|| {
                    let actual = shortened(&actual.to_string());
                    format!("{} is {actual}", name(pointer))
                }),
                actual: Some(kept),
                is_excerpt,
                ..result
            }
        }
    }
}

fn name(pointer: &str) -> &str {
    if pointer.is_empty() {
        "the document"
    } else {
        pointer
    }
}

/// Describes where the pointer stops to match.
fn missing_pointer_message(pointer: &str, document: &Value) -> String {
    let mut closest = pointer;
    let parent = loop {
        closest = closest.rsplit_once('/').map_or("", |(parent, _)| parent);
        if let Some(parent) = document.pointer(closest) {
            break parent;
        }
    };
    let description = match parent {
        Value::Object(map) => {
            let keys: Vec<_> = map.keys().take(8).map(String::as_str).collect();
            format!(
                "an object with {}",
                if keys.is_empty() {
                    "no keys".into()
                } else {
                    keys.join(", ")
                }
            )
        }
        Value::Array(list) => format!("a list of {}", list.len()),
        other => shortened(&other.to_string()),
    };
    format!("nothing at {pointer}: {} is {description}", name(closest))
}

/// Whether two values are equal. Numbers are compared by value: `1` equals `1.0`.
pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => is_same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, one)| other.get(key).is_some_and(|other| is_same(one, other)))
        }
        _ => one == other,
    }
}

/// Compares integers exactly, because ids of 17 digits can be equal as floats.
fn is_same_number(one: &Number, other: &Number) -> bool {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one == other,
        _ if one == other => true,
        _ => (one.as_f64().zip(other.as_f64()))
            .is_some_and(|(one, other)| one.partial_cmp(&other) == Some(Ordering::Equal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_compared_by_value() {
        let text = br#"{"a": [1.0, {"b": null}], "c": 1e2, "d/e": true}"#;
        for (pointer, expected, passes) in [
            ("/a/0", json!(1), true),
            ("/a/1", json!({"b": null}), true),
            ("/c", json!(100), true),
            ("/d~1e", json!(true), true),
            ("/c", json!("100"), false),
            ("/a/1/b", json!(false), false),
            ("/a/7", json!(1), false),
        ] {
            assert_eq!(
                check(pointer, &expected, text, &OutputBudget::default())
                    .problem
                    .is_none(),
                passes,
                "{pointer}"
            );
        }
    }

    #[test]
    fn numbers_are_equal_in_any_notation_and_differ_in_any_digit() {
        for (one, other, same) in [
            ("1", "1.0", true),
            ("100", "1e2", true),
            ("0", "-0.0", true),
            ("0.1", "0.10", true),
            ("9007199254740993", "9007199254740992", false),
            ("-9007199254740993", "-9007199254740993", true),
            ("1e999", "1e999", true),
            ("1e999", "2e999", false),
        ] {
            let [one, other]: [Value; 2] =
                [one, other].map(|text| serde_json::from_str(text).unwrap());
            assert_eq!(is_same(&one, &other), same, "{one} and {other}");
            assert_eq!(is_same(&other, &one), same, "{other} and {one}");
        }
    }

    #[test]
    fn a_missing_pointer_reports_the_closest_parent() {
        let result = check(
            "/a/x/y",
            &json!(1),
            br#"{"a": {"b": 1, "c": 2}}"#,
            &OutputBudget::default(),
        );
        assert_eq!(
            result.problem.unwrap(),
            "nothing at /a/x/y: /a is an object with b, c"
        );
        assert_eq!(
            check("/a", &json!(1), b"oops", &OutputBudget::default())
                .problem
                .unwrap()
                .get(..27),
            Some("standard output is not JSON")
        );
    }
}
