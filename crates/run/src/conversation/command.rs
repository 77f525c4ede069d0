//! A check that is a command: it reads the conversation as JSON, and its exit code says whether it holds.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use super::context::ConversationContext;
use super::end::{EndReason, SessionEnd};
use super::events::as_json;
use super::session::Context;
use crate::assertions::{CheckResult, shortened};
use crate::emitter::seconds;
use crate::os::signal_name;
use crate::shell::{CommandResult, ProcessContext, Termination, command};
use crate::transcript::{Scope, Transcript};

/// How long it may take where the test has all the time in the world.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// So many lines of what it wrote are told of.
const LINES: usize = 20;

/// Runs the command.
pub(super) fn find(
    script: &str,
    services: ConversationContext<'_>,
    scope: Scope<'_>,
    context: &Context<'_>,
) -> Result<CheckResult, SessionEnd> {
    let ConversationContext {
        processes, site, ..
    } = services;
    let now = (processes.instant)();
    let rest = site.deadline.map_or(DEFAULT_TIMEOUT, |deadline| {
        deadline.saturating_duration_since(now)
    });
    let command = command::ShellCommand {
        script,
        environment: &site.environment,
        folder: &site.folder,
        stdin: Some(&document(scope, context).to_string()),
        separate: false,
        timeout: Some(rest),
    };
    let ran = match run(&command, processes) {
        Ok(ran) => ran,
        Err(error) => return Ok(problem(format!("the command could not be run: {error}"))),
    };
    if ran.termination == Some(Termination::Interrupt) {
        return Err(SessionEnd::completed(EndReason::Interrupted));
    }
    let how = match (ran.termination, ran.signal) {
        (None, None) if ran.exit_code == 0 => return Ok(CheckResult::default()),
        (Some(Termination::Timeout), _) => {
            format!("took longer than {} and was ended", seconds(rest))
        }
        (Some(termination), _) => {
            crate::shell::terminal_stop_message(termination).unwrap_or_default()
        }
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

fn run(
    command: &command::ShellCommand<'_>,
    processes: &ProcessContext<'_>,
) -> io::Result<CommandResult> {
    let started = (processes.instant)();
    let mut process = command.start(processes)?;
    let ending = command.finish(&mut process, started)?;
    ending.into_result_keep_others(process, processes.instant)
}

/// What the command reads: the whole conversation so far, and which turn it is about.
fn document(scope: Scope<'_>, context: &Context<'_>) -> Value {
    let Transcript { turns, topics } = scope.transcript;
    let mut document = json!(context);
    document["turns"] = as_json(turns).into();
    if !topics.is_empty() {
        document["topics"] = json!(topics);
    }
    if let Some(place) = scope.exchange {
        document["turn"] = (place + 1).into();
    }
    document
}

fn problem(problem: String) -> CheckResult {
    CheckResult {
        problem: Some(problem),
        ..CheckResult::default()
    }
}

fn last_lines(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
