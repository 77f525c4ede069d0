//! Resolves host names.
//!
//! With a timeout, ureq starts a thread for every lookup, even for a request on an open connection. IP addresses and
//! `localhost` are resolved here without a thread.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::forward::ForwardProxy;

/// Resolves IP addresses and `localhost` itself and leaves other names to ureq.
#[derive(Debug, Default)]
pub(super) struct LiteralResolver {
    names: DefaultResolver,
    proxy: Option<ForwardProxy>,
}

impl LiteralResolver {
    /// Resolves servers behind this proxy to the proxy.
    pub(super) fn through(proxy: ForwardProxy) -> LiteralResolver {
        LiteralResolver {
            names: DefaultResolver::default(),
            proxy: Some(proxy),
        }
    }
}

impl Resolver for LiteralResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let proxy = self.proxy.as_ref().filter(|proxy| proxy.is_used_for(uri));
        let uri = proxy.map_or(uri, |proxy| proxy.0.uri());
        let Some((literal_addresses, port)) = literal_addresses(uri).zip(port(uri)) else {
            return self.names.resolve(uri, config, timeout);
        };
        let mut resolved = self.empty();
        for address in literal_addresses {
            resolved.push(SocketAddr::new(address, port));
        }
        Ok(resolved)
    }
}

/// The addresses of an IP address or `localhost`; `None` for other names. IPv4 is first because most local servers listen
/// there.
fn literal_addresses(uri: &Uri) -> Option<Vec<IpAddr>> {
    let host = uri.host()?;
    if host.eq_ignore_ascii_case("localhost") {
        return Some(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    let unbracketed = host.trim_start_matches('[').trim_end_matches(']');
    Some(vec![unbracketed.parse().ok()?])
}

fn port(uri: &Uri) -> Option<u16> {
    uri.port_u16().or(match uri.scheme_str()? {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_addresses_are_resolved_without_a_lookup() {
        for (url, expected) in [
            ("http://127.0.0.1:8080/chat", Some("127.0.0.1:8080")),
            ("https://[::1]/", Some("[::1]:443")),
            ("http://LOCALHOST/", Some("127.0.0.1:80")),
            ("http://example.org/", None),
            ("http://127.0.0.1.example.org/", None),
        ] {
            let uri: Uri = url.parse().unwrap();
            let first = literal_addresses(&uri)
                .map(|addresses| SocketAddr::new(addresses[0], port(&uri).unwrap()));
            assert_eq!(
                first.map(|address| address.to_string()).as_deref(),
                expected,
                "{url}"
            );
        }
    }
}
