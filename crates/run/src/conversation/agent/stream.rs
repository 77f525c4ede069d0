//! Reads a response of server-sent events as it arrives, and measures when the first text arrived.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::AgentError;
use super::connection::Connection;
use super::openai::error_message;
use super::protocol::quoted;
use super::sse::{EventParser, ServerEvent};
use crate::http;
use crate::stop::Cancellation;

/// The event that ends a stream in the format of `OpenAI`; many other servers send it too.
const DONE: &str = "[DONE]";
/// How much of a response without events is quoted.
const QUOTED_BYTES: usize = 500;

/// Reads the events of a response.
pub(super) trait EventReader {
    /// Reads the data of one event. `Break` ends the response. The error is the message for the user.
    fn event(&mut self, data: &str) -> Result<ControlFlow<()>, String>;

    /// Whether it has read any text of the reply.
    fn has_text(&self) -> bool;
}

/// A response that has been read.
pub(super) struct StreamedReply {
    pub(super) response: http::Reply,
    /// The time from the request to the first text.
    pub(super) first_token: Option<Duration>,
}

/// The state of reading one response.
struct StreamState<'a> {
    parser: EventParser,
    reader: &'a mut dyn EventReader,
    instant: fn() -> Instant,
    first_text: Option<Instant>,
    events: usize,
    beginning: Vec<u8>,
    problem: Option<String>,
}

/// Sends a request and passes the events of the response to `reader`.
pub(super) fn send(
    connection: &mut Connection<'_>,
    body: &str,
    reader: &mut dyn EventReader,
    instant: fn() -> Instant,
    cancellation: Cancellation<'_>,
) -> Result<StreamedReply, AgentError> {
    let started = instant();
    let mut state = StreamState {
        parser: EventParser::default(),
        reader,
        instant,
        first_text: None,
        events: 0,
        beginning: Vec::new(),
        problem: None,
    };
    let headers = [("accept", "text/event-stream")];
    let mut read = |bytes: &[u8]| state.read(bytes);
    let response = connection.send(body, &headers, Some(&mut read), cancellation)?;
    let first_text = state.finish().map_err(AgentError::Failed)?;
    Ok(StreamedReply {
        response,
        first_token: first_text.map(|first| first - started),
    })
}

/// The message for an error event.
fn reported_error(data: &str) -> String {
    let value = serde_json::from_str(data).unwrap_or_else(|_| Value::from(data));
    error_message(value.get("error").unwrap_or(&value))
}

impl StreamState<'_> {
    fn read(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let room = QUOTED_BYTES.saturating_sub(self.beginning.len());
        self.beginning.extend(&bytes[..bytes.len().min(room)]);
        let mut events = self.parser.read(bytes).into_iter();
        events.try_for_each(|event| self.event(&event))
    }

    fn event(&mut self, event: &ServerEvent) -> ControlFlow<()> {
        self.events += 1;
        if event.data.trim() == DONE {
            return ControlFlow::Break(());
        }
        let flow = if event.is_error {
            Err(reported_error(&event.data))
        } else {
            self.reader.event(&event.data)
        };
        let flow = flow.unwrap_or_else(|problem| {
            self.problem = Some(problem);
            ControlFlow::Break(())
        });
        if self.first_text.is_none() && self.reader.has_text() {
            self.first_text = Some((self.instant)());
        }
        flow
    }

    /// The time of the first text. Fails if an event is invalid or there is none.
    fn finish(mut self) -> Result<Option<Instant>, String> {
        if self.problem.is_none()
            && let Some(last) = std::mem::take(&mut self.parser).finish()
        {
            let _ = self.event(&last);
        }
        match self.problem {
            Some(problem) => Err(problem),
            None if self.events == 0 => Err(format!(
                "the agent's response has no server-sent events, but `stream` is set; remove it, or check the agent's `url`: {}",
                quoted(&self.beginning)
            )),
            None => Ok(self.first_text),
        }
    }
}
