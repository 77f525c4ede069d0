//! Ctrl-C and SIGTERM: running tests are ended in order, and the record is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;

use casebook_run::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::context::Context;
use crate::exit::Exit;

/// Listens for signals while tests run.
pub(super) struct Interrupts {
    stop: Arc<Stop>,
    /// The first signal that came, or 0.
    signal: Arc<AtomicI32>,
    /// Whether there are tests to be ended.
    running: Arc<AtomicBool>,
}

impl Interrupts {
    pub(super) fn begin(stop: Stop, context: &Context) -> Interrupts {
        let stop = Arc::new(stop);
        let signal = Arc::new(AtomicI32::new(0));
        let running = Arc::new(AtomicBool::new(false));
        let messages = context.messages.clone();
        // Without the handler a signal just ends the program, and the next run cleans up after it.
        if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
            let (stop, first) = (Arc::clone(&stop), Arc::clone(&signal));
            let running = Arc::clone(&running);
            thread::spawn(move || {
                for (count, signal) in signals.forever().enumerate() {
                    let _ = first.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
                    match count {
                        0 if running.load(Ordering::SeqCst) => {
                            messages.say("ending the running tests; once more to end them at once");
                        }
                        0 | 1 => {}
                        _ => exit(Exit::Interrupted(signal)),
                    }
                    stop.ask();
                }
            });
        }
        Interrupts {
            stop,
            signal,
            running,
        }
    }

    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Says whether tests are running, for what is said about them.
    pub(super) fn running(&self, running: bool) {
        self.running.store(running, Ordering::SeqCst);
    }

    /// The first signal that came.
    pub(super) fn signal(&self) -> Option<i32> {
        Some(self.signal.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
    }
}

#[expect(clippy::exit, reason = "whoever asks three times wants nothing else")]
fn exit(how: Exit) -> ! {
    std::process::exit(how.code().into())
}
