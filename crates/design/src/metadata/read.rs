//! Reads documents of all three formats into one model, [`Plan`].

mod behaviors;
mod plan;
mod plugin;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::document::Document;
use super::methods::method_documents;
use crate::characteristic::{Kind, Threshold};
use crate::ruby::{MethodType, TestLevel, did_you_mean};

pub use behaviors::{Behavior, BehaviorKind, MethodBehaviors};
pub use plan::{Entry, Layout, MethodMode, Plan, StateText, UndecidedLevel};
pub(crate) use plugin::is_value;

/// Why a document cannot be read as a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A required part is missing.
    #[error("{0} is missing; run `casebook design analyze` again")]
    Missing(String),
    /// The characteristics have a dependency cycle.
    #[error("characteristics have a dependency cycle: {0}")]
    Cycle(String),
    /// The document describes another method than the requested one.
    #[error(
        "the metadata does not describe `{method}`{hint}; run `casebook design analyze` for that method first"
    )]
    OtherMethod {
        /// The method that was requested.
        method: String,
        /// A similar one that it describes, as a question; otherwise empty.
        hint: String,
    },
    /// The document has several methods, and none was requested.
    #[error("the metadata describes several methods: {0}; add one of them to the path")]
    Several(String),
}

impl ReadError {
    /// The error for a method that is none of the described ones.
    pub(crate) fn other_method<'n>(
        method: &str,
        described: impl Iterator<Item = &'n str>,
    ) -> ReadError {
        ReadError::OtherMethod {
            method: method.to_owned(),
            hint: did_you_mean(method, described),
        }
    }
}

/// Detects the format of a document: rule L1.
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

/// Reads the plan of one method. `None` is allowed if the document has only one.
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

/// Reads the plans of all methods, or of the given one.
pub fn plans(document: &Document, method: Option<&str>) -> Result<Vec<Plan>, ReadError> {
    let plans = documented_plans(document, method)?;
    Ok(plans.into_iter().map(|(plan, _)| plan).collect())
}

/// The same, each with the document that has the method at its top level.
pub fn documented_plans(
    document: &Document,
    method: Option<&str>,
) -> Result<Vec<(Plan, Arc<Document>)>, ReadError> {
    let value = document.value();
    let plans = if layout(value) == Layout::Plugin {
        let plans = plugin::plans(value, method)?.into_iter();
        let document = Arc::new(document.clone());
        plans.map(|plan| (plan, Arc::clone(&document))).collect()
    } else {
        flat_plans(document, method)?
    };
    plans
        .iter()
        .try_for_each(|(plan, _)| check_no_cycle(plan))?;
    Ok(plans)
}

fn flat_plans(
    document: &Document,
    method: Option<&str>,
) -> Result<Vec<(Plan, Arc<Document>)>, ReadError> {
    let read = |document: Document| {
        let plan = from_flat(document.value(), layout(document.value()))?;
        Ok((plan, Arc::new(document)))
    };
    let all = method_documents(document).into_iter().map(read);
    let mut plans = all.collect::<Result<Vec<_>, _>>()?;
    if let Some(method) = method {
        if !plans.iter().any(|(plan, _)| plan.method == method) {
            let known = plans.iter().map(|(plan, _)| plan.method.as_str());
            return Err(ReadError::other_method(method, known));
        }
        plans.retain(|(plan, _)| plan.method == method);
    }
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
        behaviors: MethodBehaviors::default(),
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

/// The name of a state. Some documents have a mapping per state, and YAML loaders turn some names into numbers or booleans.
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
        state_texts: plugin::state_texts(value, &type_name),
    })
}

fn factories(value: &Map<String, Value>) -> Vec<(String, Vec<String>)> {
    let map = value.get("factories_detected").and_then(Value::as_object);
    map.map(factories_in).unwrap_or_default()
}

/// Factories and their traits, from the output of `design factories`. Ruby programs may have written names and keys as
/// symbols, such as `:admin`.
pub fn factories_in(map: &Map<String, Value>) -> Vec<(String, Vec<String>)> {
    let traits = |factory: &Value| match symbol_value(factory, "traits") {
        Some(Value::Array(traits)) => {
            let names = traits.iter().filter_map(Value::as_str);
            names.map(|name| without_colon(name).to_owned()).collect()
        }
        _ => Vec::new(),
    };
    map.iter()
        .map(|(name, factory)| (without_colon(name).to_owned(), traits(factory)))
        .collect()
}

/// The value of a key that is written as a string or as a symbol.
pub(crate) fn symbol_value<'v>(map: &'v Value, key: &str) -> Option<&'v Value> {
    map.get(key).or_else(|| map.get(format!(":{key}")))
}

fn without_colon(symbol: &str) -> &str {
    symbol.strip_prefix(':').unwrap_or(symbol)
}

fn check_no_cycle(plan: &Plan) -> Result<(), ReadError> {
    for entry in &plan.entries {
        let mut path = vec![entry.name.as_str()];
        let mut parent = entry.depends_on.as_deref();
        while let Some(name) = parent {
            if path.contains(&name) {
                path.push(name);
                return Err(ReadError::Cycle(path.join(" -> ")));
            }
            path.push(name);
            parent = plan
                .entries
                .iter()
                .find(|other| other.name == name)
                .and_then(|other| other.depends_on.as_deref());
        }
    }
    Ok(())
}
