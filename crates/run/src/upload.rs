//! [`Uploader`]: sends data about a run to servers, with the proxies and certificates that agents and models use.

use std::time::Duration;

use casebook_suite::model::conversation::HttpMethod;

use crate::http::{Client, HttpError, Request, RetryPolicy, join_path, public_url};
use crate::stop::{Cancellation, StopToken};
use crate::system::SystemContext;

/// How long one attempt may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a request may take with all its retries.
const MAX_DURATION: Duration = Duration::from_secs(30);
/// How much of a refusal is shown.
const MAX_REASON_CHARS: usize = 200;

/// Sends data to a server.
pub struct Uploader<'a> {
    client: Client,
    system: &'a SystemContext,
    stop: StopToken,
    headers: Vec<(String, String)>,
}

impl<'a> Uploader<'a> {
    /// An uploader that adds these headers to every request.
    pub fn new(
        system: &'a SystemContext,
        headers: Vec<(String, String)>,
    ) -> std::io::Result<Uploader<'a>> {
        Ok(Uploader {
            client: Client::new(system),
            system,
            stop: StopToken::new()?,
            headers,
        })
    }

    /// Posts JSON to the path below `base` and returns the body of the response. The error is a message for the user.
    pub fn post_json(&self, base: &str, path: &str, body: &str) -> Result<String, String> {
        let url = join_path(base, path);
        let content_type = ("content-type".to_owned(), "application/json".to_owned());
        let headers: Vec<_> = [content_type]
            .into_iter()
            .chain(self.headers.clone())
            .collect();
        let request = Request {
            method: HttpMethod::Post,
            url: &url,
            headers: &headers,
            body,
            timeout: TIMEOUT,
            retry: RetryPolicy::Always,
            retry_gate: None,
        };
        let cancellation = Cancellation {
            stop: &self.stop,
            deadline: Some((self.system.instant)() + MAX_DURATION),
        };
        let reply = self
            .client
            .send(&request, cancellation)
            .map_err(|error| match error {
                HttpError::OutOfTime => format!("{} did not respond in time", public_url(&url)),
                other => other.to_string(),
            })?;
        match reply.status {
            200..=299 => Ok(reply.body),
            status => Err(refusal(&url, status, &reply.body)),
        }
    }
}

fn refusal(url: &str, status: u16, body: &str) -> String {
    let line = body.trim().lines().next().unwrap_or_default();
    let reason: String = line
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_REASON_CHARS)
        .collect();
    let separator = if reason.is_empty() { "" } else { ": " };
    format!(
        "{} responded with status {status}{separator}{reason}",
        public_url(url)
    )
}
