//! The command line that runs just one test again.

use crate::plan::{PlannedSuite, PlannedTest};

/// `casebook run FILE:LINE`; tests of a matrix, scenarios and trials share their line with others, so they are named
/// as well.
pub(super) fn rerun_command(suite: &PlannedSuite, planned: &PlannedTest) -> String {
    let place = quoted(&format!("{}:{}", suite.name(), super::line(suite, planned)));
    let is_alone = suite.test(planned).matrix.is_empty()
        && planned.scenario_id.is_none()
        && planned.trial.is_none();
    if is_alone {
        return format!("casebook run {place}");
    }
    let filter = quoted(&format!("/^{}$/", escaped(&suite.title(planned))));
    format!("casebook run {place} --filter {filter}")
}

/// The name as an ERE that matches it alone.
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

/// As one word of a shell.
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
    fn words_and_patterns_are_quoted_where_they_must_be() {
        assert_eq!(quoted("a/b.yaml:3"), "a/b.yaml:3");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(escaped("a [k=1.0]"), r"a \[k=1\.0\]");
    }
}
