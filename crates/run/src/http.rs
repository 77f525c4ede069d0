//! The HTTP client for models and agents.
//!
//! A request that is answered with status 429 or 5xx is sent again: after the time in `retry-after`, or else after a delay
//! that doubles with every retry. Retries are counted. All waiting ends at the test's deadline, and at once when the run stops.

mod backoff;
mod error;
mod get;
mod network;
mod resolve;
mod send;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod wait;
mod watch;

use std::time::{Duration, Instant};

use casebook_record::Clock;

pub(crate) use wait::until;

use crate::stop::Cancellation;
use crate::system::SystemContext;

use backoff::Backoff;
use error::TransportError;
use network::Network;
use send::{RawReply, Transports};

/// Sends requests from many threads and keeps connections open between them.
pub(crate) struct Client {
    transports: Transports,
    backoff: Backoff,
    clock: Clock,
    instant: fn() -> Instant,
}

/// A JSON body to post.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(String, String)],
    pub(crate) body: &'a str,
    /// The timeout of each attempt.
    pub(crate) timeout: Duration,
    /// Whether the request may be sent again after the connection broke, although the server may have received it already.
    pub(crate) may_repeat: bool,
    /// Called before each retry; waits until the rate limit allows it.
    pub(crate) retry_gate: Option<&'a RetryGate<'a>>,
}

/// Blocks until a retry may be sent.
pub(crate) type RetryGate<'a> = dyn Fn(Cancellation<'_>) -> Result<(), HttpError> + 'a;

/// The server's last response, with any status.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
    /// The number of retries.
    pub(crate) retries: u32,
    /// How long the last attempt took.
    pub(crate) latency: Duration,
    /// The `retry-after` of a response that was not retried.
    pub(crate) retry_after: Option<Duration>,
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

    /// Posts the request, and again as long as it can be retried.
    pub(crate) fn post(
        &self,
        request: &Request<'_>,
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, HttpError> {
        let mut retries = 0;
        loop {
            let result = self.transports.send(request, cancellation, self.instant);
            let Some(wait) = self.wait(&result, request, retries) else {
                return self.finish(result, request, retries);
            };
            let retry_at = (self.instant)() + wait;
            if cancellation
                .deadline
                .is_some_and(|deadline| deadline < retry_at)
            {
                return self.finish(result, request, retries);
            }
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
            Ok(result) if result.is_retryable() => {
                let asked = backoff::retry_after(result.retry_after.as_deref(), self.clock.now());
                self.backoff.wait(retries, asked)
            }
            Err(TransportError::Broken(_)) if request.may_repeat => {
                self.backoff.wait(retries, None)
            }
            _ => None,
        }
    }

    fn finish(
        &self,
        result: Result<RawReply, TransportError>,
        request: &Request<'_>,
        retries: u32,
    ) -> Result<Reply, HttpError> {
        let result = result.map_err(|error| error.into_http_error(request, retries))?;
        let retry_after = result
            .is_retryable()
            .then(|| backoff::retry_after(result.retry_after.as_deref(), self.clock.now()));
        Ok(Reply {
            status: result.status,
            body: result.body,
            retries,
            latency: result.latency,
            retry_after: retry_after.flatten(),
        })
    }
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
