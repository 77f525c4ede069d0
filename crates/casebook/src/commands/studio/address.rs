//! Where the studio listens, and who may use it.

use std::io::ErrorKind::{AddrInUse, PermissionDenied};
use std::net::{IpAddr, TcpListener};
use std::process::{Command, Stdio};

use casebook_studio::check_token;

use crate::arguments::studio::Studio;
use crate::context::Context;
use crate::error::CommandError;
use crate::messages::Messages;

/// The variable with the token of a server that other machines can reach.
const TOKEN: &str = "CASEBOOK_STUDIO_TOKEN";

/// The address of the server.
pub(super) enum Address {
    /// Only for this machine.
    Local,
    /// For other machines, with this token.
    Remote { host: String, token: String },
}

impl Address {
    pub(super) fn of(arguments: &Studio, context: &Context) -> Result<Address, CommandError> {
        let Some(host) = arguments.host.clone() else {
            return Ok(Address::Local);
        };
        let token = context.environment.get(TOKEN).cloned().unwrap_or_default();
        if token.is_empty() {
            return Err(CommandError::NoStudioToken);
        }
        check_token(&token)?;
        context.messages.warn(
            "--host: the connection is not encrypted; use a proxy with TLS, or only a network that you trust",
        );
        Ok(Address::Remote { host, token })
    }
}

/// Listens on the given port, else on that of the last time, else on a free one.
pub(super) fn listen(
    host: &str,
    port: Option<u16>,
    last: Option<u16>,
) -> Result<TcpListener, CommandError> {
    let bind = |port: u16| TcpListener::bind((host, port));
    let listener = match (port, last) {
        (Some(port), _) => bind(port),
        (None, Some(last)) => bind(last).or_else(|_| bind(0)),
        (None, None) => bind(0),
    };
    listener.map_err(|source| {
        let is_of_port = matches!(source.kind(), AddrInUse | PermissionDenied);
        CommandError::Listen {
            address: port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
            option: if is_of_port { "--port" } else { "--host" },
            source,
        }
    })
}

/// The address for browsers on other machines. The token is not printed: the environment contains it.
pub(super) fn remote_url(host: &str, port: u16, messages: &Messages) -> String {
    let is_ipv6 = host.contains(':');
    // A browser cannot open the address that means all addresses of the machine.
    let is_any = host
        .parse::<IpAddr>()
        .is_ok_and(|address| address.is_unspecified());
    let replaced = if is_any {
        format!("ADDRESS by an address of this machine and ${TOKEN} by its value")
    } else {
        format!("${TOKEN} by its value")
    };
    messages.info(&format!(
        "To log in from another machine, replace {replaced}:"
    ));
    let shown = match host {
        _ if is_any => "ADDRESS".to_owned(),
        host if is_ipv6 => format!("[{host}]"),
        host => host.to_owned(),
    };
    format!("http://{shown}:{port}/?token=${TOKEN}")
}

/// Opens the address in the browser.
pub(super) fn open(url: &str, messages: &Messages) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let started = Command::new(program)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !started.is_ok_and(|status| status.success()) {
        messages.warn(&format!(
            "cannot open a browser with {program}; open the address above"
        ));
    }
}
