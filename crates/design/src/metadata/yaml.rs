//! Writes values as YAML that Ruby's loader reads back unchanged: texts that YAML 1.1 would read as a boolean, a number, a date
//! or a symbol are quoted.

use serde_json::{Map, Value};

/// Lists under these keys are short and written on one line.
const ON_ONE_LINE: [&str; 5] = [
    "states",
    "traits",
    "when_parent",
    "terminal_states",
    "line_range",
];

/// Words that YAML 1.1 does not read as texts.
const RESERVED: [&str; 12] = [
    "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nil", "inf", "nan",
];

/// Writes a document, with an empty line around blocks.
pub fn to_yaml(document: &Map<String, Value>) -> String {
    let mut text = String::new();
    let mut after_block = false;
    for (key, value) in document {
        if !text.is_empty() && (after_block || is_block(value)) {
            text.push('\n');
        }
        after_block = is_block(value);
        text.push_str(&entry(key, value, 0));
        text.push('\n');
    }
    text
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    }
}

/// `key: value`, without the indentation of the first line and without a trailing newline.
pub(super) fn entry(key: &str, value: &Value, indent: usize) -> String {
    let name = scalar_text(key);
    match value {
        Value::Object(map) if !map.is_empty() => {
            format!("{name}:\n{}", block_map(map, indent + 2))
        }
        Value::Array(list) if !list.is_empty() && !fits_on_one_line(key, list) => {
            format!("{name}:\n{}", block_list(list, indent + 2))
        }
        value => format!("{name}: {}", flow(value)),
    }
}

fn fits_on_one_line(key: &str, list: &[Value]) -> bool {
    ON_ONE_LINE.contains(&key)
        && list
            .iter()
            .all(|item| !item.is_object() && !item.is_array())
}

fn block_map(map: &Map<String, Value>, indent: usize) -> String {
    let lines: Vec<_> = map
        .iter()
        .map(|(key, value)| format!("{:indent$}{}", "", entry(key, value, indent)))
        .collect();
    lines.join("\n")
}

fn block_list(list: &[Value], indent: usize) -> String {
    let lines: Vec<_> = list
        .iter()
        .map(|item| match item {
            Value::Object(map) if !map.is_empty() => {
                let inside = block_map(map, indent + 2);
                format!("{:indent$}- {}", "", inside.trim_start())
            }
            item => format!("{:indent$}- {}", "", flow(item)),
        })
        .collect();
    lines.join("\n")
}

/// The value on one line.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => scalar_text(text),
        Value::Array(list) => {
            let items: Vec<_> = list.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let entries: Vec<_> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", scalar_text(key), flow(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn scalar_text(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else if text.chars().any(is_special) {
        Value::String(text.to_owned()).to_string()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// Characters that are only allowed in double quotes.
fn is_special(character: char) -> bool {
    character.is_control() || matches!(character, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Whether a text needs no quotes for any YAML reader.
fn is_plain(text: &str) -> bool {
    let mut characters = text.chars();
    let starts_well = characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    let safe = |character: char| {
        character.is_ascii_alphanumeric()
            || matches!(character, '_' | '-' | '.' | '/' | '?' | '!' | ' ')
    };
    let is_reserved = RESERVED.iter().any(|word| text.eq_ignore_ascii_case(word));
    // `A::B` is common and safe; any other colon needs quotes.
    starts_well
        && !is_reserved
        && !text.ends_with(' ')
        && text.replace("::", "").chars().all(safe)
        && !text.ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_texts_are_quoted() {
        for (text, written) in [
            ("card", "card"),
            ("Parcels::Router", "Parcels::Router"),
            ("app/models/cart.rb", "app/models/cart.rb"),
            ("valid?", "valid?"),
            ("no", "'no'"),
            ("On", "'On'"),
            ("1", "'1'"),
            ("1_or_2", "'1_or_2'"),
            ("null", "'null'"),
            ("", "''"),
            ("~", "'~'"),
            (":sym", "':sym'"),
            ("2026-11-15", "'2026-11-15'"),
            ("it's", "'it''s'"),
            ("a: b", "'a: b'"),
            ("a #b", "'a #b'"),
            ("A::", "'A::'"),
            ("two\nlines", "\"two\\nlines\""),
            ("été", "'été'"),
        ] {
            assert_eq!(scalar_text(text), written);
        }
    }
}
