//! Who may use the server: checks of the host, the origin and the token of every request.
//!
//! A page of another site can send requests to a local server, and with DNS rebinding it can do so under its own name.
//! The host must therefore be ours, the origin of a request that changes something must be the page itself, and the cookie
//! is not sent along with requests of other sites.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

use crate::rejection::Rejection;
use crate::session::derived_cookie;

/// The secrets and the address of a server.
pub struct Access {
    port: u16,
    cookie: String,
    token: Token,
    /// The name or address of `--host`.
    host: Option<String>,
}

enum Token {
    /// The token of the printed address, until it is used.
    Once(Mutex<Option<String>>),
    /// The token of the environment.
    Always(String),
}

impl Access {
    /// For pages on this machine: the token works once.
    pub fn local(port: u16, cookie: String, token: String) -> Access {
        Access {
            port,
            cookie,
            token: Token::Once(Mutex::new(Some(token))),
            host: None,
        }
    }

    /// For pages anywhere, which reach the server by this name or address. With another token, or with actions, the cookie
    /// is another one.
    pub fn remote(port: u16, token: String, host: String, is_read_only: bool) -> Access {
        Access {
            port,
            cookie: derived_cookie(&token, is_read_only),
            token: Token::Always(token),
            host: Some(host),
        }
    }

    fn cookie_name(&self) -> String {
        // Cookies do not distinguish ports.
        format!("casebook_studio_{}", self.port)
    }

    /// The response to a login; an error for a request that may not pass.
    fn check(&self, request: &Request) -> Result<Option<Response>, Rejection> {
        let headers = request.headers();
        let host = single(headers, HOST).ok_or(Rejection::NO_HOST)?;
        if !self.is_own_host(host) {
            return Err(Rejection::OTHER_HOST);
        }
        if !self.has_own_origin(request, host) {
            return Err(Rejection::OTHER_ORIGIN);
        }
        if login_token(request).is_some() {
            return self.log_in(request).map(Some);
        }
        if self.is_known(headers) {
            Ok(None)
        } else {
            Err(self.not_logged_in())
        }
    }

    fn not_logged_in(&self) -> Rejection {
        match self.token {
            Token::Once(_) => Rejection::NOT_LOGGED_IN,
            Token::Always(_) => Rejection::NO_TOKEN,
        }
    }

    fn is_own_host(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            // Browsers leave out the port of HTTP.
            _ => (host, Some(80)),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']');
        let is_local = matches!(name, "localhost" | "127.0.0.1" | "::1");
        match &self.host {
            None => is_local && port == Some(self.port),
            // A proxy has its own port. A name that DNS could assign to us is refused unless it was given.
            Some(own) => {
                is_local || name.eq_ignore_ascii_case(own) || name.parse::<IpAddr>().is_ok()
            }
        }
    }

    /// A browser sends the origin with every request that can change something, and other programs send none.
    fn has_own_origin(&self, request: &Request, host: &str) -> bool {
        let headers = request.headers();
        let own = |origin: &str| {
            let https = self.host.is_some().then(|| format!("https://{host}"));
            origin == format!("http://{host}") || Some(origin) == https.as_deref()
        };
        let is_page = headers.get("sec-fetch-site").is_some();
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        match (headers.get(ORIGIN), single(headers, ORIGIN)) {
            (Some(_), origin) => origin.is_some_and(own),
            (None, _) => is_read || (!is_page && bearer(headers).is_some()),
        }
    }

    fn is_known(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        let cookies = headers.get_all(COOKIE).iter();
        let has_cookie = cookies
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(given, value)| given == name && is_same(value, &self.cookie));
        has_cookie || bearer(headers).is_some_and(|given| self.is_bearer(given))
    }

    /// Programs use the token of the environment, or the cookie's value.
    fn is_bearer(&self, given: &str) -> bool {
        let token = match &self.token {
            Token::Always(token) => is_same(given, token),
            Token::Once(_) => false,
        };
        token || is_same(given, &self.cookie)
    }

    /// Exchanges the token for the cookie.
    fn log_in(&self, request: &Request) -> Result<Response, Rejection> {
        let given = login_token(request).unwrap_or_default();
        let is_valid = match &self.token {
            Token::Always(token) => is_same(given, token),
            Token::Once(token) => {
                let mut token = token.lock();
                let is_valid = token.as_deref().is_some_and(|token| is_same(given, token));
                if is_valid {
                    *token = None;
                }
                is_valid
            }
        };
        if !is_valid && !self.is_known(request.headers()) {
            return Err(self.not_logged_in());
        }
        let cookie = format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict",
            self.cookie_name(),
            self.cookie
        );
        let headers = [(SET_COOKIE, cookie), (LOCATION, "/".to_owned())];
        Ok((StatusCode::SEE_OTHER, headers).into_response())
    }
}

/// Passes on requests that may pass.
pub(crate) async fn check(
    State(access): State<std::sync::Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    match access.check(&request) {
        Ok(Some(response)) => response,
        Ok(None) => next.run(request).await,
        Err(rejection) => rejection.response(&request),
    }
}

pub(crate) fn single(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    single(headers, AUTHORIZATION)?.strip_prefix("Bearer ")
}

/// The token of the printed address.
fn login_token(request: &Request) -> Option<&str> {
    let is_login = request.method() == Method::GET && request.uri().path() == "/";
    let query = request.uri().query().filter(|_| is_login)?;
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix("token="))
}

/// Compares hashes, so that the time does not tell how much of a secret was right.
fn is_same(given: &str, secret: &str) -> bool {
    Sha256::digest(given) == Sha256::digest(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_an_address_or_the_given_name() {
        let local = |port| Access::local(port, String::new(), String::new());
        let remote = Access::remote(80, String::new(), "Build.Example".into(), false);
        for (access, host, expected) in [
            (&local(80), "127.0.0.1", true),
            (&local(80), "[::1]", true),
            (&local(4000), "127.0.0.1", false),
            (&local(80), "build.example", false),
            (&remote, "build.example", true),
            (&remote, "build.example:8443", true),
            (&remote, "192.0.2.7:8443", true),
            (&remote, "[2001:db8::7]", true),
            (&remote, "build.example.evil.example", false),
        ] {
            assert_eq!(access.is_own_host(host), expected, "{host}");
        }
    }
}
