//! Who may use the server: checks of the host, the origin and the token of every request.
//!
//! A page of another site can send requests to a local server, and with DNS rebinding it can do so under a name of its own.
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

use crate::response::failure;

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

    /// For pages anywhere, which reach the server by this name or address.
    pub fn remote(port: u16, cookie: String, token: String, host: String) -> Access {
        Access {
            port,
            cookie,
            token: Token::Always(token),
            host: Some(host),
        }
    }

    fn cookie_name(&self) -> String {
        // Cookies do not distinguish ports.
        format!("casebook_studio_{}", self.port)
    }

    /// The response to a request that may not pass.
    fn reject(&self, request: &Request) -> Option<Response> {
        let headers = request.headers();
        let Some(host) = single(headers, HOST) else {
            return Some(failure(
                StatusCode::BAD_REQUEST,
                "the request needs one Host",
            ));
        };
        if !self.is_own_host(host) {
            let problem =
                "this host is not the studio's; open the address that `casebook studio` printed";
            return Some(failure(StatusCode::MISDIRECTED_REQUEST, problem));
        }
        if !self.has_own_origin(request, host) {
            let problem = "the request comes from a page of another site";
            return Some(failure(StatusCode::FORBIDDEN, problem));
        }
        if login_token(request).is_some() {
            return Some(self.log_in(request));
        }
        (!self.is_known(headers)).then(unknown)
    }

    fn is_own_host(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, None),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']');
        let is_local = matches!(name, "localhost" | "127.0.0.1" | "::1");
        match &self.host {
            None => is_local && port == Some(self.port),
            // A proxy has its own port. A name that DNS could assign to us is refused unless it was given.
            Some(own) => is_local || name == own || name.parse::<IpAddr>().is_ok(),
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
    fn log_in(&self, request: &Request) -> Response {
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
            return unknown();
        }
        let cookie = format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict",
            self.cookie_name(),
            self.cookie
        );
        let headers = [(SET_COOKIE, cookie), (LOCATION, "/".to_owned())];
        (StatusCode::SEE_OTHER, headers).into_response()
    }
}

/// Passes on requests that may pass.
pub(crate) async fn check(
    State(access): State<std::sync::Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    match access.reject(&request) {
        Some(response) => response,
        None => next.run(request).await,
    }
}

fn unknown() -> Response {
    let problem = "this browser is not logged in: start `casebook studio` again and open the address that it prints, which works once";
    failure(StatusCode::UNAUTHORIZED, problem)
}

fn single(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
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
