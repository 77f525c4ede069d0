//! [`Reader`]: decodes typed values from YAML nodes and collects problems.

mod scalar;
mod unknown_field;

use std::collections::HashSet;

use casebook_source::yaml::{self, Entry, Node, NodeKind};
use casebook_source::{Code, Diagnostic, Severity, Span};
use serde_json::{Map, Number, Value};

use crate::bash::{ShellSyntax, shell_syntax};
use crate::check::ScriptToCheck;
use crate::codes::{BAD_NAME, BAD_PATTERN, NOT_PORTABLE, UNKNOWN_FIELD, VACUOUS, WRONG_VALUE};
use crate::expand::{Scope, Variables, is_name};
use crate::fields::Field;
use crate::model::{LocatedPath, Script};
use crate::run_time::references;
pub(crate) use scalar::{BoolOrText, as_bool};
pub use scalar::{DURATION, as_duration};
pub(crate) use unknown_field::help as unknown_field_help;

/// Decodes values: substitutes variables, checks types and collects problems.
pub(crate) struct Reader<'v, 'c> {
    pub(crate) variables: &'v Variables<'v>,
    scope: Scope<'c>,
    pub(crate) problems: Vec<Diagnostic>,
    pub(crate) scripts: Vec<ScriptToCheck>,
    /// The names of the values known at run time that the texts use.
    pub(crate) used: HashSet<String>,
}

/// What a reader found besides values.
pub(crate) struct Findings {
    pub(crate) problems: Vec<Diagnostic>,
    pub(crate) scripts: Vec<ScriptToCheck>,
}

