//! `casebook record -- COMMAND…`: the command runs unchanged and sends its events to a socket.
//!
//! It inherits our input and output, so its output is unchanged. While it prints to a terminal, no progress is drawn between
//! its lines; messages follow when it has exited.

mod events;
mod progress;
pub(in crate::commands) mod signals;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use casebook_run::event_socket::{EVENTS_VARIABLE, EventSocket};
use casebook_run::rspec;

use super::session::{EventOrigin, RecordingSession};
use crate::arguments::Record;
use crate::commands::shared::bundler;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use events::Events;
use progress::Progress;
use signals::Signals;

/// Wait this long for events of child processes after the command has exited.
const PATIENCE: Duration = Duration::from_millis(300);

/// Read events in batches of this duration.
const GATHER: Duration = Duration::from_millis(10);

pub(super) fn run(
    program: &OsStr,
    arguments: &[OsString],
    record: &Record,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let redactor = context.redactor(&record.options.redact)?;
    context.messages.redact(redactor.clone());
    record.options.destination(&context.dir).check()?;
    let (program, arguments) = bundler::without_missing(program, arguments, context);
    let name = Path::new(program)
        .file_name()
        .unwrap_or(program)
        .to_string_lossy();
    let session = RecordingSession::begin(
        EventOrigin::Command(name.into_owned()),
        record,
        redactor,
        context,
    )?;
    let world = context.system();
    let channel = EventSocket::open(&world.temporary)?.with_read_delay(GATHER);
    let options = rspec::options(&channel, world.variable("SPEC_OPTS"))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&context.dir)
        .env(EVENTS_VARIABLE, channel.socket())
        .env("SPEC_OPTS", options);
    let events = Arc::new(Events::new(session.clone()));
    let hear = Arc::clone(&events);
    let listening = channel.listen(Arc::new(move |connection, heard| {
        hear.take(connection, heard);
    }))?;
    let progress = Progress::begin(&mut command, &session, context)?;
    let signals = Signals::hold();
    let mut child = command
        .spawn()
        .map_err(|error| cannot_start(program, &error))?;
    signals.pass_to(&child);
    let passing = progress.pass_errors(&mut child);
    let status = child.wait();
    signals.stop();
    listening.close(PATIENCE);
    passing.end(PATIENCE);
    let status = status?;
    let unfinished = events.end(&how_it_ended(status), Context::now());
    let ended = session.end(Some(&exit_phrase(status)));
    let tests = match exit_of(status) {
        // The command has not noticed that tests are missing.
        Exit::Command(0) if unfinished > 0 || ended.is_cut_short() => Exit::Failed,
        exit => exit,
    };
    Ok(ended.recorded.exit(tests))
}

pub(in crate::commands) fn cannot_start(program: &OsStr, error: &io::Error) -> CommandError {
    CommandError::Start {
        program: program.to_string_lossy().into_owned(),
        reason: casebook_run::spawn_error_message(error),
    }
}

fn how_it_ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => casebook_run::signal_name(signal),
        (None, None) => "unknown exit code".into(),
    }
}

/// How the command ended, after its name.
fn exit_phrase(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by {}", casebook_run::signal_name(signal)),
        (None, None) => "ended".into(),
    }
}

pub(in crate::commands) fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Command(u8::try_from(code).unwrap_or(u8::MAX)),
        (None, signal) => Exit::Interrupted(signal.unwrap_or_default()),
    }
}
