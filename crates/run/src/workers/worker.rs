//! A worker: takes tests from the controller, runs them, and sends back what happens.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use casebook_record::{Bus, Event, Listener, ListenerError, RunFolder, encode_line};
use casebook_source::SourceFile;
use casebook_suite::{Surroundings, check, stem};

use super::bytes::from_text;
use super::frame::{self, Frame, Hello, Keep, VERSION};
use super::local::Channel;
use crate::budget::Budget;
use crate::carry::Carry;
use crate::engine::Travels;
use crate::evidence::Evidence;
use crate::http::Client;
use crate::llm::Models;
use crate::plan::PlannedSuite;
use crate::scratch::Scratch;
use crate::shell::bash::Bash;
use crate::shell::native::{Ahead, Native, Opened};
use crate::shell::{NoBash, end_strays};
use crate::stop::Stop;
use crate::tell::Teller;
use crate::world::World;

/// How long an event may wait for others.
const MOMENT: Duration = Duration::from_millis(20);
/// After so many a worker says that it is well.
const MOMENTS: u32 = 50;
/// So much waits at most to be sent with something else.
const ENOUGH: usize = 1 << 16;
/// A controller may think for as long as it likes.
const LONG: Duration = Duration::from_secs(3600);

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
/// The calling thread reads; another one runs the tests, because processes whose parents end come to the main thread.
pub fn serve(mut channel: Channel, world: &World) -> Result<(), WorkerError> {
    let hello = match receive(&mut channel) {
        Some(Frame::Hello(hello)) if hello.version == VERSION => hello,
        Some(Frame::Hello(hello)) => return Err(WorkerError::Version(hello.version)),
        _ => return Err(WorkerError::NoController),
    };
    let bash = Bash::of(world)?;
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let stop = Stop::new()?;
    let out = Outlet::new(channel.sender()?);
    thread::scope(|scope| {
        // Both end when this thread does, because it holds the other ends of their channels.
        let (frames, work) = mpsc::channel();
        let (_here, gone) = mpsc::channel();
        let (hello, stop, out) = (&hello, &stop, &out);
        scope.spawn(move || run_tests(hello, bash, &work, out, stop, world));
        scope.spawn(move || out.stay_alive(&gone));
        out.send(&Frame::Ready { version: VERSION });
        while let Some(frame) = receive(&mut channel) {
            match frame {
                Frame::Stop => stop.ask(),
                Frame::Shutdown => return,
                frame => drop(frames.send(frame)),
            }
        }
        // The controller is gone: nobody wants to know how the test ends.
        stop.ask();
        stop.ask();
    });
    end_strays(world.instant);
    Ok(())
}

/// The next frame; none when there will be no more that can be understood.
fn receive(channel: &mut Channel) -> Option<Frame> {
    loop {
        if let Some(line) = channel.receive(LONG).ok()? {
            return serde_json::from_str(line).ok();
        }
    }
}

/// Runs one test after another.
fn run_tests(
    hello: &Hello,
    bash: Bash,
    work: &Receiver<Frame>,
    out: &Outlet,
    stop: &Stop,
    world: &World,
) {
    let options = hello.options();
    let scratch = PathBuf::from(from_text(&hello.scratch));
    let prefix = folder_prefix(&scratch, hello.worker);
    let evidence = Forward::new(out.clone(), hello.keeps_output, prefix.clone());
    let budget = Budget::default();
    let engine = Native {
        budget: &budget,
        world,
        stop,
        bash,
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
    for frame in work {
        match frame {
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

/// The way to the controller, for all threads.
#[derive(Clone)]
struct Outlet(Arc<Mutex<Way>>);

struct Way {
    socket: UnixStream,
    /// Lines that need not be sent alone.
    waiting: Vec<u8>,
}

impl Outlet {
    fn new(socket: UnixStream) -> Outlet {
        Outlet(Arc::new(Mutex::new(Way {
            socket,
            waiting: Vec::new(),
        })))
    }

    /// Sends a frame, and all that has waited for it.
    fn send(&self, frame: &Frame) {
        let mut way = self.way();
        way.waiting.extend_from_slice(&frame.line());
        way.flush();
    }

    /// Sends the event with what comes next, or in a moment. Whatever is sent wakes the controller, which takes time
    /// from the tests; most of them are over before that moment is.
    fn event(&self, event: &Event) {
        let mut way = self.way();
        encode_line(event, &mut way.waiting);
        if way.waiting.len() > ENOUGH {
            way.flush();
        }
    }

    fn way(&self) -> MutexGuard<'_, Way> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what waits, and now and then that all is well, until the other end of the channel is dropped.
    fn stay_alive(&self, ended: &Receiver<()>) {
        let mut moments = 0;
        while ended.recv_timeout(MOMENT) == Err(RecvTimeoutError::Timeout) {
            moments += 1;
            if moments % MOMENTS == 0 {
                self.send(&Frame::Alive);
            } else {
                self.way().flush();
            }
        }
    }
}

impl Way {
    /// A controller that is gone is noticed where it is read from.
    fn flush(&mut self) {
        if !self.waiting.is_empty() {
            let _ = self.socket.write_all(&self.waiting);
            self.waiting.clear();
        }
    }
}

/// The worker's own bus: everything on it goes to the controller.
struct Forward {
    bus: Bus,
    out: Outlet,
    keeps_output: bool,
    prefix: PathBuf,
    kept: AtomicU64,
}

impl Forward {
    fn new(out: Outlet, keeps_output: bool, prefix: PathBuf) -> Forward {
        let bus = Bus::new();
        bus.subscribe_inline(Forwarder { out: out.clone() });
        Forward {
            bus,
            out,
            keeps_output,
            prefix,
            kept: AtomicU64::new(0),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<(String, String)> {
        let number = self.kept.fetch_add(1, Ordering::Relaxed);
        let mut path = self.prefix.clone().into_os_string();
        path.push(format!("output-{number}"));
        fs::write(&path, bytes)?;
        Ok((name.to_owned(), path.to_string_lossy().into_owned()))
    }
}

struct Forwarder {
    out: Outlet,
}

impl Listener for Forwarder {
    fn name(&self) -> &'static str {
        "controller"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), ListenerError> {
        self.out.event(event);
        Ok(())
    }
}

impl Evidence for Forward {
    fn publish(&self, event: Event) {
        self.bus.publish(event);
    }

    fn keeps_output(&self) -> bool {
        self.keeps_output
    }

    fn keep_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String> {
        if !self.keeps_output {
            return None;
        }
        let written = streams.iter().map(|(name, bytes)| self.write(name, bytes));
        let streams = written.collect::<io::Result<_>>().ok()?;
        self.out.send(&Frame::Keep(Keep {
            example_id: example_id.to_owned(),
            streams,
        }));
        Some(RunFolder::output_file(example_id))
    }

    fn warn(&self, message: &str) {
        self.out.send(&Frame::Warn(message.to_owned()));
    }

    fn learn(&self, exported: &[(String, String)]) {
        self.out.send(&Frame::Learn(exported.to_vec()));
    }
}
