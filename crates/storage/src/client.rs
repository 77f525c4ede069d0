//! The HTTP client of the storage: requests are sent by a blocking [`Sender`], on threads of the runtime.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};

/// Sends a request once, and returns the response with any status.
pub trait Sender: Send + Sync + 'static {
    /// Blocks until the response is complete.
    fn send(&self, request: http::Request<&[u8]>) -> Result<http::Response<Vec<u8>>, HttpProblem>;
}

/// Why a request has no response. Contains the reason for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpProblem {
    /// Nothing was sent.
    #[error("{0}")]
    NotSent(String),
    /// The server did not respond in time.
    #[error("{0}")]
    TimedOut(String),
    /// The connection broke.
    #[error("{0}")]
    Broken(String),
    /// Another problem, which remains if the request is sent again.
    #[error("{0}")]
    Other(String),
}

impl HttpProblem {
    /// Determines whether the request is sent again.
    fn kind(&self) -> HttpErrorKind {
        match self {
            HttpProblem::NotSent(_) => HttpErrorKind::Connect,
            HttpProblem::TimedOut(_) => HttpErrorKind::Timeout,
            HttpProblem::Broken(_) => HttpErrorKind::Interrupted,
            HttpProblem::Other(_) => HttpErrorKind::Unknown,
        }
    }
}

/// Creates clients that use one sender.
#[derive(Clone)]
pub(crate) struct Connector(pub(crate) Arc<dyn Sender>);

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Connector {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (head, body) = request.into_parts();
        let body: Bytes = body.collect().await?.to_bytes();
        let sender = Arc::clone(&self.0);
        let work = move || sender.send(http::Request::from_parts(head, &body));
        let response = tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?
            .map_err(|problem| HttpError::new(problem.kind(), problem))?;
        Ok(response.map(Into::into))
    }
}
