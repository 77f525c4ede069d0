//! After a command has ended: whoever still holds its streams, and whatever else it left running.

use std::ffi::OsStr;
use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};

use super::process::{KillTarget, MonitoredProcess, WaitEvent};
use super::process_tree;

/// How long those that hold a stream open have to let go of it.
const WINDOW: Duration = Duration::from_millis(500);
/// How long nobody is found who does, before that does not matter any more.
const GIVE_UP_AFTER: Duration = Duration::from_secs(3);
/// How long strays have to end in their own way when the run is over.
const GRACE: Duration = Duration::from_secs(1);

/// Reads the streams to their end. Processes that hold them open for longer than a moment are ended; true if there
/// were such.
pub(crate) fn drain_output(
    watched: &mut MonitoredProcess<'_>,
    now: fn() -> Instant,
) -> io::Result<bool> {
    let last = now() + GIVE_UP_AFTER;
    loop {
        let until = now() + WINDOW;
        while !watched.is_closed() {
            if watched.wait(Some(until), None)? == WaitEvent::DeadlinePassed {
                break;
            }
        }
        let pipes = watched.open_pipes();
        if pipes.is_empty() {
            return Ok(false);
        }
        let holders = move || -> Vec<_> {
            pipes
                .iter()
                .flat_map(|pipe| process_tree::holders(pipe))
                .collect()
        };
        // Where nobody is found, another test is about to be started and holds for a moment all that we do.
        if !holders().is_empty() || now() >= last {
            watched.terminate(&KillTarget::Dynamic(Box::new(holders)))?;
            return Ok(true);
        }
    }
}

/// Ends all that a test or a file left running: its process group, and those that left the group but still have its
/// mark in their environment.
pub(crate) fn kill_leftovers(
    watched: &mut MonitoredProcess<'_>,
    mark: &'static str,
    value: &OsStr,
) -> io::Result<()> {
    watched.terminate(&KillTarget::Group(watched.pid()))?;
    if process_tree::reap_adopted() {
        let value = value.to_owned();
        let marked = move || process_tree::orphans_with(mark, &value);
        let found = marked();
        watched.terminate(&KillTarget::Dynamic(Box::new(marked)))?;
        process_tree::reap(&found);
    }
    Ok(())
}

/// Ends what came to us and belongs to no test any more: the run is over.
pub(crate) fn kill_orphans(now: fn() -> Instant) {
    let until = now() + GRACE;
    let mut signal = Signal::TERM;
    while process_tree::reap_adopted() {
        for pid in process_tree::all_orphans() {
            let _ = kill_process(pid, signal);
        }
        if now() >= until {
            if signal == Signal::KILL {
                return;
            }
            signal = Signal::KILL;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
