//! Scenarios: the data of conversation tests, in the suite or in a file. Each scenario becomes one test.

mod table;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use casebook_source::yaml::{self, Node, NodeKind};
use casebook_source::{Diagnostic, SourceFile, Span};
use serde_json::{Map, Value};

use crate::codes::BAD_SCENARIO;
use crate::file_reader::ReadFile;
use crate::reader::{Reader, plain_json};
use crate::typed_value::{TypedValue, scalar_text};

/// The scenario files of a suite, each read once.
pub(crate) struct Scenarios<'a> {
    read: ReadFile<'a>,
    /// The suite's file.
    suite: &'a str,
    /// The files read so far, by their path in the suite.
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

    /// The strings of the files that were read, by their paths.
    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        let files = self.files.borrow();
        let texts = files
            .iter()
            .map(|(path, file)| (path.clone(), file.text().to_owned()));
        texts.collect()
    }

    /// Decodes the `scenarios` of a test: the path of a file, or a list.
    pub(crate) fn decode(&self, node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Scenario> {
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
                    "`scenarios` must contain at least one scenario",
                );
            }
            return scenarios;
        }
        if node.as_map().is_some() {
            let message =
                "`scenarios` must be the path of a file or a list of mappings, not a mapping";
            reader.type_error(node, message.to_owned());
            return Vec::new();
        }
        let Some(path) = reader.path("scenarios", node) else {
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
                let message = format!("cannot read the scenarios in `{path}`: {why}");
                reader
                    .note(BAD_SCENARIO, node.span, message)
                    .help_last("the path is relative to the suite's directory");
                Vec::new()
            }
        }
    }

    fn file(&self, path: &str) -> Result<Arc<SourceFile>, String> {
        if let Some((_, file)) = self.files.borrow().iter().find(|(known, _)| known == path) {
            return Ok(Arc::clone(file));
        }
        let text = self.read.read(path)?;
        let dir = Path::new(self.suite).parent().unwrap_or(Path::new(""));
        let name = dir.join(path).display().to_string();
        let file = Arc::new(SourceFile::new(name, text));
        self.files
            .borrow_mut()
            .push((path.to_owned(), Arc::clone(&file)));
        Ok(file)
    }
}

/// The variables of a scenario: `scenario.` and the path of each value except null.
pub(crate) fn variables(scenario: &Scenario) -> Vec<(String, TypedValue)> {
    let mut all = Vec::new();
    for (key, value) in scenario {
        collect(&format!("scenario.{key}"), value, &mut all);
    }
    all
}

fn collect(path: &str, value: &Value, all: &mut Vec<(String, TypedValue)>) {
    all.extend(TypedValue::of(value).map(|value| (path.to_owned(), value)));
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                collect(&format!("{path}.{key}"), value, all);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                collect(&format!("{path}.{index}"), value, all);
            }
        }
        _ => {}
    }
}

/// The scenarios of a file and their problems, with spans in that file.
fn in_file(file: &SourceFile) -> (Vec<Scenario>, Vec<Diagnostic>) {
    let extension = Path::new(file.name()).extension();
    let has_extension =
        |wanted: &str| extension.is_some_and(|extension| extension.eq_ignore_ascii_case(wanted));
    if has_extension("jsonl") {
        return in_rows(table::json_lines(file));
    }
    if has_extension("csv") {
        return in_rows(table::csv(file));
    }
    let parsed = yaml::parse(file);
    let is_json = has_extension("json");
    // Some JSON is not valid YAML, for example escaped surrogate pairs.
    let json: Option<Value> = is_json
        .then(|| serde_json::from_str(file.text()).ok())
        .flatten();
    let nodes = match (parsed.documents.as_slice(), parsed.diagnostics.is_empty()) {
        ([root], true) => root.as_list(),
        _ => None,
    };
    match (json, nodes) {
        (Some(Value::Array(values)), nodes) if !values.is_empty() => {
            let nodes = nodes.unwrap_or_default();
            let start = Node {
                span: Span::new(0, 0),
                kind: NodeKind::List(Vec::new()),
            };
            let values = values.into_iter().enumerate();
            all(values.map(|(index, value)| (nodes.get(index).unwrap_or(&start), value)))
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
            let message = "a scenario file must be a list of at least one mapping";
            (
                Vec::new(),
                vec![Diagnostic::error(BAD_SCENARIO, span, message)],
            )
        }
    }
}

/// The scenarios of a file that has one per row.
fn in_rows((rows, mut problems): table::Rows) -> (Vec<Scenario>, Vec<Diagnostic>) {
    let mut scenarios = Vec::new();
    if rows.is_empty() && problems.is_empty() {
        let message = "a scenario file must have at least one scenario";
        problems.push(Diagnostic::error(BAD_SCENARIO, Span::new(0, 0), message));
    }
    for (span, value) in rows {
        if !value.is_object() {
            let message = "a scenario must be a mapping: `{\"name\": …, \"goal\": …}`";
            problems.push(Diagnostic::error(BAD_SCENARIO, span, message));
            continue;
        }
        let kind = NodeKind::Map(Vec::new());
        match checked(&Node { span, kind }, value) {
            Ok(scenario) => scenarios.push(scenario),
            Err(problem) => problems.push(*problem),
        }
    }
    problems.sort_by_key(|problem| problem.span.start);
    (scenarios, problems)
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

/// Checks that a scenario is a mapping with a `name` and a `goal`.
fn checked(node: &Node, value: Value) -> Result<Scenario, Box<Diagnostic>> {
    let Value::Object(scenario) = value else {
        let message = format!("a scenario must be a mapping, not {}", node.describe());
        return Err(Diagnostic::error(BAD_SCENARIO, node.span, message).into());
    };
    let has = |field: &str| {
        let text = scenario.get(field).and_then(scalar_text);
        text.is_some_and(|text| !text.trim().is_empty())
    };
    let Some(missing) = ["name", "goal"].into_iter().find(|field| !has(field)) else {
        return Ok(scenario);
    };
    let message = match scenario.get("name").and_then(scalar_text) {
        Some(name) if missing != "name" => format!("the scenario `{name}` has no `{missing}`"),
        _ => format!("the scenario has no `{missing}`"),
    };
    let start = Span::new(node.span.start, (node.span.start + 1).min(node.span.end));
    Err(Diagnostic::error(BAD_SCENARIO, start, message).into())
}

/// A value as JSON, with types as in YAML. Variables are not substituted.
pub(crate) fn as_json(node: &Node) -> Value {
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
