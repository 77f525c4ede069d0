//! Encodes an event as one line of JSON, and decodes it.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::value::RawValue;

use crate::event::{Event, EventKind};
use crate::layout;

/// Why a line is not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The kind is none of the sixteen: the line comes from a newer version or another program.
    #[error("unknown event `{0}`")]
    UnknownKind(String),
    /// A known kind with a field missing or of the wrong type.
    #[error("{kind}: {reason}")]
    Rejected {
        /// The kind it claims to be.
        kind: &'static str,
        /// The cause, such as the missing field.
        reason: String,
    },
    /// Not JSON, or JSON of a different structure.
    #[error("{0}")]
    Malformed(String),
}

/// Writes an event as one line of JSON, without the line end.
pub fn encode(event: &Event) -> String {
    let mut line = Vec::new();
    append(event, &mut line);
    String::from_utf8(line).unwrap_or_default()
}

/// Appends an event as one line of JSON, with the line end.
pub fn encode_line(event: &Event, line: &mut Vec<u8>) {
    append(event, line);
    line.push(b'\n');
}

fn append(event: &Event, line: &mut Vec<u8>) {
    layout::write_line(line, &Envelope(event))
        .expect("an event has only text keys and writing to memory succeeds");
}

/// Reads one line of JSON as an event. Unknown fields are ignored.
///
/// ```
/// use casebook_record::{DecodeError, decode};
///
/// let event = decode(r#"{"event_type":"SuiteStopped","payload":{"time":"2026-11-15T08:40:51Z"}}"#)?;
/// assert_eq!(event.kind().name(), "SuiteStopped");
///
/// let error = decode(r#"{"event_type":"SuiteStopped","payload":{}}"#).unwrap_err();
/// assert_eq!(error.to_string(), "SuiteStopped: missing field `time`");
/// # Ok::<(), DecodeError>(())
/// ```
pub fn decode(line: &str) -> Result<Event, DecodeError> {
    let mut kind = None;
    let mut json = serde_json::Deserializer::from_str(line);
    let read = Line(&mut kind)
        .deserialize(&mut json)
        .and_then(|read| json.end().map(|()| read));
    match (read, kind) {
        (Ok(Read::Event(event)), _) => Ok(event),
        (Ok(Read::Unknown(name)), _) => Err(DecodeError::UnknownKind(name)),
        (Ok(Read::Deferred), Some(kind)) => decode_payload(kind, line),
        (Err(error), Some(kind)) if error.is_data() => decode_payload(kind, line),
        (Err(error), _) => Err(DecodeError::Malformed(reason(&error))),
        (Ok(Read::Deferred), None) => unreachable!("without a kind the event is unknown"),
    }
}

/// The slower decoder: for payloads that precede their kind, and to find out which field of a payload is invalid.
fn decode_payload(kind: EventKind, line: &str) -> Result<Event, DecodeError> {
    #[derive(Deserialize)]
    struct Raw<'a> {
        #[serde(borrow)]
        payload: &'a RawValue,
    }
    let rejected = |reason| DecodeError::Rejected {
        kind: kind.name(),
        reason,
    };
    let raw: Raw<'_> = serde_json::from_str(line).map_err(|error| rejected(reason(&error)))?;
    let mut json = serde_json::Deserializer::from_str(raw.payload.get());
    let mut track = serde_path_to_error::Track::new();
    kind.read(serde_path_to_error::Deserializer::new(
        &mut json, &mut track,
    ))
    .map_err(|error| {
        let path = track.path().to_string();
        rejected(if path == "." {
            reason(&error)
        } else {
            format!("`{path}`: {}", reason(&error))
        })
    })
}

/// The reason without serde's position (an event is always one line, and the caller adds the line number within the
/// file) and without the parser's own terms.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line 1 column ") {
        Some((reason, _)) if error.is_data() => reason.to_owned(),
        Some((reason, column)) => {
            format!("not valid JSON: {} at column {column}", syntax(reason))
        }
        None => text,
    }
}

/// A syntax error of JSON in plain words.
pub(crate) fn syntax(reason: &str) -> &str {
    match reason {
        "expected ident" | "expected value" => "expected a value",
        "EOF while parsing a value" => "it ends where a value is expected",
        "trailing characters" => "unexpected text after the end",
        "EOF while parsing a string" => "it ends inside a string",
        "EOF while parsing an object" => "it ends inside an object",
        "EOF while parsing a list" => "it ends inside a list",
        other => other,
    }
}

struct Envelope<'a>(&'a Event);

impl Serialize for Envelope<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Payload<'a>(&'a Event);
        impl Serialize for Payload<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.write(serializer)
            }
        }
        let mut envelope = serializer.serialize_struct("Event", 2)?;
        envelope.serialize_field("event_type", self.0.kind().name())?;
        envelope.serialize_field("payload", &Payload(self.0))?;
        envelope.end()
    }
}

