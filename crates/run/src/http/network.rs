//! The ways to a server: proxies and certificates, as the environment names them.

use std::path::Path;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::DefaultConnector;

use super::resolve::Resolve;
use super::send::USER_AGENT;
use crate::system::SystemContext;

/// Where systems keep the certificates they trust.
const BUNDLES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// As many connections are kept as tests may be running at once.
const CONNECTIONS: usize = 256;
const CONNECT: Duration = Duration::from_secs(10);
/// What each connection takes of memory; the head of an answer must fit.
const INPUT: usize = 64 << 10;
const OUTPUT: usize = 16 << 10;

/// What the environment says of the network.
pub(super) struct Network {
    http_proxy: Option<String>,
    https_proxy: Option<String>,
    no_proxy: String,
    certificates: Option<String>,
}

impl Network {
    pub(super) fn of(system: &SystemContext) -> Network {
        let variable = |names: &[&str]| {
            let found = names.iter().find_map(|name| system.variable(name));
            found
                .and_then(|value| value.to_str())
                .filter(|value| !value.is_empty())
                .map(str::to_owned)
        };
        let all = variable(&["all_proxy", "ALL_PROXY"]);
        Network {
            http_proxy: variable(&["http_proxy", "HTTP_PROXY"]).or_else(|| all.clone()),
            https_proxy: variable(&["https_proxy", "HTTPS_PROXY"]).or(all),
            no_proxy: variable(&["no_proxy", "NO_PROXY"]).unwrap_or_default(),
            certificates: variable(&["SSL_CERT_FILE"]),
        }
    }

    /// What sends requests, to servers with TLS or without.
    pub(super) fn agent(&self, is_secure: bool) -> Agent {
        let builder = Agent::config_builder()
            .http_status_as_error(false)
            // A key goes where it was meant to go and nowhere else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(CONNECTIONS)
            .max_idle_connections_per_host(CONNECTIONS)
            .input_buffer_size(INPUT)
            .output_buffer_size(OUTPUT)
            .timeout_connect(Some(CONNECT))
            .user_agent(USER_AGENT)
            .proxy(self.proxy(is_secure));
        let config = if is_secure {
            let roots = TlsConfig::builder().root_certs(self.roots());
            builder.tls_config(roots.build()).build()
        } else {
            builder.build()
        };
        Agent::with_parts(config, DefaultConnector::default(), Resolve::default())
    }

    /// The proxy, if there is one. What is on this machine is reached without.
    fn proxy(&self, is_secure: bool) -> Option<ureq::Proxy> {
        let url = if is_secure {
            &self.https_proxy
        } else {
            &self.http_proxy
        };
        let named = ureq::Proxy::new(url.as_ref()?).ok()?;
        let mut proxy = ureq::Proxy::builder(named.protocol())
            .host(named.host())
            .port(named.port());
        if let Some(user) = named.username() {
            proxy = proxy.username(user);
        }
        if let Some(password) = named.password() {
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
            // As everywhere else, a domain stands for all that is in it.
            proxy = proxy.no_proxy(host).no_proxy(&format!(".{host}"));
        }
        proxy.build().ok()
    }

    /// The certificates that the system trusts, or those of Mozilla where there are none.
    fn roots(&self) -> RootCerts {
        let named = self.certificates.as_deref();
        let mut files = named.into_iter().chain(BUNDLES);
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
