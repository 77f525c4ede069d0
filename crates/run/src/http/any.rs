//! Sends any request once, for libraries with their own protocol.

use std::time::Duration;

use ureq::Agent;
use ureq::http::{Method, Request, Response};

use super::Client;
use super::error::{TransportError, transport_error};

impl Client {
    /// Sends the request once and returns the response with any status. A body larger than `max_body` is an error.
    pub(crate) fn send_once(
        &self,
        request: Request<&[u8]>,
        timeout: Duration,
        max_body: u64,
    ) -> Result<Response<Vec<u8>>, TransportError> {
        let url = request.uri().to_string();
        let agent = self.transports.plain_agent(&url);
        let response = run(agent, request, timeout).and_then(|response| {
            let (head, mut body) = response.into_parts();
            let body = body.with_config().limit(max_body).read_to_vec()?;
            Ok(Response::from_parts(head, body))
        });
        response.map_err(|error| transport_error(&error))
    }
}

fn run(
    agent: &Agent,
    request: Request<&[u8]>,
    timeout: Duration,
) -> Result<Response<ureq::Body>, ureq::Error> {
    let has_body = matches!(*request.method(), Method::POST | Method::PUT);
    if has_body || !request.body().is_empty() {
        let request = agent.configure_request(request);
        return agent.run(request.timeout_global(Some(timeout)).build());
    }
    let request = agent.configure_request(request.map(|_| ()));
    agent.run(request.timeout_global(Some(timeout)).build())
}
