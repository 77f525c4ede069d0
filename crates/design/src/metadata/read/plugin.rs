//! The plugin layout: several methods in one document.

use serde_json::{Map, Value};

use super::{
    Entry, Layout, MethodBehaviors, MethodMode, Plan, ReadError, StateText, UndecidedLevel, entry,
    factories, method_type, state_text, text, texts,
};
use crate::metadata::test_config::{is_undecided, level_of};
use crate::ruby::TestLevel;

/// The selected methods of a document, or the requested one.
pub(super) fn plans(
    value: &Map<String, Value>,
    requested: Option<&str>,
) -> Result<Vec<Plan>, ReadError> {
    let missing = |what: &str| ReadError::Missing(what.to_owned());
    let methods = value
        .get("methods")
        .and_then(Value::as_array)
        .filter(|methods| !methods.is_empty())
        .ok_or_else(|| missing("methods"))?;
    let is_requested = |method: &Value| {
        let name = text(method, "name");
        match requested {
            Some(requested) => name.as_deref() == Some(requested),
            None => is_selected(value, name.as_deref().unwrap_or_default()),
        }
    };
    let plans: Vec<Plan> = methods
        .iter()
        .enumerate()
        .filter(|(_, method)| is_requested(method))
        .map(|(index, method)| plan(value, method, index))
        .collect::<Result<_, _>>()?;
    match (plans.is_empty(), requested) {
        (false, _) => Ok(plans),
        (true, Some(requested)) => Err(missing(&format!("method `{requested}`"))),
        (true, None) => Err(missing("a method that is selected")),
    }
}

/// Whether discovery selected the method. A method that discovery does not list is selected.
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
    let of_file = |key: &str| value.get(key)?.as_str().map(str::to_owned);
    let config = method.get("test_config").cloned().unwrap_or_default();
    let list = method.get("characteristics").and_then(Value::as_array);
    let list = list.map(Vec::as_slice).unwrap_or_default();
    Ok(Plan {
        layout: Layout::Plugin,
        class: text(method, "class_name")
            .or_else(|| of_file("class_name"))
            .ok_or_else(|| missing("class_name"))?,
        method: text(method, "name").ok_or_else(|| missing("methods[].name"))?,
        method_type: method_type(text(method, "type").as_deref()),
        file: of_file("source_file"),
        test_level: level_of(&config).and_then(TestLevel::parse),
        entries: list
            .iter()
            .filter_map(|one| entry_with_parent_states(one, list))
            .collect(),
        factories: factories(value),
        behaviors: MethodBehaviors::of(value, method),
        mode: Some(mode(method)),
        undecided: is_undecided(&config).then(|| UndecidedLevel {
            kind: value
                .get("target")
                .and_then(|target| text(target, "kind"))
                .unwrap_or_default(),
            index,
        }),
        has_small_not: false,
    })
}

/// Reads a characteristic and converts its `when_parent` to names of states. Documents may give the raw values there.
fn entry_with_parent_states(one: &Value, all: &[Value]) -> Option<Entry> {
    let mut entry_read = entry(one)?;
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
        entry_read.when_parent = states.flatten().collect();
    }
    Some(entry_read)
}

/// Whether `when_parent` refers to this value: by the value itself, by its state, or by its description.
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

/// The description of each state that [`states`] returns.
pub(super) fn state_texts(entry: &Value, type_name: &str) -> Vec<StateText> {
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

/// A value as a Ruby literal: a word becomes a symbol, any other text a string.
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

/// The method's mode. A method without one counts as new, because then no existing block is replaced.
fn mode(method: &Value) -> MethodMode {
    let mode = text(method, "method_mode");
    let mode = mode.as_deref().and_then(MethodMode::parse);
    mode.unwrap_or(MethodMode::New)
}

/// The names of a characteristic's states. `true` and `false` become words.
pub(super) fn states(entry: &Value, values: &Value, type_name: &str) -> Vec<String> {
    let list = values.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter()
        .filter_map(|value| state(entry, value, type_name))
        .collect()
}

/// The name of one state. Documents that Casebook wrote contain it under `state`.
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

/// The states that end the method early.
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
