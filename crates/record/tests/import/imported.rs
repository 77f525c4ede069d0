//! Renders an import as a few lines of text for snapshots.
//!
//! `+ name` and `- name` are groups, `! line: message` are problems, and the other lines are attempts of examples.

use casebook_record::event::{ExampleFailed, ExampleStarted};
use casebook_record::import::{self, ImportSource, JunitError};
use casebook_record::{Event, Problem, Time};

/// The result of an import: the emitted events and the problems.
pub(crate) struct Imported {
    pub(crate) events: Vec<Event>,
    pub(crate) problems: Vec<Problem>,
}

pub(crate) fn now() -> Time {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

const SOURCE: ImportSource<'static> = ImportSource {
    name: "input",
    now: &now,
};

pub(crate) fn tap(input: impl AsRef<[u8]>) -> Imported {
    let mut events = Vec::new();
    let problems = import::tap(input.as_ref(), &SOURCE, &mut |event| events.push(event)).unwrap();
    Imported { events, problems }
}

pub(crate) fn try_junit(input: impl AsRef<[u8]>) -> Result<Imported, JunitError> {
    let mut events = Vec::new();
    let problems = import::junit(input.as_ref(), &SOURCE, &mut |event| events.push(event))?;
    Ok(Imported { events, problems })
}

pub(crate) fn junit(input: impl AsRef<[u8]>) -> Imported {
    try_junit(input).unwrap()
}

impl Imported {
    pub(crate) fn text(&self) -> String {
        let mut path = String::new();
        let imported = self
            .events
            .iter()
            .filter_map(|event| render(event, &mut path));
        let problem = |problem: &Problem| format!("! {}: {}", problem.line, problem.message);
        let lines: Vec<_> = imported.chain(self.problems.iter().map(problem)).collect();
        lines.join("\n")
    }

    pub(crate) fn started(&self) -> Vec<&ExampleStarted> {
        let mut started = Vec::new();
        for event in &self.events {
            if let Event::ExampleStarted(event) = event {
                started.push(event);
            }
        }
        started
    }

    pub(crate) fn failed(&self) -> Vec<&ExampleFailed> {
        let mut failed = Vec::new();
        for event in &self.events {
            if let Event::ExampleFailed(event) = event {
                failed.push(event);
            }
        }
        failed
    }

    pub(crate) fn durations(&self) -> Vec<f64> {
        let duration = |event: &Event| match event {
            Event::ExamplePassed(passed) => Some(passed.duration),
            Event::ExampleFailed(failed) => Some(failed.duration),
            _ => None,
        };
        self.events.iter().filter_map(duration).collect()
    }

    /// The metadata of the final events, or of the start event for pending examples.
    pub(crate) fn metadata(&self) -> Vec<serde_json::Value> {
        let metadata = |event: &Event| match event {
            Event::ExampleStarted(started) => Some(started.metadata.clone()),
            Event::ExamplePassed(passed) => Some(passed.metadata.clone()),
            Event::ExampleFailed(failed) => Some(failed.metadata.clone()),
            _ => None,
        };
        let all = self.events.iter().filter_map(metadata);
        all.filter(|metadata| !metadata.is_empty())
            .map(|metadata| serde_json::to_value(metadata).unwrap())
            .collect()
    }
}

fn render(event: &Event, path: &mut String) -> Option<String> {
    Some(match event {
        Event::GroupStarted(group) => format!("+ {}", group.description),
        Event::GroupFinished(group) => format!("- {}", group.description),
        Event::ExampleStarted(started) => {
            path.clone_from(started.canonical_path.as_ref().unwrap());
            if let Some((_, repetition)) = started.example_id.split_once('#') {
                path.push_str(" #");
                path.push_str(repetition);
            }
            return None;
        }
        Event::ExamplePassed(_) => format!("passed {path}"),
        Event::ExamplePending(pending) => {
            let reason = pending.message.as_deref().unwrap_or("no reason");
            format!("pending {path} ({reason})")
        }
        Event::ExampleFailed(failed) => {
            let class = failed.exception_class.as_deref().unwrap();
            let message = failed.message.as_deref().unwrap().replace('\n', " / ");
            let at = if failed.location.is_empty() {
                ""
            } else {
                " at "
            };
            format!("failed {path} [{class}]{at}{}: {message}", failed.location)
        }
        _ => return None,
    })
}
