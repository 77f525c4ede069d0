//! Sends a request once. Waiting for the response ends when the run stops or the deadline passes.

use std::collections::HashSet;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use casebook_suite::model::conversation::HttpMethod;
use parking_lot::Mutex;
use ureq::http::HeaderValue;
use ureq::typestate::WithBody;
use ureq::{Agent, Body, Error, RequestBuilder};

use crate::stop::{Cancellation, StopToken};

use super::error::{TransportError, transport_error};
use super::network::Network;
use super::watch::Watch;
use super::{BodyReader, Request};

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

/// The cost of a response of LiteLLM's proxy, whose body has none.
const COST_HEADER: &str = "x-litellm-response-cost";

/// The size of the parts in which a body is read.
const READ_BYTES: usize = 16 << 10;
/// The parts of a response that wait for the thread of the test.
const QUEUED_PARTS: usize = 64;

/// A server's response to one attempt.
#[derive(Debug)]
pub(super) struct RawReply {
    pub(super) head: Head,
    /// Empty if a reader has read it.
    pub(super) body: String,
}

/// The status and the headers that matter.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
    pub(super) cookies: Vec<String>,
    pub(super) cost: Option<String>,
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
        reader: Option<&mut BodyReader<'_>>,
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
        let agent = self.agent(request.url);
        match agent.send(request, reader, timeout, cancellation) {
            Ok(reply) => Ok(reply),
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
        reader: Option<&mut BodyReader<'_>>,
        timeout: Duration,
        cancellation: Cancellation<'_>,
    ) -> Result<RawReply, TransportError> {
        let prepared = prepare(&self.agent, request, timeout);
        let server = server(request.url);
        let is_known = self.known_servers.lock().contains(server);
        let mut response = ResponseBuilder::new(reader);
        if is_known && self.is_watched(cancellation.stop) {
            let reply = prepared.send(request.body.as_bytes());
            let end = reply.and_then(|reply| read_response(reply, |part| response.add(part)));
            end.map_err(|error| transport_error(&error))?;
        } else {
            send_on_thread(prepared, request.body, timeout, &mut response, cancellation)?;
            self.known_servers.lock().insert(server.to_owned());
        }
        response.finish()
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
    let mut prepared = match request.method {
        HttpMethod::Post => agent.post(request.url),
        HttpMethod::Put => agent.put(request.url),
        HttpMethod::Patch => agent.patch(request.url),
    };
    for (name, value) in DEFAULT_HEADERS {
        if !is_overridden(name) {
            prepared = prepared.header(name, value);
        }
    }
    for (name, value) in request.headers {
        prepared = prepared.header(name, value);
    }
    prepared.config().timeout_global(Some(timeout)).build()
}

/// A part of a response, in the order in which they arrive.
enum Part {
    Head(Head),
    Data(Vec<u8>),
    End(Result<(), Error>),
}

/// Sends a request on its own thread. When the run stops, the thread is left behind; its request ends with its timeout at the
/// latest.
fn send_on_thread(
    prepared: RequestBuilder<WithBody>,
    body: &str,
    timeout: Duration,
    response: &mut ResponseBuilder<'_, '_>,
    cancellation: Cancellation<'_>,
) -> Result<(), TransportError> {
    let body = body.to_owned();
    let (sender, receiver) = mpsc::sync_channel(QUEUED_PARTS);
    let work = move || {
        let reply = prepared.send(body.as_bytes());
        let send = |part| match sender.send(part) {
            Ok(()) => ControlFlow::Continue(()),
            // The receiver is dropped when waiting for the response has ended.
            Err(_) => ControlFlow::Break(()),
        };
        let end = reply.and_then(|reply| read_response(reply, send));
        let _ = sender.send(Part::End(end));
    };
    let thread = thread::Builder::new().name("http".to_owned()).spawn(work);
    thread.map_err(|error| {
        TransportError::NotSent(format!("cannot start a thread for the request: {error}"))
    })?;
    let mut waited = Duration::ZERO;
    // ureq ends the request in time, except while it looks up a name.
    while waited < timeout + STOP_POLL_INTERVAL {
        match receiver.recv_timeout(STOP_POLL_INTERVAL) {
            Ok(Part::End(end)) => return end.map_err(|error| transport_error(&error)),
            Ok(part) => {
                if response.add(part).is_break() {
                    return Ok(());
                }
            }
            Err(_) if cancellation.stop.is_requested() => return Err(TransportError::Interrupted),
            Err(RecvTimeoutError::Timeout) => waited += STOP_POLL_INTERVAL,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Err(TransportError::TimedOut)
}

/// Puts a response together from its parts.
struct ResponseBuilder<'a, 'r> {
    head: Option<Head>,
    body: Vec<u8>,
    reader: Option<&'a mut BodyReader<'r>>,
}

impl<'a, 'r> ResponseBuilder<'a, 'r> {
    fn new(reader: Option<&'a mut BodyReader<'r>>) -> ResponseBuilder<'a, 'r> {
        ResponseBuilder {
            head: None,
            body: Vec::new(),
            reader,
        }
    }

    fn add(&mut self, part: Part) -> ControlFlow<()> {
        match part {
            Part::Head(head) => {
                if !(200..300).contains(&head.status) {
                    self.reader = None;
                }
                self.head = Some(head);
            }
            Part::Data(data) => match &mut self.reader {
                Some(reader) => return reader(&data),
                None => self.body.extend(data),
            },
            Part::End(_) => {}
        }
        ControlFlow::Continue(())
    }

    fn finish(self) -> Result<RawReply, TransportError> {
        let head = self.head.ok_or(TransportError::TimedOut)?;
        Ok(RawReply {
            head,
            body: body_text(self.body),
        })
    }
}

/// Passes on the parts of a response, until `receive` breaks.
fn read_response(
    mut response: ureq::http::Response<Body>,
    mut receive: impl FnMut(Part) -> ControlFlow<()>,
) -> Result<(), Error> {
    if receive(Part::Head(head(&response))).is_break() {
        return Ok(());
    }
    let body = response.body_mut().with_config().limit(MAX_BODY);
    let mut body = body.reader();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let count = body.read(&mut buffer)?;
        if count == 0 || receive(Part::Data(buffer[..count].to_vec())).is_break() {
            return Ok(());
        }
    }
}

fn head(response: &ureq::http::Response<Body>) -> Head {
    let headers = response.headers();
    let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
    Head {
        status: response.status().as_u16(),
        retry_after: headers.get("retry-after").and_then(text),
        cookies: headers
            .get_all("set-cookie")
            .iter()
            .filter_map(text)
            .collect(),
        cost: headers.get(COST_HEADER).and_then(text),
    }
}

/// The body as text; invalid UTF-8 is replaced.
fn body_text(body: Vec<u8>) -> String {
    String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
