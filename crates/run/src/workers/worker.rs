//! A worker: takes tests from the controller, runs them, and sends back what happens.

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
use crate::stop::StopToken;
use crate::system::SystemContext;

/// How long an event may wait for others, and how long it takes to notice what the controller says during a test.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// After so many a worker says that it is well.
const MOMENTS: u32 = 50;

/// Why a worker cannot work.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// Nobody is there who speaks its language.
    #[error("`casebook worker` is started by `casebook run --workers N`, and not by hand")]
    NoController,
    /// The controller is of another version.
    #[error("the controller speaks version {0} of the protocol, not {VERSION}")]
    Version(u32),
    /// See [`NoBash`].
    #[error(transparent)]
    Bash(#[from] NoBash),
    /// The system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What the folders of a worker's tests begin with.
pub(super) fn folder_prefix(scratch: &Path, worker: usize) -> PathBuf {
    scratch.join(format!("worker-{worker}-"))
}

/// Works until the controller has nothing more to do, or is gone.
///
/// Another thread runs the tests and takes the frames itself, because to be handed each of them by a thread that reads
/// costs as much as a tenth of a small test. The calling thread, to which processes come whose parents end, looks after it.
pub fn serve(channel: LineSocket, system: &SystemContext) -> Result<(), WorkerError> {
    let inlet = FrameReceiver::new(channel);
    let hello = match inlet.next() {
        Some(Frame::Hello(hello)) if hello.version == VERSION => hello,
        Some(Frame::Hello(hello)) => return Err(WorkerError::Version(hello.version)),
        _ => return Err(WorkerError::NoController),
    };
    let bash = Bash::of(system)?;
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let stop = StopToken::new()?;
    let out = FrameSender::new(inlet.sender()?);
    thread::scope(|scope| {
        // Dropped when the thread ends, however it ends.
        let (working, ended) = mpsc::channel::<()>();
        let (inlet, stop, out) = (&inlet, &stop, &out);
        scope.spawn(move || {
            let _working = working;
            run_tests(&hello, bash, inlet, out, stop, system);
        });
        out.send(&Frame::Ready { version: VERSION });
        run_heartbeat(&ended, inlet, out, stop);
    });
    kill_orphans(system.instant);
    Ok(())
}

/// Sends what waits, now and then that all is well, and hears during a test what cannot wait for its end.
fn run_heartbeat(ended: &Receiver<()>, inlet: &FrameReceiver, out: &FrameSender, stop: &StopToken) {
    let mut moments = 0;
    while ended.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        moments += 1;
        if moments % MOMENTS == 0 {
            out.send(&Frame::Alive);
        } else {
            out.flush();
        }
        inlet.poll_stop(stop);
    }
}

/// Runs one test after another.
fn run_tests(
    hello: &Hello,
    bash: Bash,
    inlet: &FrameReceiver,
    out: &FrameSender,
    stop: &StopToken,
    system: &SystemContext,
) {
    let options = hello.options();
    let scratch = PathBuf::from(from_text(&hello.scratch));
    let prefix = folder_prefix(&scratch, hello.worker);
    let sink = ForwardingSink::new(out.clone(), hello.keeps_output, prefix.clone());
    let budget = OutputBudget::default();
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
        scratch: ScratchDir::join_existing(scratch, prefix),
        options: &options,
        models: Models::new(system, &options.llm, &sink),
        http: Client::new(system),
    };
    let emitter = EventEmitter::new(&sink, &budget, system.now);
    let executor = TestExecutor {
        options: &options,
        engine: &engine,
        emitter: &emitter,
        stop,
        instant: system.instant,
    };
    let mut suites: HashMap<usize, PlannedSuite> = HashMap::new();
    let mut opened = HashMap::new();
    while let Some(frame) = inlet.next() {
        match frame {
            Frame::Stop => stop.request(),
            Frame::Shutdown => return,
            Frame::Suite(text) => {
                suites.extend(read(&text, system).map(|suite| (text.suite, suite)));
            }
            Frame::File(file) => {
                opened.insert(file.suite, Ok(from_controller(&file)));
            }
            Frame::Run(run) => {
                let (id, suite) = (run.id, run.suite);
                let Some(planned_suite) = suites.get(&suite) else {
                    return;
                };
                let entry = run.planned();
                let end = executor.run_test(
                    planned_suite.planned(&entry),
                    opened.get(&suite),
                    hello.worker,
                );
                out.send(&Frame::Done { id, end });
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
    let read = |path: &str| {
        let file = text.files.iter().find(|(known, _)| known == path);
        let file = file.ok_or("it was not sent along")?;
        Ok(file.1.clone())
    };
    let surroundings = CheckContext {
        environment: &environment,
        stem: &stem(Path::new(&text.name)),
        read: &read,
    };
    let file = SourceFile::new(text.name.clone(), text.yaml.clone());
    check(file, &surroundings).suite.map(PlannedSuite::of)
}

fn from_controller<'w>(file: &frame::SuiteSetup) -> NativeSuite<'w> {
    let variables = file.environment.iter();
    NativeSuite::from_controller(SuiteEnvironment {
        environment: variables
            .map(|(name, value)| (from_text(name), from_text(value)))
            .collect(),
        folder: from_text(&file.folder).into(),
    })
}
