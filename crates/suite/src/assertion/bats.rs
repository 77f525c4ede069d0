//! The call in Bats code that checks one assertion. The functions it calls are in `bats/helpers/*.bats`.

use serde_json::{Map, Value};

use super::{Assertion, Check, ExitCodes, FileCheck, TextCheck};
use crate::bats::quote::{quote, quote_json, quote_trimmed};
use crate::model::conversation::{Bounds, Pattern};

/// The command of Bats code; `line` is where the assertion is in the suite, `snapshot` the test's snapshot file.
pub(crate) fn bats_code(assertion: &Assertion, line: usize, snapshot: Option<&str>) -> String {
    let (helper, arguments) = match &assertion.check {
        Check::ExitCode(codes) => ("", format!("exitCode {}", exit_codes(codes))),
        Check::Signal(signal) => ("", format!("signal {}", signal.name)),
        Check::MaxDuration(duration) => ("_duration", duration.as_millis().to_string()),
        Check::Text(_, check) => ("", format!("{} {}", assertion.field, text(check))),
        Check::Lines(bounds) => ("_lines", line_count(*bounds)),
        Check::Line { number, expected } => ("_line", format!("{number} {}", quote(expected))),
        Check::Json { pointer, expected } => ("_json", json(pointer, expected)),
        Check::JsonMatches { pointer, pattern } => ("_json_matches", conditions(pointer, pattern)),
        Check::File { path, check } => ("_file", format!("{} {}", quote(path), file(check))),
        Check::Snapshot(_) => ("_snapshot", quote(snapshot.unwrap_or_default())),
    };
    let case = if ignores_case(assertion) {
        "casebook_ignore_case=1 "
    } else {
        ""
    };
    format!("{case}casebook_expect{helper} {line} {arguments}")
}

/// Whether the assertion searches for a text or matches a pattern without regard to case.
fn ignores_case(assertion: &Assertion) -> bool {
    let (Check::Text(_, check)
    | Check::File {
        check: FileCheck::Content(check),
        ..
    }) = &assertion.check
    else {
        return false;
    };
    let is_equality = matches!(check, TextCheck::Equals(_) | TextCheck::EqualsFile(_));
    assertion.ignore_case && !is_equality
}

fn exit_codes(codes: &ExitCodes) -> String {
    match codes {
        ExitCodes::OneOf(codes) => {
            let codes: Vec<_> = codes.iter().map(u8::to_string).collect();
            match codes.as_slice() {
                [code] => code.clone(),
                codes => quote(&codes.join(" ")),
            }
        }
        ExitCodes::Nonzero => "nonzero".to_owned(),
    }
}

/// The minimum and the maximum number of lines; `-` for none.
fn line_count(bounds: Bounds) -> String {
    let limit =
        |limit: Option<f64>| limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
    format!("{} {}", limit(bounds.min), limit(bounds.max))
}

/// The expected text, without the newlines at its end: the captured text has none either. The checker has removed them from
/// patterns. A text of newlines only is searched for unchanged.
fn text(check: &TextCheck) -> String {
    let expected = check.expected();
    let is_newlines = !expected.is_empty() && expected.trim_end_matches('\n').is_empty();
    match check {
        TextCheck::EqualsFile(path) => quote(path),
        TextCheck::Contains(_) | TextCheck::NotContains(_) if is_newlines => quote(expected),
        _ => quote_trimmed(expected),
    }
}

fn file(check: &FileCheck) -> String {
    match check {
        FileCheck::Exists(true) => "exists".to_owned(),
        FileCheck::Exists(false) => "absent".to_owned(),
        FileCheck::Content(check) => format!("{} {}", check.name(), text(check)),
        FileCheck::EqualsFolder(path) => format!("EqualsFolder {}", quote(path)),
        FileCheck::Mode(mode) => format!("mode {mode:04o}"),
        FileCheck::Json { pointer, expected } => format!("json {}", json(pointer, expected)),
    }
}

/// The keys of a JSON Pointer, as a JSON array.
pub(crate) fn json_keys(pointer: &str) -> String {
    let keys = pointer.split('/').skip(1);
    let keys: Vec<_> = keys
        .map(|key| Value::from(key.replace("~1", "/").replace("~0", "~")))
        .collect();
    Value::from(keys).to_string()
}

fn json(pointer: &str, expected: &Value) -> String {
    let expected = expected.to_string();
    format!("{} {}", at(pointer), quote_json(&expected))
}

/// The pointer, and its keys as JSON.
fn at(pointer: &str) -> String {
    format!("{} {}", quote(pointer), quote(&json_keys(pointer)))
}

/// The conditions as JSON, and the pattern of `matches`, which only bash can match.
fn conditions(pointer: &str, pattern: &Pattern) -> String {
    let mut conditions = Map::new();
    let mut matches = None;
    for one in pattern.parts() {
        match one {
            Pattern::Matches(ere) => matches = Some(ere),
            other => conditions.extend(other.to_fields()),
        }
    }
    let conditions = Value::from(conditions).to_string();
    let matches = matches.map_or_else(String::new, |ere| format!(" {}", quote(ere)));
    format!("{} {}{matches}", at(pointer), quote_json(&conditions))
}
