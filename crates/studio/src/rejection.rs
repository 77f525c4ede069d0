//! [`Rejection`]: the responses to requests that may not pass.

use axum::extract::Request;
use axum::http::header::ACCEPT;
use axum::http::{Method, StatusCode};
use axum::response::{Html, IntoResponse as _, Response};

use crate::access::single;
use crate::response::failure;

/// Why a request may not pass.
pub(crate) struct Rejection {
    status: StatusCode,
    problem: &'static str,
}

impl Rejection {
    pub(crate) const NO_HOST: Rejection = Rejection {
        status: StatusCode::BAD_REQUEST,
        problem: "the request needs one Host",
    };
    pub(crate) const OTHER_HOST: Rejection = Rejection {
        status: StatusCode::MISDIRECTED_REQUEST,
        problem: "this host is not the studio's; open the address that `casebook studio` printed",
    };
    pub(crate) const OTHER_ORIGIN: Rejection = Rejection {
        status: StatusCode::FORBIDDEN,
        problem: "the request comes from a page of another site",
    };
    pub(crate) const NOT_LOGGED_IN: Rejection = Rejection {
        status: StatusCode::UNAUTHORIZED,
        problem: "this browser is not logged in: stop `casebook studio` with Ctrl-C, start it again, and open the address that it prints, which works once",
    };
    pub(crate) const NO_TOKEN: Rejection = Rejection {
        status: StatusCode::UNAUTHORIZED,
        problem: "this browser is not logged in: open /?token=TOKEN on this server, with the token that is in CASEBOOK_STUDIO_TOKEN where the server runs",
    };

    /// A page for people, JSON for programs.
    pub(crate) fn response(&self, request: &Request) -> Response {
        if !is_navigation(request) {
            return failure(self.status, self.problem);
        }
        let page = include_str!("page/rejected.html").replace("PROBLEM", &self.sentence());
        (self.status, Html(page)).into_response()
    }

    /// The problem with a capital letter, and with its code as HTML.
    fn sentence(&self) -> String {
        let (first, rest) = self.problem.split_at(1);
        let parts = rest.split('`').enumerate();
        let rest = parts.map(|(number, part)| match number % 2 {
            0 => part.to_owned(),
            _ => format!("<code>{part}</code>"),
        });
        first.to_uppercase() + &rest.collect::<String>()
    }
}

/// Whether a browser shows the response as a page.
fn is_navigation(request: &Request) -> bool {
    let accepted = single(request.headers(), ACCEPT).unwrap_or_default();
    request.method() == Method::GET
        && !request.uri().path().starts_with("/api/")
        && accepted.contains("text/html")
}
