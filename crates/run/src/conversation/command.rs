//! A check that is a command: it reads the conversation as JSON, and its exit code says whether it holds.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use super::context::ConversationContext;
use super::reason::{Over, Reason};
use super::talk::Context;
use super::voice::as_json;
use crate::judge::{Finding, shortened};
use crate::os::signal_name;
use crate::shell::{Cut, ProcessContext, Ran, plain};
use crate::tell::seconds;
use crate::transcript::{Scope, Transcript};

/// How long it may take where the test has all the time in the world.
const LONG: Duration = Duration::from_secs(60);
/// So many lines of what it wrote are told of.
const LINES: usize = 20;

/// Runs the command.
pub(super) fn find(
    script: &str,
    services: ConversationContext<'_>,
    scope: Scope<'_>,
    context: &Context<'_>,
) -> Result<Finding, Over> {
    let ConversationContext {
        processes, site, ..
    } = services;
    let now = (processes.instant)();
    let rest = site
        .deadline
        .map_or(LONG, |deadline| deadline.saturating_duration_since(now));
    let command = plain::Plain {
        script,
        environment: &site.environment,
        folder: &site.folder,
        stdin: Some(&document(scope, context).to_string()),
        apart: false,
        timeout: Some(rest),
    };
    let ran = match run(&command, processes) {
        Ok(ran) => ran,
        Err(error) => return Ok(problem(format!("the command could not be run: {error}"))),
    };
    if ran.cut == Some(Cut::Interrupt) {
        return Err(Over::well(Reason::Interrupted));
    }
    let how = match (ran.cut, ran.signal) {
        (None, None) if ran.exit_code == 0 => return Ok(Finding::default()),
        (Some(Cut::Timeout), _) => format!("took longer than {} and was ended", seconds(rest)),
        (Some(cut), _) => crate::shell::cut_reason(cut).unwrap_or_default(),
        (None, Some(number)) => format!("was ended by {}", signal_name::name(number)),
        (None, None) => format!("exited with code {}", ran.exit_code),
    };
    let said = last_lines(ran.streams.output().text());
    let said = if said.is_empty() {
        ", and said nothing".to_owned()
    } else {
        format!(":\n{said}")
    };
    Ok(problem(format!("{} {how}{said}", shortened(script))))
}

fn run(command: &plain::Plain<'_>, processes: &ProcessContext<'_>) -> io::Result<Ran> {
    let started = (processes.instant)();
    let mut watched = command.start(processes)?;
    let ending = command.finish(&mut watched, started)?;
    ending.alone(watched, processes.instant)
}

/// What the command reads: the whole conversation so far, and which turn it is about.
fn document(scope: Scope<'_>, context: &Context<'_>) -> Value {
    let Transcript { exchanges, topics } = scope.transcript;
    let mut document = json!(context);
    document["turns"] = as_json(exchanges).into();
    if !topics.is_empty() {
        document["topics"] = json!(topics);
    }
    if let Some(place) = scope.exchange {
        document["turn"] = (place + 1).into();
    }
    document
}

fn problem(problem: String) -> Finding {
    Finding {
        problem: Some(problem),
        ..Finding::default()
    }
}

fn last_lines(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
