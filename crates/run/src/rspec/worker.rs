//! [`Worker`]: one RSpec process.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use casebook_record::event::ExampleStarted;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde_json::{Value, json};

use super::{Message, Request, RspecError};
use crate::event_socket::{Connection, EVENTS_VARIABLE};
use crate::os::signal_name;
use crate::seconds::seconds;
use crate::system::SystemContext;

/// How many milliseconds to wait for the last output of a worker.
const OUTPUT_DRAIN_MS: usize = 200;

/// Receives the output of workers, line by line.
pub type Output = dyn Fn(&[u8]) + Send + Sync;

/// What all workers are started with.
pub(super) struct Start<'r> {
    pub(super) request: &'r Request,
    pub(super) system: &'r SystemContext,
    pub(super) options: OsString,
    pub(super) socket: PathBuf,
    pub(super) output: Arc<Output>,
    pub(super) inbox: Sender<Message>,
}

/// A worker process.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the flags are independent of each other"
)]
pub(super) struct Worker {
    /// The number of the slot; a replacement takes the slot of its predecessor.
    pub(super) slot: usize,
    group: Pid,
    connection: Option<Connection>,
    /// The ids of examples that it was given and has not finished.
    pub(super) assigned: Vec<String>,
    pub(super) running: Option<ExampleStarted>,
    /// Whether it has loaded the specs.
    pub(super) has_loaded: bool,
    /// Whether it has started any example.
    pub(super) was_useful: bool,
    /// Whether it waits for examples.
    pub(super) is_idle: bool,
    /// Whether it was asked to quit.
    pub(super) is_leaving: bool,
    /// Whether its connection is closed.
    pub(super) is_silent: bool,
    /// When it last sent something or was given examples.
    last_active: Instant,
    /// Since when a signal has stopped it.
    stopped: Option<Instant>,
    /// Why it was killed, if it was.
    pub(super) kill_reason: Option<KillReason>,
    ended: Option<io::Result<ExitStatus>>,
}

/// Why a worker was killed.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum KillReason {
    #[error("no event for {}", seconds(*.0))]
    Late(Duration),
    #[error("it was stopped by a signal for {}", seconds(*.0))]
    Stopped(Duration),
    #[error("it sent an invalid event: {0}")]
    Garbage(String),
}

impl Start<'_> {
    /// Starts a worker. It gets its own process group, so that all its processes can be killed, and so that Ctrl-C
    /// reaches only the controller.
    pub(super) fn worker(&self, number: u64, slot: usize) -> Result<Worker, RspecError> {
        let (program, arguments) = self
            .request
            .command
            .split_first()
            .expect("the command is not empty");
        let mut command = Command::new(program);
        if self.request.confirms_starts {
            command.env("CASEBOOK_CONFIRM_STARTS", "1");
        }
        let mut child = command
            .args(arguments)
            .current_dir(&self.system.dir)
            .env("SPEC_OPTS", &self.options)
            .env(EVENTS_VARIABLE, &self.socket)
            .env("CASEBOOK_WORKER", number.to_string())
            .env("CASEBOOK_SEED", self.request.seed.to_string())
            .env("TEST_ENV_NUMBER", test_number(slot))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| RspecError::Start {
                program: program.to_string_lossy().into_owned(),
                reason: crate::os::spawn_error_message(&error),
            })?;
        let group = Pid::from_child(&child);
        let readers = [
            self.forward(child.stdout.take()),
            self.forward(child.stderr.take()),
        ];
        let inbox = self.inbox.clone();
        thread::spawn(move || {
            let status = child.wait();
            wait_for_output(&readers);
            let _ = inbox.send(Message::Ended(number, status));
        });
        Ok(Worker {
            slot,
            group,
            connection: None,
            assigned: Vec::new(),
            running: None,
            has_loaded: false,
            was_useful: false,
            is_idle: false,
            is_leaving: false,
            is_silent: false,
            last_active: (self.system.instant)(),
            stopped: None,
            kill_reason: None,
            ended: None,
        })
    }

    fn forward(
        &self,
        stream: Option<impl Read + Send + 'static>,
    ) -> Option<thread::JoinHandle<()>> {
        let output = Arc::clone(&self.output);
        let mut redacted = self.request.redactor.lines();
        let stream = stream?;
        Some(thread::spawn(move || {
            let mut lines = BufReader::new(stream);
            let mut line = Vec::new();
            while lines
                .read_until(b'\n', &mut line)
                .is_ok_and(|count| count > 0)
            {
                if !line.ends_with(b"\n") {
                    line.push(b'\n');
                }
                output(&redacted.push(&line));
                line.clear();
            }
            output(&redacted.end());
        }))
    }
}

