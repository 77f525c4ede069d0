//! Server-sent events: what changed, sent when the client has received what changed before.
//!
//! A stream has no queue. A slow client gets fewer and larger messages, and costs no memory.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::{Stream, unfold};
use serde_json::json;
use tokio::sync::watch;

use crate::actions::Commands;
use crate::live::{Changes, LiveRun, OpenPage, Progress};
use crate::project::Project;

/// The least time between two messages of a stream.
const PAUSE: Duration = Duration::from_millis(60);

fn respond(stream: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    Sse::new(stream)
        .keep_alive(KeepAlive::default())
        .into_response()
}

/// The changes of one run in progress, from this version on. Ends with the event `ended`.
pub(crate) fn of_run(project: &Arc<Project>, run: Option<Arc<LiveRun>>, version: u64) -> Response {
    let Some(run) = run else {
        return respond(futures_util::stream::once(
            async move { Ok(ended(version)) },
        ));
    };
    let state = RunStream {
        progress: run.progress(),
        run,
        version,
        is_over: false,
        _page: OpenPage::of(project),
    };
    respond(unfold(state, RunStream::next))
}

struct RunStream {
    run: Arc<LiveRun>,
    progress: watch::Receiver<Progress>,
    version: u64,
    is_over: bool,
    _page: OpenPage,
}

impl RunStream {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, RunStream)> {
        if self.is_over {
            return None;
        }
        loop {
            let progress = *self.progress.borrow_and_update();
            if let Some((rows, version)) = self.run.rows_after(self.version) {
                self.version = version;
                let event = Event::default().event("rows").id(version.to_string());
                return Some((Ok(event.data(rows)), self));
            }
            if progress.has_ended {
                self.is_over = true;
                return Some((Ok(ended(self.version)), self));
            }
            self.progress.changed().await.ok()?;
            tokio::time::sleep(PAUSE).await;
        }
    }
}

fn ended(version: u64) -> Event {
    Event::default()
        .event("ended")
        .id(version.to_string())
        .data("{}")
}

/// The runs in progress, the commands, and a number that changes with the list of runs.
pub(crate) fn of_project(project: &Arc<Project>) -> Response {
    let state = ProjectStream {
        changes: project.live.changes(),
        is_first: true,
        project: Arc::clone(project),
        _page: OpenPage::of(project),
    };
    respond(unfold(state, ProjectStream::next))
}

struct ProjectStream {
    changes: watch::Receiver<Changes>,
    is_first: bool,
    project: Arc<Project>,
    _page: OpenPage,
}

impl ProjectStream {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, ProjectStream)> {
        if !self.is_first {
            self.changes.changed().await.ok()?;
            tokio::time::sleep(PAUSE).await;
        }
        self.is_first = false;
        let changes = *self.changes.borrow_and_update();
        let state = json!({
            "list": changes.list,
            "live": self.project.live.all().iter().map(|run| run.counts()).collect::<Vec<_>>(),
            "commands": self.project.commands.as_ref().map(Commands::all).unwrap_or_default(),
        });
        let event = Event::default().event("state").data(state.to_string());
        Some((Ok(event), self))
    }
}
