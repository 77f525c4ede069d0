//! Conditions on JSON values. Those of tool calls are the same.

use casebook_suite::model::conversation::Pattern;
use serde_json::Value;

use super::matches_value;
use super::{CheckResult, json, shortened};
use crate::budget::OutputBudget;
use crate::numbers::format_bounds;

/// The conditions in words: `must be an array and have length 1`.
pub(super) fn describe(pattern: &Pattern) -> String {
    let parts: Vec<_> = pattern.parts().iter().map(requirement).collect();
    format!("must {}", parts.join(" and "))
}

/// A condition, to follow `must`.
fn requirement(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Matches(ere) => format!("match {}", shortened(ere)),
        Pattern::Within(bounds) => format!("be {}", format_bounds(*bounds)),
        Pattern::OneOf(values) => {
            let values: Vec<_> = values.iter().map(Value::to_string).collect();
            format!("be one of {}", shortened(&values.join(", ")))
        }
        Pattern::Is(value) => format!("be {}", shortened(&value.to_string())),
        Pattern::Absent => "not exist".to_owned(),
        Pattern::Type(json_type) => format!("be of type {}", json_type.name()),
        Pattern::Length(bounds) => format!("have length {}", format_bounds(*bounds)),
        Pattern::Contains(part) => format!("contain {}", shortened(&part.to_string())),
        Pattern::Has(_) | Pattern::List(_) | Pattern::All(_) => {
            format!(
                "match {}",
                shortened(&Value::from(pattern.to_fields()).to_string())
            )
        }
    }
}

/// Checks the conditions on the value at the pointer.
pub(super) fn check(
    pointer: &str,
    pattern: &Pattern,
    text: &[u8],
    budget: &OutputBudget,
) -> CheckResult {
    let result = CheckResult {
        expected: Some(pattern.to_fields().into()),
        more: vec![("pointer", pointer.into())],
        ..CheckResult::default()
    };
    let document = match json::parse(json::STDOUT, pointer, text) {
        Ok(document) => document,
        Err(problem) => {
            return CheckResult {
                problem: Some(problem),
                ..result
            };
        }
    };
    let actual = document.pointer(pointer);
    let failed = pattern
        .parts()
        .iter()
        .find(|part| !matches_value(part, actual));
    let problem = failed.map(|part| match actual {
        None => json::missing_pointer_message(pointer, &document),
        Some(actual) => {
            let name = json::name(pointer);
            let actual = shortened(&actual.to_string());
            format!("{name} is {actual}, but must {}", requirement(part))
        }
    });
    let (actual, is_excerpt) = match actual.map(|actual| budget.value(actual)) {
        Some((kept, is_excerpt)) => (Some(kept), is_excerpt),
        None => (None, false),
    };
    CheckResult {
        problem,
        actual,
        is_excerpt,
        ..result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use casebook_suite::model::conversation::{Bounds, JsonType};
    use serde_json::json;

    fn problem(pointer: &str, pattern: &Pattern) -> Option<String> {
        let text = br#"{"a": [1, 2.0, "three"], "b": "na\u00efve", "c": null, "d": {"e": 1.5}}"#;
        check(pointer, pattern, text, &OutputBudget::default()).problem
    }

    #[test]
    fn every_condition_passes_and_fails() {
        let from = |min: f64| Bounds {
            min: Some(min),
            max: None,
        };
        for (pointer, pattern, message) in [
            ("/a/1", Pattern::Type(JsonType::Integer), None),
            (
                "/d/e",
                Pattern::Type(JsonType::Integer),
                Some("/d/e is 1.5, but must be of type integer"),
            ),
            ("/c", Pattern::Type(JsonType::Null), None),
            ("/b", Pattern::Length(from(5.0)), None),
            (
                "/b",
                Pattern::Length(from(6.0)),
                Some("/b is \"na\u{ef}ve\", but must have length at least 6"),
            ),
            (
                "/c",
                Pattern::Length(from(0.0)),
                Some("/c is null, but must have length at least 0"),
            ),
            ("/a", Pattern::Contains(json!(2)), None),
            ("/a/2", Pattern::Contains(json!("hre")), None),
            (
                "/a",
                Pattern::Contains(json!("hre")),
                Some("/a is [1,2.0,\"three\"], but must contain \"hre\""),
            ),
            ("/a/2", Pattern::Matches("^t.*e$".into()), None),
            (
                "/a/0",
                Pattern::Matches("1".into()),
                Some("/a/0 is 1, but must match 1"),
            ),
            (
                "/a/0",
                Pattern::OneOf(vec![json!(2), json!("1")]),
                Some("/a/0 is 1, but must be one of 2, \"1\""),
            ),
            (
                "/a/0",
                Pattern::Within(from(2.0)),
                Some("/a/0 is 1, but must be at least 2"),
            ),
            ("/x", Pattern::Absent, None),
            (
                "/c",
                Pattern::Absent,
                Some("/c is null, but must not exist"),
            ),
            (
                "/x",
                Pattern::Type(JsonType::Null),
                Some("/x does not exist: the document has the keys a, b, c, d"),
            ),
        ] {
            assert_eq!(
                problem(pointer, &pattern).as_deref(),
                message,
                "{pointer} {pattern:?}"
            );
        }
    }

    #[test]
    fn all_conditions_must_be_met() {
        let both = Pattern::All(vec![
            Pattern::Type(JsonType::String),
            Pattern::Matches("^x".into()),
        ]);
        assert_eq!(
            problem("/b", &both).unwrap(),
            "/b is \"na\u{ef}ve\", but must match ^x"
        );
        assert_eq!(
            problem("/a", &both).unwrap(),
            "/a is [1,2.0,\"three\"], but must be of type string"
        );
        assert_eq!(describe(&both), "must be of type string and match ^x");
    }
}
