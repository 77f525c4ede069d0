//! Scenarios: what drives a test, one after the other.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use casebook_source::yaml::{self, Node, NodeKind};
use casebook_source::{Diagnostic, SourceFile, Span};
use serde_json::{Map, Value};

use crate::codes::BAD_SCENARIO;
use crate::reader::{Reader, plain_json};

/// Reads a file by its path from the suite's folder, or says why it cannot.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Scenarios out of files, each read once.
pub(crate) struct Scenarios<'a> {
    read: ReadFile<'a>,
    /// The suite's file.
    suite: &'a str,
    /// What was read, by the path as it is written.
    files: RefCell<Vec<(String, Arc<SourceFile>)>>,
}

/// One scenario.
pub(crate) type Scenario = Map<String, Value>;

impl<'a> Scenarios<'a> {
    pub(crate) fn new(read: ReadFile<'a>, suite: &'a str) -> Scenarios<'a> {
        Scenarios {
            read,
            suite,
            files: RefCell::default(),
        }
    }

    /// The texts of the files that were read, by their paths.
    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        let files = self.files.borrow();
        let texts = files
            .iter()
            .map(|(path, file)| (path.clone(), file.text().to_owned()));
        texts.collect()
    }

    /// The scenarios of a test: those of a file, or those that stand in the suite.
    pub(crate) fn of(&self, node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Scenario> {
        if let NodeKind::List(nodes) = &node.kind {
            let scenarios = nodes.iter().filter_map(|node| {
                let value = reader.json(node)?;
                checked(node, value)
                    .map_err(|problem| reader.problems.push(*problem))
                    .ok()
            });
            let scenarios: Vec<_> = scenarios.collect();
            if nodes.is_empty() {
                reader.note(
                    BAD_SCENARIO,
                    node.span,
                    "`scenarios` must have at least one",
                );
            }
            return scenarios;
        }
        if node.as_map().is_some() {
            let message = "`scenarios` is the path of a file or a list of mappings, not a mapping";
            reader.type_error(node, message.to_owned());
            return Vec::new();
        }
        let Some(path) = reader.non_empty_text("scenarios", node) else {
            return Vec::new();
        };
        match self.file(&path) {
            Ok(file) => {
                let (scenarios, problems) = in_file(&file);
                let problems = problems.into_iter().map(|problem| Diagnostic {
                    file: Some(Arc::clone(&file)),
                    ..problem
                });
                reader.problems.extend(problems);
                scenarios
            }
            Err(why) => {
                let message = format!("the scenarios in `{path}` cannot be read: {why}");
                reader
                    .note(BAD_SCENARIO, node.span, message)
                    .help_last("the path is relative to the suite's folder");
                Vec::new()
            }
        }
    }

    fn file(&self, path: &str) -> Result<Arc<SourceFile>, String> {
        if let Some((_, file)) = self.files.borrow().iter().find(|(known, _)| known == path) {
            return Ok(Arc::clone(file));
        }
        let text = (self.read)(path)?;
        let folder = Path::new(self.suite).parent().unwrap_or(Path::new(""));
        let name = folder.join(path).display().to_string();
        let file = Arc::new(SourceFile::new(name, text));
        self.files
            .borrow_mut()
            .push((path.to_owned(), Arc::clone(&file)));
        Ok(file)
    }
}

/// What `{{scenario.…}}` can stand for: every text and number, by the way to it. A list of them is all of them, with
/// commas between.
pub(crate) fn variables(scenario: &Scenario) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (key, value) in scenario {
        collect(&format!("scenario.{key}"), value, &mut all);
    }
    all
}

fn collect(way: &str, value: &Value, all: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                collect(&format!("{way}.{key}"), value, all);
            }
        }
        Value::Array(list) => {
            let texts: Option<Vec<_>> = list.iter().map(text).collect();
            all.extend(texts.map(|texts| (way.to_owned(), texts.join(", "))));
            for (place, value) in list.iter().enumerate() {
                collect(&format!("{way}.{place}"), value, all);
            }
        }
        single => all.extend(text(single).map(|text| (way.to_owned(), text))),
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// The scenarios of a file and what is wrong with them, as places in that file.
fn in_file(file: &SourceFile) -> (Vec<Scenario>, Vec<Diagnostic>) {
    let parsed = yaml::parse(file);
    let is_json = Path::new(file.name())
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    // Some JSON is no YAML: escapes of halves of a character, for one.
    let json: Option<Value> = is_json
        .then(|| serde_json::from_str(file.text()).ok())
        .flatten();
    let nodes = match (parsed.documents.as_slice(), parsed.diagnostics.is_empty()) {
        ([root], true) => root.as_list(),
        _ => None,
    };
    match (json, nodes) {
        (Some(Value::Array(values)), nodes) if !values.is_empty() => {
            let places = nodes.unwrap_or_default();
            let whole = Node {
                span: Span::new(0, 0),
                kind: NodeKind::List(Vec::new()),
            };
            let values = values.into_iter().enumerate();
            all(values.map(|(place, value)| (places.get(place).unwrap_or(&whole), value)))
        }
        (_, Some(nodes)) if !nodes.is_empty() => {
            all(nodes.iter().map(|node| (node, as_json(node))))
        }
        _ if !parsed.diagnostics.is_empty() => (Vec::new(), parsed.diagnostics),
        _ => {
            let span = parsed
                .documents
                .first()
                .map_or(Span::default(), |root| root.span);
            let message = "a file of scenarios is a list with at least one mapping";
            (
                Vec::new(),
                vec![Diagnostic::error(BAD_SCENARIO, span, message)],
            )
        }
    }
}

fn all<'n>(
    values: impl Iterator<Item = (&'n Node<'n>, Value)>,
) -> (Vec<Scenario>, Vec<Diagnostic>) {
    let (mut scenarios, mut problems) = (Vec::new(), Vec::new());
    for (node, value) in values {
        match checked(node, value) {
            Ok(scenario) => scenarios.push(scenario),
            Err(problem) => problems.push(*problem),
        }
    }
    (scenarios, problems)
}

/// A mapping that has what every scenario has.
fn checked(node: &Node, value: Value) -> Result<Scenario, Box<Diagnostic>> {
    let Value::Object(scenario) = value else {
        let message = format!("a scenario is a mapping, not {}", node.describe());
        return Err(Diagnostic::error(BAD_SCENARIO, node.span, message).into());
    };
    let has = |field: &str| {
        let text = scenario.get(field).and_then(text);
        text.is_some_and(|text| !text.trim().is_empty())
    };
    let Some(missing) = ["name", "goal"].into_iter().find(|field| !has(field)) else {
        return Ok(scenario);
    };
    let message = match scenario.get("name").and_then(text) {
        Some(name) if missing != "name" => format!("the scenario `{name}` has no `{missing}`"),
        _ => format!("the scenario has no `{missing}`"),
    };
    let start = Span::new(node.span.start, (node.span.start + 1).min(node.span.end));
    Err(Diagnostic::error(BAD_SCENARIO, start, message).into())
}

/// What stands without quotes is what YAML takes it for; braces are just braces.
fn as_json(node: &Node) -> Value {
    match &node.kind {
        NodeKind::Scalar(_) if node.is_null() => Value::Null,
        NodeKind::Scalar(scalar) if scalar.plain => plain_json(&scalar.text),
        NodeKind::Scalar(scalar) => (&*scalar.text).into(),
        NodeKind::List(nodes) => nodes.iter().map(as_json).collect(),
        NodeKind::Map(entries) => entries
            .iter()
            .map(|entry| (entry.key.to_string(), as_json(&entry.value)))
            .collect(),
    }
}
