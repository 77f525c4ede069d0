//! The plugin layout: rule L7. One document per source file, with several methods.

use serde_json::{Map, Value, json};

use super::behaviors::BehaviorList;
use super::decisions::decisions;
use super::flat::threshold;
use super::{DocumentHeader, Format};
use crate::characteristic::{Characteristic, Kind, Setup, SetupKind};
use crate::metadata::location::slug;
use crate::metadata::test_config::{SourceInfo, Zone, is_undecided, kind, test_config};
use crate::negation::uppercase_not;
use crate::ruby::Analysis;
use crate::skeleton::describe_state;

/// Converts the analyses of one file into a document.
pub fn plugin(
    mut analyses: Vec<Analysis>,
    header: &DocumentHeader,
    lines: usize,
) -> Map<String, Value> {
    for found in &mut analyses {
        header.apply_project(found);
    }
    let class = analyses
        .first()
        .map_or("Object", |found| found.method.class.as_str());
    let info = SourceInfo {
        kind: kind(&header.file, class),
        zone: Zone::of(lines, analyses.len()),
        is_library: header.is_library,
    };
    let mut behaviors = BehaviorList::default();
    let methods: Vec<Value> = analyses
        .iter()
        .map(|found| method(found, class, info, &mut behaviors))
        .collect();
    let automation = automation(&methods);
    let Value::Object(mut document) = json!({
        "slug": slug(&header.file),
        "source_file": header.file,
        "source_mtime": header.source_mtime,
        "class_name": class,
        "spec_path": header.spec_path,
        "complexity": {
            "zone": info.zone.as_str(),
            "loc": lines,
            "methods": analyses.len(),
        },
        "dependencies": dependencies(&analyses),
        "methods_to_analyze": analyses.iter().map(to_analyze).collect::<Vec<Value>>(),
        "behaviors": behaviors.into_list(),
        "methods": methods,
        "target": { "kind": info.kind },
        "automation": automation,
    }) else {
        unreachable!("`json!` with braces creates an object");
    };
    // An addition to the layout; near the top, where readers notice it.
    if let Some(names) = header.names.metadata_value(Format::Plugin) {
        document.shift_insert(3, "names".to_owned(), json!(names));
    }
    document
}

/// The `automation` section: the stages of the plugin that are done. The levels are decided if the user has none to choose.
fn automation(methods: &[Value]) -> Value {
    let is_decided = |method: &Value| !is_undecided(&method["test_config"]);
    json!({
        "discovery_agent_completed": true,
        "code_analyzer_completed": true,
        "isolation_decider_completed": methods.iter().all(is_decided),
        "spec_writer_completed": false,
    })
}

