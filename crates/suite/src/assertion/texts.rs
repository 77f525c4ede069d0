//! The texts of a check that may contain values known at run time.

use serde_json::Value;

use super::{Check, FileCheck, TextCheck};
use crate::model::conversation::Pattern;

impl Check {
    /// The check with its texts changed.
    pub(crate) fn map_texts(&self, change: &impl Fn(&str) -> String) -> Check {
        match self {
            Check::ExitCode(_)
            | Check::Signal(_)
            | Check::MaxDuration(_)
            | Check::Lines(_)
            | Check::Snapshot(_) => self.clone(),
            Check::Line { number, expected } => Check::Line {
                number: *number,
                expected: change(expected),
            },
            Check::JsonMatches { pointer, pattern } => Check::JsonMatches {
                pointer: pointer.clone(),
                pattern: map_pattern(pattern, change),
            },
            Check::Text(stream, check) => Check::Text(*stream, check.map_texts(change)),
            Check::Json { pointer, expected } => Check::Json {
                pointer: pointer.clone(),
                expected: map_strings(expected, change),
            },
            Check::File { path, check } => Check::File {
                path: change(path),
                check: match check {
                    FileCheck::Exists(_) | FileCheck::Mode(_) => check.clone(),
                    FileCheck::EqualsFolder(path) => FileCheck::EqualsFolder(change(path)),
                    FileCheck::Json { pointer, expected } => FileCheck::Json {
                        pointer: pointer.clone(),
                        expected: map_strings(expected, change),
                    },
                    FileCheck::Content(check) => FileCheck::Content(check.map_texts(change)),
                },
            },
        }
    }
}

impl TextCheck {
    pub(crate) fn map_texts(&self, change: &impl Fn(&str) -> String) -> TextCheck {
        match self {
            TextCheck::Equals(text) => TextCheck::Equals(change(text)),
            TextCheck::EqualsFile(path) => TextCheck::EqualsFile(change(path)),
            TextCheck::Contains(text) => TextCheck::Contains(change(text)),
            TextCheck::NotContains(text) => TextCheck::NotContains(change(text)),
            TextCheck::Matches(pattern) => TextCheck::Matches(change(pattern)),
            TextCheck::NotMatches(pattern) => TextCheck::NotMatches(change(pattern)),
        }
    }
}

fn map_pattern(pattern: &Pattern, change: &impl Fn(&str) -> String) -> Pattern {
    match pattern {
        Pattern::Matches(ere) => Pattern::Matches(change(ere)),
        Pattern::Contains(value) => Pattern::Contains(map_strings(value, change)),
        Pattern::OneOf(values) => {
            let values = values.iter().map(|value| map_strings(value, change));
            Pattern::OneOf(values.collect())
        }
        Pattern::All(parts) => {
            Pattern::All(parts.iter().map(|part| map_pattern(part, change)).collect())
        }
        other => other.clone(),
    }
}

fn map_strings(value: &Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => change(text).into(),
        Value::Array(values) => values
            .iter()
            .map(|value| map_strings(value, change))
            .collect(),
        Value::Object(values) => values
            .iter()
            .map(|(key, value)| (key.clone(), map_strings(value, change)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
