//! Errors of one attempt and their messages.

use std::fmt::Display;
use std::io;

use ureq::{Error, Timeout};

use super::network::CONNECT_TIMEOUT;
use super::send::MAX_BODY;
use super::{HttpError, Request, public_url};

const CONNECTION_CLOSED: &str = "the connection was closed before the response was complete";
const HOST_NOT_FOUND: &str = "host not found, or DNS is unavailable";

/// Why one attempt has no response.
#[derive(Debug)]
pub(crate) enum TransportError {
    Interrupted,
    OutOfTime,
    TimedOut,
    /// Nothing was sent: there is no connection, or the request is invalid.
    NotSent(String),
    /// The connection broke. A retry may succeed.
    Broken(String),
    Other(String),
}

impl TransportError {
    /// Adds the URL and the number of attempts.
    pub(super) fn into_http_error(self, request: &Request<'_>, retries: u32) -> HttpError {
        let url = public_url(request.url);
        let attempts = match retries {
            0 => String::new(),
            retries => format!(" ({} attempts)", retries + 1),
        };
        match self {
            TransportError::Interrupted => HttpError::Interrupted,
            TransportError::OutOfTime => HttpError::OutOfTime,
            TransportError::TimedOut => HttpError::TimedOut(format!(
                "{url} did not respond within {} s",
                request.timeout.as_secs_f64()
            )),
            TransportError::NotSent(why) => HttpError::NotSent(format!("{url}: {why}{attempts}")),
            TransportError::Broken(why) | TransportError::Other(why) => {
                HttpError::Failed(format!("{url}: {why}{attempts}"))
            }
        }
    }
}

/// Converts an error of ureq.
pub(super) fn transport_error(error: &Error) -> TransportError {
    match error {
        Error::Timeout(Timeout::Connect | Timeout::Resolve) => TransportError::NotSent(format!(
            "no connection within {} s",
            CONNECT_TIMEOUT.as_secs()
        )),
        Error::Timeout(_) => TransportError::TimedOut,
        Error::Io(cause) => connection_error(cause),
        Error::HostNotFound => TransportError::NotSent(HOST_NOT_FOUND.to_owned()),
        Error::ConnectProxyFailed(why) => {
            TransportError::NotSent(format!("the proxy refused the connection: {why}"))
        }
        Error::Protocol(cause) => not_http(cause),
        Error::BodyExceedsLimit(_) => too_large(),
        Error::BadUri(_) | Error::Http(_) => invalid_request(error),
        Error::Rustls(cause) => TransportError::NotSent(untrusted_message(cause)),
        other => TransportError::Other(other.to_string()),
    }
}

fn not_http(cause: impl Display) -> TransportError {
    TransportError::Other(format!("the response is not HTTP: {cause}"))
}

fn too_large() -> TransportError {
    TransportError::Other(format!("the response is larger than {} MB", MAX_BODY >> 20))
}

fn invalid_request(cause: &impl Display) -> TransportError {
    TransportError::NotSent(format!("cannot create the request: {cause}"))
}

fn connection_closed() -> TransportError {
    TransportError::Broken(CONNECTION_CLOSED.to_owned())
}

fn connection_error(cause: &io::Error) -> TransportError {
    let why = match cause.kind() {
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::UnexpectedEof => return connection_closed(),
        io::ErrorKind::ConnectionRefused => {
            "connection refused: nothing is listening there".to_owned()
        }
        io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::AddrNotAvailable => cause.to_string(),
        io::ErrorKind::InvalidData => untrusted_message(cause),
        // A failed lookup has no error kind.
        _ if cause.to_string().contains("lookup address") => HOST_NOT_FOUND.to_owned(),
        _ => return TransportError::Other(cause.to_string()),
    };
    TransportError::NotSent(why)
}

fn untrusted_message(cause: &dyn std::error::Error) -> String {
    let cause = cause.to_string();
    if cause.contains("InvalidContentType") {
        return "the server does not use TLS; write `http://` instead of `https://`".to_owned();
    }
    format!(
        "cannot establish a trusted connection: {cause}; set SSL_CERT_FILE to trust other certificates"
    )
}
