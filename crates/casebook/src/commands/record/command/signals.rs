//! Signals while a command runs: it gets them, and we stay to finish the record.

use std::process::Child;
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::context::Context;

/// The command's process while it runs.
type Target = Arc<Mutex<Option<Pid>>>;

/// Signals that would end this process are passed on instead.
pub(super) struct Signals {
    target: Target,
}

impl Signals {
    /// From now on they do not end this process. Without the handler the journal is still complete.
    pub(super) fn hold() -> Signals {
        let target = Target::default();
        if let Ok(mut signals) =
            signal_hook::iterator::Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP])
        {
            let target = Arc::clone(&target);
            thread::spawn(move || signals.forever().for_each(|signal| pass(signal, &target)));
        }
        Signals { target }
    }

    pub(super) fn pass_to(&self, child: &Child) {
        *self.target.lock() = Some(Pid::from_child(child));
    }

    /// The process is gone, and its number may soon be another's. Signals still do not end us: the record is about to
    /// be written.
    pub(super) fn stop(&self) {
        *self.target.lock() = None;
    }
}

/// Ctrl-C and Ctrl-\ reach everyone in the foreground of a terminal: the command has them already, and a second one
/// would mean something else to it.
fn pass(signal: i32, target: &Target) {
    let from_keyboard = matches!(signal, SIGINT | SIGQUIT) && Context::is_in_foreground();
    let target = target.lock();
    if let (false, Some(pid), Some(signal)) =
        (from_keyboard, *target, Signal::from_named_raw(signal))
    {
        let _ = kill_process(pid, signal);
    }
}
