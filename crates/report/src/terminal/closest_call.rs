//! The recorded tool call closest to the expected one, with the differences marked.

use std::io;

use serde_json::Value;

use super::page::Page;
use super::style::{BAD, DIM, PLAIN};
use super::text::{columns, one_line, window};

/// The labels of a call that differs from the expected one, and of a call that matches but should not have been made, or not as
/// often.
const CLOSEST: &str = "closest   ";
const ACTUAL: &str = "call      ";

/// Shows the call: its name, its arguments, and marks below the arguments that differ.
pub(super) fn show(page: &mut Page, indent: usize, call: &Value) -> io::Result<()> {
    let name = call["name"].as_str().unwrap_or_default();
    let differs = call["differs"].as_array().map_or(&[][..], Vec::as_slice);
    let differs: Vec<_> = differs.iter().filter_map(Value::as_str).collect();
    let mut marked = Marked {
        differs: &differs,
        parts: vec![(false, format!("{name} "))],
    };
    marked.write(&call["arguments"], &mut String::new());
    let parts = window(marked.parts);
    let label = if differs.is_empty() { ACTUAL } else { CLOSEST };
    let mut line = vec![(DIM, label)];
    line.extend(parts.iter().map(|(is_marked, part)| {
        let style = if *is_marked { BAD.bold() } else { PLAIN };
        (style, part.as_str())
    }));
    page.verbatim(indent, &line)?;
    let signs: String = parts
        .iter()
        .map(|(is_marked, part)| if *is_marked { "^" } else { " " }.repeat(columns(part)))
        .collect();
    if signs.contains('^') {
        page.verbatim(indent + columns(CLOSEST), &[(BAD, &signs)])?;
    }
    match call["error"].as_str() {
        Some(error) => page.row(indent, &[(DIM, "          "), (BAD, "✗ "), (BAD, error)]),
        None => Ok(()),
    }
}

/// JSON text in parts, some of them marked as different.
struct Marked<'d> {
    /// JSON pointers to the values that differ.
    differs: &'d [&'d str],
    parts: Vec<(bool, String)>,
}

impl Marked<'_> {
    fn write(&mut self, value: &Value, pointer: &mut String) {
        if self.differs.contains(&pointer.as_str()) {
            return self.parts.push((true, one_line(&value.to_string())));
        }
        let length = pointer.len();
        match value {
            Value::Object(object) => {
                self.text("{");
                for (index, (name, value)) in object.iter().enumerate() {
                    self.text(if index == 0 { "" } else { "," });
                    self.text(&format!("{}:", Value::from(name.as_str())));
                    pointer.push('/');
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                    self.write(value, pointer);
                    pointer.truncate(length);
                }
                self.text("}");
            }
            Value::Array(items) => {
                self.text("[");
                for (index, value) in items.iter().enumerate() {
                    self.text(if index == 0 { "" } else { "," });
                    pointer.extend(["/", &index.to_string()]);
                    self.write(value, pointer);
                    pointer.truncate(length);
                }
                self.text("]");
            }
            value => self.text(&value.to_string()),
        }
    }

    fn text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some((false, last)) => last.push_str(&one_line(text)),
            _ => self.parts.push((false, one_line(text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(call: &Value) -> String {
        let mut out = Vec::new();
        show(&mut Page::new(&mut out, false, 80), 2, call).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn differences_are_marked_at_any_depth() {
        let call = json!({
            "name": "book",
            "arguments": {"room": {"na/me": "Blue"}, "people": [8, 9], "time": "14:00"},
            "differs": ["/room/na~1me", "/people/1", "/seats"],
        });
        assert_eq!(
            shown(&call),
            "  closest   book {\"room\":{\"na/me\":\"Blue\"},\"people\":[8,9],\"time\":\"14:00\"}\n\
             \x20                                 ^^^^^^              ^\n"
        );
    }

    #[test]
    fn a_failed_call_shows_its_error() {
        let call = json!({"name": "book", "arguments": {}, "differs": [], "error": "no such room"});
        assert_eq!(
            shown(&call),
            "  call      book {}\n            ✗ no such room\n"
        );
    }
}
