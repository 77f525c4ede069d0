//! What is shown at a position: the value of a name, the meaning of a field, the last result of a test.

use serde_json::{Value, json};

use super::cursor::{Cursor, Step};
use super::document::Document;
use super::fields::field;
use super::files::Files;
use super::lenses::last_result;
use super::names;
use super::position::offset;
use super::results::Results;

/// The text at a position, as Markdown.
pub(super) fn hover(
    document: &Document,
    position: &Value,
    files: &Files<'_>,
    results: &Results,
) -> Option<Value> {
    let text = match names::value(document, position, files) {
        Some(text) => text,
        None => about_field(document, position, results)?,
    };
    Some(json!({ "contents": { "kind": "markdown", "value": text } }))
}

/// The meaning of the key at a position, and the last result of the test whose name is there.
fn about_field(document: &Document, position: &Value, results: &Results) -> Option<String> {
    let at = offset(&document.text, position)?;
    let (path, is_key) = path_at(&document.text, at)?;
    let about = field(&path).filter(|_| is_key);
    let about = about.map(|field| format!("**{}**\n\n{}", field.name, field.about));
    let is_name = matches!(path.as_slice(), [Step::Key(tests), Step::Element, Step::Key(name)] if tests == "tests" && name == "name");
    let result = is_name.then(|| last_run(document, at, results)).flatten();
    let parts: Vec<_> = about.into_iter().chain(result).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// `Last run: failed 2 min ago`.
fn last_run(document: &Document, at: usize, results: &Results) -> Option<String> {
    let parsed = document.parsed()?;
    let test = parsed.symbols.test_at(at)?;
    let line = parsed.file.position(test.start).line;
    let last = last_result(&document.test_ids(), line, results)?;
    Some(format!("Last run: {}", last.describe()))
}

/// The path to the key at an offset, or to the value, and whether it is the key.
fn path_at(text: &str, at: usize) -> Option<(Vec<Step>, bool)> {
    if let Some(colon) = colon_after(text, end_of_word(text, at)) {
        return Some((Cursor::at(text, colon + 1).path, true));
    }
    let cursor = Cursor::at(text, at);
    cursor.is_value.then_some((cursor.path, false))
}

fn end_of_word(text: &str, at: usize) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '$' | '_' | '-');
    let length = text[at..].find(|c| !is_word(c));
    length.map_or(text.len(), |length| at + length)
}

/// The colon that ends a key.
fn colon_after(text: &str, end: usize) -> Option<usize> {
    let rest = &text[end..];
    let quote = usize::from(rest.starts_with(['"', '\'']));
    let after = rest[quote..].strip_prefix(':')?;
    let ends_key = after.is_empty() || after.starts_with([' ', '\n', '\r']);
    ends_key.then_some(end + quote)
}
