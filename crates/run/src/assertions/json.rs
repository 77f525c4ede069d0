//! Assertions on JSON.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::{CheckResult, shortened};
use crate::budget::OutputBudget;

/// The name of standard output in messages.
pub(super) const STDOUT: &str = "standard output";

/// Checks the value at the pointer into a text. `source` names the text.
pub(super) fn check(
    source: &str,
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
    match at(source, pointer, text) {
        // There is no actual value: the output is shown with the command.
        Err(problem) => CheckResult {
            problem: Some(problem),
            ..result
        },
        Ok(actual) => {
            let (kept, is_excerpt) = budget.value(&actual);
            let is_same = is_same(&actual, expected);
            CheckResult {
                problem: (!is_same).then(|| different(pointer, &actual, expected)),
                actual: Some(kept),
                is_excerpt,
                ..result
            }
        }
    }
}

/// The value at a pointer into a text, or why there is none. `source` names the text.
pub(super) fn at(source: &str, pointer: &str, text: &[u8]) -> Result<Value, String> {
    let mut document = parse(source, pointer, text)?;
    let value = document.pointer_mut(pointer).map(Value::take);
    value.ok_or_else(|| missing_pointer_message(pointer, &document))
}

/// The text as JSON; otherwise the problem.
pub(super) fn parse(source: &str, pointer: &str, text: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(text).map_err(|error| {
        let reason = if text.is_empty() {
            format!("{source} is empty")
        } else {
            format!("{source} is not JSON: {}", position(&error))
        };
        format!("{}: {reason}", name(pointer))
    })
}

/// Where the text stops being JSON.
fn position(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    if error.is_eof() {
        format!("it ends too early, at line {line}, column {column}")
    } else {
        format!("see line {line}, column {column}")
    }
}

/// Both values, with their types if these differ: `1` and `"1"` look alike.
fn different(pointer: &str, actual: &Value, expected: &Value) -> String {
    let has_same_type = type_name(actual) == type_name(expected);
    let [actual, expected] = [actual, expected].map(|value| {
        let text = shortened(&value.to_string());
        match type_name(value) {
            Some(name) if !has_same_type => format!("the {name} {text}"),
            _ => text,
        }
    });
    format!("{} is {actual} instead of {expected}", name(pointer))
}

/// The name of the value's type; `None` for `null`, whose value says it.
fn type_name(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some("boolean"),
        Value::Number(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}

pub(super) fn name(pointer: &str) -> &str {
    if pointer.is_empty() {
        "the document"
    } else {
        pointer
    }
}

/// Keys listed.
const KEYS: usize = 12;

/// Describes where the pointer stops to match.
pub(crate) fn missing_pointer_message(pointer: &str, document: &Value) -> String {
    let mut closest = pointer;
    let parent = loop {
        closest = closest.rsplit_once('/').map_or("", |(parent, _)| parent);
        if let Some(parent) = document.pointer(closest) {
            break parent;
        }
    };
    let contents = match parent {
        Value::Object(map) if map.is_empty() => "is an empty object".to_owned(),
        Value::Object(map) => {
            let keys: Vec<_> = map.keys().take(KEYS).map(String::as_str).collect();
            let more = if map.len() > KEYS { ", …" } else { "" };
            format!("has the keys {}{more}", keys.join(", "))
        }
        Value::Array(list) => match list.len() {
            0 => "is an empty array".to_owned(),
            1 => "has 1 element".to_owned(),
            length => format!("has {length} elements"),
        },
        other => format!("is {}", shortened(&other.to_string())),
    };
    format!("{pointer} does not exist: {} {contents}", name(closest))
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
                check(STDOUT, pointer, &expected, text, &OutputBudget::default())
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
            STDOUT,
            "/a/x/y",
            &json!(1),
            br#"{"a": {"b": 1, "c": 2}}"#,
            &OutputBudget::default(),
        );
        assert_eq!(
            result.problem.unwrap(),
            "/a/x/y does not exist: /a has the keys b, c"
        );
        for (output, pointer, message) in [
            (
                "[1, 2]",
                "/7",
                "/7 does not exist: the document has 2 elements",
            ),
            ("[1]", "/7", "/7 does not exist: the document has 1 element"),
            (
                "[]",
                "/0",
                "/0 does not exist: the document is an empty array",
            ),
            (
                "{}",
                "/a",
                "/a does not exist: the document is an empty object",
            ),
            (r#"{"a": 1}"#, "/a/b", "/a/b does not exist: /a is 1"),
            (
                "oops",
                "/a",
                "/a: standard output is not JSON: see line 1, column 1",
            ),
            ("", "", "the document: standard output is empty"),
        ] {
            let result = check(
                STDOUT,
                pointer,
                &json!(1),
                output.as_bytes(),
                &OutputBudget::default(),
            );
            assert_eq!(result.problem.as_deref(), Some(message));
            assert_eq!(result.actual, None);
        }
    }

    #[test]
    fn a_different_value_is_reported_with_both_values_and_their_types_if_they_differ() {
        for (output, expected, message) in [
            (
                "\"1\"",
                json!(1),
                "the string \"1\" instead of the number 1",
            ),
            (
                "\"true\"",
                json!(true),
                "the string \"true\" instead of the boolean true",
            ),
            (
                "true",
                json!("true"),
                "the boolean true instead of the string \"true\"",
            ),
            ("3", json!(4), "3 instead of 4"),
            ("null", json!("null"), "null instead of the string \"null\""),
            ("[]", json!({}), "the array [] instead of the object {}"),
        ] {
            let result = check(
                STDOUT,
                "",
                &expected,
                output.as_bytes(),
                &OutputBudget::default(),
            );
            assert_eq!(
                result.problem.unwrap(),
                format!("the document is {message}")
            );
        }
    }
}
