//! What changes something. None of it is served in a read-only studio.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use casebook_report::reviews::{FILE, Review};
use serde::Deserialize;
use serde_json::json;

use super::{blocking, not_found};
use crate::actions::{Action, Commands, edit as open_in_editor};
use crate::project::Project;
use crate::response::{failure, json as json_response};
use crate::reviews;

type Shared = State<Arc<Project>>;

/// These addresses are served only with commands.
fn commands(project: &Project) -> &Commands {
    project
        .commands
        .as_ref()
        .expect("a read-only project has no actions")
}

fn refused(problem: &str) -> Response {
    failure(StatusCode::CONFLICT, problem)
}

/// The command lines of several actions, or why they are not possible.
pub(crate) async fn command_lines(
    State(project): Shared,
    Json(actions): Json<Vec<Action>>,
) -> Response {
    blocking(project, move |project| {
        let describe = |action: &Action| match action.command_line(project) {
            Ok(line) => json!({"command": line.to_string()}),
            Err(problem) => json!({"problem": problem}),
        };
        json_response(&actions.iter().map(describe).collect::<Vec<_>>())
    })
    .await
}

pub(crate) async fn start(State(project): Shared, Json(action): Json<Action>) -> Response {
    blocking(project, move |project| {
        let line = match action.command_line(project) {
            Ok(line) => line,
            Err(problem) => return refused(&problem),
        };
        match commands(project).start(&line) {
            Ok(row) => (StatusCode::CREATED, Json(row)).into_response(),
            Err(problem) => refused(&problem),
        }
    })
    .await
}

pub(crate) async fn command(State(project): Shared, Path(id): Path<u32>) -> Response {
    match commands(&project).get(id) {
        Some(row) => json_response(&row),
        None => not_found("unknown command"),
    }
}

pub(crate) async fn stop(State(project): Shared, Path(id): Path<u32>) -> Response {
    match commands(&project).stop(id) {
        Some(row) => json_response(&row),
        None => not_found("unknown command"),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edited {
    run: String,
    test: String,
}

pub(crate) async fn edit(State(project): Shared, Json(edited): Json<Edited>) -> Response {
    blocking(project, move |project| {
        match open_in_editor(project, &*project.launcher, &edited.run, &edited.test) {
            Ok(location) => json_response(&json!({"opened": location})),
            Err(problem) => refused(&problem),
        }
    })
    .await
}

pub(crate) async fn review(
    State(project): Shared,
    Path(run): Path<String>,
    Json(review): Json<Review>,
) -> Response {
    blocking(project, move |project| {
        let Some(dir) = project.run_dir(&run) else {
            return not_found("unknown run");
        };
        if let Some(problem) = reviews::problem(&review) {
            return failure(StatusCode::BAD_REQUEST, problem);
        }
        match reviews::add(&dir, &review) {
            Ok(()) => (StatusCode::CREATED, Json(review)).into_response(),
            Err(error) => refused(&format!("cannot write {FILE}: {error}")),
        }
    })
    .await
}
