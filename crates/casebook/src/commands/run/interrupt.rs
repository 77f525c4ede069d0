//! Stops running tests on Ctrl-C, on SIGTERM, and when standard output is closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use casebook_run::StopToken;

use crate::commands::shared::output::{OutputSettings, PipeState};
use crate::commands::shared::signals::Signals;
use crate::context::Context;

/// Handles signals while tests run, and in watch mode between runs.
pub(in crate::commands) struct InterruptHandler {
    stop: Arc<StopToken>,
    signals: Signals,
    /// Whether tests are running.
    running: Arc<AtomicBool>,
}

impl InterruptHandler {
    pub(in crate::commands) fn begin(stop: StopToken, context: &Context) -> InterruptHandler {
        let stop = Arc::new(stop);
        let running = Arc::new(AtomicBool::new(false));
        let messages = context.messages.clone();
        let on_signal = {
            let (stop, running) = (Arc::clone(&stop), Arc::clone(&running));
            move |count| {
                if count == 0 && running.load(Ordering::SeqCst) {
                    messages.info("stopping running tests; press Ctrl-C again to kill them");
                }
                stop.request();
            }
        };
        let signals = Signals::begin(on_signal, context);
        InterruptHandler {
            stop,
            signals,
            running,
        }
    }

    pub(in crate::commands) fn stop(&self) -> &Arc<StopToken> {
        &self.stop
    }

    /// Sets whether tests are running, which decides about the message on a signal.
    pub(in crate::commands) fn set_running(&self, running: bool) {
        self.running.store(running, Ordering::SeqCst);
    }

    /// Stops the run when standard output is closed, unless results are also written to files.
    pub(in crate::commands) fn pipe(&self, show: &OutputSettings) -> PipeState {
        let stop = Arc::clone(&self.stop);
        let writes_files = show.writes_files();
        PipeState::new(move || {
            if !writes_files {
                stop.request();
            }
        })
    }

    /// The first signal received.
    pub(in crate::commands) fn signal(&self) -> Option<i32> {
        self.signals.first()
    }
}
