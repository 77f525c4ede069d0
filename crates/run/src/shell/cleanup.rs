//! Cleanup after a command: processes that keep its output open, and other processes it left running.

use std::ffi::OsStr;
use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};

use super::process::{KillTarget, MonitoredProcess, WaitEvent};
use super::process_tree;

/// How long processes may keep the output open after the command exited.
const WINDOW: Duration = Duration::from_millis(500);
/// How long the output may stay open although no process is found that holds it.
const GIVE_UP_AFTER: Duration = Duration::from_secs(3);
/// The grace period of orphans at the end of the run.
const GRACE: Duration = Duration::from_secs(1);

/// Reads the streams to their end. Terminates processes that keep them open for longer than [`WINDOW`]; returns whether
/// there were any.
pub(crate) fn drain_output(
    process: &mut MonitoredProcess<'_>,
    now: fn() -> Instant,
) -> io::Result<bool> {
    let last = now() + GIVE_UP_AFTER;
    loop {
        let until = now() + WINDOW;
        while !process.is_closed() {
            if process.wait(Some(until), None)? == WaitEvent::DeadlinePassed {
                break;
            }
        }
        let pipes = process.open_pipes();
        if pipes.is_empty() {
            return Ok(false);
        }
        let holders = move || -> Vec<_> {
            pipes
                .iter()
                .flat_map(|pipe| process_tree::holders(pipe))
                .collect()
        };
        // If none is found, the holder is a fork of this process that has not yet called exec for another test.
        if !holders().is_empty() || now() >= last {
            process.terminate(&KillTarget::Dynamic(Box::new(holders)))?;
            return Ok(true);
        }
    }
}

/// Terminates everything that a test or a suite left running: its process group, and orphans that left the group but
/// have its mark in their environment.
pub(crate) fn kill_leftovers(
    process: &mut MonitoredProcess<'_>,
    mark: &'static str,
    value: &OsStr,
) -> io::Result<()> {
    process.terminate(&KillTarget::Group(process.pid()))?;
    if process_tree::reap_adopted() {
        let value = value.to_owned();
        let marked = move || process_tree::orphans_with(mark, &value);
        let found = marked();
        process.terminate(&KillTarget::Dynamic(Box::new(marked)))?;
        process_tree::reap(&found);
    }
    Ok(())
}

/// Terminates all orphans at the end of the run.
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
