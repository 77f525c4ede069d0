//! The addresses of the server.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};

use crate::access::{self, Access};
use crate::project::Project;
use crate::response::{failure, protect, tag};
use crate::{api, assets};

/// Bytes of a request.
const MAX_BODY: usize = 64 << 10;
/// How long sending a request may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// All addresses. A project without commands has none that changes anything.
pub(crate) fn of(project: Arc<Project>, access: Access) -> Router {
    let pages = Router::new()
        .route("/", get(assets::project_page))
        .route("/runs/{run}", get(assets::run_page))
        .route("/assets/{file}", get(assets::file))
        .nest("/api/v1", readers());
    let all = match project.commands {
        Some(_) => pages.nest("/api/v1", actions()),
        None => pages,
    };
    all.fallback(async || failure(StatusCode::NOT_FOUND, "unknown page"))
        .layer(from_fn_with_state(Arc::new(access), access::check))
        .layer(from_fn(protect))
        .with_state(project)
}

fn readers() -> Router<Arc<Project>> {
    Router::new()
        .route("/project", get(api::project))
        .route("/events", get(api::project_events))
        .route("/runs", get(api::runs))
        .route("/grid", get(api::grid))
        .route("/compare", get(api::compare))
        .route("/design", get(api::design))
        .route("/tests/{test}", get(api::test_history))
        .route("/runs/{run}", get(api::run))
        .route("/runs/{run}/events", get(api::run_events))
        .route("/runs/{run}/tests", get(api::tests))
        .route("/runs/{run}/tests/{test}", get(api::test))
        .route("/runs/{run}/tests/{test}/output", get(api::output_so_far))
        .route("/runs/{run}/tests/{test}/source", get(api::test_source))
        .route("/runs/{run}/reviews", get(api::reviews))
        .layer(from_fn(tag))
}

fn actions() -> Router<Arc<Project>> {
    Router::new()
        .route("/command-lines", post(api::actions::command_lines))
        .route("/commands", post(api::actions::start))
        .route("/commands/{id}", get(api::actions::command))
        .route("/commands/{id}/stop", post(api::actions::stop))
        .route("/editor", post(api::actions::edit))
        .route("/runs/{run}/reviews", post(api::actions::review))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(in_time))
}

/// A client that sends its request too slowly is answered before it has finished.
async fn in_time(request: Request, next: Next) -> Response {
    let response = tokio::time::timeout(BODY_TIMEOUT, next.run(request)).await;
    response.unwrap_or_else(|_| failure(StatusCode::REQUEST_TIMEOUT, "the request took too long"))
}
