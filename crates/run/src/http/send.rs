//! Sends a request once and stops waiting for it when the run stops or the time is up.

use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use ureq::typestate::WithBody;
use ureq::{Agent, Body, Error, RequestBuilder};

use crate::stop::Cancellation;

use super::Request;
use super::error::{TransportError, trouble};
use super::network::Network;

/// More is not read.
pub(super) const MAX_BODY: u64 = 10 << 20;
pub(super) const USER_AGENT: &str = concat!("casebook/", env!("CARGO_PKG_VERSION"));
/// How soon a request to stop is noticed.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Sent with every request unless the suite sets the header itself.
const DEFAULT_HEADERS: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "application/json"),
];

/// What a server said.
#[derive(Debug)]
pub(super) struct RawReply {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
    pub(super) body: String,
    pub(super) latency: Duration,
}

impl RawReply {
    /// Whether the server may say something else later.
    pub(super) fn is_retryable(&self) -> bool {
        self.status == 429 || (500..600).contains(&self.status)
    }
}

/// How requests get to servers: one ureq agent for `http`, one for `https`, each created at its first request.
pub(super) struct Transports {
    network: Network,
    plain: OnceLock<Agent>,
    secure: OnceLock<Agent>,
}

impl Transports {
    pub(super) fn new(network: Network) -> Transports {
        Transports {
            network,
            plain: OnceLock::new(),
            secure: OnceLock::new(),
        }
    }

    /// Sends the request once.
    pub(super) fn send(
        &self,
        request: &Request<'_>,
        patience: Cancellation<'_>,
        instant: fn() -> Instant,
    ) -> Result<RawReply, TransportError> {
        let begun = instant();
        let left = patience
            .deadline
            .map(|end| end.saturating_duration_since(begun));
        if patience.stop.is_requested() {
            return Err(TransportError::Interrupted);
        }
        if left == Some(Duration::ZERO) {
            return Err(TransportError::OutOfTime);
        }
        let time = left.map_or(request.timeout, |left| left.min(request.timeout));
        let post = prepared(self.agent(request.url), request, time);
        match on_thread(post, request.body, time, patience) {
            Ok(sent) => Ok(RawReply {
                latency: instant() - begun,
                ..sent
            }),
            Err(_) if patience.stop.is_requested() => Err(TransportError::Interrupted),
            Err(TransportError::TimedOut) if left == Some(time) => Err(TransportError::OutOfTime),
            Err(trouble) => Err(trouble),
        }
    }

    fn agent(&self, url: &str) -> &Agent {
        let start = url.get(..6);
        let is_secure = start.is_some_and(|start| start.eq_ignore_ascii_case("https:"));
        let agent = if is_secure { &self.secure } else { &self.plain };
        agent.get_or_init(|| self.network.agent(is_secure))
    }
}

fn prepared(agent: &Agent, request: &Request<'_>, time: Duration) -> RequestBuilder<WithBody> {
    let is_given = |name: &str| {
        let mut given = request.headers.iter();
        given.any(|(own, _)| own.eq_ignore_ascii_case(name))
    };
    let mut post = agent.post(request.url);
    for (name, value) in DEFAULT_HEADERS {
        if !is_given(name) {
            post = post.header(name, value);
        }
    }
    for (name, value) in request.headers {
        post = post.header(name, value);
    }
    post.config().timeout_global(Some(time)).build()
}

/// Sends a request on its own thread, because looking up a name, connecting and reading cannot be interrupted. When the run
/// stops, the thread is left behind; its request ends with its timeout at the latest.
fn on_thread(
    post: RequestBuilder<WithBody>,
    body: &str,
    time: Duration,
    patience: Cancellation<'_>,
) -> Result<RawReply, TransportError> {
    let body = body.to_owned();
    let (sender, receiver) = mpsc::sync_channel(1);
    let work = move || {
        // The receiver is gone when the response is not waited for any more.
        let _ = sender.send(post.send(body.as_bytes()).and_then(read));
    };
    let thread = thread::Builder::new().name("http".to_owned()).spawn(work);
    thread.map_err(|error| TransportError::Other(format!("no thread for a request: {error}")))?;
    let mut waited = Duration::ZERO;
    // ureq ends the request in time, except while it looks up a name.
    while waited < time + STOP_POLL_INTERVAL {
        match receiver.recv_timeout(STOP_POLL_INTERVAL) {
            Ok(result) => return result.map_err(|error| trouble(&error)),
            Err(_) if patience.stop.is_requested() => return Err(TransportError::Interrupted),
            Err(RecvTimeoutError::Timeout) => waited += STOP_POLL_INTERVAL,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Err(TransportError::TimedOut)
}

fn read(mut response: ureq::http::Response<Body>) -> Result<RawReply, Error> {
    let header = response.headers().get("retry-after");
    let retry_after = header.and_then(|value| value.to_str().ok());
    let retry_after = retry_after.map(str::to_owned);
    let body = response.body_mut().with_config().limit(MAX_BODY);
    Ok(RawReply {
        retry_after,
        body: text(body.read_to_vec()?),
        status: response.status().as_u16(),
        latency: Duration::ZERO,
    })
}

/// A body as text, whatever it is.
fn text(body: Vec<u8>) -> String {
    String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
