//! Ctrl-C and SIGTERM: running examples end, and the record is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use casebook_run::rspec::Stopper;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::context::Context;
use crate::exit::Exit;

/// Listens for signals while examples run.
pub(super) struct Signals {
    /// The first that came, or 0.
    first: Arc<AtomicI32>,
}

impl Signals {
    pub(super) fn begin(stopper: Stopper, context: &Context) -> Signals {
        let first = Arc::new(AtomicI32::new(0));
        let messages = context.messages.clone();
        // Without the handler a signal just ends the program, and the workers when they next ask it something.
        if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) {
            let first = Arc::clone(&first);
            thread::spawn(move || {
                for (count, signal) in signals.forever().enumerate() {
                    let _ = first.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
                    match count {
                        0 => messages.say(
                            "ending after the running examples; once more to end them at once",
                        ),
                        1 => {}
                        _ => exit(Exit::Interrupted(signal)),
                    }
                    stopper.ask();
                }
            });
        }
        Signals { first }
    }

    pub(super) fn first(&self) -> Option<i32> {
        Some(self.first.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
    }
}

#[expect(clippy::exit, reason = "whoever asks three times wants nothing else")]
fn exit(how: Exit) -> ! {
    std::process::exit(how.code().into())
}
