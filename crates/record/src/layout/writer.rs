//! JSON as `serde_json` writes it, in a fraction of the time.
//!
//! Most of what a run does for its record is to write keys and texts, every text twice: into the journal and for
//! `run.json`. `serde_json` looks at their bytes one by one; here texts are passed over in pieces, and the keys of structs
//! not looked at. One type for all layouts also keeps the program small: each one would have its own copy of the code that
//! writes the model.

use std::fmt::Display;
use std::io::{self, Write};

use memchr::memchr2;
use serde::ser::{self, Error as _, Serialize, SerializeStruct as _, Serializer};
use serde_json::Error;

use super::{lay_out, new_line};
use crate::json::tokens;
use crate::words::{equal, less, words};

/// By these names `serde_json` hands over what is JSON text already.
const RAW: &str = "$serde_json::private::RawValue";
const NUMBER: &str = "$serde_json::private::Number";

/// Hands text that is JSON to any serializer that takes it as it is. `serde_json`'s own type for that would drop the space that
/// says that the text is in place.
pub(crate) fn write_raw<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let mut raw = serializer.serialize_struct(RAW, 1)?;
    raw.serialize_field(RAW, json)?;
    raw.end()
}

/// So much text is handed on at once.
const ENOUGH: usize = 1 << 16;

/// What the next text is.
#[derive(Clone, Copy, PartialEq)]
enum Text {
    Plain,
    /// JSON of any kind.
    Raw,
    /// The digits of a number.
    Digits,
}

/// Writes values as JSON.
pub(super) struct Writer<'s> {
    pub(super) text: Vec<u8>,
    /// Where text goes once there is enough of it.
    pub(super) sink: Option<&'s mut dyn Write>,
    /// Why it did not go there.
    pub(super) trouble: Option<io::Error>,
    /// How deep the text that comes next stands; `None` if all is one line.
    pub(super) depth: Option<usize>,
    next: Text,
}

impl<'s> Writer<'s> {
    pub(super) fn new(text: Vec<u8>, depth: Option<usize>) -> Writer<'s> {
        Writer {
            text,
            sink: None,
            trouble: None,
            depth,
            next: Text::Plain,
        }
    }

    /// Hands on what there is.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        if let Some(sink) = &mut self.sink {
            let written = sink.write_all(&self.text);
            self.text.clear();
            if let Err(error) = written {
                self.trouble = Some(error);
                return Err(Error::custom("cannot be written"));
            }
        }
        Ok(())
    }

    fn begin(&mut self, kind: Kind) -> Members<'_, 's> {
        match kind {
            Kind::List => self.text.push(b'['),
            Kind::Map => self.text.push(b'{'),
            Kind::Raw | Kind::Number => {}
        }
        if let Some(depth) = self.depth.as_mut().filter(|_| kind.has_marks()) {
            *depth += 1;
        }
        Members {
            writer: self,
            kind,
            is_empty: true,
            in_variant: false,
        }
    }

    /// The content of an enum's variant, which has a map around it.
    fn variant(&mut self, variant: &'static str, kind: Kind) -> Members<'_, 's> {
        self.begin(Kind::Map);
        self.name(variant, true);
        Members {
            in_variant: true,
            ..self.begin(kind)
        }
    }

    fn end(&mut self, mark: u8, is_empty: bool) {
        if let Some(depth) = &mut self.depth {
            *depth -= 1;
            if !is_empty {
                new_line(&mut self.text, *depth);
            }
        }
        self.text.push(mark);
    }

    /// Before every member of a list or map.
    fn next(&mut self, is_first: bool) {
        if !is_first {
            self.text.push(b',');
        }
        if let Some(depth) = self.depth {
            new_line(&mut self.text, depth);
        }
    }

    fn colon(&mut self) {
        self.text
            .extend_from_slice(if self.depth.is_some() { b": " } else { b":" });
    }

    /// Before the value of a struct's or enum's member. Its name is no text of a user.
    fn name(&mut self, name: &'static str, is_first: bool) {
        debug_assert_eq!(plain(name.as_bytes()), name.len(), "{name}");
        self.next(is_first);
        self.text.push(b'"');
        self.text.extend_from_slice(name.as_bytes());
        self.text.push(b'"');
        self.colon();
    }

    fn quote(&mut self, text: &str) {
        self.text.reserve(text.len() + 2);
        self.text.push(b'"');
        let mut rest = text.as_bytes();
        loop {
            let (passed, after) = rest.split_at(plain(rest));
            self.text.extend_from_slice(passed);
            let Some((byte, after)) = after.split_first() else {
                break;
            };
            escape(*byte, &mut self.text);
            rest = after;
        }
        self.text.push(b'"');
    }

    fn raw(&mut self, json: &str) {
        match self.depth {
            Some(depth) => lay_out(json, depth, &mut self.text),
            None if memchr2(b'\n', b'\r', json.as_bytes()).is_some() => {
                tokens(json).for_each(|token| self.text.extend_from_slice(token.as_bytes()));
            }
            None => self.text.extend_from_slice(json.as_bytes()),
        }
    }
}

/// How many bytes at the start stand for themselves between quotes.
fn plain(text: &[u8]) -> usize {
    let specials =
        words(text).map(|word| less(word, b' ') | equal(word, b'"') | equal(word, b'\\'));
    let found = specials.enumerate().find(|(_, specials)| *specials != 0);
    found.map_or(text.len(), |(word, specials)| {
        8 * word + specials.trailing_zeros() as usize / 8
    })
}

