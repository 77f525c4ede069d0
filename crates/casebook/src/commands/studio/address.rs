//! Where the studio listens, and who may use it.

use std::net::TcpListener;
use std::process::{Command, Stdio};

use casebook_studio::{Access, Session, check_token};

use super::secret;
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

    /// Listens on the given port, else on that of the last time, else on a free one.
    pub(super) fn listen(
        &self,
        port: Option<u16>,
        last: Option<u16>,
    ) -> Result<TcpListener, CommandError> {
        let host = match self {
            Address::Local => "127.0.0.1",
            Address::Remote { host, .. } => host,
        };
        let bind = |port: u16| TcpListener::bind((host, port));
        let listener = match (port, last) {
            (Some(port), _) => bind(port),
            (None, Some(last)) => bind(last).or_else(|_| bind(0)),
            (None, None) => bind(0),
        };
        listener.map_err(|source| CommandError::Listen {
            address: format!("{host}:{}", port.unwrap_or_default()),
            source,
        })
    }

    /// Who may use the server, and the address to open.
    pub(super) fn access(self, session: &Session) -> (Access, String) {
        let Session { port, cookie } = session.clone();
        match self {
            Address::Local => {
                let token = secret();
                let url = format!("http://127.0.0.1:{port}/?token={token}");
                (Access::local(port, cookie, token), url)
            }
            // The token is not printed: it is in the environment of whoever needs it.
            Address::Remote { host, token } => {
                let url = format!("http://{host}:{port}/?token=${TOKEN}");
                (Access::remote(port, cookie, token, host), url)
            }
        }
    }
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
