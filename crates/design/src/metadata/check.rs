//! The validator: rules V01 to V31. The order of the checks is the order of the messages.

mod characteristics;
mod dependency;
mod discovery;
mod format2;
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

/// What kind of mistake an error is: messages are grouped by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorGroup {
    /// Something is not there.
    Missing,
    /// Something is not as demanded.
    Field,
    /// Characteristics depend on one another in a circle.
    Cycle,
}

/// What is wrong with a metadata file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationReport {
    /// It cannot be used.
    pub errors: Vec<(ErrorGroup, String)>,
    /// It can, with care.
    pub warnings: Vec<String>,
}

impl ValidationReport {
    /// Whether it can be used.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// The errors of one group.
    pub fn of(&self, group: ErrorGroup) -> impl Iterator<Item = &str> {
        self.errors
            .iter()
            .filter(move |(of, _)| *of == group)
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

/// What the validator may look at besides the document.
pub struct ValidationContext<'a> {
    /// The project root of the metadata file.
    pub root: Option<&'a Path>,
    /// The working directory.
    pub cwd: &'a Path,
    /// The methods of a Ruby file; none where it cannot be parsed.
    pub methods: &'a dyn Fn(&Path) -> Option<Vec<Method>>,
}

/// A stage of the plugin's pipeline; each has its own validator (rule L11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Which methods there are.
    Discovery,
    /// What varies in them.
    CodeAnalyzer,
    /// The finished spec.
    SpecWriter,
}

/// Everything that is wrong with a document after a stage.
pub fn check_stage(
    document: &Document,
    stage: Stage,
    around: &ValidationContext<'_>,
) -> ValidationReport {
    let mut findings = ValidationReport::default();
    match stage {
        Stage::Discovery => discovery::check(document.value(), &mut findings),
        Stage::CodeAnalyzer => plugin::check(document.value(), &mut findings),
        Stage::SpecWriter => spec_writer::check(document.value(), around, &mut findings),
    }
    findings
}

/// Everything that is wrong with a document.
pub fn check(document: &Document, around: &ValidationContext<'_>) -> ValidationReport {
    let value = document.value();
    let layout = layout(value);
    if layout == Layout::Plugin {
        return check_stage(document, Stage::CodeAnalyzer, around);
    }
    let mut findings = ValidationReport::default();
    sections::analyzer(value, &mut findings);
    sections::test_level(value, &mut findings);
    target::check(value, around, &mut findings);
    characteristics::check(value, layout, &mut findings);
    sections::factories(value, &mut findings);
    findings
}

/// Everything that is wrong with a document, and what the formats only recommend.
pub fn check_strictly(document: &Document, around: &ValidationContext<'_>) -> ValidationReport {
    let mut findings = check(document, around);
    if layout(document.value()) != Layout::Plugin {
        strict::check(document.value(), &mut findings);
    }
    findings
}

/// Puts the verdict into the document: rule V30.
pub fn write_back(document: &mut Document, findings: &ValidationReport) {
    let errors: Vec<_> = findings.errors.iter().map(|(_, message)| message).collect();
    let section = json!({
        "completed": findings.is_valid(),
        "errors": errors,
        "warnings": findings.warnings,
    });
    // The plugin layout has no such section.
    let has_section = layout(document.value()) != Layout::Plugin;
    if has_section && document.at(&["validation"]) != Some(&section) {
        document.set("validation", &section);
    }
    let passed = Value::Bool(findings.is_valid());
    let is_known = document.at(&["automation", "validation_passed"]) == Some(&passed);
    if document
        .value()
        .get("automation")
        .is_some_and(Value::is_object)
        && !is_known
    {
        document.set_in("automation", "validation_passed", &passed);
    }
}

/// A value as messages quote it; a text that looks like a number or a truth in quotes.
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

/// The value of a key; nothing for an absent one, and for null only if that counts as absent.
fn present<'v>(map: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    map.get(key).filter(|value| !value.is_null())
}
