//! The thread that writes and redraws at regular intervals.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::Shared;

/// Time between ticks: ten redraws a second look smooth and cost little.
pub(super) const INTERVAL: Duration = Duration::from_millis(100);

/// Calls the tick function until it is dropped.
pub(super) struct Ticker {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    pub(super) fn start(show: Shared) -> io::Result<Ticker> {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let thread = thread::Builder::new().name("progress".into()).spawn({
            let stop = Arc::clone(&stop);
            move || {
                while !stopped_within(&stop, INTERVAL) {
                    show.lock().tick();
                }
                show.lock().leave();
            }
        })?;
        Ok(Ticker {
            stop,
            thread: Some(thread),
        })
    }
}

fn stopped_within((stop, changed): &(Mutex<bool>, Condvar), interval: Duration) -> bool {
    let mut stop = stop.lock();
    changed.wait_while_for(&mut stop, |stop| !*stop, interval);
    *stop
}

impl Drop for Ticker {
    fn drop(&mut self) {
        let (stop, changed) = &*self.stop;
        *stop.lock() = true;
        changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
