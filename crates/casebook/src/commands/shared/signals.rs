//! Handles Ctrl-C and SIGTERM while tests run.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::context::Context;
use crate::exit::Exit;
use crate::screen;

/// A thread that handles signals.
pub(crate) struct Signals {
    /// The first signal received, or 0.
    first: Arc<AtomicI32>,
}

impl Signals {
    /// Calls this for the first two signals, with the number of earlier ones. The third exits. A command that a client called is
    /// stopped by the client instead, and signals stop the server.
    pub(crate) fn begin(on_signal: impl Fn(usize) + Send + 'static, context: &Context) -> Signals {
        let first = Arc::new(AtomicI32::new(0));
        if let Some(caller) = &context.caller {
            let noted = Arc::clone(&first);
            caller.cancellation.subscribe(move |count| {
                noted.store(SIGTERM, Ordering::SeqCst);
                on_signal(count);
            });
            return Signals { first };
        }
        // Without the handler a signal kills the program, and the next run cleans up.
        if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) {
            let first = Arc::clone(&first);
            thread::spawn(move || {
                for (count, signal) in signals.forever().enumerate() {
                    let _ = first.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
                    if count > 1 {
                        exit(Exit::Interrupted(signal));
                    }
                    on_signal(count);
                }
            });
        }
        Signals { first }
    }

    /// The first signal received.
    pub(crate) fn first(&self) -> Option<i32> {
        Some(self.first.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
    }
}

#[expect(clippy::exit, reason = "the third signal exits immediately")]
fn exit(how: Exit) -> ! {
    screen::restore();
    std::process::exit(how.code().into())
}
