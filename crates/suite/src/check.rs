//! From a file to a checked suite: every problem of it at once.

mod conversation;
mod suite;
mod test;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use casebook_source::yaml::{self, Node, Parsed};
use casebook_source::{Diagnostic, Severity, SourceFile, Span};

use crate::codes::NOT_A_SUITE;
use crate::model::Suite;
use crate::scenario::ReadFile;
pub(crate) use test::find;

/// What came of reading a file.
#[derive(Debug)]
pub struct Checked {
    /// The file.
    pub file: Arc<SourceFile>,
    /// The suite, if nothing is wrong with it.
    pub suite: Option<Suite>,
    /// What is wrong with it and what is worth knowing, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a suite is checked against: the world outside of its file.
#[derive(Clone, Copy)]
pub struct CheckContext<'a> {
    /// What `{{env.NAME}}` stands for.
    pub environment: &'a BTreeMap<String, String>,
    /// What the suite is called when it has no name.
    pub stem: &'a str,
    /// Where files that the suite names come from.
    pub read: ReadFile<'a>,
}

/// For suites that name no files.
pub fn deny_files(path: &str) -> Result<String, String> {
    Err(format!("nothing is known of `{path}`"))
}

/// Checks a suite.
///
/// ```
/// use std::collections::BTreeMap;
/// use casebook_source::SourceFile;
/// use casebook_suite::{Surroundings, check, no_files};
///
/// let file = SourceFile::new("greet.casebook.yaml", "tests:\n  - name: greets\n    comand: echo hello\n");
/// let checked = check(file, &Surroundings { environment: &BTreeMap::new(), stem: "greet", read: &no_files });
/// assert_eq!(checked.diagnostics[0].message, "a test has no field `comand`");
/// assert_eq!(checked.diagnostics[0].help.as_deref(), Some("did you mean `command`?"));
/// ```
pub fn check(file: SourceFile, surroundings: &CheckContext<'_>) -> Checked {
    let file = Arc::new(file);
    let Parsed {
        mut documents,
        mut diagnostics,
    } = yaml::parse(&file);
    let mut suite = None;
    match documents.as_mut_slice() {
        [] if diagnostics.is_empty() => diagnostics.push(empty()),
        [] => {}
        [root] if root.as_map().is_some() => {
            let (decoded, problems) = suite::decode(&file, root, surroundings);
            suite = decoded;
            diagnostics.extend(problems);
        }
        [root] => diagnostics.push(no_mapping(root)),
        [_, second, ..] => {
            let message = "a suite is one YAML document, and here a second one begins";
            diagnostics.push(
                Diagnostic::error(NOT_A_SUITE, second.span, message)
                    .help("put it into a file of its own"),
            );
        }
    }
    let diagnostics = in_order(diagnostics);
    let broken = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error);
    Checked {
        file,
        suite: suite.filter(|_| !broken),
        diagnostics,
    }
}

fn empty() -> Diagnostic {
    Diagnostic::error(NOT_A_SUITE, Span::default(), "the file is empty")
        .help("write `tests:` and a list of tests")
}

fn no_mapping(root: &Node) -> Diagnostic {
    let message = format!(
        "a suite is a mapping with a field `tests`, not {}",
        root.describe()
    );
    Diagnostic::error(NOT_A_SUITE, root.span, message)
}

/// Sorted by place, those of other files last. A fragment's or a matrix's problem is found once per test that has it, and told once.
fn in_order(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut places = HashMap::new();
    let mut told: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        let key = (
            diagnostic.file.as_ref().map(|file| file.name().to_owned()),
            diagnostic.span,
            diagnostic.code.name,
            diagnostic.message.clone(),
        );
        match places.entry(key) {
            Entry::Vacant(place) => {
                place.insert(told.len());
                told.push(diagnostic);
            }
            Entry::Occupied(place) => told[*place.get()].scenarios.extend(diagnostic.scenarios),
        }
    }
    told.iter_mut().for_each(name_scenarios);
    told.sort_by_key(|diagnostic| {
        let elsewhere = diagnostic.file.is_some();
        (elsewhere, diagnostic.span.start, diagnostic.severity)
    });
    told
}

/// Says in which scenarios it is so.
fn name_scenarios(diagnostic: &mut Diagnostic) {
    const NAMED: usize = 3;
    let mut seen = HashSet::new();
    diagnostic
        .scenarios
        .retain(|name| seen.insert(name.clone()));
    let names: Vec<_> = diagnostic
        .scenarios
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let told = match names.as_slice() {
        [] => return,
        [only] => format!("the scenario {only}"),
        [some @ .., last] if names.len() <= NAMED => {
            format!("the scenarios {} and {last}", some.join(", "))
        }
        all => format!(
            "{} scenarios: {} and {} more",
            all.len(),
            all[..NAMED].join(", "),
            all.len() - NAMED
        ),
    };
    diagnostic.message = format!("{} {told}", diagnostic.message);
}
