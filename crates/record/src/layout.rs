//! The two layouts of JSON that a record is written in. Values kept as text take on the layout around them.

use std::cell::Cell;
use std::io::{self, Write};

use serde::Serialize;

use crate::json::string_length;

mod writer;

use writer::Writer;
pub(crate) use writer::write_raw;

/// Appends a value as JSON without line ends.
pub fn write_line(out: &mut Vec<u8>, value: &impl Serialize) -> Result<(), serde_json::Error> {
    let mut writer = Writer::new(std::mem::take(out), None);
    let written = value.serialize(&mut writer);
    *out = writer.text;
    written
}

/// A value as JSON without line ends.
pub fn to_line(value: &impl Serialize) -> Result<Box<str>, serde_json::Error> {
    with_room(|room| {
        write_line(room, value)?;
        Ok(in_utf8(room)?.into())
    })
}

/// Lends room for text that is needed for a moment: there are very many such texts, and none knows how long it will be.
pub(crate) fn with_room<T>(write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    thread_local! {
        static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    }
    /// More is given back.
    const USUAL: usize = 1 << 15;
    let mut room = ROOM.take();
    let result = write(&mut room);
    room.clear();
    if room.capacity() <= USUAL {
        ROOM.set(room);
    }
    result
}

fn in_utf8(written: &[u8]) -> Result<&str, serde_json::Error> {
    str::from_utf8(written).map_err(serde::ser::Error::custom)
}

/// Writes a value as `serde_json::to_writer_pretty` does.
pub(crate) fn write_pretty(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut writer = Writer::new(Vec::new(), Some(0));
    writer.sink = Some(out);
    let written = value.serialize(&mut writer);
    let written = written.and_then(|()| writer.flush());
    written.map_err(|error| writer.trouble.take().unwrap_or_else(|| error.into()))
}

/// How deep the parts of an example stand in a `run.json`.
const PART: usize = 3;

/// What begins a text that is laid out for its place among the parts of an example. No other raw text begins so.
const IN_PLACE: &str = " ";

/// Takes a part of an example as [`write_pretty`] writes it.
pub(crate) fn in_place<T>(
    part: &impl Serialize,
    take: impl FnOnce(&str) -> T,
) -> Result<T, serde_json::Error> {
    with_room(|room| {
        room.extend_from_slice(IN_PLACE.as_bytes());
        let mut writer = Writer::new(std::mem::take(room), Some(PART));
        let written = part.serialize(&mut writer);
        *room = writer.text;
        written.and_then(|()| in_utf8(room).map(take))
    })
}

/// Appends valid JSON text as it looks at that depth. Written for speed: most of a `run.json` comes this way.
fn lay_out(text: &str, mut depth: usize, out: &mut Vec<u8>) {
    if let Some(text) = text.strip_prefix(IN_PLACE)
        && depth == PART
    {
        return out.extend_from_slice(text.as_bytes());
    }
    let bytes = text.as_bytes();
    out.reserve(bytes.len());
    let mut place = 0;
    while let Some(&byte) = bytes.get(place) {
        let mut length = 1;
        match byte {
            b'"' => {
                length = string_length(&bytes[place..]);
                out.extend_from_slice(&bytes[place..place + length]);
            }
            b'{' | b'[' => {
                out.push(byte);
                depth += 1;
                let inside = bytes[place + 1..].trim_ascii_start();
                // Nothing stands between the marks of what is empty.
                if !matches!(inside.first(), Some(b'}' | b']')) {
                    new_line(out, depth);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if !matches!(out.last(), Some(b'{' | b'[')) {
                    new_line(out, depth);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            b' ' | b'\n' | b'\r' | b'\t' => {}
            _ => out.push(byte),
        }
        place += length;
    }
}

/// A line end with the spaces of a usual depth.
const LINE: &[u8] = b"\n                                ";

fn new_line(out: &mut Vec<u8>, depth: usize) {
    let length = 1 + 2 * depth;
    out.extend_from_slice(&LINE[..length.min(LINE.len())]);
    out.resize(out.len() + length.saturating_sub(LINE.len()), b' ');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use serde_json::json;

    #[test]
    fn values_kept_as_text_look_like_all_others() {
        let value = json!({"e": {}, "l": [], "a": [1, {"b": [true, null, "x, {y}: [z]"]}, []], "s": "\"\\ {"});
        let mut kept_as_text = Vec::new();
        write_pretty(
            &mut kept_as_text,
            &Outer {
                outer: vec![value.clone().into()],
            },
        )
        .unwrap();
        let plain = serde_json::to_string_pretty(&json!({"outer": [value]})).unwrap();
        assert_eq!(String::from_utf8(kept_as_text).unwrap(), plain);
    }

    #[test]
    fn a_line_stays_one_line() {
        let json: Json = serde_json::from_str("{\n \"a\": [1,\r\n 2]}").unwrap();
        let mut line = Vec::new();
        write_line(&mut line, &Outer { outer: vec![json] }).unwrap();
        assert_eq!(
            String::from_utf8(line).unwrap(),
            r#"{"outer":[{"a":[1,2]}]}"#
        );
    }

    #[derive(Serialize)]
    struct Outer {
        outer: Vec<Json>,
    }
}
