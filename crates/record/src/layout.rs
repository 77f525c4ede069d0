//! The two JSON layouts of a record: one line per event in `events.jsonl`, indented in `run.json`.
//!
//! `serde_json` copies a raw value into its output unchanged. The formatters here give raw values the layout of the
//! surrounding text.

use std::io::{self, Write};

use memchr::memchr2;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

use crate::json::tokens;

/// Appends a value as JSON on one line, without a line end.
pub fn write_line(out: &mut Vec<u8>, value: &impl Serialize) -> Result<(), serde_json::Error> {
    value.serialize(&mut Serializer::with_formatter(out, OneLine))
}

/// A value as JSON on one line.
pub fn to_line(value: &impl Serialize) -> Result<Box<str>, serde_json::Error> {
    let mut line = Vec::new();
    write_line(&mut line, value)?;
    let line = String::from_utf8(line).map_err(serde::ser::Error::custom)?;
    Ok(line.into())
}

/// Writes a value as `serde_json::to_writer_pretty` does. Makes many small writes, so `out` should be buffered.
pub(crate) fn write_pretty<T: Serialize + ?Sized>(out: impl Write, value: &T) -> io::Result<()> {
    let formatter = Indented {
        inner: PrettyFormatter::new(),
        depth: 0,
    };
    value.serialize(&mut Serializer::with_formatter(out, formatter))?;
    Ok(())
}

/// Compact JSON, which the default methods of [`Formatter`] write.
struct OneLine;

impl Formatter for OneLine {
    fn write_raw_fragment<W: Write + ?Sized>(&mut self, out: &mut W, raw: &str) -> io::Result<()> {
        if memchr2(b'\n', b'\r', raw.as_bytes()).is_none() {
            return out.write_all(raw.as_bytes());
        }
        tokens(raw).try_for_each(|token| out.write_all(token.as_bytes()))
    }
}

/// Pretty-printed JSON; tracks the depth of the current value.
struct Indented {
    inner: PrettyFormatter<'static>,
    depth: usize,
}

macro_rules! delegate {
    ($($method:ident $(($argument:ident: $type:ty))?)*) => {$(
        fn $method<W: Write + ?Sized>(&mut self, out: &mut W $(, $argument: $type)?) -> io::Result<()> {
            self.inner.$method(out $(, $argument)?)
        }
    )*};
}

impl Formatter for Indented {
    delegate! {
        begin_array_value(first: bool) end_array_value
        begin_object_key(first: bool) begin_object_value end_object_value
    }

    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.inner.begin_array(out)
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        self.inner.end_array(out)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.inner.begin_object(out)
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        self.inner.end_object(out)
    }

    fn write_raw_fragment<W: Write + ?Sized>(&mut self, out: &mut W, raw: &str) -> io::Result<()> {
        let mut depth = self.depth;
        let mut previous = "";
        for token in tokens(raw) {
            let is_end = matches!(token, "}" | "]");
            let is_inside = matches!(previous, "{" | "[");
            if is_end {
                depth = depth.saturating_sub(1);
            }
            // The brackets of an empty list or map have nothing between them.
            if previous == "," || is_inside != is_end {
                new_line(out, depth)?;
            }
            out.write_all(token.as_bytes())?;
            match token {
                "{" | "[" => depth += 1,
                ":" => out.write_all(b" ")?,
                _ => {}
            }
            previous = token;
        }
        Ok(())
    }
}

fn new_line(out: &mut (impl Write + ?Sized), depth: usize) -> io::Result<()> {
    out.write_all(b"\n")?;
    (0..depth).try_for_each(|_| out.write_all(b"  "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[derive(Serialize)]
    struct Outer {
        outer: Vec<Json>,
    }

    fn pretty(value: &impl Serialize) -> String {
        let mut text = Vec::new();
        write_pretty(&mut text, value).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn same_as_serde_json(value: &Value) {
        let plain = json!({"outer": [value, value]});
        let raw = Outer {
            outer: vec![value.clone().into(), value.clone().into()],
        };
        let text = serde_json::to_string_pretty(&plain).unwrap();
        assert_eq!(pretty(&plain), text);
        assert_eq!(pretty(&raw), text);
        // Regardless of the raw text's original layout.
        let read: Outer = Outer {
            outer: serde_json::from_str::<Vec<Json>>(
                &serde_json::to_string_pretty(&plain["outer"]).unwrap(),
            )
            .unwrap(),
        };
        assert_eq!(pretty(&read), text);
        let line = serde_json::to_string(&plain).unwrap();
        assert_eq!(*to_line(&plain).unwrap(), *line);
        assert_eq!(*to_line(&raw).unwrap(), *line);
        assert_eq!(*to_line(&read).unwrap(), *line);
    }

    #[test]
    fn raw_values_are_laid_out_like_other_values() {
        same_as_serde_json(&json!({
            "e": {}, "l": [], "s": "\"\\ {",
            "a": [1, {"b": [true, null, "x, {y}: [z]"]}, [], [[]], {"c": {}}],
        }));
        for value in [json!({}), json!([]), json!(""), json!(-0.5)] {
            same_as_serde_json(&value);
        }
    }

    #[test]
    fn a_line_stays_one_line() {
        let json: Json = serde_json::from_str("{\n \"a\": [1,\r\n 2]}").unwrap();
        let line = to_line(&Outer { outer: vec![json] }).unwrap();
        assert_eq!(&*line, r#"{"outer":[{"a":[1,2]}]}"#);
    }

    #[test]
    fn a_write_error_is_returned_with_its_cause() {
        let error = write_pretty(&mut [0_u8; 3][..], &json!(["long"])).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }

    fn values() -> impl Strategy<Value = Value> {
        let text = "[ -~\\x00-\\x1f\"\\\\é😀]{0,40}";
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((text, inner), 0..6)
                    .prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_is_written_like_serde_json_does(value in values()) {
            same_as_serde_json(&value);
        }
    }
}
