//! The JSON interface, version 1. `docs/studio.md` describes it.

pub(crate) mod actions;
mod comparison;

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use casebook_record::History;
use casebook_report::reviews::read as read_reviews;
use serde::Deserialize;
use serde_json::json;

use crate::design::design_of;
use crate::history_cache::CachedHistory;
use crate::project::{Project, shown_dir};
use crate::response::{VERSION, failure, json as json_response, tagged};
use crate::{stream, test_history as history_of_test, test_source};

/// The most examples in one response.
const MAX_EXAMPLES: usize = 200;

/// After this time, a page shows that records are being read.
const PATIENCE: Duration = Duration::from_millis(250);
/// How often a request looks whether another one has read the records.
const POLL: Duration = Duration::from_millis(10);

type Shared = State<Arc<Project>>;

/// Runs code that reads files on another thread, so that live data does not wait for it.
pub(crate) async fn blocking(
    project: Arc<Project>,
    work: impl FnOnce(&Arc<Project>) -> Response + Send + 'static,
) -> Response {
    let response = tokio::task::spawn_blocking(move || work(&project)).await;
    response.unwrap_or_else(|_| {
        failure(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the server has a defect; its terminal shows where",
        )
    })
}

fn not_found(problem: &str) -> Response {
    failure(StatusCode::NOT_FOUND, problem)
}

fn unreadable(problem: &impl ToString) -> Response {
    failure(StatusCode::UNPROCESSABLE_ENTITY, &problem.to_string())
}

