//! Waiting that a stop request or the deadline ends.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::stop::Cancellation;

use super::HttpError;

/// Waits until `then`. Fails as soon as a stop is requested or the deadline passes.
pub(crate) fn until(
    then: Instant,
    cancellation: Cancellation<'_>,
    instant: fn() -> Instant,
) -> Result<(), HttpError> {
    loop {
        let now = instant();
        if cancellation.stop.is_requested() {
            return Err(HttpError::Interrupted);
        }
        if cancellation
            .deadline
            .is_some_and(|deadline| deadline <= now)
        {
            return Err(HttpError::OutOfTime);
        }
        if then <= now {
            return Ok(());
        }
        let end = cancellation
            .deadline
            .map_or(then, |deadline| deadline.min(then));
        pause(end - now, cancellation);
    }
}

/// Waits at most `time`. May return earlier: after a stop request, or on a signal.
fn pause(time: Duration, cancellation: Cancellation<'_>) {
    let wake = cancellation.stop.wake();
    let mut fds = [PollFd::new(&wake, PollFlags::IN)];
    let time = Timespec::try_from(time).ok();
    // The caller checks the clock again, so an error of `poll` does no harm.
    let _ = poll(&mut fds, time.as_ref());
}
