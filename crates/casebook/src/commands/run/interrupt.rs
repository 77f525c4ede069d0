//! Ctrl-C, SIGTERM, and nobody who reads the results: running tests are ended in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use casebook_run::Stop;

use crate::commands::shared::output::{OutputSettings, PipeState};
use crate::commands::shared::signals::Signals;
use crate::context::Context;

/// Listens for signals while tests run, and while nobody knows whether they will again.
pub(super) struct InterruptHandler {
    stop: Arc<Stop>,
    signals: Signals,
    /// Whether there are tests to be ended.
    running: Arc<AtomicBool>,
}

impl InterruptHandler {
    pub(super) fn begin(stop: Stop, context: &Context) -> InterruptHandler {
        let stop = Arc::new(stop);
        let running = Arc::new(AtomicBool::new(false));
        let messages = context.messages.clone();
        let signals = Signals::begin({
            let (stop, running) = (Arc::clone(&stop), Arc::clone(&running));
            move |count| {
                if count == 0 && running.load(Ordering::SeqCst) {
                    messages.info("ending the running tests; once more to end them at once");
                }
                stop.ask();
            }
        });
        InterruptHandler {
            stop,
            signals,
            running,
        }
    }

    pub(super) fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }

    /// Says whether tests are running, for what is said about them.
    pub(super) fn set_running(&self, running: bool) {
        self.running.store(running, Ordering::SeqCst);
    }

    /// Whoever reads standard output: nobody wants the results of tests that run on when `head` has seen enough.
    pub(super) fn pipe(&self, show: &OutputSettings) -> PipeState {
        let stop = Arc::clone(&self.stop);
        let writes_files = show.writes_files();
        PipeState::new(move || {
            if !writes_files {
                stop.ask();
            }
        })
    }

    /// The first signal that came.
    pub(super) fn signal(&self) -> Option<i32> {
        self.signals.first()
    }
}
