//! One try, which is ended or left behind when it is not to be waited for any more.

use std::collections::HashSet;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ureq::typestate::WithBody;
use ureq::{Agent, Body, Error, RequestBuilder};

use crate::llm::Patience;
use crate::stop::Stop;

use super::Request;
use super::agent::Network;
use super::answer::Answer;
use super::near::{Near, Wait};
use super::trouble::{Trouble, trouble};
use super::watch::Watch;

/// More is not read.
pub(super) const MAX_BODY: u64 = 10 << 20;
pub(super) const USER_AGENT: &str = concat!("casebook/", env!("CARGO_PKG_VERSION"));
/// How soon a request to stop is noticed.
const LOOK: Duration = Duration::from_millis(20);

/// What a server said.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
    pub(super) body: String,
    pub(super) latency: Duration,
}

impl Sent {
    /// Whether the server may say something else later.
    pub(super) fn is_for_now(&self) -> bool {
        self.status == 429 || (500..600).contains(&self.status)
    }
}

/// How requests get to servers. What is not needed is not made.
pub(super) struct Ways {
    network: Network,
    /// Those on this machine, if they are asked in a shorter way.
    pub(super) near: Option<Near>,
    plain: OnceLock<Way>,
    secure: OnceLock<Way>,
}

/// How they get to all others.
struct Way {
    agent: Agent,
    /// Servers that have answered.
    known: Mutex<HashSet<String>>,
    watch: OnceLock<Option<Watch>>,
}

impl Ways {
    pub(super) fn new(network: Network) -> Ways {
        Ways {
            network,
            near: Some(Near::default()),
            plain: OnceLock::new(),
            secure: OnceLock::new(),
        }
    }

    /// Sends the request once.
    pub(super) fn send(
        &self,
        request: &Request<'_>,
        patience: Patience<'_>,
        instant: fn() -> Instant,
    ) -> Result<Sent, Trouble> {
        let begun = instant();
        let left = patience
            .deadline
            .map(|end| end.saturating_duration_since(begun));
        if patience.stop.is_asked() {
            return Err(Trouble::Interrupted);
        }
        if left == Some(Duration::ZERO) {
            return Err(Trouble::OutOfTime);
        }
        let time = left.map_or(request.timeout, |left| left.min(request.timeout));
        let near = self.near.as_ref();
        let near = near.and_then(|near| Some((near, near.target(request.url)?)));
        let sent = match near {
            Some((near, target)) => {
                let wait = Wait {
                    end: begun.checked_add(time),
                    stop: patience.stop,
                    instant,
                };
                near.post(target, request, wait).map(Sent::from)
            }
            None => self.to(request.url).send(request, time, patience),
        };
        match sent {
            Ok(sent) => Ok(Sent {
                latency: instant() - begun,
                ..sent
            }),
            Err(_) if patience.stop.is_asked() => Err(Trouble::Interrupted),
            Err(Trouble::TimedOut) if left == Some(time) => Err(Trouble::OutOfTime),
            Err(trouble) => Err(trouble),
        }
    }

    fn to(&self, url: &str) -> &Way {
        let start = url.get(..6);
        let is_secure = start.is_some_and(|start| start.eq_ignore_ascii_case("https:"));
        let way = if is_secure { &self.secure } else { &self.plain };
        way.get_or_init(|| Way::new(self.network.agent(is_secure)))
    }
}

impl Way {
    fn new(agent: Agent) -> Way {
        Way {
            agent,
            known: Mutex::default(),
            watch: OnceLock::new(),
        }
    }

    /// To look up a name and to connect cannot be interrupted, so that is done on another thread, which may be left behind. A
    /// server that has answered is known to be there and asked directly, which takes half the time.
    fn send(
        &self,
        request: &Request<'_>,
        time: Duration,
        patience: Patience<'_>,
    ) -> Result<Sent, Trouble> {
        let post = self.prepared(request, time);
        let server = server(request.url);
        let result = if self.known().contains(server) && self.is_watched(patience.stop) {
            post.send(request.body.as_bytes()).and_then(read)
        } else {
            apart(post, request.body, time, patience)?
        };
        let sent = result.map_err(|error| trouble(&error))?;
        self.remember(server);
        Ok(sent)
    }

    fn prepared(&self, request: &Request<'_>, time: Duration) -> RequestBuilder<WithBody> {
        let mut post = self
            .agent
            .post(request.url)
            .header("content-type", "application/json")
            .header("accept", "application/json");
        for (name, value) in request.headers {
            post = post.header(name, value);
        }
        post.config().timeout_global(Some(time)).build()
    }

    fn known(&self) -> MutexGuard<'_, HashSet<String>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, server: &str) {
        let mut known = self.known();
        if !known.contains(server) {
            known.insert(server.to_owned());
        }
    }

    /// Whether requests are ended when the run is to stop.
    fn is_watched(&self, stop: &Stop) -> bool {
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

/// Sends a request on a thread of its own.
fn apart(
    post: RequestBuilder<WithBody>,
    body: &str,
    time: Duration,
    patience: Patience<'_>,
) -> Result<Result<Sent, Error>, Trouble> {
    let body = body.to_owned();
    let (sender, receiver) = mpsc::sync_channel(1);
    let work = move || {
        // Nobody hears it when it is not waited for any more.
        let _ = sender.send(post.send(body.as_bytes()).and_then(read));
    };
    let thread = thread::Builder::new().name("http".to_owned()).spawn(work);
    thread.map_err(|error| Trouble::Other(format!("no thread for a request: {error}")))?;
    let mut waited = Duration::ZERO;
    // The request itself ends in time, but for what cannot be interrupted.
    while waited < time + LOOK {
        match receiver.recv_timeout(LOOK) {
            Ok(result) => return Ok(result),
            Err(_) if patience.stop.is_asked() => return Err(Trouble::Interrupted),
            Err(RecvTimeoutError::Timeout) => waited += LOOK,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(Err(Error::Timeout(ureq::Timeout::Global)))
}

fn read(mut response: ureq::http::Response<Body>) -> Result<Sent, Error> {
    let header = response.headers().get("retry-after");
    let retry_after = header.and_then(|value| value.to_str().ok());
    let retry_after = retry_after.map(str::to_owned);
    let body = response.body_mut().with_config().limit(MAX_BODY);
    Ok(Sent {
        retry_after,
        body: text(body.read_to_vec()?),
        status: response.status().as_u16(),
        latency: Duration::ZERO,
    })
}

impl From<Answer> for Sent {
    fn from(answer: Answer) -> Sent {
        Sent {
            status: answer.status,
            retry_after: answer.retry_after,
            body: text(answer.body),
            latency: Duration::ZERO,
        }
    }
}

/// A body as text, whatever it is.
fn text(body: Vec<u8>) -> String {
    String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
