//! Proxies and certificates from the environment.

use std::path::Path;
use std::time::Duration;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::{Connector as _, DefaultConnector, TcpConnector};
use ureq::{Agent, ProxyProtocol};

use super::forward::ForwardProxy;
use super::resolve::LiteralResolver;
use super::send::USER_AGENT;
use crate::system::SystemContext;

/// Certificate bundles of common Linux distributions.
const BUNDLES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// At least as many as tests run in parallel.
const MAX_IDLE_CONNECTIONS: usize = 256;
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Allocated per connection. The head of a response must fit into the input buffer.
const INPUT_BUFFER_BYTES: usize = 64 << 10;
const OUTPUT_BUFFER_BYTES: usize = 16 << 10;

/// The network settings of the environment.
pub(super) struct Network {
    http_proxy: Option<String>,
    https_proxy: Option<String>,
    no_proxy: String,
    certificates: Option<String>,
}

impl Network {
    pub(super) fn from_environment(system: &SystemContext) -> Network {
        let variable = |names: &[&str]| {
            let found = names.iter().find_map(|name| system.variable(name));
            found
                .and_then(|value| value.to_str())
                .filter(|value| !value.is_empty())
                .map(str::to_owned)
        };
        let all_proxy = variable(&["all_proxy", "ALL_PROXY"]);
        Network {
            http_proxy: variable(&["http_proxy", "HTTP_PROXY"]).or_else(|| all_proxy.clone()),
            https_proxy: variable(&["https_proxy", "HTTPS_PROXY"]).or(all_proxy),
            no_proxy: variable(&["no_proxy", "NO_PROXY"]).unwrap_or_default(),
            certificates: variable(&["SSL_CERT_FILE"]),
        }
    }

    /// Creates a ureq agent, with TLS or without.
    pub(super) fn agent(&self, is_secure: bool) -> Agent {
        let builder = Agent::config_builder()
            .http_status_as_error(false)
            // Because a redirect would send the key to another server.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(MAX_IDLE_CONNECTIONS)
            .max_idle_connections_per_host(MAX_IDLE_CONNECTIONS)
            .input_buffer_size(INPUT_BUFFER_BYTES)
            .output_buffer_size(OUTPUT_BUFFER_BYTES)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .user_agent(USER_AGENT);
        let proxy = self.proxy(is_secure);
        let forward = proxy
            .clone()
            .filter(|proxy| !is_secure && proxy.protocol() == ProxyProtocol::Http)
            .map(ForwardProxy);
        if let Some(forward) = forward {
            let resolver = LiteralResolver::through(forward.clone());
            let connector = ().chain(TcpConnector::default()).chain(forward);
            return Agent::with_parts(builder.proxy(None).build(), connector, resolver);
        }
        let builder = builder.proxy(proxy);
        let config = if is_secure {
            let roots = TlsConfig::builder().root_certs(self.roots());
            builder.tls_config(roots.build()).build()
        } else {
            builder.build()
        };
        Agent::with_parts(
            config,
            DefaultConnector::default(),
            LiteralResolver::default(),
        )
    }

    /// The proxy, if one is set. Local servers are always reached directly.
    fn proxy(&self, is_secure: bool) -> Option<ureq::Proxy> {
        let url = if is_secure {
            &self.https_proxy
        } else {
            &self.http_proxy
        };
        let configured = ureq::Proxy::new(url.as_ref()?).ok()?;
        let mut proxy = ureq::Proxy::builder(configured.protocol())
            .host(configured.host())
            .port(configured.port());
        if let Some(user) = configured.username() {
            proxy = proxy.username(user);
        }
        if let Some(password) = configured.password() {
            proxy = proxy.password(password);
        }
        for host in ["localhost", "127.0.0.1", "[::1]", "::1"] {
            proxy = proxy.no_proxy(host);
        }
        for host in self
            .no_proxy
            .split(',')
            .map(str::trim)
            .filter(|host| !host.is_empty())
        {
            // As in curl, a domain includes its subdomains.
            proxy = proxy.no_proxy(host).no_proxy(&format!(".{host}"));
        }
        proxy.build().ok()
    }

    /// The certificates that the system trusts, or Mozilla's if none are found.
    fn roots(&self) -> RootCerts {
        let configured = self.certificates.as_deref();
        let mut files = configured.into_iter().chain(BUNDLES);
        match files.find_map(|file| certificates(Path::new(file))) {
            Some(found) => RootCerts::new_with_certs(&found),
            None => RootCerts::WebPki,
        }
    }
}

fn certificates(file: &Path) -> Option<Vec<Certificate<'static>>> {
    let text = std::fs::read(file).ok()?;
    let found: Vec<_> = parse_pem(&text)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    (!found.is_empty()).then_some(found)
}