enum Read {
    Event(Event),
    Unknown(String),
    /// The payload precedes the kind, so it must be read in a second pass.
    Deferred,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    EventType,
    Payload,
    #[serde(other)]
    Other,
}

/// Reads the envelope; stores the kind even when the payload is invalid.
struct Line<'a>(&'a mut Option<EventKind>);

impl<'de> DeserializeSeed<'de> for Line<'_> {
    type Value = Read;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Read, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Line<'_> {
    type Value = Read;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event: {\"event_type\": NAME, \"payload\": {…}}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Read, A::Error> {
        let (mut unknown, mut event, mut late) = (None, None, false);
        while let Some(key) = map.next_key()? {
            match (key, *self.0) {
                (Key::EventType, _) => match map.next_value()? {
                    Name::Known(kind) => *self.0 = Some(kind),
                    Name::Unknown(name) => unknown = Some(name),
                },
                (Key::Payload, Some(kind)) => event = Some(map.next_value_seed(Payload(kind))?),
                (key, _) => {
                    map.next_value::<IgnoredAny>()?;
                    late |= matches!(key, Key::Payload);
                }
            }
        }
        match (*self.0, unknown, event) {
            (Some(_), _, Some(event)) => Ok(Read::Event(event)),
            (Some(_), _, None) if late => Ok(Read::Deferred),
            (Some(_), _, None) => Err(de::Error::missing_field("payload")),
            (None, Some(name), _) => Ok(Read::Unknown(name)),
            (None, None, _) => Err(de::Error::missing_field("event_type")),
        }
    }
}

enum Name {
    Known(EventKind),
    Unknown(String),
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = Name;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an event")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Name, E> {
                Ok(EventKind::from_name(name)
                    .map_or_else(|| Name::Unknown(name.into()), Name::Known))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

struct Payload(EventKind);

impl<'de> DeserializeSeed<'de> for Payload {
    type Value = Event;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Event, D::Error> {
        self.0.read(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOPPED: &str = r#""event_type":"SuiteStopped""#;
    const PAYLOAD: &str = r#""payload":{"time":"2026-11-15T08:40:51Z"}"#;

    #[test]
    fn either_order_and_unknown_fields_are_read() {
        for line in [
            format!("{{{STOPPED},{PAYLOAD}}}"),
            format!("{{{PAYLOAD},{STOPPED}}}"),
            format!(
                r#"{{"v":2,{STOPPED},"more":[{{}}],"payload":{{"x":1,"time":"2026-11-15T08:40:51Z"}}}}"#
            ),
        ] {
            assert_eq!(
                decode(&line).unwrap().kind(),
                EventKind::SuiteStopped,
                "{line}"
            );
        }
    }

    #[test]
    fn each_kind_of_invalid_line_has_its_own_message() {
        for (line, message) in [
            (
                "",
                "not valid JSON: it ends where a value is expected at column 0",
            ),
            ("nonsense", "not valid JSON: expected a value at column 2"),
            (
                "[1]",
                "invalid type: sequence, expected an event: {\"event_type\": NAME, \"payload\": {…}}",
            ),
            ("{}", "missing field `event_type`"),
            (r#"{"event_type":"Nap","payload":7}"#, "unknown event `Nap`"),
            (r#"{"payload":7,"event_type":"Nap"}"#, "unknown event `Nap`"),
            (
                r#"{"event_type":"SuiteStopped"}"#,
                "SuiteStopped: missing field `payload`",
            ),
            (
                r#"{"event_type":"SuiteStopped","payload":{}}"#,
                "SuiteStopped: missing field `time`",
            ),
            (
                r#"{"payload":{},"event_type":"SuiteStopped"}"#,
                "SuiteStopped: missing field `time`",
            ),
            (
                r#"{"event_type":"SuiteStopped","payload":{"time":3}}"#,
                "SuiteStopped: `time`: invalid type: integer `3`, expected a time such as \"2026-11-15T08:40:51.594Z\"",
            ),
            (
                r#"{"event_type":"SuiteStopped","payload":{"time":"now"}}"#,
                "SuiteStopped: `time`: `now` is not a time such as 2026-11-15T08:40:51.594Z",
            ),
            (
                r#"{"event_type":"SuiteStopped","payload":{"time":"2026-11-15T08:40:51Z"}"#,
                "not valid JSON: it ends inside an object at column 70",
            ),
        ] {
            assert_eq!(decode(line).unwrap_err().to_string(), message, "{line}");
        }
    }

    #[test]
    fn a_name_written_with_escapes_is_read() {
        let line = format!(r#"{{"event\u005ftype":"Suite\u0053topped",{PAYLOAD}}}"#);
        assert_eq!(decode(&line).unwrap().kind(), EventKind::SuiteStopped);
    }
}