fn escape(byte: u8, text: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let (high, low) = (usize::from(byte >> 4), usize::from(byte & 0xf));
            text.extend_from_slice(&[b'\\', b'u', b'0', b'0', DIGITS[high], DIGITS[low]]);
            return;
        }
    };
    text.extend_from_slice(&[b'\\', short]);
}

#[derive(Clone, Copy)]
enum Kind {
    List,
    Map,
    Raw,
    Number,
}

impl Kind {
    fn has_marks(self) -> bool {
        matches!(self, Kind::List | Kind::Map)
    }
}

/// What is inside a list or map, one after the other.
pub(super) struct Members<'w, 's> {
    writer: &'w mut Writer<'s>,
    kind: Kind,
    is_empty: bool,
    /// Whether it is the content of an enum's variant, which has a map around it.
    in_variant: bool,
}

impl Members<'_, '_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.writer.next(self.is_empty);
        self.is_empty = false;
        value.serialize(&mut *self.writer)?;
        if self.writer.text.len() >= ENOUGH {
            self.writer.flush()?;
        }
        Ok(())
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        match self.kind {
            Kind::Raw => self.writer.next = Text::Raw,
            Kind::Number => self.writer.next = Text::Digits,
            Kind::List | Kind::Map => self.writer.name(name, self.is_empty),
        }
        self.is_empty = false;
        value.serialize(&mut *self.writer)
    }

    fn finish(self) {
        match self.kind {
            Kind::List => self.writer.end(b']', self.is_empty),
            Kind::Map => self.writer.end(b'}', self.is_empty),
            Kind::Raw | Kind::Number => {}
        }
        if self.in_variant {
            self.writer.end(b'}', false);
        }
    }
}

/// Numbers are `serde_json`'s.
macro_rules! numbers {
    ($($name:ident: $kind:ty)*) => {$(
        fn $name(self, value: $kind) -> Result<(), Error> {
            serde_json::Serializer::new(&mut self.text).$name(value)
        }
    )*};
}

impl<'w, 's> Serializer for &'w mut Writer<'s> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Members<'w, 's>;
    type SerializeTuple = Members<'w, 's>;
    type SerializeTupleStruct = Members<'w, 's>;
    type SerializeTupleVariant = Members<'w, 's>;
    type SerializeMap = Members<'w, 's>;
    type SerializeStruct = Members<'w, 's>;
    type SerializeStructVariant = Members<'w, 's>;

    numbers! {
        serialize_i8: i8 serialize_i16: i16 serialize_i32: i32 serialize_i64: i64 serialize_i128: i128
        serialize_u8: u8 serialize_u16: u16 serialize_u32: u32 serialize_u64: u64 serialize_u128: u128
        serialize_f32: f32 serialize_f64: f64
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        let word: &[u8] = if value { b"true" } else { b"false" };
        self.text.extend_from_slice(word);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.quote(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        match std::mem::replace(&mut self.next, Text::Plain) {
            Text::Plain => self.quote(value),
            Text::Raw => self.raw(value),
            Text::Digits => self.text.extend_from_slice(value.as_bytes()),
        }
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.serialize_str(&value.to_string())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.text.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let mut map = self.begin(Kind::Map);
        map.field(variant, value)?;
        map.finish();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'w, 's>, Error> {
        Ok(self.begin(Kind::List))
    }

    fn serialize_tuple(self, _: usize) -> Result<Members<'w, 's>, Error> {
        Ok(self.begin(Kind::List))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members<'w, 's>, Error> {
        Ok(self.begin(Kind::List))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'w, 's>, Error> {
        Ok(self.variant(variant, Kind::List))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'w, 's>, Error> {
        Ok(self.begin(Kind::Map))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Members<'w, 's>, Error> {
        Ok(self.begin(match name {
            RAW => Kind::Raw,
            NUMBER => Kind::Number,
            _ => Kind::Map,
        }))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'w, 's>, Error> {
        Ok(self.variant(variant, Kind::Map))
    }
}

/// What is the same for all that has members.
macro_rules! ending {
    () => {
        type Ok = ();
        type Error = Error;

        fn end(self) -> Result<(), Error> {
            self.finish();
            Ok(())
        }
    };
}

macro_rules! lists {
    ($($name:ident $method:ident)*) => {$(
        impl ser::$name for Members<'_, '_> {
            ending!();

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }
        }
    )*};
}

lists! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

macro_rules! structs {
    ($($name:ident)*) => {$(
        impl ser::$name for Members<'_, '_> {
            ending!();

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.field(name, value)
            }
        }
    )*};
}

structs! { SerializeStruct SerializeStructVariant }

impl ser::SerializeMap for Members<'_, '_> {
    ending!();

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.writer.next(self.is_empty);
        self.is_empty = false;
        let start = self.writer.text.len();
        key.serialize(&mut *self.writer)?;
        if self.writer.text.get(start) != Some(&b'"') {
            return Err(Error::custom("a key must be a text"));
        }
        self.writer.colon();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut *self.writer)?;
        if self.writer.text.len() >= ENOUGH {
            self.writer.flush()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
