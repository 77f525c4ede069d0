//! One try: a request on a thread of its own, which is left behind when it is not to be waited for any more.

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use ureq::{Agent, Error};

use crate::llm::Patience;

use super::{HttpError, Request, place};

/// More is not read.
const MAX_BODY: u64 = 10 << 20;
const NO_HOST: &str = "there is no such host, or nobody to ask for it";
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

/// Why a server said nothing.
#[derive(Debug)]
pub(super) enum Trouble {
    Interrupted,
    OutOfTime,
    TimedOut,
    /// The connection could not be made, or it broke.
    Broken(String),
    Other(String),
}

impl Trouble {
    /// For people.
    pub(super) fn told(self, request: &Request<'_>, retries: u32) -> HttpError {
        let place = place(request.url);
        let tries = match retries {
            0 => String::new(),
            retries => format!(" (tried {} times)", retries + 1),
        };
        match self {
            Trouble::Interrupted => HttpError::Interrupted,
            Trouble::OutOfTime => HttpError::OutOfTime,
            Trouble::TimedOut => HttpError::Failed(format!(
                "{place} did not answer within {} s",
                request.timeout.as_secs_f64()
            )),
            Trouble::Broken(why) | Trouble::Other(why) => {
                HttpError::Failed(format!("{place}: {why}{tries}"))
            }
        }
    }
}

/// Sends the request once.
pub(super) fn send(
    agent: &Agent,
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
    let waiting = begin(agent, request, time)?;
    let out_of_time = || match left {
        Some(left) if left <= request.timeout => Trouble::OutOfTime,
        _ => Trouble::TimedOut,
    };
    loop {
        let more = time.saturating_sub(instant() - begun);
        match waiting.recv_timeout(more.min(LOOK)) {
            Ok(Err(Error::Timeout(_))) => return Err(out_of_time()),
            Ok(result) => {
                let sent = result.map_err(|error| trouble(&error))?;
                return Ok(Sent {
                    latency: instant() - begun,
                    ..sent
                });
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Trouble::Other("the request was dropped".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) if patience.stop.is_asked() => {
                return Err(Trouble::Interrupted);
            }
            Err(RecvTimeoutError::Timeout) if more.is_zero() => return Err(out_of_time()),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn begin(
    agent: &Agent,
    request: &Request<'_>,
    time: Duration,
) -> Result<Receiver<Result<Sent, Error>>, Trouble> {
    let mut post = agent
        .post(request.url)
        .header("content-type", "application/json")
        .header("accept", "application/json");
    for (name, value) in request.headers {
        post = post.header(name, value);
    }
    let post = post.config().timeout_global(Some(time)).build();
    let body = request.body.to_owned();
    let (sender, receiver) = mpsc::sync_channel(1);
    let work = move || {
        // Nobody hears it when it is not waited for any more.
        let _ = sender.send(post.send(body.as_bytes()).and_then(read));
    };
    let thread = thread::Builder::new().name("http".to_owned());
    match thread.spawn(work) {
        Ok(_) => Ok(receiver),
        Err(error) => Err(Trouble::Other(format!("no thread for a request: {error}"))),
    }
}

fn read(mut response: ureq::http::Response<ureq::Body>) -> Result<Sent, Error> {
    let header = response.headers().get("retry-after");
    let retry_after = header.and_then(|value| value.to_str().ok());
    let retry_after = retry_after.map(str::to_owned);
    let body = response.body_mut().with_config().limit(MAX_BODY);
    Ok(Sent {
        retry_after,
        body: String::from_utf8_lossy(&body.read_to_vec()?).into_owned(),
        status: response.status().as_u16(),
        latency: Duration::ZERO,
    })
}

/// An error in words.
fn trouble(error: &Error) -> Trouble {
    match error {
        Error::Io(cause) => broken(cause),
        Error::HostNotFound => Trouble::Broken(NO_HOST.to_owned()),
        Error::ConnectionFailed => Trouble::Broken("no connection could be made".to_owned()),
        Error::ConnectProxyFailed(why) => Trouble::Broken(format!("the proxy refuses: {why}")),
        Error::Protocol(cause) => Trouble::Broken(format!("the answer is not HTTP: {cause}")),
        Error::BodyExceedsLimit(limit) => {
            Trouble::Other(format!("the answer is larger than {} MB", limit >> 20))
        }
        Error::BadUri(_) | Error::Http(_) => {
            Trouble::Other(format!("the request cannot be made: {error}"))
        }
        Error::Rustls(cause) => Trouble::Other(format!("no trusted connection: {cause}")),
        other => Trouble::Other(other.to_string()),
    }
}

fn broken(cause: &io::Error) -> Trouble {
    let why = match cause.kind() {
        io::ErrorKind::ConnectionRefused => {
            "connection refused: nothing is listening there".to_owned()
        }
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::UnexpectedEof => {
            "the connection was closed before the answer was complete".to_owned()
        }
        // Names that cannot be looked up have no kind of their own.
        _ if cause.to_string().contains("lookup address") => NO_HOST.to_owned(),
        _ => cause.to_string(),
    };
    Trouble::Broken(why)
}
