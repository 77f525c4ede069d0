//! [`HttpSender`]: sends requests of other protocols, with the proxies and certificates that agents and models use.

use std::time::Duration;

use ureq::http::{Request, Response};

use crate::http::{Client, TransportError};
use crate::system::SystemContext;

/// Sends requests from many threads and keeps connections open between them.
pub struct HttpSender {
    client: Client,
    timeout: Duration,
    max_body: u64,
}

/// Why a request has no response. Contains the reason for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Nothing was sent: there is no connection, or the request is invalid.
    #[error("{0}")]
    NotSent(String),
    /// The server did not respond in time.
    #[error("no response within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// The connection broke. A retry may succeed.
    #[error("{0}")]
    Broken(String),
    /// Any other error.
    #[error("{0}")]
    Failed(String),
}

impl HttpSender {
    /// A sender whose requests take at most this long, and whose responses have at most so many bytes.
    pub fn new(system: &SystemContext, timeout: Duration, max_body: u64) -> HttpSender {
        HttpSender {
            client: Client::new(system),
            timeout,
            max_body,
        }
    }

    /// Sends the request once and returns the response, with any status.
    pub fn send(&self, request: Request<&[u8]>) -> Result<Response<Vec<u8>>, SendError> {
        let sent = self.client.send_once(request, self.timeout, self.max_body);
        sent.map_err(|error| match error {
            TransportError::NotSent(reason) => SendError::NotSent(reason),
            TransportError::Broken(reason) => SendError::Broken(reason),
            TransportError::Other(reason) => SendError::Failed(reason),
            TransportError::TimedOut | TransportError::OutOfTime | TransportError::Interrupted => {
                SendError::TimedOut(self.timeout)
            }
        })
    }
}
