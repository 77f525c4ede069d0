//! The two layouts of JSON that a record is written in. Values kept as text take on the layout around them.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::json::{string_length, tokens};

/// Writes a value as JSON without line ends.
pub fn write_line(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, OneLine))?)
}

struct OneLine;

impl Formatter for OneLine {
    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if !fragment.contains(['\n', '\r']) {
            return out.write_all(fragment.as_bytes());
        }
        tokens(fragment).try_for_each(|token| out.write_all(token.as_bytes()))
    }
}

/// Writes a value as `serde_json::to_writer_pretty` does.
pub(crate) fn write_pretty(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, Pretty::default()))?)
}

/// How deep the parts of an example stand in a `run.json`.
const PART: usize = 3;

/// Most parts are shorter.
const USUAL_PART: usize = 8 << 10;

/// What begins a text that is laid out for its place among the parts of an example. No other raw text begins so.
const IN_PLACE: &str = " ";

/// A part of an example as [`write_pretty`] writes it.
pub(crate) fn in_place(part: &impl Serialize) -> io::Result<String> {
    let mut text = Vec::with_capacity(USUAL_PART);
    text.extend_from_slice(IN_PLACE.as_bytes());
    let pretty = Pretty {
        depth: PART,
        ..Pretty::default()
    };
    part.serialize(&mut Serializer::with_formatter(&mut text, pretty))?;
    String::from_utf8(text).map_err(io::Error::other)
}

#[derive(Default)]
struct Pretty {
    /// How deep the text that comes next stands.
    depth: usize,
    /// Whether there is anything in what ends next.
    has_value: bool,
    /// The last value that was kept as text.
    laid_out: Vec<u8>,
}

impl Pretty {
    fn begin<W: ?Sized + Write>(&mut self, out: &mut W, mark: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        out.write_all(mark)
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W, mark: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.has_value {
            new_line(out, self.depth)?;
        }
        self.has_value = true;
        out.write_all(mark)
    }

    fn next<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.has_value = true;
        new_line(out, self.depth)
    }
}

impl Formatter for Pretty {
    #[inline]
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"[")
    }

    #[inline]
    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"]")
    }

    #[inline]
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    #[inline]
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"{")
    }

    #[inline]
    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"}")
    }

    #[inline]
    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    #[inline]
    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if let Some(text) = fragment.strip_prefix(IN_PLACE)
            && self.depth == PART
        {
            return out.write_all(text.as_bytes());
        }
        self.laid_out.clear();
        lay_out(fragment, self.depth, &mut self.laid_out)?;
        out.write_all(&self.laid_out)
    }
}

/// Appends valid JSON text as it looks at that depth. Written for speed: most of a `run.json` comes this way.
fn lay_out(text: &str, mut depth: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let bytes = text.as_bytes();
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
                    new_line(out, depth)?;
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if !matches!(out.last(), Some(b'{' | b'[')) {
                    new_line(out, depth)?;
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(out, depth)?;
            }
            b':' => out.extend_from_slice(b": "),
            b' ' | b'\n' | b'\r' | b'\t' => {}
            _ => out.push(byte),
        }
        place += length;
    }
    Ok(())
}

/// A line end with the spaces of a usual depth.
const LINE: &[u8] = b"\n                                ";

fn new_line<W: ?Sized + Write>(out: &mut W, depth: usize) -> io::Result<()> {
    let length = 1 + 2 * depth;
    out.write_all(&LINE[..length.min(LINE.len())])?;
    (LINE.len()..length).try_for_each(|_| out.write_all(b" "))
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
