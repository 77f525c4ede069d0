//! [`Reader`]: decodes typed values from YAML nodes and collects problems.

mod scalar;

use casebook_source::yaml::{Entry, Node, NodeKind};
use casebook_source::{Code, Diagnostic, Severity, Span, closest_match};
use serde_json::{Map, Number, Value};

use crate::codes::{BAD_NAME, BAD_PATTERN, NOT_PORTABLE, UNKNOWN_FIELD, VACUOUS, WRONG_VALUE};
use crate::expand::{Combination, Variables, is_name};
use crate::fields::Field;
pub(crate) use scalar::as_bool;
pub use scalar::as_duration;

/// Decodes values: substitutes variables, checks types and collects problems.
pub(crate) struct Reader<'v, 'c> {
    pub(crate) variables: &'v Variables<'v>,
    pub(crate) combination: &'c Combination,
    pub(crate) problems: Vec<Diagnostic>,
}

/// A string and its location.
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl<'v, 'c> Reader<'v, 'c> {
    pub(crate) fn new(
        variables: &'v Variables<'v>,
        combination: &'c Combination,
    ) -> Reader<'v, 'c> {
        Reader {
            variables,
            combination,
            problems: Vec::new(),
        }
    }

    /// A string. A missing value is an error; an empty string must be quoted.
    pub(crate) fn text(&mut self, field: &str, node: &Node) -> Option<String> {
        match node.as_text() {
            Some(_) if node.is_null() => {
                self.type_error(node, format!("`{field}` has no value"))
                    .help_last("write \"\" for an empty string");
                None
            }
            Some(text) => match self.variables.expand(text, node.span, self.combination) {
                Ok(text) => Some(text),
                Err(problem) => {
                    self.problems.push(*problem);
                    None
                }
            },
            None => {
                self.type_error(
                    node,
                    format!("`{field}` must be a string, not {}", node.describe()),
                );
                None
            }
        }
    }

    /// A string that is not empty.
    pub(crate) fn non_empty_text(&mut self, field: &str, node: &Node) -> Option<String> {
        let text = self.text(field, node)?;
        if text.trim().is_empty() {
            self.type_error(node, format!("`{field}` must not be empty"));
            return None;
        }
        Some(text)
    }

    /// A list of strings.
    pub(crate) fn list(&mut self, field: &str, node: &Node) -> Vec<Text> {
        let NodeKind::List(nodes) = &node.kind else {
            self.type_error(
                node,
                format!("`{field}` must be a list, not {}", node.describe()),
            );
            return Vec::new();
        };
        nodes
            .iter()
            .filter_map(|node| self.located(field, node))
            .collect()
    }

    /// A string or a list of strings.
    pub(crate) fn texts(&mut self, field: &str, node: &Node) -> Vec<Text> {
        match &node.kind {
            NodeKind::List(nodes) if nodes.is_empty() => {
                self.note(
                    VACUOUS,
                    node.span,
                    format!("`{field}` is an empty list and asserts nothing"),
                );
                Vec::new()
            }
            NodeKind::List(_) => self.list(field, node),
            _ => self.located(field, node).into_iter().collect(),
        }
    }

    fn located(&mut self, field: &str, node: &Node) -> Option<Text> {
        let span = node.span;
        self.text(field, node).map(|text| Text { text, span })
    }

    /// Strings to search for. An empty one is reported, because every text contains it.
    pub(crate) fn non_empty_texts(&mut self, field: &str, node: &Node) -> Vec<Text> {
        let texts = self.texts(field, node);
        texts
            .into_iter()
            .filter(|text| {
                if text.text.is_empty() {
                    let is_output = names_output(field);
                    let subject = if is_output { "output" } else { "text" };
                    let message = format!(
                        "`{field}` with an empty string asserts nothing: it is in every {subject}"
                    );
                    self.note(VACUOUS, text.span, message);
                    if is_output {
                        self.help_last("to require no output, write `outputEquals: \"\"`");
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

    fn check_pattern(&mut self, field: &str, pattern: &Text) -> bool {
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
            let subject = if names_output(field) {
                "output"
            } else {
                "text"
            };
            let message = format!(
                "`{field}`: `{}` matches every {subject}, so it asserts nothing",
                pattern.text
            );
            self.note(VACUOUS, pattern.span, message)
                .help_last("write the required text, or anchor the pattern with ^ and $");
            valid = false;
        }
        valid
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
        self.unknown_fields(what, entries, known);
        entries
    }

    /// The entries of a mapping.
    pub(crate) fn map<'n>(&mut self, field: &str, node: &'n Node<'n>) -> &'n [Entry<'n>] {
        node.as_map().unwrap_or_else(|| {
            self.type_error(
                node,
                format!("`{field}` must be a mapping, not {}", node.describe()),
            );
            &[]
        })
    }

    /// A mapping from names to strings. A missing value is an empty string here, so that `NAME:` sets an empty variable.
    pub(crate) fn text_map(&mut self, field: &str, node: &Node) -> Vec<(String, String)> {
        let entries = self.map(field, node);
        entries
            .iter()
            .filter_map(|entry| {
                let value = if entry.value.is_null() {
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
                let message = format!("`{}` cannot be the name of a variable", entry.key);
                self.note(BAD_NAME, entry.key_span, message)
                    .help_last("a name is a letter or _, then letters, digits and _");
            }
        }
        self.text_map("env", node)
    }

    /// Any value as JSON. Values without quotes may be null, booleans or numbers, as in YAML.
    pub(crate) fn json(&mut self, node: &Node) -> Option<Value> {
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
            let suggestion = closest_match(&entry.key, known.iter().map(|field| field.name));
            let message = format!("{what} has no field `{}`", entry.key);
            let help = suggestion.map(|name| format!("did you mean `{name}`?"));
            self.problems
                .push(Diagnostic::error(UNKNOWN_FIELD, entry.key_span, message).maybe_help(help));
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

fn names_output(field: &str) -> bool {
    let streams = ["output", "stdout", "stderr"];
    streams.iter().any(|stream| field.starts_with(stream))
}

pub(crate) fn plain_json(text: &str) -> Value {
    if let Some(bool) = as_bool(text) {
        return bool.into();
    }
    serde_json::from_str::<Number>(text).map_or_else(|_| text.into(), Value::from)
}