/// Waits for the last output, so that it appears before the exit is reported. The wait is limited, because a daemon may
/// keep the stream open.
fn wait_for_output(readers: &[Option<thread::JoinHandle<()>>]) {
    for _ in 0..OUTPUT_DRAIN_MS {
        let mut threads = readers.iter().flatten();
        if threads.all(thread::JoinHandle::is_finished) {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// The value of `TEST_ENV_NUMBER` by convention: empty for the first worker, 2 for the second.
fn test_number(slot: usize) -> String {
    if slot == 1 {
        String::new()
    } else {
        slot.to_string()
    }
}

impl Worker {
    pub(super) fn connect(&mut self, connection: &Connection) {
        self.connection = Some(connection.clone());
    }

    /// Records that it sent something.
    pub(super) fn mark_active(&mut self, now: Instant) {
        self.last_active = now;
    }

    pub(super) fn assign(&mut self, ids: Vec<String>, now: Instant) {
        self.is_idle = false;
        self.last_active = now;
        self.send(&json!({ "run": ids }));
        self.assigned = ids;
    }

    /// Lets an example begin whose start event was published.
    pub(super) fn confirm_start(&self) {
        self.send(&json!({ "begin": true }));
    }

    /// Asks it to quit: at once if it is idle, otherwise after its running example.
    pub(super) fn finish_then_quit(&mut self, now: Instant) {
        if !std::mem::replace(&mut self.is_leaving, true) {
            self.last_active = now;
            self.send_quit();
        }
    }

    /// Why it must be killed, if it exceeded a timeout. An idle worker and one that loads the specs have none.
    pub(super) fn timeout_reason(&mut self, now: Instant, request: &Request) -> Option<KillReason> {
        self.stopped = self.is_stopped().then(|| self.stopped.unwrap_or(now));
        let is_over = |since: Instant, limit: &Duration| now - since >= *limit;
        if let Some(limit) = request
            .timeout
            .filter(|limit| is_over(self.last_active, limit))
            && self.has_loaded
            && (!self.is_idle || self.is_leaving)
        {
            return Some(KillReason::Late(limit));
        }
        let is_late = self
            .stopped
            .is_some_and(|since| is_over(since, &request.stopped_timeout));
        is_late.then_some(KillReason::Stopped(request.stopped_timeout))
    }

    /// Whether a signal has stopped it. The exit itself is awaited by another thread.
    fn is_stopped(&self) -> bool {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.group), options).is_ok_and(|status| status.is_some())
    }

    pub(super) fn send_quit(&self) {
        self.send(&json!({ "stop": true }));
    }

    pub(super) fn is_connected(&self) -> bool {
        self.connection.is_some()
    }

    /// Sends a message. Errors are ignored, because the exit of a worker is noticed elsewhere.
    fn send(&self, message: &Value) {
        if let Some(connection) = &self.connection {
            let _ = connection.send(message);
        }
    }

    pub(super) fn kill(&self) {
        let _ = kill_process_group(self.group, Signal::KILL);
    }

    /// Records the exit of the process; events that it sent before may still arrive.
    pub(super) fn end(&mut self, status: io::Result<ExitStatus>) {
        self.ended = Some(status);
        match &self.connection {
            Some(connection) => connection.close(),
            None => self.is_silent = true,
        }
    }

    /// Whether it exited and all its events were received.
    pub(super) fn is_gone(&self) -> bool {
        self.ended.is_some() && self.is_silent
    }

    /// Describes its death in a sentence, such as `the RSpec process was killed by SIGKILL while running this example`.
    pub(super) fn death(&self, when: &str) -> String {
        let exit = self.exit_description();
        match (&self.kill_reason, &self.ended) {
            (Some(_), _) => format!("the RSpec process was killed {when}: {exit}"),
            (None, Some(Ok(status))) if status.signal().is_some() => {
                format!("the RSpec process was killed by {exit} {when}")
            }
            _ => format!("the RSpec process exited {when}: {exit}"),
        }
    }

    /// Describes its exit.
    pub(super) fn exit_description(&self) -> String {
        if let Some(reason) = &self.kill_reason {
            return reason.to_string();
        }
        match &self.ended {
            Some(Ok(status)) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("exit code {code}"),
                (None, signal) => signal_name::name(signal.unwrap_or_default()),
            },
            Some(Err(error)) => error.to_string(),
            None => "no exit status".to_owned(),
        }
    }
}
