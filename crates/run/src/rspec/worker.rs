//! One RSpec process.

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
use crate::system::SystemContext;

/// How many milliseconds the last lines of a worker may take to be read.
const OUTPUT_DRAIN_MS: usize = 200;

/// Takes what workers print, a line at a time.
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

/// A worker, from its start to its end.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and all can come together"
)]
pub(super) struct Worker {
    /// Which of the places it has: a worker that is replaced leaves its place to the next.
    pub(super) slot: usize,
    group: Pid,
    connection: Option<Connection>,
    /// What it was given and has not finished.
    pub(super) assigned: Vec<String>,
    pub(super) running: Option<ExampleStarted>,
    /// Whether it has loaded the specs.
    pub(super) has_loaded: bool,
    /// Whether it has run anything.
    pub(super) was_useful: bool,
    /// Whether it waits to be given something.
    pub(super) is_idle: bool,
    /// Whether it was told to go.
    pub(super) is_leaving: bool,
    /// Whether nothing comes from it any more.
    pub(super) is_silent: bool,
    /// When something came from it, or it was given something to do.
    heard: Instant,
    /// Since when the system does not let it run.
    stopped: Option<Instant>,
    /// What it did that a worker must not do.
    pub(super) offence: Option<KillReason>,
    ended: Option<io::Result<ExitStatus>>,
}

/// Why a worker was ended.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum KillReason {
    #[error("it said nothing for {}", seconds(*.0))]
    Late(Duration),
    #[error("it was stopped, and said nothing for {}", seconds(*.0))]
    Stopped(Duration),
    #[error("a line that is no event: {0}")]
    Garbage(String),
}

/// A time as people write it.
pub(super) fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

impl Start<'_> {
    /// Starts a worker. Its process gets a group of its own, so that all of it can be ended, and so that Ctrl-C reaches
    /// it through us alone.
    pub(super) fn worker(&self, number: u64, slot: usize) -> Result<Worker, RspecError> {
        let (program, arguments) = self
            .request
            .command
            .split_first()
            .expect("a command has a program");
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(&self.system.folder)
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
        let printing = [
            self.pass_on(child.stdout.take()),
            self.pass_on(child.stderr.take()),
        ];
        let inbox = self.inbox.clone();
        thread::spawn(move || {
            let status = child.wait();
            wait_for_all(&printing);
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
            heard: (self.system.instant)(),
            stopped: None,
            offence: None,
            ended: None,
        })
    }

    fn pass_on(
        &self,
        stream: Option<impl Read + Send + 'static>,
    ) -> Option<thread::JoinHandle<()>> {
        let output = Arc::clone(&self.output);
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
                output(&line);
                line.clear();
            }
        }))
    }
}

/// What it printed last is shown before anything is said of its end. A daemon may hold the stream for longer than
/// anybody would wait.
fn wait_for_all(printing: &[Option<thread::JoinHandle<()>>]) {
    for _ in 0..OUTPUT_DRAIN_MS {
        let mut threads = printing.iter().flatten();
        if threads.all(thread::JoinHandle::is_finished) {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// What tools that spread RSpec over processes agree on: nothing for the first, 2 for the second.
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

    /// Something came from it.
    pub(super) fn hear(&mut self, now: Instant) {
        self.heard = now;
    }

    pub(super) fn give(&mut self, ids: Vec<String>, now: Instant) {
        self.is_idle = false;
        self.heard = now;
        self.send(&json!({ "run": ids }));
        self.assigned = ids;
    }

    /// Sends it home: at once if it waits, otherwise after the example that it runs.
    pub(super) fn finish_then_quit(&mut self, now: Instant) {
        if !std::mem::replace(&mut self.is_leaving, true) {
            self.heard = now;
            self.send_quit();
        }
    }

    /// What is wrong with it, if nothing has come from it for too long. One that waits, or loads the specs, may take
    /// its time.
    pub(super) fn kill_reason(&mut self, now: Instant, request: &Request) -> Option<KillReason> {
        self.stopped = self.is_stopped().then(|| self.stopped.unwrap_or(now));
        let is_over = |since: Instant, limit: &Duration| now - since >= *limit;
        if let Some(limit) = request.timeout.filter(|limit| is_over(self.heard, limit))
            && self.has_loaded
            && (!self.is_idle || self.is_leaving)
        {
            return Some(KillReason::Late(limit));
        }
        let is_late = self
            .stopped
            .is_some_and(|since| is_over(since, &request.silence));
        is_late.then_some(KillReason::Stopped(request.silence))
    }

    /// Whether a signal keeps it from going on. Its end is somebody else's to wait for.
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

    /// A worker that does not hear us will be found dead.
    fn send(&self, message: &Value) {
        if let Some(connection) = &self.connection {
            let _ = connection.send(message);
        }
    }

    pub(super) fn kill(&self) {
        let _ = kill_process_group(self.group, Signal::KILL);
    }

    /// The process has ended; what it wrote before may still be on its way.
    pub(super) fn end(&mut self, status: io::Result<ExitStatus>) {
        self.ended = Some(status);
        match &self.connection {
            Some(connection) => connection.close(),
            None => self.is_silent = true,
        }
    }

    /// Whether it has ended and everything it said has been heard.
    pub(super) fn is_gone(&self) -> bool {
        self.ended.is_some() && self.is_silent
    }

    /// In what way it ended.
    pub(super) fn how_it_ended(&self) -> String {
        if let Some(offence) = &self.offence {
            return offence.to_string();
        }
        match &self.ended {
            Some(Ok(status)) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("exit code {code}"),
                (None, signal) => signal_name::name(signal.unwrap_or_default()),
            },
            Some(Err(error)) => error.to_string(),
            None => "no end".to_owned(),
        }
    }
}
