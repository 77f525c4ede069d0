//! The HTTP client for models and agents.
//!
//! A response that the [`RetryPolicy`] names is retried: after the time in `retry-after`, or else after a delay that doubles with
//! every retry. Retries are counted. All waiting ends at the test's deadline, and at once when the run stops.

mod any;
mod backoff;
mod error;
mod forward;
mod get;
mod network;
mod resolve;
mod retry;
mod send;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod wait;
mod watch;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use casebook_record::Clock;
use casebook_suite::model::conversation::HttpMethod;
use serde_json::Value;

pub(crate) use retry::RetryPolicy;
pub(crate) use wait::until;

use crate::stop::Cancellation;
use crate::system::SystemContext;

use backoff::Backoff;
pub(crate) use error::TransportError;
use network::Network;
use send::{Head, RawReply, Transports};

/// Sends requests from many threads and keeps connections open between them.
pub(crate) struct Client {
    transports: Transports,
    backoff: Backoff,
    clock: Clock,
    instant: fn() -> Instant,
}

/// A request with a body.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) method: HttpMethod,
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(String, String)],
    pub(crate) body: &'a str,
    /// The timeout of each attempt.
    pub(crate) timeout: Duration,
    pub(crate) retry: RetryPolicy<'a>,
    /// Called before each retry; waits until the rate limit allows it.
    pub(crate) retry_gate: Option<&'a RetryGate<'a>>,
}

/// Blocks until a retry may be sent.
pub(crate) type RetryGate<'a> = dyn Fn(Cancellation<'_>) -> Result<(), HttpError> + 'a;

/// Reads the body of a successful response as it arrives. `Break` ends the response.
pub(crate) type BodyReader<'a> = dyn FnMut(&[u8]) -> ControlFlow<()> + 'a;

/// The server's last response, with any status.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Empty if a reader has read it.
    pub(crate) body: String,
    /// The number of retries.
    pub(crate) retries: u32,
    /// The statuses of the responses that were retried.
    pub(crate) retried_on: Vec<u16>,
    /// From the first request to the end of the last response.
    pub(crate) latency: Duration,
    /// The values of its `set-cookie` headers.
    pub(crate) cookies: Vec<String>,
    /// The `retry-after` of a response that was not retried.
    pub(crate) retry_after: Option<Duration>,
    /// The cost that a header reports.
    pub(crate) cost: Option<f64>,
}

/// The message in an error response of a model's API, if it has one.
pub(crate) fn error_message(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let error = &body["error"];
    let message = error["message"].as_str().or(error.as_str());
    message.or(body["message"].as_str()).map(str::to_owned)
}

/// Why a request has no response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum HttpError {
    /// A stop was requested.
    #[error("the run was stopped")]
    Interrupted,
    /// The test's deadline has passed.
    #[error("the test timed out")]
    OutOfTime,
    /// The request's own timeout has passed. Contains the message for the user.
    #[error("{0}")]
    TimedOut(String),
    /// Nothing was sent: there is no connection, or the request is invalid. Contains the message for the user.
    #[error("{0}")]
    NotSent(String),
    /// Any other error. Contains the message for the user.
    #[error("{0}")]
    Failed(String),
}

impl Client {
    /// Creates a client with the proxies and certificates of the environment.
    pub(crate) fn new(system: &SystemContext) -> Client {
        Client {
            transports: Transports::new(Network::from_environment(system)),
            backoff: Backoff::default(),
            clock: system.clock.clone(),
            instant: system.instant,
        }
    }

    /// Sends the request, and again as long as it can be retried.
    pub(crate) fn send(
        &self,
        request: &Request<'_>,
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, HttpError> {
        self.send_with(request, None, cancellation)
    }

    /// Sends the request. The body of a successful response is passed to `reader`.
    pub(crate) fn send_streamed(
        &self,
        request: &Request<'_>,
        reader: &mut BodyReader<'_>,
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, HttpError> {
        self.send_with(request, Some(reader), cancellation)
    }

    fn send_with(
        &self,
        request: &Request<'_>,
        mut reader: Option<&mut BodyReader<'_>>,
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, HttpError> {
        let started = (self.instant)();
        let (mut retries, mut retried_on) = (0, Vec::new());
        loop {
            let reader = reader.as_deref_mut();
            let result = self
                .transports
                .send(request, reader, cancellation, self.instant);
            let retry_at = self
                .wait(&result, request, retries)
                .map(|wait| (self.instant)() + wait)
                .filter(|retry_at| cancellation.deadline.is_none_or(|end| *retry_at <= end));
            let Some(retry_at) = retry_at else {
                let reply = result.map_err(|error| error.into_http_error(request, retries))?;
                return Ok(Reply {
                    retries,
                    retried_on,
                    latency: (self.instant)() - started,
                    ..self.reply(reply)
                });
            };
            retried_on.extend(result.ok().map(|reply| reply.head.status));
            wait::until(retry_at, cancellation, self.instant)?;
            request
                .retry_gate
                .map_or(Ok(()), |retry_gate| retry_gate(cancellation))?;
            retries += 1;
        }
    }

    /// How long to wait before the next retry; `None` if the request is not retried.
    fn wait(
        &self,
        result: &Result<RawReply, TransportError>,
        request: &Request<'_>,
        retries: u32,
    ) -> Option<Duration> {
        match result {
            Ok(RawReply { head, .. }) => {
                let requested = self.retry_after(head);
                let max =
                    request
                        .retry
                        .max_retries(head.status, requested.is_some(), &self.backoff);
                self.backoff.wait(retries, max, requested)
            }
            Err(TransportError::Broken(_)) if request.retry.may_repeat() => {
                self.backoff.wait(retries, self.backoff.retries, None)
            }
            Err(_) => None,
        }
    }

    fn reply(&self, reply: RawReply) -> Reply {
        let is_refused = matches!(reply.head.status, 429 | 500..=599);
        Reply {
            status: reply.head.status,
            retry_after: self.retry_after(&reply.head).filter(|_| is_refused),
            cost: cost(reply.head.cost.as_deref()),
            body: reply.body,
            cookies: reply.head.cookies,
            retries: 0,
            retried_on: Vec::new(),
            latency: Duration::ZERO,
        }
    }

    fn retry_after(&self, head: &Head) -> Option<Duration> {
        backoff::retry_after(head.retry_after.as_deref(), self.clock.now())
    }
}

/// The cost in a header. A proxy that does not know it may send `None`.
fn cost(header: Option<&str>) -> Option<f64> {
    let cost = header?.trim().parse::<f64>().ok();
    cost.filter(|cost| cost.is_finite())
}

/// Appends `path` to the path of `base`, which may end with it or with its first segments already. A query stays at the end.
pub(crate) fn join_path(base: &str, path: &str) -> String {
    let (base, query) = base.split_at(base.find(['?', '#']).unwrap_or(base.len()));
    let base = base.trim_end_matches('/');
    let host = base.find("://").map_or(0, |end| end + 3);
    let base_path = base[host..]
        .find('/')
        .map_or("", |start| &base[host + start..]);
    let prefixes = path.match_indices('/').map(|(end, _)| &path[..end]);
    let overlap = prefixes
        .chain([path])
        .filter(|part| base_path.ends_with(part));
    let overlap = overlap.map(str::len).max().unwrap_or(0);
    let base = &base[..base.len() - overlap];
    format!("{base}{path}{query}")
}

/// The URL without the parts that may be secret: user, password, query.
pub(crate) fn public_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or(url);
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}
