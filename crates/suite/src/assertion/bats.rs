//! The call in Bats code that checks one assertion. The functions it calls are in `bats/helpers/*.bats`.

use serde_json::Value;

use super::{Assertion, Check, FileCheck, TextCheck};
use crate::bats::quote::{quote, quote_json, quote_trimmed};

/// The command of Bats code; `line` is where the assertion is in the suite, `snapshot` the test's snapshot file.
pub(crate) fn bats_code(assertion: &Assertion, line: usize, snapshot: Option<&str>) -> String {
    let (helper, arguments) = match &assertion.check {
        Check::ExitCode(code) => ("", format!("exitCode {code}")),
        Check::Text(_, check) => ("", format!("{} {}", assertion.field, text(check))),
        Check::Json { pointer, expected } => ("_json", json(pointer, expected)),
        Check::File { path, check } => ("_file", format!("{} {}", quote(path), file(check))),
        Check::Snapshot(_) => ("_snapshot", quote(snapshot.unwrap_or_default())),
    };
    format!("casebook_expect{helper} {line} {arguments}")
}

/// The expected text, without the newlines at its end: the captured text has none either. The checker has removed them from
/// patterns. A text of newlines only is searched for unchanged.
fn text(check: &TextCheck) -> String {
    let expected = check.expected();
    let is_newlines = !expected.is_empty() && expected.trim_end_matches('\n').is_empty();
    match check {
        TextCheck::Contains(_) | TextCheck::NotContains(_) if is_newlines => quote(expected),
        _ => quote_trimmed(expected),
    }
}

fn file(check: &FileCheck) -> String {
    match check {
        FileCheck::Exists(true) => "exists".to_owned(),
        FileCheck::Exists(false) => "absent".to_owned(),
        FileCheck::Content(check) => format!("{} {}", check.name(), text(check)),
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
    let keys = json_keys(pointer);
    let expected = expected.to_string();
    format!(
        "{} {} {}",
        quote(pointer),
        quote(&keys),
        quote_json(&expected)
    )
}
