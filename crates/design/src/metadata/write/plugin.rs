//! The plugin layout: section 11.5. One file per source file, many methods.

use serde_json::{Map, Value, json};

use super::Stamp;
use super::flat::threshold;
use crate::characteristic::{Characteristic, Kind, SetupKind};
use crate::metadata::place::slug;
use crate::ruby::{Analysis, Outcome};
use crate::skeleton::spec_path;

/// How much a file asks of whoever tests it.
fn zone(lines: usize, methods: usize) -> &'static str {
    if lines < 150 && methods < 7 {
        "green"
    } else if lines <= 300 && methods <= 12 {
        "yellow"
    } else {
        "red"
    }
}

/// The analyses of one file as a document.
pub fn plugin(analyses: &[Analysis], stamp: &Stamp, lines: usize) -> Map<String, Value> {
    let mut behaviors = Behaviors::default();
    let methods: Vec<Value> = analyses
        .iter()
        .map(|found| method(found, &mut behaviors))
        .collect();
    let to_analyze: Vec<Value> = analyses.iter().map(to_analyze).collect();
    let class = analyses
        .first()
        .map_or("Object", |found| found.method.class.as_str());
    let Value::Object(document) = json!({
        "slug": slug(&stamp.file),
        "source_file": stamp.file,
        "source_mtime": stamp.source_mtime,
        "class_name": class,
        "spec_path": spec_path(&stamp.file),
        "complexity": {
            "zone": zone(lines, analyses.len()),
            "loc": lines,
            "methods": analyses.len(),
        },
        "dependencies": [],
        "methods_to_analyze": to_analyze,
        "behaviors": behaviors.list,
        "methods": methods,
        "automation": { "discovery_agent_completed": true, "code_analyzer_completed": true },
    }) else {
        unreachable!("a JSON object was written out");
    };
    document
}

fn to_analyze(found: &Analysis) -> Value {
    json!({
        "name": found.method.name,
        "method_mode": "new",
        "line_range": [found.method.lines.0, found.method.lines.1],
        "selected": true,
        "skip_reason": null,
    })
}

fn method(found: &Analysis, behaviors: &mut Behaviors) -> Value {
    let characteristics: Vec<Value> = found
        .characteristics
        .iter()
        .map(|one| characteristic(one, found, behaviors))
        .collect();
    json!({
        "name": found.method.name,
        "type": found.method.method_type.as_str(),
        "method_mode": "new",
        "analyzed": true,
        "characteristics": characteristics,
        "side_effects": [],
        "dependencies": [],
        "test_config": { "level": found.test_level.as_str() },
    })
}

fn characteristic(one: &Characteristic, found: &Analysis, behaviors: &mut Behaviors) -> Value {
    let (value, operator) = threshold(one.threshold.as_ref());
    let values: Vec<Value> = one
        .states
        .iter()
        .map(|state| state_value(one, state, found, behaviors))
        .collect();
    let kind = match one.kind {
        Kind::Binary if one.presence => "presence",
        Kind::Binary => "boolean",
        kind => kind.as_str(),
    };
    let setup = match one.setup.kind {
        SetupKind::Factory => "model",
        kind => kind.as_str(),
    };
    json!({
        "name": one.name,
        "description": one.name.replace('_', " "),
        "type": kind,
        "source": { "kind": "internal", "class": null, "method": null },
        "values": values,
        "source_line": one.lines.0,
        "setup": { "type": setup, "class": one.setup.class },
        "level": one.level,
        "depends_on": one.depends_on,
        "when_parent": if one.when_parent.is_empty() { Value::Null } else { json!(one.when_parent) },
        "threshold_value": value,
        "threshold_operator": operator,
    })
}

fn state_value(
    one: &Characteristic,
    state: &str,
    found: &Analysis,
    behaviors: &mut Behaviors,
) -> Value {
    let is_terminal = one.terminal_states.iter().any(|terminal| terminal == state);
    let is_leaf = !found.characteristics.iter().any(|other| {
        other.depends_on.as_ref() == Some(&one.name)
            && other.when_parent.iter().any(|when| when == state)
    });
    let behavior = is_leaf.then(|| behaviors.of(one, state, found, is_terminal));
    json!({
        "value": plain_value(one, state),
        "description": state.replace('_', " ").replace("not ", "NOT "),
        "terminal": is_terminal,
        "behavior_id": behavior,
    })
}

/// `true` and `false`, `present` and `nil`, or the state itself.
fn plain_value(one: &Characteristic, state: &str) -> Value {
    let is_first = one.states.first().is_some_and(|first| first == state);
    match one.kind {
        Kind::Binary if one.presence => json!(if is_first { "present" } else { "nil" }),
        Kind::Binary => json!(is_first),
        _ => json!(state),
    }
}

/// What leaves do, each described once.
#[derive(Default)]
struct Behaviors {
    list: Vec<Value>,
}

impl Behaviors {
    fn of(
        &mut self,
        one: &Characteristic,
        state: &str,
        found: &Analysis,
        is_terminal: bool,
    ) -> String {
        let outcome = found
            .branches
            .iter()
            .find(|branch| branch.characteristic == one.name && branch.state == state)
            .and_then(|branch| branch.outcome.as_ref());
        let description = match outcome {
            Some(Outcome::Raises(Some(class))) => format!("raises {class}"),
            Some(Outcome::Raises(None)) => "raises an error".to_owned(),
            Some(Outcome::Returns(value)) => format!("returns {value}"),
            Some(Outcome::ReturnsNothing) => "returns nil".to_owned(),
            None => format!(
                "completes {}",
                found.method.name.trim_end_matches(['?', '!', '='])
            ),
        };
        let kind = if is_terminal { "terminal" } else { "success" };
        let id = crate::ruby::snake(&format!("{description} {kind}"));
        if !self.list.iter().any(|known| known["id"] == id.as_str()) {
            self.list.push(json!({
                "id": id,
                "description": description,
                "type": kind,
                "enabled": true,
            }));
        }
        id
    }
}
