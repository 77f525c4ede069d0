//! [`QueueAddress`]: where the server of a cluster is, and how to log in.

use std::net::IpAddr;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use url::{Host, ParseError, Url};

use crate::error::ClusterError;
use crate::names::Names;

/// How to log in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Credentials {
    /// Nothing besides what the URL contains.
    #[default]
    None,
    /// User and password.
    User(String, String),
    /// A token.
    Token(String),
    /// The seed of an nkey.
    Nkey(String),
    /// A `.creds` file.
    File(PathBuf),
}

impl Credentials {
    /// Those in a URL: `user:password@`, or `token@`.
    fn of(url: &Url) -> Option<Credentials> {
        let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let user = Some(url.username()).filter(|user| !user.is_empty())?;
        Some(match url.password() {
            Some(password) => Credentials::User(decode(user), decode(password)),
            None => Credentials::Token(decode(user)),
        })
    }
}

/// Where the server of a cluster is, and how to log in.
#[derive(Debug, Clone)]
pub struct QueueAddress {
    pub(crate) url: Url,
    pub(crate) credentials: Credentials,
    /// Root certificates besides those of the system.
    pub(crate) certificates: Option<PathBuf>,
    pub(crate) names: Names,
}

impl QueueAddress {
    /// Checks the URL and the name of the cluster. Anyone who may publish work can run code, so a server on another
    /// machine must be reached over TLS and with credentials.
    pub fn new(
        url: &str,
        name: &str,
        credentials: Credentials,
        certificates: Option<PathBuf>,
    ) -> Result<QueueAddress, ClusterError> {
        let invalid = |reason: &str| {
            ClusterError::Address(format!(
                "`{}` is not the URL of a NATS server: {reason}; write nats://HOST:4222 or tls://HOST:4222",
                without_credentials(url)
            ))
        };
        let mut parsed = Url::parse(url).map_err(|error| match error {
            ParseError::RelativeUrlWithoutBase => invalid("it has no scheme"),
            error => invalid(&error.to_string()),
        })?;
        if !matches!(parsed.scheme(), "nats" | "tls") {
            return Err(invalid("it does not start with nats:// or tls://"));
        }
        let host = parsed.host().ok_or_else(|| invalid("it has no host"))?;
        let (is_local, host) = (is_loopback(&host), host.to_string());
        let credentials = Credentials::of(&parsed).unwrap_or(credentials);
        // The client ignores them there, and what has no password cannot show it.
        let _ = parsed.set_username("");
        let _ = parsed.set_password(None);
        let address = QueueAddress {
            names: Names::new(name).map_err(ClusterError::Address)?,
            credentials,
            certificates,
            url: parsed,
        };
        if !is_local {
            address.require_protection(&host)?;
        }
        Ok(address)
    }

    fn require_protection(&self, host: &str) -> Result<(), ClusterError> {
        if self.url.scheme() != "tls" {
            return Err(ClusterError::Address(format!(
                "{} is not on this machine, and the connection is not encrypted: anyone on the network could run code on the workers; use tls://{host}:{}",
                self.server(),
                self.url.port().unwrap_or(4222)
            )));
        }
        if self.credentials == Credentials::None {
            return Err(ClusterError::Address(format!(
                "{} is not on this machine: without credentials, anyone who can connect could run code on the workers; pass --cluster-creds FILE, or set CASEBOOK_CLUSTER_USER and CASEBOOK_CLUSTER_PASSWORD, or CASEBOOK_CLUSTER_TOKEN",
                self.server()
            )));
        }
        Ok(())
    }

    /// The server without credentials, for messages.
    pub fn server(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port().unwrap_or(4222);
        format!("{}://{host}:{port}", self.url.scheme())
    }
}

/// What a URL contains after its credentials, even if it is not valid.
fn without_credentials(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://{rest}"),
        (None, Some((_, rest))) => rest.to_owned(),
        _ => url.to_owned(),
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    let name = host.to_string();
    let name = name.trim_matches(['[', ']']);
    // The host of a `nats:` URL is not parsed as an IP address.
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(url: &str, credentials: Credentials) -> String {
        match QueueAddress::new(url, "default", credentials, None) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn another_machine_needs_tls_and_credentials() {
        let token = || Credentials::Token("t".into());
        for url in [
            "nats://127.0.0.1:4222",
            "nats://localhost",
            "nats://[::1]:4222",
            "tls://user:word@queue:4222",
        ] {
            assert_eq!(reason(url, Credentials::None), "", "{url}");
        }
        assert_eq!(reason("tls://queue", token()), "");
        assert!(reason("nats://queue", token()).contains("use tls://queue:4222"));
        assert!(reason("tls://queue", Credentials::None).contains("pass --cluster-creds"));
        assert!(reason("http://queue", token()).contains("nats://HOST:4222"));
        assert!(reason("queue", token()).contains("not the URL of a NATS server"));
        for url in [
            "nats://localhost.evil.com",
            "nats://127.0.0.1.evil.com",
            "nats://127.0.0.1@evil.com",
            "nats://localhost:4222@evil.com",
            "nats://0.0.0.0",
        ] {
            assert!(
                reason(url, token()).contains("is not on this machine"),
                "{url}"
            );
        }
    }

    #[test]
    fn credentials_in_the_url() {
        let credentials = |url: &str| {
            let none = Credentials::None;
            QueueAddress::new(url, "a", none, None).unwrap().credentials
        };
        let user = Credentials::User("ann".into(), "p@ss".into());
        assert_eq!(credentials("nats://ann:p%40ss@localhost"), user);
        let token = Credentials::Token("abc".into());
        assert_eq!(credentials("tls://abc@queue"), token);
    }

    #[test]
    fn messages_never_contain_credentials() {
        let address =
            QueueAddress::new("tls://user:word@queue", "a", Credentials::None, None).unwrap();
        assert_eq!(address.server(), "tls://queue:4222");
        assert_eq!(address.url.as_str(), "tls://queue");
        for url in [
            "tls://user:wo#rd@queue",
            "user:word@queue",
            "http://user:word@queue",
        ] {
            let message = reason(url, Credentials::None);
            assert!(message.contains("queue`"), "{message}");
            assert!(!message.contains("wo"), "{message}");
        }
    }
}
