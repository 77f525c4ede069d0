//! Checks a suite file and reports all its problems.

mod capture;
mod conditions;
mod conversation;
mod definition;
mod directory;
mod effects;
mod locks;
mod normalize;
mod quoting;
mod script;
mod service;
mod snapshots;
mod step;
mod suite;
mod terminal;
mod test;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use casebook_source::yaml::{self, Node, Parsed};
use casebook_source::{Code, Diagnostic, Severity, SourceFile, Span};

use crate::codes::{
    NOT_A_SUITE, TOPIC_GRAPH, UNDEFINED_VARIABLE, UNKNOWN_CRITERION, UNKNOWN_FRAGMENT,
    UNKNOWN_TOPIC,
};
use crate::file_reader::ReadFile;
use crate::include;
use crate::model::Suite;
pub(crate) use conversation::conditions;
pub use script::{BashError, ScriptToCheck};
pub(crate) use test::find;

/// The result of checking a file.
#[derive(Debug)]
pub struct Checked {
    /// The file that was checked.
    pub file: Arc<SourceFile>,
    /// The suite; `None` if there is an error.
    pub suite: Option<Suite>,
    /// Errors and warnings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// The bash code that may have syntax errors. To check it, bash must be started; see [`Checked::add_bash_errors`].
    pub scripts: Vec<ScriptToCheck>,
}

/// Everything outside of its file that a suite depends on.
#[derive(Clone, Copy)]
pub struct CheckContext<'a> {
    /// The environment variables, for `{{env.NAME}}`.
    pub environment: &'a BTreeMap<String, String>,
    /// The name of a suite without `name`.
    pub stem: &'a str,
    /// Reads the files that the suite refers to.
    pub read: ReadFile<'a>,
}

/// Problems that a file that cannot be included may cause: its definitions are missing.
const OF_INCLUDES: [Code; 5] = [
    TOPIC_GRAPH,
    UNDEFINED_VARIABLE,
    UNKNOWN_CRITERION,
    UNKNOWN_FRAGMENT,
    UNKNOWN_TOPIC,
];

/// A [`ReadFile`] that rejects every file, for tests.
pub fn deny_files(path: &str) -> Result<String, String> {
    Err(format!("reading files is disabled: `{path}`"))
}

/// Checks a suite.
///
/// ```
/// use std::collections::BTreeMap;
/// use casebook_source::SourceFile;
/// use casebook_suite::{CheckContext, check, deny_files};
///
/// let file = SourceFile::new("greet.casebook.yaml", "tests:\n  - name: greets\n    comand: echo hello\n");
/// let checked = check(file, &CheckContext { environment: &BTreeMap::new(), stem: "greet", read: &deny_files });
/// assert_eq!(checked.diagnostics[0].message, "a test has no field `comand`");
/// assert_eq!(checked.diagnostics[0].help.as_deref(), Some("did you mean `command`?"));
/// ```
pub fn check(file: SourceFile, context: &CheckContext<'_>) -> Checked {
    let file = Arc::new(file);
    let Parsed {
        mut documents,
        mut diagnostics,
    } = yaml::parse(&file);
    let mut suite = None;
    let mut scripts = Vec::new();
    match documents.as_mut_slice() {
        [] if diagnostics.is_empty() => diagnostics.push(empty()),
        [] => {}
        [root] if root.as_map().is_some() => {
            let mut includes = include::load(&file, root, context);
            include::import(&file, root, &mut includes);
            let (decoded, mut found) = suite::decode(&file, root, context);
            if !includes.problems.is_empty() {
                let may_be_included = |code: Code| OF_INCLUDES.contains(&code);
                found.problems.retain(|one| !may_be_included(one.code));
            }
            suite = decoded;
            if let Some(suite) = &mut suite {
                suite.files.extend(includes.texts());
            }
            diagnostics.append(&mut includes.problems);
            diagnostics.extend(found.problems);
            scripts = found.scripts;
            diagnostics.extend(suite.iter().flat_map(snapshots::problems));
        }
        [root] => diagnostics.push(not_a_mapping(root)),
        [_, second, ..] => {
            let message = "a suite must be one YAML document; a second one begins here";
            diagnostics.push(
                Diagnostic::error(NOT_A_SUITE, second.span, message)
                    .help("put it into a separate file"),
            );
        }
    }
    let diagnostics = sort_and_deduplicate(&file, diagnostics);
    let has_errors = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error);
    Checked {
        file,
        suite: suite.filter(|_| !has_errors),
        diagnostics,
        scripts,
    }
}

fn empty() -> Diagnostic {
    Diagnostic::error(
        NOT_A_SUITE,
        Span::default(),
        "the file is empty or contains only comments",
    )
    .help("write `tests:` and a list of tests")
}

fn not_a_mapping(root: &Node) -> Diagnostic {
    let message = format!(
        "a suite must be a mapping with a field `tests`, not {}",
        root.describe()
    );
    Diagnostic::error(NOT_A_SUITE, root.span, message)
}

impl Checked {
    /// Adds an error that was found by comparing the suite with others. It cannot be run then.
    pub fn add_error(&mut self, problem: Diagnostic) {
        self.diagnostics
            .push(include::locate_problem(&self.file, problem));
        self.suite = None;
    }
}

/// Names the file of each problem, sorts by location, problems in other files last, and removes duplicates. A problem in a fragment or a matrix is found
/// once per test that uses it.
fn sort_and_deduplicate(file: &SourceFile, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut indexes = HashMap::new();
    let mut unique: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        let diagnostic = include::locate_problem(file, diagnostic);
        let key = (
            diagnostic.file.as_ref().map(|file| file.name().to_owned()),
            diagnostic.span,
            diagnostic.code.name,
            diagnostic.message.clone(),
        );
        match indexes.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(unique.len());
                unique.push(diagnostic);
            }
            Entry::Occupied(entry) => unique[*entry.get()].scenarios.extend(diagnostic.scenarios),
        }
    }
    unique.iter_mut().for_each(name_scenarios);
    unique.sort_by_cached_key(|diagnostic| {
        let other_file = diagnostic.file.as_ref().map(|file| file.name().to_owned());
        (other_file, diagnostic.span.start, diagnostic.severity)
    });
    unique
}

/// Appends the names of the scenarios that have the problem to its message.
fn name_scenarios(diagnostic: &mut Diagnostic) {
    const MAX_NAMED: usize = 3;
    let mut seen = HashSet::new();
    diagnostic
        .scenarios
        .retain(|name| seen.insert(name.clone()));
    let names: Vec<_> = diagnostic
        .scenarios
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let list = match names.as_slice() {
        [] => return,
        [only] => format!("the scenario {only}"),
        [some @ .., last] if names.len() <= MAX_NAMED => {
            format!("the scenarios {} and {last}", some.join(", "))
        }
        all => format!(
            "{} scenarios: {} and {} more",
            all.len(),
            all[..MAX_NAMED].join(", "),
            all.len() - MAX_NAMED
        ),
    };
    diagnostic.message = format!("{} {list}", diagnostic.message);
}
