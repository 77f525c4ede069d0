//! [`StopToken`]: requests that a run stops, from any thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// Requests that a run stops. The first request terminates the running tests like a timeout and runs their teardowns;
/// the second kills everything immediately.
#[derive(Debug)]
pub struct StopToken {
    requests: AtomicU8,
    // The first becomes readable on the first request, the second on the second, so that no waiter misses one.
    wake: [OwnedFd; 2],
}

impl StopToken {
    /// Creates a token without requests.
    pub fn new() -> io::Result<StopToken> {
        let wake = || eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
        Ok(StopToken {
            requests: AtomicU8::new(0),
            wake: [wake()?, wake()?],
        })
    }

    /// Adds a request; requests after the second have no effect.
    pub fn request(&self) {
        let before = self.requests.fetch_add(1, Ordering::SeqCst);
        if let Some(wake) = self.wake.get(usize::from(before)) {
            // The write fails only if the counter is full, and then the descriptor is readable anyway.
            let _ = rustix::io::write(wake, &1_u64.to_ne_bytes());
        }
    }

    /// Whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.request_count() > 0
    }

    /// Whether an immediate stop was requested.
    pub(crate) fn is_immediate(&self) -> bool {
        self.request_count() > 1
    }

    /// The number of requests, at most 2.
    pub fn request_count(&self) -> usize {
        usize::from(self.requests.load(Ordering::SeqCst)).min(self.wake.len())
    }

    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.wake[0].as_fd()
    }

    /// Waits at most `time`. May return earlier: after a stop request, or on a signal.
    pub(crate) fn pause(&self, time: Duration) {
        let mut fds = [PollFd::new(&self.wake[0], PollFlags::IN)];
        let time = Timespec::try_from(time).ok();
        // Callers check the clock again, so an error of `poll` does no harm.
        let _ = poll(&mut fds, time.as_ref());
    }

    /// The descriptor that becomes readable on the request after the first `noticed` ones.
    pub(crate) fn next_wake(&self, noticed: usize) -> Option<BorrowedFd<'_>> {
        self.wake.get(noticed).map(OwnedFd::as_fd)
    }
}

/// What cancels a wait: a stop request or the test's deadline.
#[derive(Clone, Copy)]
pub(crate) struct Cancellation<'a> {
    pub(crate) stop: &'a StopToken,
    /// `None` if the test has no timeout.
    pub(crate) deadline: Option<Instant>,
}
