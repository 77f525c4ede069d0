//! The options of a connection to the queue, and why it fails.

use std::error::Error;
use std::time::Duration;
use std::{fs, io};

use async_nats::{ConnectErrorKind, ConnectOptions};
use casebook_record::io_reason;

use crate::address::{Credentials, QueueAddress};
use crate::error::ClusterError;

/// How long to wait before the second attempt to connect.
const RECONNECT: Duration = Duration::from_millis(100);

pub(super) fn connect_error(server: &str, error: &async_nats::ConnectError) -> ClusterError {
    let (server, reason) = (server.to_owned(), connect_reason(error));
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            ClusterError::Credentials(server)
        }
        ConnectErrorKind::Tls => ClusterError::Tls { server, reason },
        _ if reason.contains("certificate") => ClusterError::Tls { server, reason },
        _ => ClusterError::Unreachable { server, reason },
    }
}

/// The reason of the system without those around it, which only repeat that there was an error.
fn connect_reason(error: &async_nats::ConnectError) -> String {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>()
            && error.raw_os_error().is_some()
        {
            return io_reason(error);
        }
        cause = error.source();
    }
    error.to_string()
}

/// How long to wait before the next attempt to connect.
fn reconnect_delay(attempts: usize) -> Duration {
    let factor = u32::try_from(attempts).unwrap_or(u32::MAX);
    RECONNECT.saturating_mul(factor).min(RECONNECT * 20)
}

pub(super) fn options(address: &QueueAddress) -> Result<ConnectOptions, ClusterError> {
    let options = ConnectOptions::new()
        .name("casebook")
        .connection_timeout(Duration::from_secs(5))
        .max_reconnects(None)
        .reconnect_delay_callback(reconnect_delay)
        .require_tls(address.url.scheme() == "tls");
    let options = match &address.certificates {
        None => options,
        Some(file) => options.add_root_certificates(file.clone()),
    };
    Ok(match &address.credentials {
        Credentials::None => options,
        Credentials::User(user, password) => {
            options.user_and_password(user.clone(), password.clone())
        }
        Credentials::Token(token) => options.token(token.clone()),
        Credentials::Nkey(seed) => options.nkey(seed.clone()),
        Credentials::File(path) => {
            let text = fs::read_to_string(path);
            let options = text.and_then(|text| options.credentials(&text));
            options.map_err(|error| {
                ClusterError::Address(format!(
                    "cannot read the credentials in {}: {}",
                    path.display(),
                    io_reason(&error)
                ))
            })?
        }
    })
}
