//! The delay before a retry.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use casebook_record::Time;
use jiff::fmt::rfc2822;

/// The longest delay before a retry.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The limits of retries and delays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Backoff {
    /// The maximum number of retries, unless the suite sets another.
    pub(super) retries: u32,
    /// The first delay; each later one is twice as long.
    pub(super) first: Duration,
    /// The longest delay. A request whose server requires a longer one is not retried.
    pub(super) longest: Duration,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff {
            retries: 5,
            first: Duration::from_millis(500),
            longest: LONGEST_WAIT,
        }
    }
}

impl Backoff {
    /// The delay after `retries` of at most `max` retries; `None` if the request is not retried again. `requested` is the server's
    /// `retry-after`.
    pub(super) fn wait(
        &self,
        retries: u32,
        max: u32,
        requested: Option<Duration>,
    ) -> Option<Duration> {
        if retries >= max {
            return None;
        }
        let doubled = self
            .first
            .saturating_mul(2_u32.saturating_pow(retries))
            .min(self.longest);
        match requested {
            Some(requested) if requested > self.longest => None,
            // Random extra time, so that requests that were refused together are not retried together.
            Some(requested) => Some(requested + random_part(self.first / 5)),
            None => Some(doubled / 2 + random_part(doubled / 2)),
        }
    }
}

/// A random part of `time`.
fn random_part(time: Duration) -> Duration {
    let random = RandomState::new().hash_one(()) % 1024;
    time.mul_f64(f64::from(u16::try_from(random).unwrap_or(0)) / 1024.0)
}

/// Parses a `retry-after` header: seconds or a date.
pub(super) fn retry_after(header: Option<&str>, now: Time) -> Option<Duration> {
    let text = header?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    let millis = date.as_millisecond() - now.as_millis();
    Some(Duration::from_millis(u64::try_from(millis).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_a_number_of_seconds_or_a_date() {
        let now: Time = "2026-11-15T08:00:00Z".parse().unwrap();
        for (header, seconds) in [
            (Some("7"), Some(7.0)),
            (Some(" 0 "), Some(0.0)),
            (Some("1.5"), Some(1.5)),
            (Some("Sun, 15 Nov 2026 08:00:30 GMT"), Some(30.0)),
            (Some("Sun, 15 Nov 2026 07:00:00 GMT"), Some(0.0)),
            (Some("soon"), None),
            (Some("-3"), None),
            (Some("1e400"), None),
            (None, None),
        ] {
            let wait = retry_after(header, now).map(|wait| wait.as_secs_f64());
            assert_eq!(wait, seconds, "{header:?}");
        }
    }

    #[test]
    fn delays_double_up_to_the_limit_and_retries_end() {
        let backoff = Backoff::default();
        for (retries, from, to) in [(0, 250, 500), (1, 500, 1000), (4, 4000, 8000)] {
            let wait = backoff.wait(retries, 5, None).unwrap();
            let (from, to) = (Duration::from_millis(from), Duration::from_millis(to));
            assert!(from <= wait && wait <= to, "{retries}: {wait:?}");
        }
        assert_eq!(backoff.wait(5, 5, None), None);
        assert_eq!(backoff.wait(0, 5, Some(Duration::from_secs(3600))), None);
        let requested = Duration::from_secs(3);
        let wait = backoff.wait(0, 5, Some(requested)).unwrap();
        assert!(wait >= requested && wait < requested + Duration::from_millis(100));
    }
}
