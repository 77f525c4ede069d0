//! Waiting that a stop request or the deadline ends.

use std::time::Instant;

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
        cancellation.stop.pause(end - now);
    }
}
