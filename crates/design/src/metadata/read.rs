//! Documents of all three formats as one model.

mod behaviours;
mod plugin;

use serde_json::{Map, Value};

use super::document::Document;
use crate::characteristic::{Characteristic, Kind, Threshold};
use crate::ruby::{Analysis, MethodType, TestLevel};

pub use behaviours::{Behaviour, BehaviourKind, Behaviours};

/// Which format a document is in: section 11.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The seed's.
    V1_3,
    /// A characteristic has a mapping `setup`.
    V2_0,
    /// Many methods.
    Plugin,
}

/// What a document says about one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Which format it was read from.
    pub layout: Layout,
    /// The class.
    pub class: String,
    /// The bare name.
    pub method: String,
    /// Instance or class.
    pub method_type: MethodType,
    /// The source, from the root.
    pub file: Option<String>,
    /// How it is to be tested.
    pub test_level: Option<TestLevel>,
    /// What varies.
    pub entries: Vec<Entry>,
    /// Factories and their traits.
    pub factories: Vec<(String, Vec<String>)>,
    /// What its leaves do, where the document says so.
    pub behaviours: Behaviours,
    /// The question that somebody has to answer before it is written: how the method is to be tested.
    pub undecided: Option<Undecided>,
}

/// A test level that the rules are not sure of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// What kind of code the method is.
    pub kind: String,
    /// The method's place in the document's list.
    pub index: usize,
}

/// One characteristic as a document has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its type; none for one that the format does not know.
    pub kind: Option<Kind>,
    /// Its states.
    pub states: Vec<String>,
    /// The state it is in unless something is done.
    pub default: Option<String>,
    /// Its parent.
    pub depends_on: Option<String>,
    /// The states of the parent in which it matters.
    pub when_parent: Vec<String>,
    /// States without children.
    pub terminal_states: Vec<String>,
    /// `path:N`.
    pub source: Option<String>,
    /// The bound of a comparison.
    pub threshold: Option<Threshold>,
}

impl Entry {
    /// Whether this is present or absent.
    pub fn is_presence(&self) -> bool {
        self.states == ["present", "absent"] || self.name.ends_with("_present")
    }
}

impl Plan {
    /// The plan that an analysis would be written and read as.
    pub fn of(analysis: &Analysis, file: &str) -> Plan {
        let entry = |found: &Characteristic| Entry {
            name: found.name.clone(),
            kind: Some(found.kind),
            states: found.states.clone(),
            default: found.default.clone(),
            depends_on: found.depends_on.clone(),
            when_parent: found.when_parent.clone(),
            terminal_states: Vec::new(),
            source: None,
            threshold: found.threshold.clone(),
        };
        Plan {
            layout: Layout::V1_3,
            class: analysis.method.class.clone(),
            method: analysis.method.name.clone(),
            method_type: analysis.method.method_type,
            file: Some(file.to_owned()),
            test_level: Some(analysis.test_level),
            entries: analysis.characteristics.iter().map(entry).collect(),
            factories: Vec::new(),
            behaviours: Behaviours::default(),
            undecided: None,
        }
    }

    /// `#name` or `.name`.
    pub fn short(&self) -> String {
        format!("{}{}", self.method_type.sign(), self.method)
    }

    /// `Class#name` or `Class.name`.
    pub fn id(&self) -> String {
        format!("{}{}", self.class, self.short())
    }
}

/// Why a document says too little.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A part that everything needs.
    #[error("{0} is missing")]
    Missing(String),
    /// Characteristics depend on one another in a circle.
    #[error("characteristics depend on one another in a circle: {0}")]
    Cycle(String),
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
        layout => vec![from_flat(value, layout)?],
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
        undecided: None,
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
