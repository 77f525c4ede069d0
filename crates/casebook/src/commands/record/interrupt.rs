//! Ctrl-C and SIGTERM: write what has come so far, then go.

use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::session::RecordingSession;
use crate::exit::Exit;

/// Ends the session in order when the process is asked to stop. The main thread may be waiting for input that never
/// comes, so it is another one that finishes the record and ends the process.
pub(super) fn finish_on_signal(session: &RecordingSession) {
    let session = session.clone();
    // Without the handler the journal is still complete, and `casebook recover` makes the rest of it.
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
            session.end();
            exit(Exit::Interrupted(signal));
        });
        // Whoever asks twice does not want to wait: the journal has everything.
        if let Some(signal) = received.next() {
            exit(Exit::Interrupted(signal));
        }
    });
}

#[expect(clippy::exit, reason = "the main thread cannot be woken from reading")]
fn exit(how: Exit) -> ! {
    std::process::exit(how.code().into())
}
