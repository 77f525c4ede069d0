//! Sends a request once. Waiting for the response ends when the run stops or the deadline passes.

use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use ureq::typestate::WithBody;
use ureq::{Agent, Body, Error, RequestBuilder};

use crate::stop::{Cancellation, StopToken};

use super::Request;
use super::error::{TransportError, transport_error};
use super::network::Network;
use super::watch::Watch;

/// The largest response body that is read.
pub(super) const MAX_BODY: u64 = 10 << 20;
pub(super) const USER_AGENT: &str = concat!("casebook/", env!("CARGO_PKG_VERSION"));
/// How often a stop request is checked while a request runs on its own thread.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Sent with every request unless the suite sets the header itself.
const DEFAULT_HEADERS: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "application/json"),
];

/// A server's response to one attempt.
#[derive(Debug)]
pub(super) struct RawReply {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
    pub(super) body: String,
    pub(super) latency: Duration,
}

impl RawReply {
    /// Whether a later attempt may get another response.
    pub(super) fn is_retryable(&self) -> bool {
        self.status == 429 || (500..600).contains(&self.status)
    }
}

/// Sends requests: one ureq agent for `http`, one for `https`, each created at its first request.
pub(super) struct Transports {
    network: Network,
    plain: OnceLock<WatchedAgent>,
    secure: OnceLock<WatchedAgent>,
}

/// An agent whose requests end when the run stops.
struct WatchedAgent {
    agent: Agent,
    /// The servers that have responded, by scheme, host and port.
    known_servers: Mutex<HashSet<String>>,
    watch: OnceLock<Option<Watch>>,
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
        cancellation: Cancellation<'_>,
        instant: fn() -> Instant,
    ) -> Result<RawReply, TransportError> {
        let started = instant();
        let remaining = cancellation
            .deadline
            .map(|end| end.saturating_duration_since(started));
        if cancellation.stop.is_requested() {
            return Err(TransportError::Interrupted);
        }
        if remaining == Some(Duration::ZERO) {
            return Err(TransportError::OutOfTime);
        }
        let timeout = remaining.map_or(request.timeout, |remaining| remaining.min(request.timeout));
        match self.agent(request.url).send(request, timeout, cancellation) {
            Ok(reply) => Ok(RawReply {
                latency: instant() - started,
                ..reply
            }),
            Err(_) if cancellation.stop.is_requested() => Err(TransportError::Interrupted),
            Err(TransportError::TimedOut) if remaining == Some(timeout) => {
                Err(TransportError::OutOfTime)
            }
            Err(transport_error) => Err(transport_error),
        }
    }

    /// The agent for this URL, for a request that is sent once.
    pub(super) fn plain_agent(&self, url: &str) -> &Agent {
        &self.agent(url).agent
    }

    fn agent(&self, url: &str) -> &WatchedAgent {
        let start = url.get(..6);
        let is_secure = start.is_some_and(|start| start.eq_ignore_ascii_case("https:"));
        let agent = if is_secure { &self.secure } else { &self.plain };
        agent.get_or_init(|| WatchedAgent::new(self.network.agent(is_secure)))
    }
}

impl WatchedAgent {
    fn new(agent: Agent) -> WatchedAgent {
        WatchedAgent {
            agent,
            known_servers: Mutex::default(),
            watch: OnceLock::new(),
        }
    }

    /// Sends a request to a known server on this thread, because a thread per request takes as long as the request itself
    /// when the agent responds at once. To other servers it is sent on another thread, which can be left behind: looking up a
    /// name and connecting cannot be interrupted.
    fn send(
        &self,
        request: &Request<'_>,
        timeout: Duration,
        cancellation: Cancellation<'_>,
    ) -> Result<RawReply, TransportError> {
        let post = prepare(&self.agent, request, timeout);
        let server = server(request.url);
        let is_known = self.known_servers.lock().contains(server);
        if is_known && self.is_watched(cancellation.stop) {
            let reply = post.send(request.body.as_bytes()).and_then(read_response);
            return reply.map_err(|error| transport_error(&error));
        }
        let reply = send_on_thread(post, request.body, timeout, cancellation)?;
        self.known_servers.lock().insert(server.to_owned());
        Ok(reply)
    }

    /// Whether requests end when the run stops.
    fn is_watched(&self, stop: &StopToken) -> bool {
        let watch = || Watch::new(self.agent.clone(), stop).ok();
        self.watch.get_or_init(watch).is_some()
    }
}

/// Scheme, host and port.
fn server(url: &str) -> &str {
    let host = url.find("://").map_or(0, |end| end + 3);
    let end = url[host..].find(['/', '?', '#']);
    end.map_or(url, |end| &url[..host + end])
}

fn prepare(agent: &Agent, request: &Request<'_>, timeout: Duration) -> RequestBuilder<WithBody> {
    let is_overridden = |name: &str| {
        let mut headers = request.headers.iter();
        headers.any(|(given_name, _)| given_name.eq_ignore_ascii_case(name))
    };
    let mut post = agent.post(request.url);
    for (name, value) in DEFAULT_HEADERS {
        if !is_overridden(name) {
            post = post.header(name, value);
        }
    }
    for (name, value) in request.headers {
        post = post.header(name, value);
    }
    post.config().timeout_global(Some(timeout)).build()
}

/// Sends a request on its own thread. When the run stops, the thread is left behind; its request ends with its timeout at the
/// latest.
fn send_on_thread(
    post: RequestBuilder<WithBody>,
    body: &str,
    timeout: Duration,
    cancellation: Cancellation<'_>,
) -> Result<RawReply, TransportError> {
    let body = body.to_owned();
    let (sender, receiver) = mpsc::sync_channel(1);
    let work = move || {
        // The receiver is dropped when waiting for the response has ended.
        let _ = sender.send(post.send(body.as_bytes()).and_then(read_response));
    };
    let thread = thread::Builder::new().name("http".to_owned()).spawn(work);
    thread.map_err(|error| {
        TransportError::Other(format!("cannot start a thread for the request: {error}"))
    })?;
    let mut waited = Duration::ZERO;
    // ureq ends the request in time, except while it looks up a name.
    while waited < timeout + STOP_POLL_INTERVAL {
        match receiver.recv_timeout(STOP_POLL_INTERVAL) {
            Ok(result) => return result.map_err(|error| transport_error(&error)),
            Err(_) if cancellation.stop.is_requested() => return Err(TransportError::Interrupted),
            Err(RecvTimeoutError::Timeout) => waited += STOP_POLL_INTERVAL,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Err(TransportError::TimedOut)
}

fn read_response(mut response: ureq::http::Response<Body>) -> Result<RawReply, Error> {
    let header = response.headers().get("retry-after");
    let retry_after = header.and_then(|value| value.to_str().ok());
    let retry_after = retry_after.map(str::to_owned);
    let body = response.body_mut().with_config().limit(MAX_BODY);
    Ok(RawReply {
        retry_after,
        body: body_text(body.read_to_vec()?),
        status: response.status().as_u16(),
        latency: Duration::ZERO,
    })
}

/// The body as text; invalid UTF-8 is replaced.
fn body_text(body: Vec<u8>) -> String {
    String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