fn raw_json(body: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

pub(crate) async fn project(State(project): Shared) -> Response {
    json_response(&json!({
        "name": project.name,
        "read_only": project.commands.is_none(),
    }))
}

pub(crate) async fn project_events(State(project): Shared) -> Response {
    stream::of_project(&project)
}

pub(crate) async fn runs(State(project): Shared, headers: HeaderMap) -> Response {
    history(project, headers, |history| history.runs.clone()).await
}

pub(crate) async fn grid(State(project): Shared, headers: HeaderMap) -> Response {
    history(project, headers, |history| history.grid.clone()).await
}

/// A part of the history; how many records have been read, if that takes long.
async fn history(
    project: Arc<Project>,
    headers: HeaderMap,
    part: impl FnOnce(&CachedHistory) -> Bytes + Send + 'static,
) -> Response {
    let reading = Arc::clone(&project);
    let read = async move {
        // One thread reads, and no other waits for it.
        while project.history.is_reading() {
            tokio::time::sleep(POLL).await;
        }
        blocking(project, move |project| {
            let history = project.history.get(project);
            tagged(&headers, &history.tag, || part(&history))
        })
        .await
    };
    match tokio::time::timeout(PATIENCE, read).await {
        Ok(response) => response,
        Err(_) => (StatusCode::ACCEPTED, Json(reading.history.progress())).into_response(),
    }
}

#[derive(Deserialize)]
pub(crate) struct Compared {
    base: String,
    new: String,
}

pub(crate) async fn compare(State(project): Shared, Query(compared): Query<Compared>) -> Response {
    blocking(project, move |project| {
        match comparison::of(project, &compared.base, &compared.new) {
            Ok(json) => raw_json(json),
            Err(problem) => unreadable(&problem),
        }
    })
    .await
}

pub(crate) async fn design(State(project): Shared) -> Response {
    blocking(project, |project| match design_of(project) {
        Ok(design) => json_response(&design),
        Err(problem) => unreadable(&problem),
    })
    .await
}

pub(crate) async fn test_history(State(project): Shared, Path(test): Path<String>) -> Response {
    blocking(project, move |project| {
        let json = move |history: &History| {
            let found = history_of_test::of(history, &test)?;
            Some(json_response(&found))
        };
        let found = project.history.read(project, json);
        found.unwrap_or_else(|| not_found("no recorded run has this test"))
    })
    .await
}

pub(crate) async fn output_so_far(
    State(project): Shared,
    Path((run, test)): Path<(String, String)>,
) -> Response {
    blocking(project, move |project| {
        match project.live.get(&run).zip(project.run_dir(&run)) {
            Some((live, dir)) => json_response(&json!({
                "output": live.output_so_far(&dir, &test, &project.redactor),
            })),
            None => not_found("the run is not in progress"),
        }
    })
    .await
}

pub(crate) async fn test_source(
    State(project): Shared,
    Path((run, test)): Path<(String, String)>,
) -> Response {
    blocking(project, move |project| {
        match test_source::of(project, &run, &test) {
            Ok(source) => json_response(&source),
            Err(problem) => json_response(&json!({"problem": problem})),
        }
    })
    .await
}

/// The index of a run: what its page needs first. For a run in progress, the version of its rows is in a header.
pub(crate) async fn run(
    State(project): Shared,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    blocking(project, move |project| {
        project.live.scan(&project.store);
        if let Some(live) = project.live.get(&name) {
            return match live.index(&shown_dir(&name)) {
                Ok((index, version)) => {
                    ([(VERSION, version.to_string())], raw_json(index)).into_response()
                }
                Err(error) => unreadable(&error),
            };
        }
        if project.run_dir(&name).is_none() {
            return not_found("unknown run");
        }
        match project.stored.open(project, &name) {
            Ok(run) => tagged(&headers, &run.tag, || run.index.clone()),
            Err(problem) => unreadable(&problem),
        }
    })
    .await
}

#[derive(Deserialize)]
pub(crate) struct EventsQuery {
    #[serde(default)]
    after: u64,
}

pub(crate) async fn run_events(
    State(project): Shared,
    Path(name): Path<String>,
    Query(EventsQuery { after }): Query<EventsQuery>,
    headers: HeaderMap,
) -> Response {
    // A browser that reconnects sends the id of the last event it has received.
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let version = last.and_then(|id| id.parse().ok()).unwrap_or(after);
    let scanned = Arc::clone(&project);
    let scan = move || {
        scanned.live.scan(&scanned.store);
        scanned.live.get(&name)
    };
    let run = tokio::task::spawn_blocking(scan).await.ok().flatten();
    stream::of_run(&project, run, version)
}

#[derive(Deserialize)]
pub(crate) struct Section {
    from: usize,
    to: usize,
}

/// The complete records of some tests of a finished run.
pub(crate) async fn tests(
    State(project): Shared,
    Path(name): Path<String>,
    Query(Section { from, to }): Query<Section>,
    headers: HeaderMap,
) -> Response {
    if to.saturating_sub(from) > MAX_EXAMPLES {
        let problem = format!("ask for at most {MAX_EXAMPLES} tests at once");
        return failure(StatusCode::BAD_REQUEST, &problem);
    }
    blocking(project, move |project| {
        let run = match project.stored.open(project, &name) {
            Ok(run) => run,
            Err(problem) => return not_found(&problem),
        };
        match run.examples(from, to) {
            Ok(json) => tagged(&headers, &format!("{} {from} {to}", run.tag), || {
                Bytes::from(json)
            }),
            Err(error) => unreadable(&error),
        }
    })
    .await
}

/// The complete record of one test.
pub(crate) async fn test(
    State(project): Shared,
    Path((name, test)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    blocking(project, move |project| {
        if let Some(live) = project.live.get(&name) {
            return match live.example(&test) {
                Ok(Some(json)) => raw_json(json),
                Ok(None) => not_found("this test has not started"),
                Err(error) => unreadable(&error),
            };
        }
        let run = match project.stored.open(project, &name) {
            Ok(run) => run,
            Err(problem) => return not_found(&problem),
        };
        match run.example(&test) {
            Some(Ok(json)) => tagged(&headers, &format!("{} {test}", run.tag), || {
                Bytes::from(json)
            }),
            Some(Err(error)) => unreadable(&error),
            None => not_found("the run has no such test"),
        }
    })
    .await
}

pub(crate) async fn reviews(State(project): Shared, Path(name): Path<String>) -> Response {
    blocking(project, move |project| match project.run_dir(&name) {
        Some(dir) => json_response(&read_reviews(&dir, &project.redactor)),
        None => not_found("unknown run"),
    })
    .await
}
