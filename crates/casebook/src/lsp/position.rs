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

/// The offset of a position in a text; one after the end of a line is that of its end.
pub(super) fn offset(text: &str, position: &Value) -> Option<usize> {
    let number = usize::try_from(position["line"].as_u64()?).ok()?;
    let mut units = usize::try_from(position["character"].as_u64()?).ok()?;
    let line = text.split_inclusive('\n').nth(number).unwrap_or_default();
    let start = if line.is_empty() {
        text.len()
    } else {
        line.as_ptr().addr() - text.as_ptr().addr()
    };
    let mut offset = start;
    for c in line.trim_end_matches(['\n', '\r']).chars() {
        if units < c.len_utf16() {
            break;
        }
        units -= c.len_utf16();
        offset += c.len_utf8();
    }
    Some(offset)
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
        assert_eq!(offset(text, &range["start"]), Some(start));
        let at = |line: u32, character: u32| {
            offset(text, &json!({ "line": line, "character": character }))
        };
        assert_eq!(
            [at(9, 9), at(2, 0), at(0, 99), at(0, 0)].map(Option::unwrap),
            [text.len(), text.len(), 4, 0]
        );
    }
}
