//! Suites out of anything.

use std::collections::BTreeMap;

use casebook_source::{Severity, SourceFile, render};
use casebook_suite::{Checked, Surroundings, check, no_files};
use serde_json::Value;

/// What `{{env.SECRET}}` brings in, and nobody may look at again.
pub const FROM_ENVIRONMENT: &str = "{{first}} \\{{env.SECRET}}";

/// Checks a suite and everything that is said of it.
pub fn checked(text: &str) -> Checked {
    let environment = BTreeMap::from([("SECRET".to_owned(), FROM_ENVIRONMENT.to_owned())]);
    let surroundings = Surroundings {
        environment: &environment,
        stem: "fuzz",
        read: &no_files,
    };
    let checked = check(SourceFile::new("fuzz.casebook.yaml", text), &surroundings);
    for diagnostic in &checked.diagnostics {
        assert!(diagnostic.span.end <= text.len() + 1, "{diagnostic:?}");
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
