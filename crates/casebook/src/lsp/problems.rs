//! The problems of a file, as the editor shows them. Those of an included file are found when a suite that includes it is checked.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use casebook_source::{Diagnostic, Severity, SourceFile, Span};
use casebook_suite::Checked;
use serde_json::{Value, json};

use super::document::Document;
use super::files::{Files, normalized};
use super::position::range;

/// A problem, and the file that it is in.
struct Problem<'c> {
    file: &'c SourceFile,
    span: Span,
    diagnostic: &'c Diagnostic,
}

impl<'c> Problem<'c> {
    fn of(checked: &'c Checked, diagnostic: &'c Diagnostic) -> Problem<'c> {
        let (file, span) = match &diagnostic.file {
            Some(included) => (&**included, diagnostic.span),
            None => checked.file.locate(diagnostic.span),
        };
        Problem {
            file,
            span,
            diagnostic,
        }
    }

    /// The path of its file: names are relative to the directory of the server.
    fn path(&self, dir: &Path) -> PathBuf {
        normalized(&dir.join(self.file.name()))
    }

    fn as_json(&self) -> Value {
        let problem = self.diagnostic;
        let help = problem.help.iter().map(|help| format!("\nhelp: {help}"));
        json!({
            "range": range(self.file, self.span),
            "severity": match problem.severity {
                Severity::Error => 1,
                Severity::Warning => 2,
            },
            "code": problem.code.name,
            "source": "casebook",
            "message": problem.message.clone() + &help.collect::<String>(),
        })
    }

    /// The change that removes it.
    fn fix(&self, uri: &str, shown: &Value) -> Option<Value> {
        let replacement = self.diagnostic.replacement(self.file)?;
        let range = range(self.file, replacement.span);
        let edit = json!({ "range": range, "newText": replacement.text });
        Some(json!({
            "title": format!("Write `{}`", replacement.text),
            "kind": "quickfix",
            "isPreferred": true,
            "diagnostics": [shown],
            "edit": { "changes": { uri: [edit] } },
        }))
    }
}

/// The problems of a file, from all suites that were checked. Several suites may find the same.
fn problems<'f>(path: &Path, files: &'f Files<'_>) -> Vec<(Problem<'f>, Value)> {
    let mut found: Vec<(Problem<'f>, Value)> = Vec::new();
    let mut known = HashSet::new();
    let mut suites: Vec<&Document> = files.documents.values().collect();
    suites.sort_by_key(|suite| (suite.path != path, &suite.path));
    // The problems of a suite that the editor does not show are of no interest.
    let suites = suites
        .into_iter()
        .filter(|one| one.is_open || one.path != path);
    for checked in suites.filter_map(|suite| suite.checked.as_ref()) {
        let problems = checked.diagnostics.iter();
        let problems = problems.map(|problem| Problem::of(checked, problem));
        for problem in problems.filter(|problem| problem.path(files.dir) == path) {
            let (span, message) = (problem.span, &problem.diagnostic.message);
            if known.insert((span.start, span.end, message)) {
                let shown = problem.as_json();
                found.push((problem, shown));
            }
        }
    }
    found
}

/// The problems of a file, for the editor.
pub(super) fn of_file(path: &Path, files: &Files<'_>) -> Value {
    let found = problems(path, files).into_iter();
    found.map(|(_, shown)| shown).collect()
}

/// The files that have the problems of a suite.
pub(super) fn files_with_problems(checked: &Checked, dir: &Path) -> BTreeSet<PathBuf> {
    let problems = checked.diagnostics.iter();
    let included = problems.map(|problem| Problem::of(checked, problem).path(dir));
    included.collect()
}

/// The changes that remove the problems in a range of a file.
pub(super) fn fixes(path: &Path, uri: &str, wanted: &Value, files: &Files<'_>) -> Vec<Value> {
    let found = problems(path, files).into_iter();
    let wanted = found.filter(|(_, shown)| touches(&shown["range"], wanted));
    wanted
        .filter_map(|(problem, shown)| problem.fix(uri, &shown))
        .collect()
}

/// Whether two ranges have a common position.
fn touches(one: &Value, other: &Value) -> bool {
    let place = |position: &Value| (position["line"].as_u64(), position["character"].as_u64());
    place(&one["start"]) <= place(&other["end"]) && place(&other["start"]) <= place(&one["end"])
}
