//! Waiting that ends at once when it should.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::stop::Cancellation;

use super::HttpError;

/// Waits until then, or fails as soon as the run is to stop or the test has no more time.
pub(crate) fn until(
    then: Instant,
    patience: Cancellation<'_>,
    instant: fn() -> Instant,
) -> Result<(), HttpError> {
    loop {
        let now = instant();
        if patience.stop.is_requested() {
            return Err(HttpError::Interrupted);
        }
        if patience.deadline.is_some_and(|deadline| deadline <= now) {
            return Err(HttpError::OutOfTime);
        }
        if then <= now {
            return Ok(());
        }
        let end = patience
            .deadline
            .map_or(then, |deadline| deadline.min(then));
        pause(end - now, patience);
    }
}

/// At most so long; less when the run is to stop, or for no reason at all.
fn pause(time: Duration, patience: Cancellation<'_>) {
    let wake = patience.stop.wake();
    let mut fds = [PollFd::new(&wake, PollFlags::IN)];
    let time = Timespec::try_from(time).ok();
    // Where it cannot be waited for, it is looked at again.
    let _ = poll(&mut fds, time.as_ref());
}
