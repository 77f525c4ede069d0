//! Runs RSpec: receives its events, and distributes its examples over several processes.
//!
//! The formatter is plain Ruby, included in the binary and written next to the socket for the duration of a run. RSpec
//! loads it through `SPEC_OPTS`, so the project is not changed.
//!
//! With several workers, each is an RSpec process that loads the specs once and then requests examples over the socket.
//! The first that has loaded the specs sends the list of examples.

mod controller;
mod observed_run;
mod plan;
mod queue;
mod tally;
mod worker;

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use casebook_record::event::ExampleStarted;
use casebook_record::{Event, Metadata, Redactor};

use crate::event_socket::{ChannelError, Connection, EventSocket, SocketMessage};
use crate::system::SystemContext;
use controller::Controller;

pub use controller::failed_event;
pub use observed_run::{ObserveMode, ObservedRun};
pub use worker::Output;

const FORMATTER: &str = include_str!("../ruby/casebook_formatter.rb");
const WORKER: &str = include_str!("../ruby/casebook_worker.rb");

/// How often timeouts are checked.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The value of `SPEC_OPTS` with which any RSpec sends its events to the socket: the user's own options, and the
/// formatter.
pub fn options(channel: &EventSocket, users: Option<&OsString>) -> Result<OsString, ChannelError> {
    let formatter = channel.write_companion_file("casebook_formatter.rb", FORMATTER)?;
    Ok(with_require(users, &formatter))
}

/// The same for a worker, which prints no results itself.
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

/// Quotes a word as for a shell, which is how RSpec splits `SPEC_OPTS`.
fn quoted(word: &OsStr) -> OsString {
    let mut quoted = OsString::from("'");
    quoted.push(word.to_string_lossy().replace('\'', r"'\''"));
    quoted.push("'");
    quoted
}

/// What to run, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// RSpec and its arguments.
    pub command: Vec<OsString>,
    /// The number of worker processes.
    pub workers: usize,
    /// The slot of the first process, which decides its `TEST_ENV_NUMBER`.
    pub first_slot: usize,
    /// Whether an example begins only when its start event was published, because it may end this process.
    pub confirms_starts: bool,
    /// Whether to stop after the first failure; otherwise the project's configuration decides.
    pub fail_fast: bool,
    /// How long a busy process may send no event.
    pub timeout: Option<Duration>,
    /// How long a process may be stopped by a signal.
    pub stopped_timeout: Duration,
    /// The seed, if the project uses a random order without a fixed seed.
    pub seed: u64,
    /// Durations of earlier runs, in milliseconds by stable id.
    pub durations: HashMap<String, u64>,
    /// The stable ids of examples that are not run again.
    pub finished: HashSet<String>,
    /// Metadata for the start event.
    pub metadata: Metadata,
    /// Redacts the output of the processes.
    pub redactor: Redactor,
}

/// The counts of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RspecOutcome {
    /// The number of examples; `None` if no process loaded the specs.
    pub planned: Option<usize>,
    /// Examples that failed, and errors outside of examples.
    pub failed: usize,
    /// Examples that were never started or were interrupted by a stop request.
    pub not_run: usize,
    /// The number of failures that ends the run, if there is one.
    pub fail_fast: Option<u64>,
    /// How RSpec exited, if it did before running any examples.
    pub ended_early: Option<String>,
}

/// Why a run could not be started.
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

/// Receives everything that happens in a run.
pub struct ControllerInbox {
    sender: Sender<Message>,
    receiver: Receiver<Message>,
}

/// A message to the controller.
enum Message {
    Received(Connection, Box<SocketMessage>),
    Ended(u64, io::Result<ExitStatus>),
    Stop,
}

impl ControllerInbox {
    /// Creates an empty inbox.
    #[expect(clippy::new_without_default, reason = "an inbox has no default value")]
    pub fn new() -> ControllerInbox {
        let (sender, receiver) = channel();
        ControllerInbox { sender, receiver }
    }

    /// Requests a stop: the first request lets running examples finish, the second kills them.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.sender.clone())
    }
}

/// Requests that a run stops.
#[derive(Clone)]
pub struct Stopper(Sender<Message>);

impl Stopper {
    /// Sends one request.
    pub fn request(&self) {
        // Sending fails only if the run is already over.
        let _ = self.0.send(Message::Stop);
    }
}

/// An example in the list of examples.
#[derive(Debug, Clone)]
pub struct ListedExample {
    /// Its start event.
    pub example: ExampleStarted,
    /// The spec file.
    pub file: String,
    /// Examples of one unit share their setup, and are run by one process.
    pub unit: Option<String>,
    /// Whether it is known to be skipped.
    pub is_skipped: bool,
}

/// Runs RSpec in several processes and publishes one stream of events. Their output goes to `output`, line by line.
pub fn run(
    request: &Request,
    system: &SystemContext,
    inbox: ControllerInbox,
    publish: &mut dyn FnMut(Event),
    output: &Arc<Output>,
) -> Result<RspecOutcome, RspecError> {
    Ok(run_controller(request, system, inbox, publish, output, false)?.1)
}

/// Lists the examples in order, without running them. Errors outside of examples are published.
pub fn list(
    request: &Request,
    system: &SystemContext,
    inbox: ControllerInbox,
    publish: &mut dyn FnMut(Event),
    output: &Arc<Output>,
) -> Result<(Vec<ListedExample>, RspecOutcome), RspecError> {
    run_controller(request, system, inbox, publish, output, true)
}

fn run_controller(
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
    let sender = inbox.sender.clone();
    // Kept until the end, because the workers' files are in its directory.
    let _listening = channel.listen(Arc::new(move |connection: &Connection, message| {
        let _ = sender.send(Message::Received(connection.clone(), Box::new(message)));
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
    let mut next_check = (system.instant)() + STOP_POLL_INTERVAL;
    while controller.is_running() {
        let now = (system.instant)();
        // Checked by the clock, because busy workers may keep the inbox full.
        if now >= next_check {
            controller.check_timeouts();
            next_check = now + STOP_POLL_INTERVAL;
        }
        match inbox.receiver.recv_timeout(next_check - now) {
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
    fn spec_opts_of_the_user_are_kept() {
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
