//! Finishes the record on Ctrl-C and SIGTERM.

use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::session::RecordingSession;
use crate::exit::Exit;

/// Finishes the session on a signal and exits. The main thread may be blocked on input, so another thread does it.
pub(super) fn finish_on_signal(session: &RecordingSession) {
    let session = session.clone();
    // Without the handler the journal is still complete, and `casebook recover` rebuilds run.json.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else {
        return;
    };
    thread::spawn(move || {
        let mut received = signals.forever();
        let Some(signal) = received.next() else {
            return;
        };
        thread::spawn(move || {
            session.info("interrupted");
            session.end(None);
            exit(Exit::Interrupted(signal));
        });
        // The second signal exits immediately: the journal is complete.
        if let Some(signal) = received.next() {
            exit(Exit::Interrupted(signal));
        }
    });
}

#[expect(clippy::exit, reason = "the main thread cannot be woken from reading")]
fn exit(how: Exit) -> ! {
    std::process::exit(how.code().into())
}
