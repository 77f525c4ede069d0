//! Why a server said nothing, in words for people.

use std::fmt::Display;
use std::io;

use ureq::Error;

use super::send::MAX_BODY;
use super::{HttpError, Request, place};

const BROKEN: &str = "the connection was closed before the answer was complete";
const NO_HOST: &str = "there is no such host, or nobody to ask for it";

/// Why a server said nothing.
#[derive(Debug)]
pub(super) enum Trouble {
    Interrupted,
    OutOfTime,
    TimedOut,
    /// The connection broke, which it may not do the next time.
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
            Trouble::TimedOut => HttpError::TimedOut(format!(
                "{place} did not answer within {} s",
                request.timeout.as_secs_f64()
            )),
            Trouble::Broken(why) | Trouble::Other(why) => {
                HttpError::Failed(format!("{place}: {why}{tries}"))
            }
        }
    }
}

/// An error in words.
pub(super) fn trouble(error: &Error) -> Trouble {
    match error {
        Error::Timeout(_) => Trouble::TimedOut,
        Error::Io(cause) => broken(cause),
        Error::HostNotFound => Trouble::Other(NO_HOST.to_owned()),
        Error::ConnectProxyFailed(why) => Trouble::Other(format!("the proxy refuses: {why}")),
        Error::Protocol(cause) => not_http(cause),
        Error::BodyExceedsLimit(_) => too_large(),
        Error::BadUri(_) | Error::Http(_) => impossible(error),
        Error::Rustls(cause) => Trouble::Other(untrusted(cause)),
        other => Trouble::Other(other.to_string()),
    }
}

fn not_http(cause: impl Display) -> Trouble {
    Trouble::Other(format!("the answer is not HTTP: {cause}"))
}

fn too_large() -> Trouble {
    Trouble::Other(format!("the answer is larger than {} MB", MAX_BODY >> 20))
}

fn impossible(cause: &impl Display) -> Trouble {
    Trouble::Other(format!("the request cannot be made: {cause}"))
}

fn cut_off() -> Trouble {
    Trouble::Broken(BROKEN.to_owned())
}

fn broken(cause: &io::Error) -> Trouble {
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
    Trouble::Other(why)
}

fn untrusted(cause: &dyn std::error::Error) -> String {
    format!(
        "no trusted connection: {cause} (SSL_CERT_FILE can name a file of certificates to trust)"
    )
}
