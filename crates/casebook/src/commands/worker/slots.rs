//! Supervises the processes of a worker: one for each test that runs at the same time, replaced if it dies.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use casebook_run::StopToken;
use rustix::process::{Pid, Signal, getpid, kill_process};

use crate::arguments::worker::Worker;
use crate::commands::shared::{cluster, signals::Signals};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

const POLL: Duration = Duration::from_millis(50);
/// The time between the signals that end a process whose supervisor has died.
const LAST_MOMENTS: Duration = Duration::from_secs(1);
/// A process that died is replaced after this many polls.
const RESTART: u32 = 20;

struct Slot {
    number: usize,
    process: Option<Child>,
    /// How many polls to wait before the next start.
    delay: u32,
}

/// Runs until a signal arrives, or until a process reports that it cannot work.
pub(super) fn supervise(arguments: &Worker, context: &mut Context) -> Result<Exit, CommandError> {
    let url = arguments.connect.as_deref().unwrap_or_default();
    // An unusable server is reported once, not by every process.
    let address = cluster::address(url, &arguments.cluster_args, context)?;
    casebook_cluster::check(address.clone())?;
    let stop = std::sync::Arc::new(StopToken::new()?);
    let on_signal = {
        let (stop, messages) = (std::sync::Arc::clone(&stop), context.messages.clone());
        move |count| {
            if count == 0 {
                messages.info("stopping after the running tests; press Ctrl-C again to stop now");
            }
            stop.request();
        }
    };
    let signals = Signals::begin(on_signal, context);
    let jobs = arguments.jobs.unwrap_or_else(Context::cpus);
    context.messages.info(&format!(
        "{jobs} {} for {}; press Ctrl-C to quit",
        if jobs == 1 { "slot" } else { "slots" },
        address.server()
    ));
    let mut slots: Vec<_> = (1..=jobs)
        .map(|number| Slot {
            number,
            process: None,
            delay: 0,
        })
        .collect();
    let mut forwarded = 0;
    let mut exit = None;
    loop {
        for slot in &mut slots {
            exit = exit.or(slot.check(context)?);
            if slot.process.is_none() && exit.is_none() && !stop.is_requested() && slot.delay == 0 {
                slot.process = Some(start(arguments, url, slot.number)?);
            }
        }
        if stop.request_count() > forwarded || exit.is_some() {
            forwarded = stop.request_count();
            slots.iter().for_each(Slot::signal);
        }
        if (stop.is_requested() || exit.is_some())
            && slots.iter().all(|slot| slot.process.is_none())
        {
            break;
        }
        thread::sleep(POLL);
    }
    Ok(exit.unwrap_or_else(|| signals.first().map_or(Exit::Passed, Exit::Interrupted)))
}

impl Slot {
    /// Notices the end of the process. Returns the exit code of one that cannot work.
    fn check(&mut self, context: &Context) -> Result<Option<Exit>, CommandError> {
        let Some(process) = &mut self.process else {
            self.delay = self.delay.saturating_sub(1);
            return Ok(None);
        };
        let Some(status) = process.try_wait()? else {
            return Ok(None);
        };
        self.process = None;
        self.delay = RESTART;
        match status.code() {
            Some(2) => Ok(Some(Exit::CouldNotTest)),
            Some(0 | 130 | 143) => Ok(None),
            _ => {
                context.messages.warn(&format!(
                    "slot {} died ({status}); starting a new one",
                    self.number
                ));
                Ok(None)
            }
        }
    }

    fn signal(&self) {
        if let Some(process) = &self.process
            && let Some(pid) = i32::try_from(process.id()).ok().and_then(Pid::from_raw)
        {
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

fn start(arguments: &Worker, url: &str, number: usize) -> Result<Child, CommandError> {
    let mut command = Command::new(Context::program());
    command
        .args(["worker", "--connect", "--slot"])
        .arg(number.to_string())
        // Closed when the supervisor dies.
        .stdin(Stdio::piped())
        // Ctrl-C reaches only the supervisor, which forwards it.
        .process_group(0);
    cluster::pass(url, &arguments.cluster_args, &mut command);
    Ok(command.spawn()?)
}

/// Ends this process soon after its supervisor has died: as if Ctrl-C was pressed three times.
pub(super) fn end_with_supervisor() {
    let mut stdin = Context::stdin();
    thread::spawn(move || {
        let _ = io::copy(&mut stdin, &mut io::sink());
        for _ in 0..3 {
            let _ = kill_process(getpid(), Signal::TERM);
            thread::sleep(LAST_MOMENTS);
        }
    });
}
