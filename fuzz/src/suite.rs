//! Suites out of anything.

use std::collections::BTreeMap;

use casebook_source::{Severity, SourceFile, render};
use casebook_suite::{CheckContext, Checked, ReadFile, check, deny_files};
use serde_json::Value;

/// The value of `{{env.SECRET}}`, which must not appear in any output.
pub const FROM_ENVIRONMENT: &str = "{{first}} \\{{env.SECRET}}";

/// Checks a suite that names no files, and everything that is said of it.
pub fn checked(text: &str) -> Checked {
    checked_with(text, &deny_files)
}

/// Checks a suite whose files come from there, and everything that is said of it.
pub fn checked_with(text: &str, read: ReadFile<'_>) -> Checked {
    let environment = BTreeMap::from([("SECRET".to_owned(), FROM_ENVIRONMENT.to_owned())]);
    let surroundings = CheckContext {
        environment: &environment,
        stem: "fuzz",
        read,
    };
    let checked = check(SourceFile::new("fuzz.casebook.yaml", text), &surroundings);
    for diagnostic in &checked.diagnostics {
        let whole = diagnostic.file.as_deref().unwrap_or(&checked.file).text();
        assert!(diagnostic.span.end <= whole.len() + 1, "{diagnostic:?}");
        assert!(!render(&checked.file, diagnostic, false).is_empty());
    }
    let mut severities = checked.diagnostics.iter().map(|found| found.severity);
    let broken = severities.any(|severity| severity == Severity::Error);
    assert_eq!(
        checked.suite.is_none(),
        broken,
        "a suite, or the reason why there is none"
    );
    checked
}

/// A text as YAML has it.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The pieces of the input, as many as are asked for.
pub fn pieces<const N: usize>(input: &str) -> [&str; N] {
    let mut pieces = input.splitn(N, '\0');
    std::array::from_fn(|_| pieces.next().unwrap_or_default())
}
