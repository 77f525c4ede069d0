//! Positions as editors count them: lines and UTF-16 units, from 0.

use casebook_source::{SourceFile, Span};
use serde_json::{Value, json};

/// The range of a span in a file.
pub(super) fn range(file: &SourceFile, span: Span) -> Value {
    json!({ "start": position(file, span.start), "end": position(file, span.end) })
}

fn position(file: &SourceFile, offset: usize) -> Value {
    let position = file.position(offset);
    let before = file.line(position.line).chars().take(position.column - 1);
    let character: usize = before.map(char::len_utf16).sum();
    json!({ "line": position.line - 1, "character": character })
}

/// The line of a position, and the offset of the position in it.
pub(super) fn place<'t>(text: &'t str, position: &Value) -> Option<(&'t str, usize)> {
    let number = usize::try_from(position["line"].as_u64()?).ok()?;
    let line = text.lines().nth(number).unwrap_or_default();
    let mut units = usize::try_from(position["character"].as_u64()?).ok()?;
    let mut offset = 0;
    for c in line.chars() {
        if units < c.len_utf16() {
            break;
        }
        units -= c.len_utf16();
        offset += c.len_utf8();
    }
    Some((line, offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_utf_16_units() {
        let text = "a: 1\né😀: x\n";
        let file = SourceFile::new("a.yaml", text);
        let start = text.find(": x").unwrap();
        let range = range(&file, Span::new(start, start + 3));
        let expected =
            json!({ "start": { "line": 1, "character": 3 }, "end": { "line": 1, "character": 6 } });
        assert_eq!(range, expected);
        assert_eq!(place(text, &range["start"]), Some(("é😀: x", "é😀".len())));
        let after = json!({ "line": 9, "character": 9 });
        assert_eq!(place(text, &after), Some(("", 0)));
    }
}
