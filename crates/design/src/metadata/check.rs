//! The validator: rules V01 to V31. The order of the checks is the order of the messages.

mod characteristics;
mod dependency;
mod discovery;
mod format2;
mod optional_types;
mod other_methods;
mod plugin;
mod sections;
mod spec_writer;
mod strict;
mod target;

use std::path::Path;

use serde_json::{Map, Value, json};

use super::document::Document;
use super::read::{Layout, layout};
use crate::ruby::Method;

pub(crate) use target::is_method as is_method_name;

/// The kind of an error; messages are grouped by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorGroup {
    /// A required key or section is missing.
    Missing,
    /// A field has an invalid value.
    Field,
    /// The characteristics have a dependency cycle.
    Cycle,
}

/// The problems of a metadata file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationReport {
    /// Problems that make the file unusable.
    pub errors: Vec<(ErrorGroup, String)>,
    /// Problems that do not prevent its use.
    pub warnings: Vec<String>,
}

impl ValidationReport {
    /// Whether there are no errors.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// The errors of one group.
    pub fn of(&self, group: ErrorGroup) -> impl Iterator<Item = &str> {
        self.errors
            .iter()
            .filter(move |(kind, _)| *kind == group)
            .map(|(_, message)| message.as_str())
    }

    fn missing(&mut self, message: impl Into<String>) {
        self.errors.push((ErrorGroup::Missing, message.into()));
    }

    fn wrong(&mut self, message: impl Into<String>) {
        self.errors.push((ErrorGroup::Field, message.into()));
    }

    fn cycle(&mut self, message: impl Into<String>) {
        self.errors.push((ErrorGroup::Cycle, message.into()));
    }

    fn warn(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }
}

/// What the validator may read besides the document.
pub struct ValidationContext<'a> {
    /// The project root of the metadata file; `None` if there is no project.
    pub root: Option<&'a Path>,
    /// The working directory.
    pub cwd: &'a Path,
    /// Returns the methods of a Ruby file; `None` if it cannot be parsed.
    pub methods: &'a dyn Fn(&Path) -> Option<Vec<Method>>,
}

/// A stage of the plugin's pipeline. Each has its own validator (rule L11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Selects the methods.
    Discovery,
    /// Finds the characteristics of the methods.
    CodeAnalyzer,
    /// Writes the spec.
    SpecWriter,
}

/// Validates a document of the plugin layout after a stage.
pub fn check_stage(
    document: &Document,
    stage: Stage,
    context: &ValidationContext<'_>,
) -> ValidationReport {
    let mut report = ValidationReport::default();
    match stage {
        Stage::Discovery => discovery::check(document.value(), &mut report),
        Stage::CodeAnalyzer => plugin::check(document.value(), &mut report),
        Stage::SpecWriter => spec_writer::check(document.value(), context, &mut report),
    }
    report
}

/// Validates a document of any format, with all its methods.
pub fn check(document: &Document, context: &ValidationContext<'_>) -> ValidationReport {
    let mut report = check_method(document, context);
    other_methods::check(document, &mut report, |method| {
        check_method(method, context)
    });
    report
}

/// Validates a document without the other methods.
pub(crate) fn check_method(
    document: &Document,
    context: &ValidationContext<'_>,
) -> ValidationReport {
    let value = document.value();
    let layout = layout(value);
    if layout == Layout::Plugin {
        return check_stage(document, Stage::CodeAnalyzer, context);
    }
    // The discovery stage of the plugin selects methods that are not described yet.
    if value.contains_key("slug") && value.contains_key("methods_to_analyze") {
        return check_stage(document, Stage::Discovery, context);
    }
    let mut report = ValidationReport::default();
    sections::analyzer(value, &mut report);
    sections::test_level(value, &mut report);
    target::check(value, context, &mut report);
    characteristics::check(value, layout, &mut report);
    sections::factories(value, &mut report);
    optional_types::check(value, &mut report);
    report
}

/// Validates a document, including what the formats only recommend.
pub fn check_strictly(document: &Document, context: &ValidationContext<'_>) -> ValidationReport {
    let mut report = check_method_strictly(document, context);
    other_methods::check(document, &mut report, |method| {
        check_method_strictly(method, context)
    });
    report
}

/// The same, without the other methods.
pub(crate) fn check_method_strictly(
    document: &Document,
    context: &ValidationContext<'_>,
) -> ValidationReport {
    let mut report = check_method(document, context);
    if layout(document.value()) != Layout::Plugin {
        strict::check(document.value(), &mut report);
    }
    report
}

/// Writes the result of the validation into the document: rule V30.
pub fn write_back(document: &mut Document, report: &ValidationReport) {
    let errors: Vec<_> = report.errors.iter().map(|(_, message)| message).collect();
    let section = json!({
        "completed": report.is_valid(),
        "errors": errors,
        "warnings": report.warnings,
    });
    // The plugin layout has no such section.
    let has_section = layout(document.value()) != Layout::Plugin;
    if has_section && document.at(&["validation"]) != Some(&section) {
        document.set("validation", &section);
    }
    let passed = Value::Bool(report.is_valid());
    let is_unchanged = document.at(&["automation", "validation_passed"]) == Some(&passed);
    if document
        .value()
        .get("automation")
        .is_some_and(Value::is_object)
        && !is_unchanged
    {
        document.set_in("automation", "validation_passed", &passed);
    }
}

/// Quotes a value for a message. A string that looks like a number or a boolean keeps its quotes.
fn got(value: &Value) -> String {
    match value {
        Value::String(text) if !looks_plain(text) => format!("got: {text}"),
        value => format!("got: {value}"),
    }
}

fn looks_plain(text: &str) -> bool {
    let value = serde_json::from_str::<Value>(text);
    value.is_ok_and(|value| value.is_boolean() || value.is_number() || value.is_null())
}

/// The value of a key; `None` if the key is absent or its value is null.
fn present<'v>(map: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    map.get(key).filter(|value| !value.is_null())
}
