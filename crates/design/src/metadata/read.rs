//! Documents of all three formats as one model.

mod behaviors;
mod plan;
mod plugin;

use serde_json::{Map, Value};

use super::document::Document;
use crate::characteristic::{Kind, Threshold};
use crate::ruby::{MethodType, TestLevel};

pub use behaviors::{Behaviour, BehaviourKind, Behaviours};
pub use plan::{Entry, Layout, MethodMode, Plan, StateText, UndecidedLevel};
pub(crate) use plugin::is_value;

/// Why a document says too little.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A part that everything needs.
    #[error("{0} is missing")]
    Missing(String),
    /// Characteristics depend on one another in a circle.
    #[error("characteristics depend on one another in a circle: {0}")]
    Cycle(String),
    /// It is about another method than the one that was named.
    #[error("it is not about `{0}`: run `casebook design analyze` for that method first")]
    OtherMethod(String),
    /// Several methods, and none was named.
    #[error("the file holds several methods: {0}")]
    Several(String),
}

/// Which format this is.
pub fn layout(document: &Map<String, Value>) -> Layout {
    if document.contains_key("methods") && document.contains_key("slug") {
        return Layout::Plugin;
    }
    let entries = document.get("characteristics").and_then(Value::as_array);
    let has_setup = entries.is_some_and(|entries| {
        entries
            .iter()
            .any(|entry| entry.get("setup").is_some_and(Value::is_object))
    });
    if has_setup {
        Layout::V2_0
    } else {
        Layout::V1_3
    }
}

/// What a document says about a method; about the only one where none is named.
pub fn plan(document: &Document, method: Option<&str>) -> Result<Plan, ReadError> {
    let mut plans = plans(document, method)?;
    if plans.len() > 1 {
        let names: Vec<_> = plans.iter().map(Plan::short).collect();
        return Err(ReadError::Several(names.join(", ")));
    }
    plans
        .pop()
        .ok_or_else(|| ReadError::Missing("methods".to_owned()))
}

/// What a document says about all its methods, or about the one that is named.
pub fn plans(document: &Document, method: Option<&str>) -> Result<Vec<Plan>, ReadError> {
    let value = document.value();
    let plans = match layout(value) {
        Layout::Plugin => plugin::plans(value, method)?,
        layout => {
            let plan = from_flat(value, layout)?;
            match method {
                Some(method) if plan.method != method => {
                    return Err(ReadError::OtherMethod(method.to_owned()));
                }
                _ => vec![plan],
            }
        }
    };
    plans.iter().try_for_each(no_cycle)?;
    Ok(plans)
}

fn from_flat(value: &Map<String, Value>, layout: Layout) -> Result<Plan, ReadError> {
    let missing = |what: &str| ReadError::Missing(what.to_owned());
    let target = value
        .get("target")
        .filter(|target| target.is_object())
        .ok_or_else(|| missing("target"))?;
    let class = text(target, "class").ok_or_else(|| missing("target.class"))?;
    let method = text(target, "method").ok_or_else(|| missing("target.method"))?;
    let entries = value
        .get("characteristics")
        .and_then(Value::as_array)
        .ok_or_else(|| missing("characteristics"))?;
    Ok(Plan {
        layout,
        class,
        method,
        method_type: method_type(text(target, "method_type").as_deref()),
        file: text(target, "file"),
        test_level: value
            .get("test_level")
            .and_then(Value::as_str)
            .and_then(TestLevel::parse),
        entries: entries.iter().filter_map(entry).collect(),
        factories: factories(value),
        behaviours: Behaviours::default(),
        mode: None,
        undecided: None,
        has_small_not: false,
    })
}

fn method_type(text: Option<&str>) -> MethodType {
    match text {
        Some("class") => MethodType::Class,
        _ => MethodType::Instance,
    }
}

fn text(value: &Value, key: &str) -> Option<String> {
    Some(value.get(key)?.as_str()?.to_owned())
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => list.iter().filter_map(state_text).collect(),
        _ => Vec::new(),
    }
}

/// A state, also where a format has a mapping for each, or a loader made a number of it.
pub(crate) fn state_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Object(map) => map
            .get("name")
            .or_else(|| map.get("value"))
            .and_then(state_text),
        _ => None,
    }
}

fn entry(value: &Value) -> Option<Entry> {
    let type_name = text(value, "type").unwrap_or_default();
    let states = match value.get("values") {
        Some(values) => plugin::states(value, values, &type_name),
        None => texts(value.get("states")),
    };
    let operator = text(value, "threshold_operator");
    Some(Entry {
        name: text(value, "name")?,
        kind: match type_name.as_str() {
            "boolean" | "presence" => Some(Kind::Binary),
            other => Kind::parse(other),
        },
        is_composite: type_name == "composite",
        terminal_states: plugin::terminal_states(value, &states),
        states,
        default: text(value, "default"),
        depends_on: text(value, "depends_on"),
        when_parent: texts(value.get("when_parent")),
        source: text(value, "source")
            .or_else(|| value.get("setup").and_then(|setup| text(setup, "source"))),
        threshold: operator.map(|operator| Threshold {
            operator,
            value: value
                .get("threshold_value")
                .filter(|value| value.is_number())
                .map(ToString::to_string),
        }),
        said: plugin::said(value, &type_name),
    })
}

fn factories(value: &Map<String, Value>) -> Vec<(String, Vec<String>)> {
    let map = value.get("factories_detected").and_then(Value::as_object);
    map.map(factories_in).unwrap_or_default()
}

/// Factories and their traits, as the detector prints them.
pub fn factories_in(map: &Map<String, Value>) -> Vec<(String, Vec<String>)> {
    map.iter()
        .map(|(name, factory)| (name.clone(), texts(factory.get("traits"))))
        .collect()
}

fn no_cycle(plan: &Plan) -> Result<(), ReadError> {
    for entry in &plan.entries {
        let mut walked = vec![entry.name.as_str()];
        let mut parent = entry.depends_on.as_deref();
        while let Some(name) = parent {
            if walked.contains(&name) {
                walked.push(name);
                return Err(ReadError::Cycle(walked.join(" -> ")));
            }
            walked.push(name);
            parent = plan
                .entries
                .iter()
                .find(|other| other.name == name)
                .and_then(|other| other.depends_on.as_deref());
        }
    }
    Ok(())
}