/// The classes on which the methods depend, each once.
fn dependencies(analyses: &[Analysis]) -> Vec<&str> {
    let all = analyses
        .iter()
        .flat_map(|found| &found.side_effects.dependencies);
    let mut dependencies: Vec<&str> = Vec::new();
    for class in all {
        if !dependencies.contains(&class.as_str()) {
            dependencies.push(class);
        }
    }
    dependencies
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

fn method(found: &Analysis, class: &str, info: SourceInfo, behaviors: &mut BehaviorList) -> Value {
    let characteristics: Vec<Value> = found
        .characteristics
        .iter()
        .enumerate()
        .map(|(index, one)| {
            let mut value = characteristic(one, found, behaviors);
            value["decisions"] = decisions(index, found);
            value
        })
        .collect();
    let effects = found.side_effects.effects.iter().map(|effect| {
        let id = behaviors.add_effect(effect, found);
        json!({ "type": effect.kind.as_str(), "behavior_id": id })
    });
    let effects: Vec<Value> = effects.collect();
    let mut map = json!({
        "name": found.method.name,
        "type": found.method.method_type.as_str(),
        "method_mode": "new",
        "analyzed": true,
        "characteristics": characteristics,
        "side_effects": effects,
        "dependencies": found.side_effects.dependencies,
        "test_config": test_config(found, info),
    });
    // An addition to the layout, which has one class per file.
    if found.method.class != class {
        map["class_name"] = json!(found.method.class);
    }
    if found.characteristics.is_empty() {
        map["behavior_id"] = json!(behaviors.add_unconditional(found));
    }
    map
}

fn characteristic(one: &Characteristic, found: &Analysis, behaviors: &mut BehaviorList) -> Value {
    let (value, operator) = threshold(one.threshold.as_ref());
    let values: Vec<Value> = one
        .states
        .iter()
        .map(|state| state_value(one, state, found, behaviors))
        .collect();
    let kind = match kind_of(one) {
        Kind::Binary if one.presence => "presence",
        Kind::Binary => "boolean",
        kind => kind.as_str(),
    };
    json!({
        "name": one.name,
        "description": one.name.replace('_', " "),
        "type": kind,
        "source": source(&one.setup),
        "values": values,
        "source_line": one.lines.0,
        "setup": {
            "type": match one.setup.kind {
                SetupKind::Factory => "model",
                kind => kind.as_str(),
            },
            "class": one.setup.class,
        },
        "level": one.level,
        "depends_on": one.depends_on,
        "when_parent": if one.when_parent.is_empty() { Value::Null } else { json!(one.when_parent) },
        "threshold_value": value,
        "threshold_operator": operator,
    })
}

/// The type of a characteristic. The layout has `enum` for every comparison for equality.
fn kind_of(one: &Characteristic) -> Kind {
    match one.kind {
        Kind::Binary if one.is_equality => Kind::Enum,
        kind => kind,
    }
}

/// Whether the condition is decided by the class itself or by a call to another class.
fn source(setup: &Setup) -> Value {
    match &setup.external {
        Some(other) => {
            json!({ "kind": "external", "class": other.class, "method": other.method })
        }
        None => json!({ "kind": "internal", "class": null, "method": null }),
    }
}

fn state_value(
    one: &Characteristic,
    state: &str,
    found: &Analysis,
    behaviors: &mut BehaviorList,
) -> Value {
    let is_terminal = one.terminal_states.iter().any(|terminal| terminal == state);
    let is_leaf = !found.characteristics.iter().any(|other| {
        other.depends_on.as_ref() == Some(&one.name)
            && other.when_parent.iter().any(|when| when == state)
    });
    let behavior = is_leaf.then(|| behaviors.add_leaf(one, state, found, is_terminal));
    json!({
        "value": plain_value(one, state),
        // An addition to the layout: the name of the state, which `when_parent` of other characteristics uses.
        "state": state,
        "description": described(one, state),
        "terminal": is_terminal,
        "behavior_id": behavior,
    })
}

/// The state in words. It does not start with a context word, and it has no verb if a context word will precede it.
fn described(one: &Characteristic, state: &str) -> String {
    const CONTEXT: [&str; 5] = ["when", "with", "and", "but", "without"];
    const VERBS: [&str; 6] = ["has", "have", "is", "are", "was", "were"];
    let kind = kind_of(one);
    let is_pair = match kind {
        Kind::Binary => true,
        Kind::Range => one.states.len() == 2,
        Kind::Enum | Kind::Sequential => false,
    };
    let positive = one.states.first().map_or(state, String::as_str);
    let text = match one.name.strip_suffix("_present") {
        // Follows `but`, as in "but no coupon"; "absent" would repeat "without".
        Some(value) if state == "absent" && one.level > 1 => {
            format!("no {}", value.replace('_', " "))
        }
        _ => describe_state(Some(kind), &one.name, state, positive),
    };
    let words = text.split_whitespace();
    let words: Vec<&str> = words
        .filter(|word| !(is_pair && one.level > 1 && VERBS.contains(word)))
        .collect();
    let begins_a_context = words.first().is_some_and(|first| CONTEXT.contains(first));
    match uppercase_not(&words.join(" ")) {
        text if text.is_empty() => "so".to_owned(),
        text if begins_a_context => format!("state {text}"),
        text => text,
    }
}

/// `true` or `false`, `present` or `nil`, or the state itself.
fn plain_value(one: &Characteristic, state: &str) -> Value {
    let is_first = one.states.first().is_some_and(|first| first == state);
    match kind_of(one) {
        Kind::Binary if one.presence => json!(if is_first { "present" } else { "nil" }),
        Kind::Binary => json!(is_first),
        _ => json!(state),
    }
}
