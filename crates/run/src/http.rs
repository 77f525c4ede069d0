//! Asking servers: models and agents that are reached over HTTP.
//!
//! A request that is refused for now (429 and 5xx) is sent again, after as long as the server asks for or after a while that
//! doubles, and how often is counted. All waiting ends with the test's time and at once when the run is to stop.

mod backoff;
mod error;
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

use casebook_record::Time;

pub(crate) use wait::until;

use crate::stop::Cancellation;
use crate::system::SystemContext;

use backoff::Backoff;
use error::TransportError;
use network::Network;
use send::{RawReply, Transports};

/// Sends requests, from many threads at once, and keeps connections open between them.
pub(crate) struct Client {
    ways: Transports,
    backoff: Backoff,
    now: fn() -> Time,
    instant: fn() -> Instant,
}

/// A JSON text to be posted.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(String, String)],
    pub(crate) body: &'a str,
    /// How long each try may take.
    pub(crate) timeout: Duration,
    /// Whether it does no harm when it arrives twice, so that it may be sent again after the connection broke.
    pub(crate) may_repeat: bool,
    /// Waits until it may be sent again, where only so much may be asked.
    pub(crate) again: Option<&'a RetryGate<'a>>,
}

/// Waits for its turn.
pub(crate) type RetryGate<'a> = dyn Fn(Cancellation<'_>) -> Result<(), HttpError> + 'a;

/// What the server said in the end, whatever its status.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
    /// How often the request was sent again.
    pub(crate) retries: u32,
    /// How long the server took the last time.
    pub(crate) latency: Duration,
    /// How long the server wants to be left alone, where that is too long to wait.
    pub(crate) retry_after: Option<Duration>,
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum HttpError {
    /// The run was asked to stop.
    #[error("the run was asked to stop")]
    Interrupted,
    /// The test has no more time.
    #[error("the test ran out of time")]
    OutOfTime,
    /// The server took too long, in words for people.
    #[error("{0}")]
    TimedOut(String),
    /// Anything else, in words for people.
    #[error("{0}")]
    Failed(String),
}

impl Client {
    /// With the proxies and certificates that the environment names.
    pub(crate) fn new(system: &SystemContext) -> Client {
        Client {
            ways: Transports::new(Network::of(system)),
            backoff: Backoff::default(),
            now: system.now,
            instant: system.instant,
        }
    }

    /// Posts the request until there is an answer that is not "not now".
    pub(crate) fn post(
        &self,
        request: &Request<'_>,
        patience: Cancellation<'_>,
    ) -> Result<Reply, HttpError> {
        let mut retries = 0;
        loop {
            let sent = self.ways.send(request, patience, self.instant);
            let Some(wait) = self.wait(&sent, request, retries) else {
                return self.finish(sent, request, retries);
            };
            let then = (self.instant)() + wait;
            if patience.deadline.is_some_and(|deadline| deadline < then) {
                return self.finish(sent, request, retries);
            }
            wait::until(then, patience, self.instant)?;
            request.again.map_or(Ok(()), |again| again(patience))?;
            retries += 1;
        }
    }

    /// How long to wait before the request is sent again, if it is.
    fn wait(
        &self,
        sent: &Result<RawReply, TransportError>,
        request: &Request<'_>,
        retries: u32,
    ) -> Option<Duration> {
        match sent {
            Ok(sent) if sent.is_retryable() => {
                let asked = backoff::retry_after(sent.retry_after.as_deref(), (self.now)());
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
        sent: Result<RawReply, TransportError>,
        request: &Request<'_>,
        retries: u32,
    ) -> Result<Reply, HttpError> {
        let sent = sent.map_err(|trouble| trouble.into_http_error(request, retries))?;
        let retry_after = sent
            .is_retryable()
            .then(|| backoff::retry_after(sent.retry_after.as_deref(), (self.now)()));
        Ok(Reply {
            status: sent.status,
            body: sent.body,
            retries,
            latency: sent.latency,
            retry_after: retry_after.flatten(),
        })
    }
}

/// The address of a path below another one, which may have the path or its beginning already. A query stays behind it.
pub(crate) fn join_path(base: &str, path: &str) -> String {
    let (base, query) = base.split_at(base.find(['?', '#']).unwrap_or(base.len()));
    let base = base.trim_end_matches('/');
    let host = base.find("://").map_or(0, |end| end + 3);
    let own = base[host..]
        .find('/')
        .map_or("", |start| &base[host + start..]);
    let beginnings = path.match_indices('/').map(|(end, _)| &path[..end]);
    let there = beginnings.chain([path]).filter(|part| own.ends_with(part));
    let there = there.map(str::len).max().unwrap_or(0);
    let base = &base[..base.len() - there];
    format!("{base}{path}{query}")
}

/// An address without what may be secret in it: user, password, query.
pub(crate) fn public_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or(url);
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}
