//! Files and folders that a suite refers to and that do not exist.

use std::path::Path;

use casebook_source::{Diagnostic, Span};
use casebook_suite::Checked;
use casebook_suite::codes::MISSING_FILE;
use casebook_suite::model::{Check, FileCheck, Test, TextCheck, Workdir};
use casebook_suite::run_time;

/// What must be at a path.
#[derive(Clone, Copy)]
enum Kind {
    File,
    Folder,
}

/// Warns of missing files and folders. It is not an error, because hooks may make them.
pub(super) fn problems(checked: &Checked, suite_path: &Path) -> Vec<Diagnostic> {
    let Some(suite) = &checked.suite else {
        return Vec::new();
    };
    let dir = suite_path.parent().unwrap_or(Path::new(""));
    let mut problems: Vec<Diagnostic> = Vec::new();
    for (path, kind, span) in suite.tests.iter().flat_map(references) {
        // Paths with values that are known only at run time cannot be checked.
        let is_known = run_time::references(path).next().is_none();
        let is_new = problems.iter().all(|problem| problem.span != span);
        if is_known && is_new {
            problems.extend(problem(&dir.join(path), path, kind, span));
        }
    }
    problems
}

fn problem(full: &Path, path: &str, kind: Kind, span: Span) -> Option<Diagnostic> {
    let (exists, word) = match kind {
        Kind::File => (full.is_file(), "file"),
        Kind::Folder => (full.is_dir(), "directory"),
    };
    let message = if full.exists() {
        format!("`{path}` is not a {word}")
    } else {
        format!("the {word} `{path}` does not exist")
    };
    let help = "paths are relative to the directory of the suite";
    (!exists).then(|| Diagnostic::warning(MISSING_FILE, span, message).help(help))
}

/// The files and folders that a test refers to.
fn references(test: &Test) -> Vec<(&str, Kind, Span)> {
    let mut references = Vec::new();
    if let Some(Workdir::Copy(folder)) = &test.workdir {
        references.push((folder.path.as_str(), Kind::Folder, folder.span));
    }
    let script = test.conversation().map(|talk| talk.user.script());
    for file in script.into_iter().flatten().flat_map(|turn| &turn.files) {
        references.push((file.path.as_str(), Kind::File, file.span));
    }
    for assertion in test.assertions() {
        let found = match &assertion.check {
            Check::Text(_, check)
            | Check::File {
                check: FileCheck::Content(check),
                ..
            } => match check {
                TextCheck::EqualsFile(path) => Some((path, Kind::File)),
                _ => None,
            },
            Check::File {
                check: FileCheck::EqualsFolder(path),
                ..
            } => Some((path, Kind::Folder)),
            _ => None,
        };
        references.extend(found.map(|(path, kind)| (path.as_str(), kind, assertion.span)));
    }
    references
}
