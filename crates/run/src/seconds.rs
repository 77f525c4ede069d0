//! Durations in messages.

use std::time::Duration;

/// Formats a duration as `3 s`, or as `1500 ms` if it is not in whole seconds.
pub(crate) fn seconds(duration: Duration) -> String {
    if duration.as_millis().is_multiple_of(1000) {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}
