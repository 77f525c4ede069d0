//! [`serve`]: receives tests from the controller, runs them, and sends back events.

mod forward;
mod receiver;
mod sender;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use casebook_source::SourceFile;
use casebook_suite::{CheckContext, check, stem};

use self::forward::ForwardingSink;
use self::receiver::FrameReceiver;
use self::sender::FrameSender;
use super::frame::{self, Frame, Hello, VERSION};
use super::local::LineSocket;
use super::os_text::from_text;
use crate::budget::OutputBudget;
use crate::emitter::EventEmitter;
use crate::engine::SuiteEnvironment;
use crate::engine::native::{NativeEngine, NativeSuite, PrestartedShells};
use crate::executor::TestExecutor;
use crate::http::Client;
use crate::llm::Models;
use crate::plan::PlannedSuite;
use crate::scratch::ScratchDir;
use crate::shell::bash::Bash;
use crate::shell::{NoBash, ProcessContext, kill_orphans};
use crate::spending::{Spending, Spent};
use crate::stop::StopToken;
use crate::system::SystemContext;

/// How long an event may wait for others, and how long it takes to notice a frame during a test.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The number of poll intervals between heartbeats.
const POLLS_PER_HEARTBEAT: u32 = 50;

/// Why a worker cannot run tests.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The first frame is not that of a controller.
    #[error(
        "`casebook worker` needs --connect: with the URL of a NATS server, or alone for the one in CASEBOOK_CLUSTER_URL or casebook.toml; to start several processes on this machine, use `casebook run --workers N`"
    )]
    NoController,
    /// The controller has another protocol version.
    #[error("the controller has protocol version {0} instead of {VERSION}")]
    Version(u32),
    /// See [`NoBash`].
    #[error(transparent)]
    Bash(#[from] NoBash),
    /// An error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The beginning of the names of a worker's directories.
pub(super) fn dir_prefix(worker: usize) -> String {
    format!("worker-{worker}-")
}

/// Runs tests until the controller closes the connection.
///
/// Another thread runs the tests and receives the frames itself, because passing each frame between threads costs up to
/// a tenth of a small test. The calling thread, which must be the main thread because orphans are given to it, sends
/// heartbeats.
pub fn serve(channel: LineSocket, system: &SystemContext) -> Result<(), WorkerError> {
    let receiver = FrameReceiver::new(channel);
    let hello = match receiver.next() {
        Some(Frame::Hello(hello)) if hello.version == VERSION => hello,
        Some(Frame::Hello(hello)) => return Err(WorkerError::Version(hello.version)),
        _ => return Err(WorkerError::NoController),
    };
    let bash = Bash::of(system)?;
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let stop = StopToken::new()?;
    let out = FrameSender::new(receiver.sender()?);
    thread::scope(|scope| {
        // Dropped when the thread ends, also by a panic.
        let (working, ended) = mpsc::channel::<()>();
        let (receiver, stop, out) = (&receiver, &stop, &out);
        scope.spawn(move || {
            let _working = working;
            run_tests(&hello, bash, receiver, out, stop, system);
        });
        out.send(&Frame::Ready { version: VERSION });
        run_heartbeat(&ended, receiver, out, stop);
    });
    kill_orphans(system.instant);
    Ok(())
}

/// Sends buffered events and heartbeats, and receives stop requests during a test.
fn run_heartbeat(
    ended: &Receiver<()>,
    receiver: &FrameReceiver,
    out: &FrameSender,
    stop: &StopToken,
) {
    let mut polls = 0;
    while ended.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        polls += 1;
        if polls % POLLS_PER_HEARTBEAT == 0 {
            out.send(&Frame::Alive);
        } else {
            out.flush();
        }
        receiver.poll_stop(stop);
    }
}

/// Runs tests one after another.
fn run_tests(
    hello: &Hello,
    bash: Bash,
    receiver: &FrameReceiver,
    out: &FrameSender,
    stop: &StopToken,
    system: &SystemContext,
) {
    let options = &hello.options;
    let scratch = PathBuf::from(from_text(&hello.scratch));
    let prefix = dir_prefix(hello.worker);
    let sink = ForwardingSink::new(out.clone(), hello.keeps_output, scratch.join(&prefix));
    let budget = OutputBudget::default();
    let spending = Spending::default();
    let engine = NativeEngine {
        budget: &budget,
        system,
        processes: ProcessContext {
            bash,
            stop,
            instant: system.instant,
            max_output: options.max_output,
            temporary: scratch.clone(),
        },
        prestarted: PrestartedShells::default(),
        scratch: ScratchDir::join_existing(scratch, &prefix, options.keep_temp.is_some()),
        options,
        models: Models::new(system, &options.llm, &sink, None),
        http: Client::new(system),
        spending: &spending,
    };
    let emitter = EventEmitter::new(&sink, &budget, &system.clock);
    let executor = TestExecutor {
        options,
        engine: &engine,
        emitter: &emitter,
        stop,
        instant: system.instant,
    };
    let mut suites: HashMap<usize, PlannedSuite> = HashMap::new();
    let mut open_suites = HashMap::new();
    while let Some(frame) = receiver.next() {
        match frame {
            Frame::Stop => stop.request(),
            Frame::Shutdown => return,
            Frame::Suite(text) => {
                suites.extend(read(&text, system).map(|suite| (text.suite, suite)));
            }
            Frame::File(file) => {
                open_suites.insert(file.suite, Ok(from_controller(&file)));
            }
            Frame::Run(run) => {
                let (id, suite) = (run.id, run.suite);
                let Some(planned_suite) = suites.get(&suite) else {
                    return;
                };
                let end = executor.run_test(
                    planned_suite.planned(&run.test),
                    open_suites.get(&suite),
                    hello.worker,
                    run.repetition,
                );
                let spent = Some(spending.take()).filter(|spent| *spent != Spent::default());
                out.send(&Frame::Done { id, end, spent });
            }
            _ => {}
        }
    }
}

fn read(text: &frame::SuiteText, system: &SystemContext) -> Option<PlannedSuite> {
    let environment: BTreeMap<_, _> = system
        .environment
        .iter()
        .map(|(name, value)| {
            let text = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
            (text(name), text(value))
        })
        .collect();
    let read = |path: &str| -> Result<String, String> {
        let file = text.files.iter().find(|(name, _)| name == path);
        let file = file.ok_or("not sent by the controller")?;
        Ok(file.1.clone())
    };
    let context = CheckContext {
        environment: &environment,
        stem: &stem(Path::new(&text.name)),
        read: &read,
    };
    let file = SourceFile::new(text.name.clone(), text.yaml.clone());
    let suite = check(file, &context).suite?;
    Some(PlannedSuite::new(suite, Vec::new()))
}

fn from_controller<'w>(file: &frame::SuiteSetup) -> NativeSuite<'w> {
    let variables = file.environment.iter();
    NativeSuite::from_controller(SuiteEnvironment {
        environment: variables
            .map(|(name, value)| (from_text(name), from_text(value)))
            .collect(),
        dir: from_text(&file.dir).into(),
        services: file.services.clone(),
    })
}
