//! The plugin layout: many methods in one document.

use serde_json::{Map, Value};

use super::{
    Behaviours, Entry, Layout, MethodMode, Plan, ReadError, StateText, UndecidedLevel, entry,
    factories, method_type, state_text, text, texts,
};
use crate::ruby::TestLevel;

/// The methods of a document that are to be tested, or the one that is named.
pub(super) fn plans(
    value: &Map<String, Value>,
    wanted: Option<&str>,
) -> Result<Vec<Plan>, ReadError> {
    let missing = |what: &str| ReadError::Missing(what.to_owned());
    let methods = value
        .get("methods")
        .and_then(Value::as_array)
        .filter(|methods| !methods.is_empty())
        .ok_or_else(|| missing("methods"))?;
    let is_meant = |method: &Value| {
        let name = text(method, "name");
        match wanted {
            Some(wanted) => name.as_deref() == Some(wanted),
            None => is_selected(value, name.as_deref().unwrap_or_default()),
        }
    };
    let plans: Vec<Plan> = methods
        .iter()
        .enumerate()
        .filter(|(_, method)| is_meant(method))
        .map(|(index, method)| plan(value, method, index))
        .collect::<Result<_, _>>()?;
    match (plans.is_empty(), wanted) {
        (false, _) => Ok(plans),
        (true, Some(wanted)) => Err(missing(&format!("method `{wanted}`"))),
        (true, None) => Err(missing("a method that is selected")),
    }
}

/// Whether discovery left the method in.
fn is_selected(value: &Map<String, Value>, name: &str) -> bool {
    let list = value.get("methods_to_analyze").and_then(Value::as_array);
    let known = list
        .into_iter()
        .flatten()
        .find(|method| text(method, "name").as_deref() == Some(name));
    known.is_none_or(|method| method.get("selected") != Some(&Value::Bool(false)))
}

fn plan(value: &Map<String, Value>, method: &Value, index: usize) -> Result<Plan, ReadError> {
    let missing = |what: &str| ReadError::Missing(what.to_owned());
    let whole = Value::Object(value.clone());
    let config = method.get("test_config").cloned().unwrap_or_default();
    let level = text(&config, "level").or_else(|| text(&config, "test_level"));
    let is_low = text(&config, "confidence").as_deref() == Some("low");
    let is_chosen = config.get("chosen") == Some(&Value::Bool(true));
    let list = method.get("characteristics").and_then(Value::as_array);
    let list = list.map(Vec::as_slice).unwrap_or_default();
    Ok(Plan {
        layout: Layout::Plugin,
        class: text(method, "class_name")
            .or_else(|| text(&whole, "class_name"))
            .ok_or_else(|| missing("class_name"))?,
        method: text(method, "name").ok_or_else(|| missing("methods[].name"))?,
        method_type: method_type(text(method, "type").as_deref()),
        file: text(&whole, "source_file"),
        test_level: level.as_deref().and_then(TestLevel::parse),
        entries: list.iter().filter_map(|one| hanging(one, list)).collect(),
        factories: factories(value),
        behaviours: Behaviours::of(value, method),
        mode: Some(mode(method)),
        undecided: (is_low && !is_chosen).then(|| UndecidedLevel {
            kind: value
                .get("target")
                .and_then(|target| text(target, "kind"))
                .unwrap_or_default(),
            index,
        }),
        has_small_not: false,
    })
}

/// A characteristic whose parent's values are told by the names of states, whatever the document tells them by.
fn hanging(one: &Value, all: &[Value]) -> Option<Entry> {
    let mut read = entry(one)?;
    let parent = all.iter().find(|other| {
        text(other, "name").is_some() && text(other, "name") == text(one, "depends_on")
    });
    let when = one.get("when_parent").and_then(Value::as_array);
    if let (Some(parent), Some(when)) = (parent, when) {
        let kind = text(parent, "type").unwrap_or_default();
        let values = parent.get("values").and_then(Value::as_array);
        let named = |when: &Value| {
            let value = values?.iter().find(|value| is_value(when, value))?;
            state(parent, value, &kind)
        };
        let states = when.iter().map(|when| named(when).or(state_text(when)));
        read.when_parent = states.flatten().collect();
    }
    Some(read)
}

