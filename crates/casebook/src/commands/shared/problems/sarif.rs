//! Problems in the Static Analysis Results Interchange Format, SARIF 2.1.0, which code hosts and editors show.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{Fix, Level, Location, Problem};

/// What a code means.
pub(crate) struct Rule {
    pub(crate) summary: String,
    /// The explanation, in Markdown.
    pub(crate) help: String,
}

/// The log of one run of the checker. `rule` describes a code; `errors` are those that belong to no file.
pub(crate) fn log(problems: &[Problem], rule: impl Fn(&str) -> Rule, errors: &[String]) -> Value {
    let mut codes: Vec<&str> = problems.iter().map(|problem| problem.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let results = problems.iter().map(|problem| {
        let index = codes.binary_search(&problem.code).unwrap_or_default();
        result(problem, index)
    });
    let notifications = errors.iter().map(|error| {
        let message = json!({ "text": error });
        json!({ "level": "error", "message": message })
    });
    let rules = codes.iter().map(|code| descriptor(code, &rule(code)));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "casebook",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": errors.is_empty(),
                "toolExecutionNotifications": notifications.collect::<Vec<_>>(),
            }],
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

fn descriptor(code: &str, rule: &Rule) -> Value {
    json!({
        "id": code,
        "shortDescription": { "text": rule.summary },
        "help": { "text": rule.help, "markdown": rule.help },
    })
}

fn result(problem: &Problem, rule_index: usize) -> Value {
    let text = with_help(&problem.message, problem.help.as_deref());
    let mut result = json!({
        "ruleId": problem.code,
        "ruleIndex": rule_index,
        "level": match problem.severity {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        },
        "message": { "text": text },
        "locations": [{ "physicalLocation": physical(&problem.location) }],
    });
    if !problem.related.is_empty() {
        let related = problem.related.iter().map(|related| {
            json!({
                "physicalLocation": physical(&related.location),
                "message": { "text": related.message },
            })
        });
        result["relatedLocations"] = related.collect();
    }
    if let Some(fix) = &problem.fix {
        result["fixes"] = json!([changes(fix)]);
    }
    result
}

/// The message, and how to fix it: in the same sentence, or in a separate one.
fn with_help(message: &str, help: Option<&str>) -> String {
    match help {
        None => message.to_owned(),
        Some(help) if help.starts_with(char::is_uppercase) => {
            format!("{}. {help}", message.trim_end_matches('.'))
        }
        Some(help) => format!("{message}; {help}"),
    }
}

fn changes(fix: &Fix) -> Value {
    json!({
        "description": { "text": format!("write `{}`", fix.text) },
        "artifactChanges": [{
            "artifactLocation": artifact(&fix.location),
            "replacements": [{
                "deletedRegion": region(&fix.location),
                "insertedContent": { "text": fix.text },
            }],
        }],
    })
}

fn physical(location: &Location) -> Value {
    json!({ "artifactLocation": artifact(location), "region": region(location) })
}

fn artifact(location: &Location) -> Value {
    json!({ "uri": uri(&location.file) })
}

fn region(location: &Location) -> Value {
    let mut region = Map::new();
    region.insert("startLine".to_owned(), location.line.into());
    for (name, number) in [
        ("startColumn", location.column),
        ("endLine", location.end_line),
        ("endColumn", location.end_column),
    ] {
        region.extend(number.map(|number| (name.to_owned(), number.into())));
    }
    region.into()
}

/// The path as a URI, which is relative if the path is.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(byte.into());
            }
            // Writing to a string cannot fail.
            byte => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_follows_the_message() {
        for (message, help, expected) in [
            ("a is wrong", None, "a is wrong"),
            (
                "a is wrong",
                Some("did you mean `b`?"),
                "a is wrong; did you mean `b`?",
            ),
            ("One state", Some("Add another."), "One state. Add another."),
            (
                "One state.",
                Some("Add another."),
                "One state. Add another.",
            ),
        ] {
            assert_eq!(with_help(message, help), expected);
        }
    }

    #[test]
    fn paths_become_uris() {
        for (path, expected) in [
            ("a/b.yaml", "a/b.yaml"),
            ("/a b/ü.yaml", "file:///a%20b/%C3%BC.yaml"),
            ("a:b%.yaml", "a%3Ab%25.yaml"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
