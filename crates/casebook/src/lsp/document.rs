//! [`Document`]: an open suite, with its problems.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use casebook_source::{Diagnostic, Severity, SourceFile, Span};
use casebook_suite::Checked;
use serde_json::{Value, json};

use super::files::Parsed;
use super::position::range;
use crate::commands::shared::suites;
use crate::context::Context;
use crate::percent::decoded;

pub(super) struct Document {
    pub(super) path: PathBuf,
    pub(super) version: Value,
    pub(super) text: String,
    /// The result for the last text that was checked.
    checked: Option<Checked>,
    /// The names in the text; `None` inside if it is no valid YAML.
    parsed: OnceCell<Option<Rc<Parsed>>>,
}

impl Document {
    pub(super) fn new(uri: &str, version: Value, text: String) -> Document {
        Document {
            path: path_of(uri),
            version,
            text,
            checked: None,
            parsed: OnceCell::new(),
        }
    }

    /// Whether the file can be a suite; editors send all YAML files.
    pub(super) fn is_suite(&self) -> bool {
        casebook_suite::is_suite(&self.path)
    }

    /// The text as a file.
    pub(super) fn file(&self) -> SourceFile {
        SourceFile::new(self.path.to_string_lossy(), self.text.as_str())
    }

    pub(super) fn change(&mut self, version: Value, text: String) {
        self.version = version;
        self.text = text;
        self.parsed.take();
    }

    /// The names in the text; `None` if it is no valid YAML.
    pub(super) fn parsed(&self) -> Option<Rc<Parsed>> {
        let parse = || Parsed::of(&self.path, &self.text).map(Rc::new);
        self.parsed.get_or_init(parse).clone()
    }

    /// The stable ids of the tests by the lines where they begin. A suite with errors has none.
    pub(super) fn test_ids(&self) -> HashMap<usize, Vec<String>> {
        let mut ids: HashMap<usize, Vec<String>> = HashMap::new();
        let checked = self.checked.iter();
        for suite in checked.filter_map(|checked| checked.suite.as_ref()) {
            for (test, id) in casebook_run::stable_ids(suite) {
                let line = suite.file.position(test.span.start).line;
                ids.entry(line).or_default().push(id);
            }
        }
        ids
    }

    /// Checks the text, and returns the problems for the editor.
    pub(super) fn check(&mut self, context: &Context) -> Value {
        let path = self.path.strip_prefix(&context.dir).unwrap_or(&self.path);
        let checked = suites::check_text(path, self.text.clone(), context);
        let problems = checked.diagnostics.iter();
        let problems = problems.map(|problem| diagnostic(&checked.file, problem));
        let problems = problems.collect();
        self.checked = Some(checked);
        problems
    }

    /// The changes that remove the problems in a range.
    pub(super) fn fixes(&self, uri: &str, wanted: &Value) -> Vec<Value> {
        let checked = self.checked.iter();
        let problems = checked.flat_map(|checked| {
            let own = checked.diagnostics.iter().filter(|one| one.file.is_none());
            own.map(|problem| (&*checked.file, problem))
        });
        let fixes = problems.filter_map(|(file, problem)| {
            let replacement = problem.replacement(file)?;
            let shown = diagnostic(file, problem);
            let edit =
                json!({ "range": range(file, replacement.span), "newText": replacement.text });
            touches(&shown["range"], wanted).then(|| {
                json!({
                    "title": format!("Write `{}`", replacement.text),
                    "kind": "quickfix",
                    "isPreferred": true,
                    "diagnostics": [shown],
                    "edit": { "changes": { uri: [edit] } },
                })
            })
        });
        fixes.collect()
    }
}

fn diagnostic(file: &SourceFile, problem: &Diagnostic) -> Value {
    let help = problem.help.iter().map(|help| format!("\nhelp: {help}"));
    let mut message = problem.message.clone() + &help.collect::<String>();
    let mut span = problem.span;
    if let Some(included) = &problem.file {
        // Shown at the top: the editor knows only ranges of the open file.
        let line = included.position(span.start).line;
        message = format!("{}:{line}: {message}", included.name());
        span = Span::new(0, 0);
    }
    json!({
        "range": range(file, span),
        "severity": match problem.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
        },
        "code": problem.code.name,
        "source": "casebook",
        "message": message,
    })
}

/// Whether two ranges have a common position.
fn touches(one: &Value, other: &Value) -> bool {
    let place = |position: &Value| (position["line"].as_u64(), position["character"].as_u64());
    place(&one["start"]) <= place(&other["end"]) && place(&other["start"]) <= place(&one["end"])
}

/// The path of a `file:` URI.
fn path_of(uri: &str) -> PathBuf {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    decoded(path).into()
}
