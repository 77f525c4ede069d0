//! Timeouts of tests, in whole seconds, as Bats requires.
//!
//! Bats starts its countdown before it calls any function of a test. At that time only the code outside of functions has
//! run, and only the name of the test's function is set.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Case;
use super::quote::quote;

type BySeconds<'a> = BTreeMap<u64, Vec<&'a Case<'a>>>;

/// Whether any test has a timeout.
pub(super) fn has_any(cases: &[Case<'_>]) -> bool {
    cases.iter().any(|case| case.test.timeout.is_some())
}

/// The code that sets the timeouts; `None` if no test has one.
pub(super) fn code(cases: &[Case<'_>]) -> Option<String> {
    let mut by_seconds: BySeconds<'_> = BTreeMap::new();
    for case in cases {
        if let Some(timeout) = case.test.timeout {
            by_seconds.entry(seconds(timeout)).or_default().push(case);
        }
    }
    if by_seconds.is_empty() {
        return None;
    }
    let comment = "# The timeout of each test in seconds: Bats reads it before it calls any function.\n\
                   # shellcheck disable=SC2034 # Bats reads it\n";
    Some(comment.to_owned() + &assignment(&by_seconds, cases.len()))
}

fn assignment(by_seconds: &BySeconds<'_>, tests: usize) -> String {
    let with_timeout: usize = by_seconds.values().map(Vec::len).sum();
    let most = by_seconds.iter().max_by_key(|(_, cases)| cases.len());
    // If all tests have a timeout, the most frequent one, usually the suite's, is the default.
    let default = most
        .map(|(seconds, _)| *seconds)
        .filter(|_| with_timeout == tests);
    let others = by_seconds
        .iter()
        .filter(|(seconds, _)| Some(**seconds) != default);
    let arms: String = others.map(arm).collect();
    let default = default.map(|seconds| format!("BATS_TEST_TIMEOUT={seconds}"));
    match default {
        Some(default) if arms.is_empty() => default + "\n",
        Some(default) => format!("case ${{BATS_TEST_NAME-}} in\n{arms}*) {default} ;;\nesac\n"),
        None => format!("case ${{BATS_TEST_NAME-}} in\n{arms}esac\n"),
    }
}

fn arm((seconds, cases): (&u64, &Vec<&Case<'_>>)) -> String {
    let names = cases.iter().flat_map(|case| &case.title.names);
    let names: Vec<_> = names.map(|name| quote(name)).collect();
    let names = names.join(" | \\\n  ");
    format!("{names}) BATS_TEST_TIMEOUT={seconds} ;;\n")
}

fn seconds(timeout: Duration) -> u64 {
    let rounded_up = timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0);
    rounded_up.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up() {
        for (millis, expected) in [(1, 1), (500, 1), (1000, 1), (1001, 2), (120_000, 120)] {
            assert_eq!(seconds(Duration::from_millis(millis)), expected);
        }
    }
}
