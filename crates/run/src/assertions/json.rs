//! Demands on JSON.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::{CheckResult, shortened};
use crate::budget::OutputBudget;

/// Whether the value at the pointer is as demanded.
pub(super) fn check(
    pointer: &str,
    expected: &Value,
    text: &[u8],
    budget: &OutputBudget,
) -> CheckResult {
    let finding = CheckResult {
        expected: Some(expected.clone()),
        more: vec![("pointer", pointer.into())],
        ..CheckResult::default()
    };
    let document: Value = match serde_json::from_slice(text) {
        Ok(document) => document,
        Err(error) => {
            let problem = Some(format!("standard output is not JSON: {error}"));
            return CheckResult { problem, ..finding }.with_actual(text, budget);
        }
    };
    match document.pointer(pointer) {
        None => CheckResult {
            problem: Some(missing_pointer_message(pointer, &document)),
            ..finding
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
                ..finding
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

/// How far the pointer leads, and what it might have meant.
fn missing_pointer_message(pointer: &str, document: &Value) -> String {
    let mut nearest = pointer;
    let parent = loop {
        nearest = nearest.rsplit_once('/').map_or("", |(parent, _)| parent);
        if let Some(parent) = document.pointer(nearest) {
            break parent;
        }
    };
    let there = match parent {
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
    format!(
        "there is nothing at {pointer}: {} is {there}",
        name(nearest)
    )
}

/// Numbers are the same if their values are, however they are written.
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

/// Whole numbers digit by digit: two ids of seventeen digits are one number as floats.
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
    fn values_are_compared_and_not_their_spelling() {
        let text = br#"{"a": [1.0, {"b": null}], "c": 1e2, "d/e": true}"#;
        for (pointer, expected, holds) in [
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
                holds,
                "{pointer}"
            );
        }
    }

    #[test]
    fn numbers_are_the_same_whatever_their_form_and_differ_in_any_digit() {
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
    fn a_pointer_that_leads_nowhere_says_how_far_it_came() {
        let finding = check(
            "/a/x/y",
            &json!(1),
            br#"{"a": {"b": 1, "c": 2}}"#,
            &OutputBudget::default(),
        );
        assert_eq!(
            finding.problem.unwrap(),
            "there is nothing at /a/x/y: /a is an object with b, c"
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