/// A string and its location.
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl<'v, 'c> Reader<'v, 'c> {
    pub(crate) fn new(variables: &'v Variables<'v>, scope: Scope<'c>) -> Reader<'v, 'c> {
        Reader {
            variables,
            scope,
            problems: Vec::new(),
            scripts: Vec::new(),
            used: HashSet::new(),
        }
    }

    /// The values that texts can use.
    pub(crate) fn scope(&self) -> Scope<'c> {
        self.scope
    }

    /// Adds what another reader of the same file found.
    pub(crate) fn absorb(&mut self, other: Reader<'_, '_>) {
        self.problems.extend(other.problems);
        self.scripts.extend(other.scripts);
        self.used.extend(other.used);
    }

    pub(crate) fn into_findings(self) -> Findings {
        Findings {
            problems: self.problems,
            scripts: self.scripts,
        }
    }

    /// Bash code.
    pub(crate) fn script(&mut self, field: &str, node: &Node) -> Option<Script> {
        let text = self.text(field, node)?;
        self.add_script(&text, node.span);
        Some(Script {
            text,
            span: node.span,
        })
    }

    /// Bash code that is not empty.
    pub(crate) fn non_empty_script(&mut self, field: &str, node: &Node) -> Option<Script> {
        let text = self.non_empty_text(field, node)?;
        self.add_script(&text, node.span);
        Some(Script {
            text,
            span: node.span,
        })
    }

    fn add_script(&mut self, text: &str, span: Span) {
        let syntax = shell_syntax(text);
        if syntax != ShellSyntax::Simple {
            self.scripts.push(ScriptToCheck::new(text, syntax, span));
        }
    }

    /// Substitutes the variables of a string; `None` if it has problems.
    pub(crate) fn expand(&mut self, text: &str, span: Span) -> Option<String> {
        match self.variables.expand(text, span, self.scope) {
            Ok(text) => {
                let used = references(&text).map(|reference| reference.name.to_owned());
                self.used.extend(used);
                Some(text)
            }
            Err(problems) => {
                self.problems.extend(problems);
                None
            }
        }
    }

    /// A string. A missing value is an error; an empty string must be quoted.
    pub(crate) fn text(&mut self, field: &str, node: &Node) -> Option<String> {
        self.text_or(field, node, "a string")
    }

    /// A string; `expected` describes the values allowed, for messages.
    fn text_or(&mut self, field: &str, node: &Node, expected: &str) -> Option<String> {
        match node.as_text() {
            Some(_) if node.is_null() => {
                self.type_error(node, format!("`{field}` has no value"))
                    .help_last("write \"\" for an empty string");
                None
            }
            Some(text) => self.expand(text, node.span),
            None => {
                let message = format!("`{field}` must be {expected}, not {}", node.describe());
                self.type_error(node, message);
                if let Some(quoted) = self.quoted(node) {
                    self.help_last(&format!(
                        "to write it as a string, put quotes around it: {quoted}"
                    ));
                }
                None
            }
        }
    }

    /// A string that is not empty.
    pub(crate) fn non_empty_text(&mut self, field: &str, node: &Node) -> Option<String> {
        let text = self.text(field, node);
        if node.is_null() {
            self.help_last("write a value, or remove the field");
        }
        let text = text?;
        if text.trim().is_empty() {
            self.type_error(node, format!("`{field}` must not be empty"))
                .help_last("write a value, or remove the field");
            return None;
        }
        Some(text)
    }

    /// A path relative to the suite's directory. In an included file it is written relative to that file.
    pub(crate) fn path(&mut self, field: &str, node: &Node) -> Option<String> {
        let path = self.non_empty_text(field, node)?;
        // The value of a variable may be an absolute path, or one that the suite defines.
        let is_variable = node.as_text().is_some_and(|text| text.starts_with("{{"));
        Some(if is_variable {
            path
        } else {
            self.variables.relative_to_suite(path, node.span)
        })
    }

    /// The same with its location.
    pub(crate) fn located_path(&mut self, field: &str, node: &Node) -> Option<LocatedPath> {
        let span = node.span;
        self.path(field, node)
            .map(|path| LocatedPath { path, span })
    }

    /// A short mapping in quotes: `Error: not found` in a list is a mapping for YAML.
    fn quoted(&self, node: &Node) -> Option<String> {
        const MAX: usize = 80;
        node.as_map()?;
        let text = self.variables.source(node.span).trim_end();
        (text.len() <= MAX && !text.contains('\n')).then(|| yaml::quoted(text))
    }

    /// A list of strings.
    pub(crate) fn list(&mut self, field: &str, node: &Node) -> Vec<Text> {
        let NodeKind::List(nodes) = &node.kind else {
            self.not_a_list(field, node);
            return Vec::new();
        };
        nodes
            .iter()
            .filter_map(|node| self.located(field, node, "a string"))
            .collect()
    }

    /// Reports a value that is not a list.
    pub(crate) fn not_a_list(&mut self, field: &str, node: &Node) {
        const MAX: usize = 80;
        let message = format!("`{field}` must be a list, not {}", node.describe());
        self.type_error(node, message);
        let text = self.variables.source(node.span).trim_end();
        if !node.is_null() && text.len() <= MAX && !text.contains('\n') {
            let help = format!("write `{field}: [{text}]`");
            self.help_last(&help);
        }
    }

    /// A string or a list of strings.
    pub(crate) fn texts(&mut self, field: &str, node: &Node) -> Vec<Text> {
        match &node.kind {
            NodeKind::List(nodes) if nodes.is_empty() => {
                self.note(
                    VACUOUS,
                    node.span,
                    format!("`{field}` is an empty list and has no effect"),
                )
                .help_last("add a value, or remove the field");
                Vec::new()
            }
            NodeKind::List(_) => self.list(field, node),
            _ => self
                .located(field, node, "a string or a list of strings")
                .into_iter()
                .collect(),
        }
    }

    fn located(&mut self, field: &str, node: &Node, expected: &str) -> Option<Text> {
        let span = node.span;
        self.text_or(field, node, expected)
            .map(|text| Text { text, span })
    }

    /// Strings to search for. An empty one is reported, because every text contains it.
    pub(crate) fn non_empty_texts(&mut self, field: &str, node: &Node) -> Vec<Text> {
        let texts = self.texts(field, node);
        texts
            .into_iter()
            .filter(|text| {
                if text.text.is_empty() {
                    self.always(field, "an empty string", "is in", text.span)
                        .help_last("write the text to find, or remove the field");
                    let stream = STREAMS.iter().find(|stream| field.starts_with(*stream));
                    if let Some(stream) = stream {
                        let help = if is_negated(field) {
                            format!("to require some output, write `{stream}Matches: .`")
                        } else {
                            format!("to require no output, write `{stream}Equals: \"\"`")
                        };
                        self.help_last(&help);
                    }
                }
                !text.text.is_empty()
            })
            .collect()
    }

    /// POSIX EREs, each checked. Trailing newlines, which YAML's `|` adds, are removed: output is compared without them.
    pub(crate) fn patterns(&mut self, field: &str, node: &Node) -> Vec<Text> {
        let mut texts = self.texts(field, node);
        for text in &mut texts {
            text.text.truncate(text.text.trim_end_matches('\n').len());
        }
        texts
            .into_iter()
            .filter(|text| self.check_pattern(field, text))
            .collect()
    }

    pub(crate) fn check_pattern(&mut self, field: &str, pattern: &Text) -> bool {
        let mut valid = true;
        for finding in crate::ere::lint(&pattern.text) {
            let help = finding
                .replacement
                .map(|replacement| format!("write `{replacement}`"));
            let problem = match finding.level {
                crate::ere::Level::Error => {
                    Diagnostic::error(BAD_PATTERN, pattern.span, finding.message)
                }
                crate::ere::Level::Warning => {
                    Diagnostic::warning(NOT_PORTABLE, pattern.span, finding.message)
                }
            };
            valid &= problem.severity == Severity::Warning;
            self.problems.push(problem.maybe_help(help));
        }
        if valid && let Err(error) = crate::ere::Ere::new(&pattern.text) {
            self.note(BAD_PATTERN, pattern.span, format!("`{field}`: {error}"));
            valid = false;
        }
        if valid && crate::ere::matches_everything(&pattern.text) {
            let what = format!("`{}`", pattern.text);
            self.always(field, &what, "matches", pattern.span)
                .help_last("write the text itself, or anchor the pattern with ^ and $");
            valid = false;
        }
        valid
    }

    /// Reports a string or pattern that is found in everything: its assertion always has the same result.
    fn always(&mut self, field: &str, what: &str, verb: &str, span: Span) -> &mut Self {
        let is_output = STREAMS.iter().any(|stream| field.starts_with(stream));
        let subject = if is_output { "output" } else { "text" };
        let result = if is_negated(field) {
            "always fails"
        } else {
            "asserts nothing"
        };
        let message = format!("`{field}` {result}: {what} {verb} every {subject}");
        self.note(VACUOUS, span, message)
    }

    /// The entries of a mapping; fields other than `known` are reported.
    pub(crate) fn object<'n>(
        &mut self,
        what: &str,
        field: &str,
        node: &'n Node<'n>,
        known: &[Field],
    ) -> &'n [Entry<'n>] {
        let entries = self.map(field, node);
        if node.as_map().is_none() {
            self.help_last(&unknown_field::listed(known));
        }
        self.unknown_fields(what, entries, known);
        entries
    }

    /// The entries of a mapping.
    pub(crate) fn map<'n>(&mut self, field: &str, node: &'n Node<'n>) -> &'n [Entry<'n>] {
        node.as_map().unwrap_or_else(|| {
            self.type_error(
                node,
                format!("`{field}` must be a mapping, not {}", node.describe()),
            )
            .help_last(&format!(
                "write entries of the form `{}` below it",
                entry_form(field)
            ));
            &[]
        })
    }

    /// A mapping from names to strings. Nothing after the colon is an empty string here, so that `NAME:` sets an empty variable;
    /// `~` and `null` are errors, because they look like a way to unset it.
    pub(crate) fn text_map(&mut self, field: &str, node: &Node) -> Vec<(String, String)> {
        let entries = self.map(field, node);
        entries
            .iter()
            .filter_map(|entry| {
                let is_written = !self.variables.source(entry.value.span).is_empty();
                let value = if entry.value.is_null() && !is_written {
                    Some(String::new())
                } else {
                    self.text(&entry.key, &entry.value)
                };
                Some((entry.key.to_string(), value?))
            })
            .collect()
    }

    /// Environment variables; names that bash does not allow are reported.
    pub(crate) fn env(&mut self, node: &Node) -> Vec<(String, String)> {
        for entry in node.as_map().unwrap_or_default() {
            if !is_name(&entry.key) {
                let message = format!(
                    "`{}` is not a valid name of an environment variable",
                    entry.key
                );
                self.note(BAD_NAME, entry.key_span, message)
                    .help_last("a name is a letter or _, then letters, digits and _");
            }
        }
        let before = self.problems.len();
        let env = self.text_map("env", node);
        for problem in &mut self.problems[before..] {
            let mut nulls = node.as_map().unwrap_or_default().iter();
            let null =
                nulls.find(|entry| entry.value.is_null() && entry.value.span == problem.span);
            if let Some(Entry { key, .. }) = null {
                problem.help = Some(format!(
                    "write \"\" for an empty value; to run the command without {key}, write `env -u {key} COMMAND`"
                ));
            }
        }
        env
    }

    /// Any value as JSON. Values without quotes may be null, booleans or numbers, as in YAML; a value of a matrix or a scenario has
    /// the type that it has there.
    pub(crate) fn json(&mut self, node: &Node) -> Option<Value> {
        if let Some(value) = node.as_text().and_then(|text| self.scope.typed(text)) {
            return Some(value.json.clone());
        }
        match &node.kind {
            NodeKind::Scalar(scalar) if scalar.plain => {
                if node.is_null() {
                    return Some(Value::Null);
                }
                let text = self.text("outputJson", node)?;
                Some(plain_json(&text))
            }
            NodeKind::Scalar(_) => self.text("outputJson", node).map(Value::from),
            NodeKind::List(nodes) => nodes
                .iter()
                .map(|node| self.json(node))
                .collect::<Option<Vec<_>>>()
                .map(Value::from),
            NodeKind::Map(entries) => {
                let fields = entries
                    .iter()
                    .map(|entry| Some((entry.key.to_string(), self.json(&entry.value)?)));
                fields.collect::<Option<Map<_, _>>>().map(Value::from)
            }
        }
    }

    /// Reports every field that is not in `known`. Returns the fields suggested instead.
    pub(crate) fn unknown_fields<'n>(
        &mut self,
        what: &str,
        entries: impl IntoIterator<Item = &'n Entry<'n>>,
        known: &[Field],
    ) -> Vec<&'static str> {
        let unknown = entries
            .into_iter()
            .filter(|entry| known.iter().all(|field| field.name != entry.key));
        let suggested = unknown.filter_map(|entry| {
            let message = format!("{what} has no field `{}`", entry.key);
            let (help, suggestion) = unknown_field::help(&entry.key, known);
            self.problems
                .push(Diagnostic::error(UNKNOWN_FIELD, entry.key_span, message).help(help));
            suggestion
        });
        suggested.collect()
    }

    pub(crate) fn type_error(&mut self, node: &Node, message: String) -> &mut Self {
        self.note(WRONG_VALUE, node.span, message)
    }

    pub(crate) fn note(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Self {
        self.problems.push(Diagnostic::error(code, span, message));
        self
    }

    /// Sets the help text of the last problem.
    pub(crate) fn help_last(&mut self, help: &str) {
        if let Some(last) = self.problems.last_mut() {
            last.help = Some(help.to_owned());
        }
    }
}

/// What the names of assertions on a command's output begin with.
const STREAMS: [&str; 4] = ["output", "stdout", "stderr", "screen"];

/// An entry of a mapping, for help.
fn entry_form(field: &str) -> &'static str {
    match field {
        "files" => "PATH: {exists: true}",
        "outputJson" | "json" => "/pointer: value",
        "outputJsonMatches" => "/pointer: {type: string}",
        "outputLine" => "1: text",
        "matrix" => "name: [value, …]",
        "services" => "name: {command: …}",
        _ => "name: value",
    }
}

/// Whether an assertion requires that something is not found.
fn is_negated(field: &str) -> bool {
    field.contains("Not") || field.starts_with("not")
}

pub(crate) fn plain_json(text: &str) -> Value {
    if let Some(bool) = as_bool(text) {
        return bool.into();
    }
    serde_json::from_str::<Number>(text).map_or_else(|_| text.into(), Value::from)
}
