//! Interprets the YAML block and the diagnostic lines of a test point.

use serde_json::Value;

use super::super::example::Failure;
use super::super::location;
use super::line::non_negative;
use super::stack::{self, ErrorText};

/// The class of a failure without a class.
const NOT_OK: &str = "TAP::NotOk";

/// Pairs of keys that tools use for the expected and the actual value.
const COMPARISONS: [(&str, &str); 4] = [
    ("expected", "actual"),
    ("wanted", "found"),
    ("expect", "got"),
    ("expected", "got"),
];

/// The YAML block and the diagnostics of a point. Either may be missing.
pub(super) struct PointDiagnostics<'a> {
    pub(super) yaml: &'a Value,
    pub(super) diagnostics: &'a str,
}

impl PointDiagnostics<'_> {
    /// The failure. vitest writes a document for each error of a test.
    pub(super) fn failure(&self) -> Failure {
        let documents = self
            .yaml
            .as_array()
            .filter(|list| !list.is_empty() && list.iter().all(Value::is_object));
        let failures = documents.into_iter().flatten().map(|yaml| {
            PointDiagnostics {
                yaml,
                diagnostics: self.diagnostics,
            }
            .single_failure()
        });
        Failure::joined(failures).unwrap_or_else(|| self.single_failure())
    }

    fn single_failure(&self) -> Failure {
        Failure {
            message: self.message(),
            exception_class: self.exception_class(),
            backtrace: self.backtrace(),
            location: self.location(),
        }
    }

    /// Seconds.
    pub(super) fn duration(&self) -> Option<f64> {
        let millis = match &self.yaml["duration_ms"] {
            Value::String(text) => non_negative(text)?,
            other => other.as_f64()?,
        };
        (millis.is_finite() && millis >= 0.0).then_some(millis / 1000.0)
    }

    /// `file:line`
    pub(super) fn location(&self) -> Option<String> {
        at(&self.yaml["at"])
            .or_else(|| location::file_and_line(self.yaml["location"].as_str()?))
            .or_else(|| file_line(&self.yaml["file"], &self.yaml["line"]))
            .or_else(|| location::in_prose(self.diagnostics))
            .or_else(|| location::in_prose(self.yaml["message"].as_str()?))
            .or_else(|| location::in_stack(self.yaml["stack"].as_str()?, ""))
            .or_else(|| location::in_stack(self.diagnostics, ""))
    }

    fn message(&self) -> String {
        // The block is a string if it could not be parsed; its complete text is then the message.
        let unparsed = Some(self.yaml).filter(|yaml| yaml.is_string());
        let message = [
            &self.yaml["message"],
            &self.yaml["error"]["message"],
            &self.yaml["error"],
            &self.yaml["diff"],
        ];
        let message = unparsed.into_iter().chain(message).find_map(text);
        let parts: Vec<_> = message.into_iter().chain(self.comparison()).collect();
        if !parts.is_empty() {
            return parts.join("\n");
        }
        match ErrorText::read(self.diagnostics).message.trim_end() {
            "" => "not ok".into(),
            message => message.into(),
        }
    }

    /// TAP 13 writes it under `data`, other tools next to the message.
    fn comparison(&self) -> Option<String> {
        [self.yaml, &self.yaml["data"]].iter().find_map(|map| {
            COMPARISONS.iter().find_map(|(expected, actual)| {
                let (expected, actual) = (map.get(expected)?, map.get(actual)?);
                Some(format!(
                    "expected: {}\n  actual: {}",
                    display(expected),
                    display(actual)
                ))
            })
        })
    }

    fn exception_class(&self) -> String {
        let keys = [
            &self.yaml["error"]["name"],
            &self.yaml["name"],
            &self.yaml["type"],
            &self.yaml["code"],
        ];
        let class_name = keys
            .into_iter()
            .filter_map(Value::as_str)
            .find(|name| is_class(name));
        let thrown = || stack::class(self.yaml["stack"].as_str()?.lines().next()?);
        let class_name = class_name
            .or_else(thrown)
            .or_else(|| ErrorText::read(self.diagnostics).class);
        class_name.unwrap_or(NOT_OK).into()
    }

    fn backtrace(&self) -> Vec<String> {
        match &self.yaml["stack"] {
            Value::String(stack) => {
                let frames = ErrorText::read(stack).frames;
                if frames.is_empty() {
                    return stack.lines().map(|line| line.trim().to_owned()).collect();
                }
                frames
            }
            Value::Array(frames) => frames.iter().map(display).collect(),
            _ => ErrorText::read(self.diagnostics).frames,
        }
    }
}

/// Node's `type: 'suite'` is not the class of a failure.
fn is_class(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace) && !matches!(name, "suite" | "test")
}

