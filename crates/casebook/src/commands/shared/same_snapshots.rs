//! Snapshots that two suites share: `a.casebook.yaml` and `a.bashi.yaml` have the same directory of snapshots.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use casebook_source::{Diagnostic, Span};
use casebook_suite::codes::SAME_SNAPSHOT;
use casebook_suite::model::{Check, Test};
use casebook_suite::{Checked, snapshot};

/// Reports each snapshot that an earlier suite has too. The suite then has an error and cannot be run.
pub(super) fn check(suites: &mut [Checked]) {
    let mut seen: HashMap<PathBuf, String> = HashMap::new();
    for checked in suites {
        let name = checked.file.name().to_owned();
        let mut problems = Vec::new();
        for (file, span) in snapshots(checked) {
            // A suite may be selected twice, with different lines.
            let first = seen.entry(file).or_insert_with(|| name.clone());
            if *first != name {
                problems.push(problem(first, span));
            }
        }
        for problem in problems {
            checked.add_error(problem);
        }
    }
}

/// The snapshots of a suite, in lower case: where names are not case-sensitive, `A` and `a` are the same file.
fn snapshots(checked: &Checked) -> Vec<(PathBuf, Span)> {
    let Some(suite) = &checked.suite else {
        return Vec::new();
    };
    let dir = Path::new(checked.file.name()).parent();
    let dir = dir.unwrap_or(Path::new(""));
    let steps = suite.tests.iter().flat_map(Test::steps);
    let files = snapshot::files(suite).into_iter().flatten();
    let with_file = steps.zip(files).filter_map(|(step, file)| {
        let mut assertions = step.assertions.iter();
        let assertion = assertions.find(|one| matches!(one.check, Check::Snapshot(_)))?;
        Some((dir.join(file?.to_lowercase()), assertion.span))
    });
    with_file.collect()
}

fn problem(first: &str, span: Span) -> Diagnostic {
    let message = format!("{first} has the same snapshot");
    Diagnostic::error(SAME_SNAPSHOT, span, message)
        .help("rename one of the two suites: their directories of snapshots have the same name")
}
