//! Which responses are retried.

use super::backoff::Backoff;

/// Which responses are retried, and how often.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RetryPolicy<'a> {
    /// Status 429 and 5xx, and broken connections: a request to a model has no effects.
    Always,
    /// Status 429 and 503 if the server says when to retry.
    OnRequest,
    /// These statuses, up to this many times.
    On { statuses: &'a [u16], times: u32 },
}

impl RetryPolicy<'_> {
    /// How often a response with this status is retried. `is_requested`: it has a `retry-after` header.
    pub(super) fn max_retries(self, status: u16, is_requested: bool, backoff: &Backoff) -> u32 {
        match self {
            RetryPolicy::Always if status == 429 || (500..600).contains(&status) => backoff.retries,
            RetryPolicy::OnRequest if matches!(status, 429 | 503) && is_requested => {
                backoff.retries
            }
            RetryPolicy::On { statuses, times } if statuses.contains(&status) => times,
            _ => 0,
        }
    }

    /// Whether the request may be sent again after the connection broke, although the server may have received it already.
    pub(super) fn may_repeat(self) -> bool {
        matches!(self, RetryPolicy::Always)
    }
}
