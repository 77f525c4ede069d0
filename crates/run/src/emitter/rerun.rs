//! The command line that reruns one test.

use crate::plan::PlannedTest;

/// Returns `casebook run FILE:LINE`. Tests of a matrix, scenarios and trials share their line with others, so a filter
/// by name is added for them. In a suite whose tests run in order, those before it are included.
pub(super) fn rerun_command(planned: PlannedTest<'_>) -> String {
    if let Some(first) = planned.first_line {
        let (file, line) = (planned.suite.name(), planned.line());
        let lines = match first {
            first if first == line => format!("{file}:{line}"),
            first => format!("{file}:{first}-{line}"),
        };
        return format!("casebook run {}", quoted(&lines));
    }
    let location = quoted(&format!("{}:{}", planned.suite.name(), planned.line()));
    let is_unique = planned.test().matrix.is_empty()
        && planned.scenario_id.is_none()
        && planned.trial.is_none();
    if is_unique {
        return format!("casebook run {location}");
    }
    let filter = quoted(&format!("/^{}$/", escaped(&planned.title())));
    // A trial is only found by its name if the test has as many trials again.
    let trials = match planned.trial {
        Some(trial) if trial.is_overridden => format!(" --trials {}", trial.of),
        _ => String::new(),
    };
    format!("casebook run {location}{trials} --filter {filter}")
}

/// Returns an ERE that matches exactly the name.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if ".[]{}()*+?^$|\\".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns the text as one shell word.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,+@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_patterns_are_quoted_where_necessary() {
        assert_eq!(quoted("a/b.yaml:3"), "a/b.yaml:3");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(escaped("a [k=1.0]"), r"a \[k=1\.0\]");
    }
}
