//! Asking a run to stop, from a signal handler's thread or anywhere else.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use rustix::event::{EventfdFlags, eventfd};

/// How a run is asked to stop. Asked once, the running tests are ended as by a timeout and their teardowns run; asked
/// again, nothing is waited for any more.
#[derive(Debug)]
pub struct StopToken {
    asked: AtomicU8,
    // Readable from the first and from the second time on, so that nobody who waits misses it.
    wake: [OwnedFd; 2],
}

impl StopToken {
    /// Nobody has asked yet.
    pub fn new() -> io::Result<StopToken> {
        let wake = || eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
        Ok(StopToken {
            asked: AtomicU8::new(0),
            wake: [wake()?, wake()?],
        })
    }

    /// Asks to stop.
    pub fn request(&self) {
        let before = self.asked.fetch_add(1, Ordering::SeqCst);
        if let Some(wake) = self.wake.get(usize::from(before)) {
            // A counter that is full is readable all the same.
            let _ = rustix::io::write(wake, &1_u64.to_ne_bytes());
        }
    }

    /// Whether anybody has asked.
    pub fn is_requested(&self) -> bool {
        self.request_count() > 0
    }

    /// Whether somebody does not want to wait.
    pub(crate) fn is_immediate(&self) -> bool {
        self.request_count() > 1
    }

    /// How often somebody has asked, as far as that makes a difference.
    pub(crate) fn request_count(&self) -> usize {
        usize::from(self.asked.load(Ordering::SeqCst)).min(self.wake.len())
    }

    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.wake[0].as_fd()
    }

    /// What wakes somebody who has noticed that so many have asked.
    pub(crate) fn next_wake(&self, noticed: usize) -> Option<BorrowedFd<'_>> {
        self.wake.get(noticed).map(OwnedFd::as_fd)
    }
}

/// What ends waiting early: a request to stop the run, or the end of the test's time.
#[derive(Clone, Copy)]
pub(crate) struct Cancellation<'a> {
    pub(crate) stop: &'a StopToken,
    /// When the test's time is up; `None` if it has no timeout.
    pub(crate) deadline: Option<Instant>,
}
