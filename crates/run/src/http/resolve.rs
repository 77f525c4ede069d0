//! Names of hosts as addresses.
//!
//! With a limit of time every look at a name takes a thread, also for each request on a connection that is open already. What
//! is an address, or this machine, needs no looking up.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Looks up what has to be looked up.
#[derive(Debug, Default)]
pub(super) struct Resolve(DefaultResolver);

impl Resolver for Resolve {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let Some((addresses, port)) = addresses(uri).zip(port(uri)) else {
            return self.0.resolve(uri, config, timeout);
        };
        let mut resolved = self.empty();
        for address in addresses {
            resolved.push(SocketAddr::new(address, port));
        }
        Ok(resolved)
    }
}

/// What is known without asking anybody. This machine is first tried the way most servers listen.
fn addresses(uri: &Uri) -> Option<Vec<IpAddr>> {
    let host = uri.host()?;
    if host.eq_ignore_ascii_case("localhost") {
        return Some(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    Some(vec![bare.parse().ok()?])
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
    fn addresses_need_no_looking_up() {
        for (url, known) in [
            ("http://127.0.0.1:8080/chat", Some("127.0.0.1:8080")),
            ("https://[::1]/", Some("[::1]:443")),
            ("http://LOCALHOST/", Some("127.0.0.1:80")),
            ("http://example.org/", None),
            ("http://127.0.0.1.example.org/", None),
        ] {
            let uri: Uri = url.parse().unwrap();
            let first = addresses(&uri).map(|all| SocketAddr::new(all[0], port(&uri).unwrap()));
            assert_eq!(first.map(|one| one.to_string()).as_deref(), known, "{url}");
        }
    }
}
