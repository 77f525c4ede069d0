//! The two layouts of JSON that a record is written in. Values kept as text take on the layout around them.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

use crate::json::{string_length, tokens};

/// Writes a value without line ends.
pub(crate) fn write_line(out: impl Write, value: &impl Serialize) -> io::Result<()> {
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

#[derive(Default)]
struct Pretty {
    /// How deep the text that comes next stands.
    depth: usize,
    inner: PrettyFormatter<'static>,
    /// The last value that was kept as text.
    laid_out: Vec<u8>,
}

/// Hands every call on, counting the depth on the way.
macro_rules! hand_on {
    ($($method:ident($($argument:ident: $type:ty)?)),+ $(,)?) => {
        $(
            #[inline]
            fn $method<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $type)?) -> io::Result<()> {
                self.inner.$method(out $(, $argument)?)
            }
        )+
    };
}

impl Formatter for Pretty {
    hand_on!(
        begin_array_value(first: bool),
        end_array_value(),
        begin_object_key(first: bool),
        begin_object_value(),
        end_object_value(),
    );

    #[inline]
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.inner.begin_array(out)
    }

    #[inline]
    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        self.inner.end_array(out)
    }

    #[inline]
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.inner.begin_object(out)
    }

    #[inline]
    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        self.inner.end_object(out)
    }

    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.laid_out.clear();
        lay_out(fragment, self.depth, &mut self.laid_out);
        out.write_all(&self.laid_out)
    }
}

/// Appends valid JSON text as it looks at that depth. Written for speed: most of a `run.json` comes this way.
fn lay_out(text: &str, mut depth: usize, out: &mut Vec<u8>) {
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

fn new_line(out: &mut Vec<u8>, depth: usize) {
    const LINE: &[u8] = b"\n                                ";
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
