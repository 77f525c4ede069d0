//! Forwards signals to the command, and survives them to finish the record.

use std::process::Child;
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::context::Context;

/// The command's process while it runs.
type Target = Arc<Mutex<Option<Pid>>>;

/// Forwards signals that would kill this process.
pub(in crate::commands) struct Signals {
    target: Target,
}

impl Signals {
    /// Installs the handler. Without it the journal is still complete.
    pub(in crate::commands) fn hold() -> Signals {
        let target = Target::default();
        if let Ok(mut signals) =
            signal_hook::iterator::Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP])
        {
            let target = Arc::clone(&target);
            thread::spawn(move || signals.forever().for_each(|signal| pass(signal, &target)));
        }
        Signals { target }
    }

    pub(in crate::commands) fn pass_to(&self, child: &Child) {
        *self.target.lock() = Some(Pid::from_child(child));
    }

    /// Stops forwarding, because the process id may be reused. Signals are still ignored until the record is written.
    pub(in crate::commands) fn stop(&self) {
        *self.target.lock() = None;
    }
}

/// The terminal sends Ctrl-C and Ctrl-\ to the command as well; forwarding them would send them twice.
fn pass(signal: i32, target: &Target) {
    let from_keyboard = matches!(signal, SIGINT | SIGQUIT) && Context::is_in_foreground();
    let target = target.lock();
    if let (false, Some(pid), Some(signal)) =
        (from_keyboard, *target, Signal::from_named_raw(signal))
    {
        let _ = kill_process(pid, signal);
    }
}
