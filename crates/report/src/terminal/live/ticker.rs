//! The thread that writes what the events have left to write.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::{Shared, lock};

/// Fast enough to look alive, slow enough to cost nothing.
pub(super) const INTERVAL: Duration = Duration::from_millis(100);

/// Ticks until it is dropped.
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
                    lock(&show).tick();
                }
                lock(&show).leave();
            }
        })?;
        Ok(Ticker {
            stop,
            thread: Some(thread),
        })
    }
}

fn stopped_within((stop, changed): &(Mutex<bool>, Condvar), interval: Duration) -> bool {
    let stop = stop.lock().unwrap_or_else(PoisonError::into_inner);
    let (stop, _) = changed
        .wait_timeout_while(stop, interval, |stop| !*stop)
        .unwrap_or_else(PoisonError::into_inner);
    *stop
}

impl Drop for Ticker {
    fn drop(&mut self) {
        let (stop, changed) = &*self.stop;
        *stop.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
