//! One span.

use serde_json::{Value, json};

use super::attributes::Attributes;
use super::nanos;

pub(super) struct Span {
    pub(super) trace_id: String,
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) name: String,
    pub(super) kind: Kind,
    /// In milliseconds since 1970.
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) attributes: Attributes,
    /// The message of a span that failed.
    pub(super) error: Option<String>,
}

/// The values are those of the protocol.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Internal = 1,
    /// A call to another service.
    Client = 3,
}

const ERROR: i32 = 2;

impl Span {
    pub(super) fn into_json(self) -> Value {
        let mut span = json!({
            "traceId": self.trace_id,
            "spanId": self.id,
            "name": self.name,
            "kind": self.kind as i32,
            "startTimeUnixNano": nanos(self.start),
            // A clock that was set back must not result in a negative duration.
            "endTimeUnixNano": nanos(self.end.max(self.start)),
            "attributes": self.attributes.into_json(),
        });
        if let Some(parent) = self.parent {
            span["parentSpanId"] = parent.into();
        }
        if let Some(message) = self.error {
            span["status"] = json!({"code": ERROR, "message": message});
        }
        span
    }
}
