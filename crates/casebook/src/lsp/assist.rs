//! What the editor asks about a position: the meaning of a field, the value of a name and where it is defined, and the fields that
//! can be written.

use casebook_suite::fields::{Field, SUITE, TEST};
use serde_json::{Value, json};

use super::document::Document;
use super::names;
use super::position::{place, range};

/// The value of the variable or fragment at a position, or the description of the field.
pub(super) fn hover(document: &Document, position: &Value) -> Option<Value> {
    let text = value_of_name(document, position).or_else(|| about_field(document, position))?;
    Some(json!({ "contents": { "kind": "markdown", "value": text } }))
}

/// The place where the name at a position is defined.
pub(super) fn definition(document: &Document, uri: &str, position: &Value) -> Option<Value> {
    let file = document.file();
    let definition = names::definition(&file, position)?;
    Some(json!({ "uri": uri, "range": range(&file, definition.name) }))
}

fn value_of_name(document: &Document, position: &Value) -> Option<String> {
    let file = document.file();
    let definition = names::definition(&file, position)?;
    let (name, value) = (file.slice(definition.name), file.slice(definition.value));
    Some(format!("```yaml\n{name}: {value}\n```"))
}

fn about_field(document: &Document, position: &Value) -> Option<String> {
    let (line, offset) = place(&document.text, position)?;
    let key = key_of(line)?;
    let start = line.find(key)?;
    let field = (start..=start + key.len())
        .contains(&offset)
        .then(|| field(line, key))??;
    Some(format!("**{}**\n\n{}", field.name, field.about))
}

/// The fields that begin with what is written before a position.
pub(super) fn completions(document: &Document, position: &Value) -> Vec<Value> {
    let Some((line, offset)) = place(&document.text, position) else {
        return Vec::new();
    };
    let written = line[..offset].trim_start_matches([' ', '-']);
    if written.contains(|c: char| !c.is_alphanumeric() && c != '$') {
        return Vec::new();
    }
    let fields = fields_at(line).iter();
    let fields = fields.filter(|field| field.name.starts_with(written));
    let items = fields.map(|field| {
        json!({
            "label": field.name,
            "kind": 5,
            "documentation": field.about,
            "insertText": format!("{}: ", field.name),
        })
    });
    items.collect()
}

/// Fields of a suite are not indented.
fn fields_at(line: &str) -> &'static [Field] {
    if line.starts_with([' ', '-']) {
        TEST
    } else {
        SUITE
    }
}

fn field(line: &str, name: &str) -> Option<&'static Field> {
    fields_at(line).iter().find(|field| field.name == name)
}

/// `- name: x`: the key.
fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.trim_start_matches([' ', '-']).split_once(':')?;
    Some(key.trim_matches(['"', '\'']))
}
