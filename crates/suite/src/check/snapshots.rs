//! Checks the names of snapshots: each must be a file inside of the suite's directory of snapshots, and no two tests may share one.

use std::collections::HashMap;

use casebook_source::{Diagnostic, Span};

use crate::codes::{SAME_SNAPSHOT, SNAPSHOT_NAME};
use crate::model::{Check, Suite, Test};

/// The maximum length of a file name in bytes, without `.snap`.
const MAX_FILE_NAME: usize = 250;

/// The problems of the names that tests give to their snapshots.
pub(super) fn problems(suite: &Suite) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut seen: HashMap<String, (&Test, Span)> = HashMap::new();
    let tests = suite.tests.iter();
    for (test, name, span) in tests.flat_map(own_names) {
        if let Some(problem) = problem(name) {
            let message = format!(
                "`{}` cannot be the name of a snapshot: {problem}",
                name.escape_debug()
            );
            let help = "use a plain name, or `true` to name the snapshot after the test";
            problems.push(in_test(
                test,
                Diagnostic::error(SNAPSHOT_NAME, span, message).help(help),
            ));
        }
        // The same file where names are not case-sensitive.
        let Some((first, first_span)) = seen.insert(name.to_lowercase(), (test, span)) else {
            continue;
        };
        problems.push(in_test(
            test,
            same_snapshot(name, (test, span), (first, first_span)),
        ));
    }
    problems
}

fn own_names(test: &Test) -> impl Iterator<Item = (&Test, &str, Span)> {
    test.assertions()
        .filter_map(move |assertion| match &assertion.check {
            Check::Snapshot(Some(name)) => Some((test, name.as_str(), assertion.span)),
            _ => None,
        })
}

fn in_test(test: &Test, problem: Diagnostic) -> Diagnostic {
    Diagnostic {
        part: Some(format!("test `{}`", test.name.escape_debug())),
        ..problem
    }
}

fn same_snapshot(
    name: &str,
    (test, span): (&Test, Span),
    (first, first_span): (&Test, Span),
) -> Diagnostic {
    if test.span == first.span {
        let message = format!("all combinations of the matrix would have the snapshot `{name}`");
        return Diagnostic::error(SAME_SNAPSHOT, span, message).help(format!(
            "use a matrix variable in the name (`\"{name}-{{{{NAME}}}}\"`), or write `snapshot: true`"
        ));
    }
    let message = format!(
        "the test `{}` already has the snapshot `{name}`",
        first.name.escape_debug()
    );
    let problem =
        Diagnostic::error(SAME_SNAPSHOT, span, message).help("give each test its own snapshot");
    // With an alias or a fragment both are at the same location.
    if span == first_span {
        problem
    } else {
        problem.label(first_span, "already used here")
    }
}

/// Why a name is not a path inside of the directory.
fn problem(name: &str) -> Option<&'static str> {
    let mut steps = name.split('/');
    if name.starts_with('/') {
        Some("it is an absolute path")
    } else if name.chars().any(char::is_control) {
        Some("it contains a control character")
    } else if steps.clone().any(|step| step == "..") {
        Some("`..` leads out of the directory of snapshots")
    } else if steps.clone().any(|step| matches!(step, "" | ".")) {
        Some("a part of its path is empty or `.`")
    } else {
        let is_long = steps.any(|step| step.len() > MAX_FILE_NAME);
        is_long.then_some("a part of its path is longer than 250 bytes")
    }
}
