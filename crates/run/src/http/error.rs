//! Why a server said nothing, in words for people.

use std::fmt::Display;
use std::io;

use ureq::Error;

use super::send::MAX_BODY;
use super::{HttpError, Request, public_url};

const BROKEN: &str = "the connection was closed before the answer was complete";
const NO_HOST: &str = "there is no such host, or nobody to ask for it";

/// Why a server said nothing.
#[derive(Debug)]
pub(super) enum TransportError {
    Interrupted,
    OutOfTime,
    TimedOut,
    /// The connection broke, which it may not do the next time.
    Broken(String),
    Other(String),
}

impl TransportError {
    /// For people.
    pub(super) fn into_http_error(self, request: &Request<'_>, retries: u32) -> HttpError {
        let place = public_url(request.url);
        let tries = match retries {
            0 => String::new(),
            retries => format!(" (tried {} times)", retries + 1),
        };
        match self {
            TransportError::Interrupted => HttpError::Interrupted,
            TransportError::OutOfTime => HttpError::OutOfTime,
            TransportError::TimedOut => HttpError::TimedOut(format!(
                "{place} did not answer within {} s",
                request.timeout.as_secs_f64()
            )),
            TransportError::Broken(why) | TransportError::Other(why) => {
                HttpError::Failed(format!("{place}: {why}{tries}"))
            }
        }
    }
}

/// An error in words.
pub(super) fn trouble(error: &Error) -> TransportError {
    match error {
        Error::Timeout(_) => TransportError::TimedOut,
        Error::Io(cause) => broken(cause),
        Error::HostNotFound => TransportError::Other(NO_HOST.to_owned()),
        Error::ConnectProxyFailed(why) => {
            TransportError::Other(format!("the proxy refuses: {why}"))
        }
        Error::Protocol(cause) => not_http(cause),
        Error::BodyExceedsLimit(_) => too_large(),
        Error::BadUri(_) | Error::Http(_) => impossible(error),
        Error::Rustls(cause) => TransportError::Other(untrusted(cause)),
        other => TransportError::Other(other.to_string()),
    }
}

fn not_http(cause: impl Display) -> TransportError {
    TransportError::Other(format!("the answer is not HTTP: {cause}"))
}

fn too_large() -> TransportError {
    TransportError::Other(format!("the answer is larger than {} MB", MAX_BODY >> 20))
}

fn impossible(cause: &impl Display) -> TransportError {
    TransportError::Other(format!("the request cannot be made: {cause}"))
}

fn cut_off() -> TransportError {
    TransportError::Broken(BROKEN.to_owned())
}

fn broken(cause: &io::Error) -> TransportError {
    let why = match cause.kind() {
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::UnexpectedEof => return cut_off(),
        io::ErrorKind::ConnectionRefused => {
            "connection refused: nothing is listening there".to_owned()
        }
        io::ErrorKind::InvalidData => untrusted(cause),
        // Names that cannot be looked up have no kind of their own.
        _ if cause.to_string().contains("lookup address") => NO_HOST.to_owned(),
        _ => cause.to_string(),
    };
    TransportError::Other(why)
}

fn untrusted(cause: &dyn std::error::Error) -> String {
    format!(
        "no trusted connection: {cause} (SSL_CERT_FILE can name a file of certificates to trust)"
    )
}
