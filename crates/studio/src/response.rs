//! Responses: headers that every response has, JSON with an entity tag, and failures.

use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use casebook_record::hex_of_sha256;
use serde::Serialize;
use serde_json::json;

/// Only our own script and style, no frames, no other server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The header with the version of the rows of a run in progress.
pub(crate) const VERSION: HeaderName = HeaderName::from_static("casebook-version");

/// Adds the headers that every response has.
pub(crate) async fn protect(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // The browser asks again each time; the answer is short if nothing changed.
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-cache"));
    response
}

/// A problem as JSON.
pub(crate) fn failure(status: StatusCode, problem: &str) -> Response {
    (status, axum::Json(json!({"problem": problem}))).into_response()
}

/// A value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Response {
    axum::Json(value).into_response()
}

/// Adds an entity tag to JSON that has none. A run in progress has a version instead.
pub(crate) async fn tag(request: Request, next: Next) -> Response {
    let known = request.headers().clone();
    let response = next.run(request).await;
    let headers = response.headers();
    let is_json = headers
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind == "application/json");
    let has_tag = headers.contains_key(ETAG) || headers.contains_key(VERSION);
    if response.status() != StatusCode::OK || !is_json || has_tag {
        return response;
    }
    match to_bytes(response.into_body(), usize::MAX).await {
        Ok(body) => tagged(&known, &hex_of_sha256(&body, 24), || body),
        Err(_) => failure(
            StatusCode::INTERNAL_SERVER_ERROR,
            "cannot read the response",
        ),
    }
}

/// JSON with an entity tag; only the tag if the client has this content.
pub(crate) fn tagged(headers: &HeaderMap, tag: &str, body: impl FnOnce() -> Bytes) -> Response {
    let tag = format!("\"{}\"", hex_of_sha256(tag.as_bytes(), 24));
    let known = headers
        .get(IF_NONE_MATCH)
        .and_then(|tags| tags.to_str().ok());
    let is_known = known.is_some_and(|tags| tags.split(',').any(|known| known.trim() == tag));
    if is_known {
        return (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response();
    }
    let headers = [(ETAG, tag), (CONTENT_TYPE, "application/json".to_owned())];
    (headers, body()).into_response()
}
