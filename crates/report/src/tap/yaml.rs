//! The YAML block below a result: fields and lists of fields, multi-line texts as literal blocks where possible.
//!
//! Uses only YAML that the reader of `prove` supports: `|` and double quotes.

use std::fmt::Write as _;
use std::io;

use serde_json::Value;

/// Writes the block with the indentation that TAP requires.
pub(super) fn write_block(out: &mut impl io::Write, fields: &[(&str, Value)]) -> io::Result<()> {
    writeln!(out, "  ---")?;
    for (name, value) in fields {
        match value {
            Value::Array(items) => {
                writeln!(out, "  {name}:")?;
                items.iter().try_for_each(|item| write_item(out, item))?;
            }
            value => write_field(out, "  ", "  ", name, value)?,
        }
    }
    writeln!(out, "  ...")
}

/// Writes an object as an item of a list.
fn write_item(out: &mut impl io::Write, item: &Value) -> io::Result<()> {
    let fields = item.as_object().into_iter().flatten();
    for (number, (name, value)) in fields.enumerate() {
        let start = if number == 0 { "    - " } else { "      " };
        write_field(out, start, "      ", name, value)?;
    }
    Ok(())
}

/// Writes one field; `indent` is the indentation of its name in the following lines.
fn write_field(
    out: &mut impl io::Write,
    start: &str,
    indent: &str,
    name: &str,
    value: &Value,
) -> io::Result<()> {
    match value {
        Value::String(text) if is_block(text) => {
            writeln!(out, "{start}{name}: |")?;
            // Empty lines keep the indentation, because `prove` ends the block at an unindented line.
            for line in text.split('\n') {
                writeln!(out, "{indent}  {line}")?;
            }
            Ok(())
        }
        Value::String(text) => writeln!(out, "{start}{name}: {}", quoted(text)),
        Value::Array(_) | Value::Object(_) => {
            writeln!(out, "{start}{name}: {}", quoted(&value.to_string()))
        }
        scalar => writeln!(out, "{start}{name}: {scalar}"),
    }
}

/// Whether the text can be a literal block: several lines without trailing invisible characters.
fn is_block(text: &str) -> bool {
    let is_line = |line: &str| !line.ends_with([' ', '\t']) && line.chars().all(is_printable);
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with('\n')
        && text.split('\n').all(is_line)
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if is_printable(c) => quoted.push(c),
            c if u32::from(c) > 0xffff => {
                write!(quoted, "\\U{:08X}", u32::from(c)).expect("writing to a string succeeds");
            }
            c => write!(quoted, "\\u{:04X}", u32::from(c)).expect("writing to a string succeeds"),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether the character is neither a control character, nor misleading, nor a line break in YAML.
fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fffe}'..='\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    #[test]
    fn multi_line_texts_are_literal_blocks_if_lossless() {
        let fields = [
            ("line", "one: \"line\" \\".into()),
            ("lines", "two\n\n  lines: #1\n...".into()),
            ("spaced", "two \nlines".into()),
            ("indented", "  two\nlines".into()),
            ("hostile", "\u{1b}[2J\u{9b}\u{202e}\u{e0041}\t\r\0".into()),
            ("number", 3.into()),
        ];
        let mut out = Vec::new();
        write_block(&mut out, &fields).unwrap();
        assert_snapshot!(String::from_utf8(out).unwrap(), @r#"
        ---
        line: "one: \"line\" \\"
        lines: |
          two
          
            lines: #1
          ...
        spaced: "two \nlines"
        indented: "  two\nlines"
        hostile: "\u001B[2J\u009B\u202E\U000E0041\t\r\u0000"
        number: 3
        ...
        "#);
    }
}
