//! The `run` check: a command that reads the conversation as JSON and passes with exit code 0.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use super::context::ConversationContext;
use super::end::{EndReason, SessionEnd};
use super::events::turns_json;
use super::session::Context;
use crate::assertions::{CheckResult, shortened};
use crate::os::signal_name;
use crate::seconds::seconds;
use crate::shell::{CommandResult, ProcessContext, Termination, command, could_not_run};
use crate::transcript::{Scope, Transcript};

/// The timeout of the command if the test has none.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// The number of output lines in a failure message.
const MAX_OUTPUT_LINES: usize = 20;

/// Runs the command and evaluates its exit code.
pub(super) fn evaluate(
    script: &str,
    services: ConversationContext<'_>,
    scope: Scope<'_>,
    context: &Context<'_>,
) -> Result<CheckResult, SessionEnd> {
    let stdin = document(scope, context).to_string();
    match run(script, &stdin, false, services) {
        Ok(_) => Ok(CheckResult::default()),
        Err(CommandFailure::ExitCode(problem)) => Ok(CheckResult {
            problem: Some(problem),
            ..CheckResult::default()
        }),
        Err(CommandFailure::Failed(problem)) => Ok(CheckResult::undecided(problem)),
        Err(CommandFailure::Interrupted) => Err(SessionEnd::completed(EndReason::Interrupted)),
    }
}

/// Why a command did not exit with code 0.
pub(super) enum CommandFailure {
    Interrupted,
    /// It exited by itself. Contains the message for the user, with the end of the output.
    ExitCode(String),
    /// It could not be started, was not found or was killed. Contains the same.
    Failed(String),
}

/// Runs a command until the deadline of the test. With `separate` its standard error is not part of its output.
pub(super) fn run(
    script: &str,
    stdin: &str,
    separate: bool,
    services: ConversationContext<'_>,
) -> Result<CommandResult, CommandFailure> {
    let ConversationContext {
        processes, site, ..
    } = services;
    let now = (processes.instant)();
    let timeout = site.deadline.map_or(DEFAULT_TIMEOUT, |deadline| {
        deadline.saturating_duration_since(now)
    });
    let command = command::ShellCommand {
        script,
        environment: &site.environment,
        dir: &site.dir,
        stdin: Some(stdin),
        separate,
        timeout: Some(timeout),
    };
    let result = match execute(&command, processes) {
        Ok(result) => result,
        Err(error) => {
            let message = format!("cannot run the command: {error}");
            return Err(CommandFailure::Failed(message));
        }
    };
    if result.termination == Some(Termination::Interrupt) {
        return Err(CommandFailure::Interrupted);
    }
    let outcome = match (result.termination, result.signal) {
        (None, None) if result.exit_code == 0 => return Ok(result),
        (Some(Termination::Timeout), _) => {
            format!("took longer than {} and was killed", seconds(timeout))
        }
        (Some(termination), _) => {
            crate::shell::terminal_stop_message(termination).unwrap_or_default()
        }
        (None, Some(number)) => format!("was killed by {}", signal_name::name(number)),
        (None, None) => format!("exited with code {}", result.exit_code),
    };
    let streams = &result.streams;
    let output = streams.stderr().unwrap_or_else(|| streams.output());
    let output = last_lines(output.text());
    let output = if output.is_empty() {
        " and wrote no output".to_owned()
    } else {
        format!(":\n{output}")
    };
    let message = format!("{} {outcome}{output}", shortened(script));
    let is_own =
        result.termination.is_none() && result.signal.is_none() && !could_not_run(result.exit_code);
    Err(if is_own {
        CommandFailure::ExitCode(message)
    } else {
        CommandFailure::Failed(message)
    })
}

fn execute(
    command: &command::ShellCommand<'_>,
    processes: &ProcessContext<'_>,
) -> io::Result<CommandResult> {
    let started = (processes.instant)();
    let mut process = command.start(processes)?;
    let end = command.finish(&mut process, started, &|_| ())?;
    end.into_result_keep_others(process, processes.instant)
}

/// The command's standard input: the conversation so far and the number of the turn, if the check is about one turn.
fn document(scope: Scope<'_>, context: &Context<'_>) -> Value {
    let Transcript {
        turns,
        topics,
        history,
        ..
    } = scope.transcript;
    let mut document = json!(context);
    document["turns"] = turns_json(turns).into();
    if !history.is_empty() {
        document["history"] = turns_json(history).into();
    }
    if !topics.is_empty() {
        document["topics"] = json!(topics);
    }
    if let Some(index) = scope.turn_index {
        document["turn"] = (index + 1).into();
    }
    document
}

fn last_lines(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(MAX_OUTPUT_LINES)..].join("\n")
}