/// The location in `at`, which is a map or a stack frame.
fn at(at: &Value) -> Option<String> {
    let line = ["line", "lineNumber"].map(|key| &at[key]);
    ["file", "fileName"]
        .iter()
        .zip(line)
        .find_map(|(file, line)| file_line(&at[*file], line))
        .or_else(|| frame(at.as_str()?))
}

fn frame(at: &str) -> Option<String> {
    location::in_stack(&format!("at {at}"), "").or_else(|| location::file_and_line(at))
}

fn file_line(file: &Value, line: &Value) -> Option<String> {
    let file = file.as_str().filter(|file| !file.is_empty())?;
    let line = match line {
        Value::String(text) => text.parse().ok()?,
        other => other.as_u64()?,
    };
    Some(format!("{file}:{line}"))
}

fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        value => display(value),
    };
    let text = text.trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

fn display(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim_end().to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(yaml: &Value, diagnostics: &str) -> Failure {
        PointDiagnostics { yaml, diagnostics }.failure()
    }

    #[test]
    fn messages() {
        for (yaml, diagnostics, message) in [
            (json!(null), "", "not ok"),
            (json!(null), "why\nindeed\n", "why\nindeed"),
            (json!({"message": "no\n"}), "why", "no"),
            (json!({"message": null, "error": "no"}), "", "no"),
            (json!({"error": {"a": 1}}), "", r#"{"a":1}"#),
            (json!({"diff": "-3\n+2\n"}), "", "-3\n+2"),
            (
                json!({"message": "no", "expected": 3, "actual": "two"}),
                "",
                "no\nexpected: 3\n  actual: two",
            ),
            (
                json!({"wanted": [1], "found": null}),
                "",
                "expected: [1]\n  actual: null",
            ),
            (
                json!({"data": {"got": "a", "expect": "b"}}),
                "",
                "expected: b\n  actual: a",
            ),
            (json!({"duration_ms": 1}), "why", "why"),
            (json!(["list"]), "", "not ok"),
            (json!("raw: [text\n"), "", "raw: [text"),
        ] {
            assert_eq!(report(&yaml, diagnostics).message, message, "{yaml}");
        }
    }

    #[test]
    fn locations() {
        for (yaml, diagnostics, location) in [
            (json!(null), "", None),
            (
                json!({"at": {"file": "C:/x.rb", "line": 7}}),
                "",
                Some("C:/x.rb:7"),
            ),
            (
                json!({"at": {"file": "a.t", "line": "7"}}),
                "",
                Some("a.t:7"),
            ),
            (
                json!({"at": {"fileName": "a.js", "lineNumber": 4, "columnNumber": 5}}),
                "",
                Some("a.js:4"),
            ),
            (json!({"at": {"file": "a.t"}}), "", None),
            (
                json!({"at": "Test.<anonymous> (a b.js:4:5)"}),
                "",
                Some("a b.js:4"),
            ),
            (json!({"at": "a.js:4:5"}), "", Some("a.js:4")),
            (json!({"location": "C:\\a.js:7:5"}), "", Some("C:\\a.js:7")),
            (json!({"file": "a.t", "line": 3}), "", Some("a.t:3")),
            (
                json!({"message": "(in test file a.bats, line 9)"}),
                "",
                Some("a.bats:9"),
            ),
            (
                json!(null),
                "(in test file a.bats, line 9)",
                Some("a.bats:9"),
            ),
        ] {
            assert_eq!(
                report(&yaml, diagnostics).location.as_deref(),
                location,
                "{yaml}"
            );
        }
    }

    #[test]
    fn classes_and_backtraces() {
        for (yaml, class) in [
            (json!(null), NOT_OK),
            (
                json!({"name": "AssertionError", "code": "ERR"}),
                "AssertionError",
            ),
            (json!({"type": "suite", "code": "ERR"}), "ERR"),
            (json!({"type": "TypeError"}), "TypeError"),
            (json!({"name": "the test's own name", "code": 3}), NOT_OK),
        ] {
            assert_eq!(report(&yaml, "").exception_class, class, "{yaml}");
        }
        let yaml = json!({"stack": "a (x:1)\n  b (y:2)\n"});
        assert_eq!(report(&yaml, "").backtrace, ["a (x:1)", "b (y:2)"]);
    }

    #[test]
    fn durations() {
        for (yaml, duration) in [
            (json!({"duration_ms": 250}), Some(0.25)),
            (json!({"duration_ms": "250"}), Some(0.25)),
            (json!({"duration_ms": -1}), None),
            (json!({"duration_ms": "soon"}), None),
            (json!(null), None),
        ] {
            let report = PointDiagnostics {
                yaml: &yaml,
                diagnostics: "",
            };
            assert_eq!(report.duration(), duration, "{yaml}");
        }
    }
}
