//! RSpec: how it is made to tell its events, and how its examples are spread over several processes.
//!
//! The formatter is plain Ruby, comes with the binary and is written beside the socket for the time of a run. RSpec
//! takes it from `SPEC_OPTS`, so the project is not edited.
//!
//! With several workers, each is an RSpec that loads the specs once and then asks over the socket what to run next. The
//! first that has loaded tells which examples there are.

mod controller;
mod plan;
mod queue;
mod tally;
mod worker;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use casebook_record::event::ExampleStarted;
use casebook_record::{Event, Metadata};

use crate::event_socket::{ChannelError, Connection, EventSocket, SocketMessage};
use crate::system::SystemContext;
use controller::Controller;

pub use worker::Output;

const FORMATTER: &str = include_str!("../../../ruby/casebook_formatter.rb");
const WORKER: &str = include_str!("../../../ruby/casebook_worker.rb");

/// How long nothing happens before the workers are looked after.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// What `SPEC_OPTS` has to be, so that any RSpec that is started with it tells this channel: what the user has there,
/// and the formatter.
pub fn options(channel: &EventSocket, users: Option<&OsString>) -> Result<OsString, ChannelError> {
    let formatter = channel.write_companion_file("casebook_formatter.rb", FORMATTER)?;
    Ok(with_require(users, &formatter))
}

/// The same for a worker, which prints nothing of its own.
fn worker_options(
    channel: &EventSocket,
    users: Option<&OsString>,
) -> Result<OsString, ChannelError> {
    channel.write_companion_file("casebook_formatter.rb", FORMATTER)?;
    let worker = channel.write_companion_file("casebook_worker.rb", WORKER)?;
    let mut options = with_require(users, &worker);
    options.push(" --format Casebook::Formatter");
    Ok(options)
}

fn with_require(users: Option<&OsString>, file: &Path) -> OsString {
    let mut options = users.cloned().unwrap_or_default();
    if !options.is_empty() {
        options.push(" ");
    }
    options.push("--require ");
    options.push(quoted(file.as_os_str()));
    options
}

/// As RSpec takes words apart: the way of a shell.
fn quoted(word: &OsStr) -> OsString {
    let mut quoted = OsString::from("'");
    quoted.push(word.to_string_lossy().replace('\'', r"'\''"));
    quoted.push("'");
    quoted
}

/// What is to be run.
#[derive(Debug, Clone)]
pub struct Request {
    /// RSpec and its arguments.
    pub command: Vec<OsString>,
    /// How many processes share the work.
    pub workers: usize,
    /// Whether the first failure is the last; otherwise the project decides.
    pub fail_fast: bool,
    /// How long nothing may come from a process that has something to do.
    pub timeout: Option<Duration>,
    /// How long a process may be stopped.
    pub silence: Duration,
    /// What orders are shuffled by, where the project shuffles and names no other.
    pub seed: u64,
    /// How long examples took before, in milliseconds by stable id.
    pub durations: HashMap<String, u64>,
    /// What the record says of how the run was started.
    pub metadata: Metadata,
}

/// What a run came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RspecOutcome {
    /// How many examples there were, if any RSpec came so far as to know.
    pub planned: Option<usize>,
    /// Examples that failed, and errors outside of examples.
    pub failed: usize,
    /// Examples that were never run, or ended by the request to stop.
    pub not_run: usize,
    /// How RSpec ended where none came so far as to run anything.
    pub ended_early: Option<String>,
}

/// Why nothing could be run.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each variant is the error of the part it names"
)]
pub enum RspecError {
    #[error(transparent)]
    Channel(#[from] ChannelError),
    #[error("cannot start `{program}`: {reason}")]
    Start { program: String, reason: String },
}

/// Where everything that happens to a run arrives.
pub struct ControllerInbox {
    sender: Sender<Message>,
    receiver: Receiver<Message>,
}

/// Something that happens to a run.
enum Message {
    Heard(Connection, Box<SocketMessage>),
    Ended(u64, io::Result<ExitStatus>),
    Stop,
}

impl ControllerInbox {
    /// An empty one.
    #[expect(clippy::new_without_default, reason = "it is no value to be filled in")]
    pub fn new() -> ControllerInbox {
        let (sender, receiver) = channel();
        ControllerInbox { sender, receiver }
    }

    /// The way to stop the run: once to let running examples end, twice to end them.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.sender.clone())
    }
}

/// Asks a run to stop.
#[derive(Clone)]
pub struct Stopper(Sender<Message>);

impl Stopper {
    /// Asks.
    pub fn ask(&self) {
        // A run that is over has stopped.
        let _ = self.0.send(Message::Stop);
    }
}

/// An example that would be run.
#[derive(Debug, Clone)]
pub struct ListedExample {
    /// As it would be told when it begins.
    pub example: ExampleStarted,
    /// Whether it is known beforehand that it does nothing.
    pub is_skipped: bool,
}

/// Runs RSpec in several processes and publishes one stream of events. What the processes print goes to `output`, line
/// by line.
pub fn run(
    request: &Request,
    system: &SystemContext,
    inbox: ControllerInbox,
    publish: &mut dyn FnMut(Event),
    output: &Arc<Output>,
) -> Result<RspecOutcome, RspecError> {
    Ok(lead(request, system, inbox, publish, output, false)?.1)
}

/// What would be run, in order; nothing is. Errors outside of examples are published.
pub fn list(
    request: &Request,
    system: &SystemContext,
    inbox: ControllerInbox,
    publish: &mut dyn FnMut(Event),
    output: &Arc<Output>,
) -> Result<(Vec<ListedExample>, RspecOutcome), RspecError> {
    lead(request, system, inbox, publish, output, true)
}

fn lead(
    request: &Request,
    system: &SystemContext,
    inbox: ControllerInbox,
    publish: &mut dyn FnMut(Event),
    output: &Arc<Output>,
    only_lists: bool,
) -> Result<(Vec<ListedExample>, RspecOutcome), RspecError> {
    let channel = EventSocket::open(&system.temporary)?;
    let options = worker_options(&channel, system.variable("SPEC_OPTS"))?;
    let socket = channel.socket();
    let ears = inbox.sender.clone();
    // Held to the end: the files of the workers are in its folder.
    let _listening = channel.listen(Arc::new(move |connection: &Connection, heard| {
        let _ = ears.send(Message::Heard(connection.clone(), Box::new(heard)));
    }))?;
    let start = worker::Start {
        request,
        system,
        options,
        socket,
        output: Arc::clone(output),
        inbox: inbox.sender,
    };
    let mut controller = Controller::new(start, publish, only_lists);
    controller.start_all()?;
    let mut next_look = (system.instant)() + STOP_POLL_INTERVAL;
    while controller.is_running() {
        let now = (system.instant)();
        // By the clock: where some have much to say, one may be silent for as long as it likes.
        if now >= next_look {
            controller.check_timeouts();
            next_look = now + STOP_POLL_INTERVAL;
        }
        match inbox.receiver.recv_timeout(next_look - now) {
            Ok(message) => controller.take(message),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(controller.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_has_in_spec_opts_stays() {
        let file = Path::new("/tmp/it's here/f.rb");
        assert_eq!(
            with_require(Some(&"--seed 3".into()), file),
            r"--seed 3 --require '/tmp/it'\''s here/f.rb'"
        );
        assert_eq!(
            with_require(None, Path::new("/tmp/f.rb")),
            "--require '/tmp/f.rb'"
        );
    }
}