/// Whether `when_parent` means this value: as it stands there, by its state, or by its words.
pub(crate) fn is_value(when: &Value, value: &Value) -> bool {
    let raw = value.get("value").unwrap_or(&Value::Null);
    let plain = |value: &Value| match value {
        Value::String(text) => text.trim_start_matches(':').to_owned(),
        Value::Null => "nil".to_owned(),
        other => other.to_string(),
    };
    let (when, raw) = (plain(when), plain(raw));
    let word = text(value, "description").map(|text| text.to_lowercase().replace(' ', "_"));
    when == raw
        || text(value, "state").is_some_and(|state| state == when)
        || word.is_some_and(|word| word == when)
        || when == "absent" && raw == "nil"
}

/// What is said about each state that [`states`] has.
pub(super) fn said(entry: &Value, type_name: &str) -> Vec<StateText> {
    let values = entry.get("values").and_then(Value::as_array);
    let known = values
        .into_iter()
        .flatten()
        .filter(|value| state(entry, value, type_name).is_some());
    known
        .map(|value| StateText {
            words: text(value, "description"),
            literal: value.get("value").and_then(literal),
        })
        .collect()
}

/// A value as Ruby writes it; a word is a symbol, any other text a string.
fn literal(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("nil".to_owned()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) if text == "nil" => Some("nil".to_owned()),
        Value::String(text) if text.parse::<f64>().is_ok() => Some(text.clone()),
        Value::String(text) => Some(word_or_string(text)),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn word_or_string(text: &str) -> String {
    let name = text.strip_prefix(':').unwrap_or(text);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_word = !name.is_empty()
        && name.chars().all(is_part)
        && !name.starts_with(|first: char| first.is_ascii_digit());
    if is_word {
        return format!(":{name}");
    }
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('#', "\\#");
    format!("\"{escaped}\"")
}

/// What became of the method; of one of which nothing is said, nothing may be replaced.
fn mode(method: &Value) -> MethodMode {
    let mode = text(method, "method_mode");
    let mode = mode.as_deref().and_then(MethodMode::parse);
    mode.unwrap_or(MethodMode::New)
}

/// The states of a characteristic: `true` and `false` become words again.
pub(super) fn states(entry: &Value, values: &Value, type_name: &str) -> Vec<String> {
    let list = values.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter()
        .filter_map(|value| state(entry, value, type_name))
        .collect()
}

/// One state; documents of ours say its name.
pub(super) fn state(entry: &Value, value: &Value, type_name: &str) -> Option<String> {
    if let Some(state) = text(value, "state") {
        return Some(state);
    }
    let described = || text(value, "description").map(|text| text.to_lowercase().replace(' ', "_"));
    match (type_name, value.get("value")?) {
        ("presence", Value::String(word)) if word == "nil" => Some("absent".to_owned()),
        ("presence", Value::Null) => Some("absent".to_owned()),
        (_, Value::Bool(truth)) => described().or_else(|| {
            let name = text(entry, "name")?;
            Some(if *truth { name } else { format!("not_{name}") })
        }),
        (_, Value::String(word)) => Some(word.strip_prefix(':').unwrap_or(word).to_owned()),
        (_, other) => state_text(other),
    }
}

/// States without children.
pub(super) fn terminal_states(entry: &Value, states: &[String]) -> Vec<String> {
    let Some(values) = entry.get("values").and_then(Value::as_array) else {
        return texts(entry.get("terminal_states"));
    };
    let is_terminal = |value: &Value| value.get("terminal") == Some(&Value::Bool(true));
    let terminal = values
        .iter()
        .zip(states)
        .filter(|(value, _)| is_terminal(value));
    terminal.map(|(_, state)| state.clone()).collect()
}
