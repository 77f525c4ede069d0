//! A worker: takes tests from the controller, runs them, and sends back what happens.

mod forward;
mod inlet;
mod outlet;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use casebook_source::SourceFile;
use casebook_suite::{Surroundings, check, stem};

use self::forward::Forward;
use self::inlet::Inlet;
use self::outlet::Outlet;
use super::bytes::from_text;
use super::frame::{self, Frame, Hello, VERSION};
use super::local::Channel;
use crate::budget::Budget;
use crate::carry::Carry;
use crate::engine::Travels;
use crate::engine::native::{Ahead, Native, Opened};
use crate::http::Client;
use crate::llm::Models;
use crate::plan::PlannedSuite;
use crate::scratch::Scratch;
use crate::shell::bash::Bash;
use crate::shell::{NoBash, ProcessContext, end_strays};
use crate::stop::Stop;
use crate::tell::Teller;
use crate::world::World;

/// How long an event may wait for others, and how long it takes to notice what the controller says during a test.
const MOMENT: Duration = Duration::from_millis(20);
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
pub fn serve(channel: Channel, world: &World) -> Result<(), WorkerError> {
    let inlet = Inlet::new(channel);
    let hello = match inlet.next() {
        Some(Frame::Hello(hello)) if hello.version == VERSION => hello,
        Some(Frame::Hello(hello)) => return Err(WorkerError::Version(hello.version)),
        _ => return Err(WorkerError::NoController),
    };
    let bash = Bash::of(world)?;
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let stop = Stop::new()?;
    let out = Outlet::new(inlet.sender()?);
    thread::scope(|scope| {
        // Dropped when the thread ends, however it ends.
        let (working, ended) = mpsc::channel::<()>();
        let (inlet, stop, out) = (&inlet, &stop, &out);
        scope.spawn(move || {
            let _working = working;
            run_tests(&hello, bash, inlet, out, stop, world);
        });
        out.send(&Frame::Ready { version: VERSION });
        look_after(&ended, inlet, out, stop);
    });
    end_strays(world.instant);
    Ok(())
}

/// Sends what waits, now and then that all is well, and hears during a test what cannot wait for its end.
fn look_after(ended: &Receiver<()>, inlet: &Inlet, out: &Outlet, stop: &Stop) {
    let mut moments = 0;
    while ended.recv_timeout(MOMENT) == Err(RecvTimeoutError::Timeout) {
        moments += 1;
        if moments % MOMENTS == 0 {
            out.send(&Frame::Alive);
        } else {
            out.flush();
        }
        inlet.look(stop);
    }
}

/// Runs one test after another.
fn run_tests(hello: &Hello, bash: Bash, inlet: &Inlet, out: &Outlet, stop: &Stop, world: &World) {
    let options = hello.options();
    let scratch = PathBuf::from(from_text(&hello.scratch));
    let prefix = folder_prefix(&scratch, hello.worker);
    let evidence = Forward::new(out.clone(), hello.keeps_output, prefix.clone());
    let budget = Budget::default();
    let engine = Native {
        budget: &budget,
        world,
        processes: ProcessContext {
            bash,
            stop,
            instant: world.instant,
            max_output: options.max_output,
            temporary: scratch.clone(),
        },
        ahead: Ahead::default(),
        scratch: Scratch::shared(scratch, prefix),
        options: &options,
        models: Models::new(world, &options.llm, &evidence),
        http: Client::new(world),
    };
    let teller = Teller::new(&evidence, &budget, world.now);
    let carry = Carry {
        options: &options,
        engine: &engine,
        teller: &teller,
        stop,
        instant: world.instant,
    };
    let mut suites: HashMap<usize, PlannedSuite> = HashMap::new();
    let mut opened = HashMap::new();
    while let Some(frame) = inlet.next() {
        match frame {
            Frame::Stop => stop.ask(),
            Frame::Shutdown => return,
            Frame::Suite(text) => {
                suites.extend(read(&text, world).map(|suite| (text.suite, suite)));
            }
            Frame::File(file) => {
                opened.insert(file.suite, Ok(arrived(&file)));
            }
            Frame::Run(run) => {
                let (id, suite) = (run.id, run.suite);
                let Some(planned_suite) = suites.get(&suite) else {
                    return;
                };
                let end = carry.test(
                    planned_suite,
                    &run.planned(),
                    opened.get(&suite),
                    hello.worker,
                );
                out.send(&Frame::Done { id, end });
            }
            _ => {}
        }
    }
}

fn read(text: &frame::Text, world: &World) -> Option<PlannedSuite> {
    let environment: BTreeMap<_, _> = world
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
    let surroundings = Surroundings {
        environment: &environment,
        stem: &stem(Path::new(&text.name)),
        read: &read,
    };
    let file = SourceFile::new(text.name.clone(), text.yaml.clone());
    check(file, &surroundings).suite.map(PlannedSuite::of)
}

fn arrived<'w>(file: &frame::File) -> Opened<'w> {
    let variables = file.environment.iter();
    Opened::arrived(Travels {
        environment: variables
            .map(|(name, value)| (from_text(name), from_text(value)))
            .collect(),
        folder: from_text(&file.folder).into(),
    })
}
