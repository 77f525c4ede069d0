//! Asking a run to stop, from a signal handler's thread or anywhere else.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU8, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// How a run is asked to stop. Asked once, the running tests are ended as by a timeout and their teardowns run; asked
/// again, nothing is waited for any more.
#[derive(Debug)]
pub struct Stop {
    asked: AtomicU8,
    // Readable from the first time on, so that nobody who waits misses it.
    wake: OwnedFd,
}

impl Stop {
    /// Nobody has asked yet.
    pub fn new() -> io::Result<Stop> {
        Ok(Stop {
            asked: AtomicU8::new(0),
            wake: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        })
    }

    /// Asks to stop.
    pub fn ask(&self) {
        self.asked.fetch_add(1, Ordering::SeqCst);
        // A counter that is full is readable all the same.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Whether anybody has asked.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst) > 0
    }

    /// Whether somebody does not want to wait.
    pub(crate) fn is_urgent(&self) -> bool {
        self.asked.load(Ordering::SeqCst) > 1
    }

    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
