//! How long to wait before a request is sent again.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use casebook_record::Time;
use jiff::fmt::rfc2822;

/// How often and how long is waited.
#[derive(Debug, Clone, Copy)]
pub(super) struct Backoff {
    /// How often a request is sent again.
    pub(super) retries: u32,
    /// The first wait; each further one is twice as long.
    pub(super) first: Duration,
    /// The longest wait, also when the server asks for a longer one: then nothing is waited for.
    pub(super) longest: Duration,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff {
            retries: 5,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(60),
        }
    }
}

impl Backoff {
    /// How long to wait after so many retries; `None` when it is no use any more.
    pub(super) fn wait(&self, retries: u32, asked: Option<Duration>) -> Option<Duration> {
        if retries >= self.retries {
            return None;
        }
        let doubled = self
            .first
            .saturating_mul(2_u32.saturating_pow(retries))
            .min(self.longest);
        match asked {
            Some(asked) if asked > self.longest => None,
            // A little later, so that those who were refused together do not come back together.
            Some(asked) => Some(asked + part_of(self.first / 5)),
            None => Some(doubled / 2 + part_of(doubled / 2)),
        }
    }
}

/// Some part of a time.
fn part_of(time: Duration) -> Duration {
    let random = RandomState::new().hash_one(()) % 1024;
    time.mul_f64(f64::from(u16::try_from(random).unwrap_or(0)) / 1024.0)
}

/// How long a server asks to wait: in seconds, or until a date.
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
    fn servers_ask_in_seconds_or_with_a_date() {
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
    fn waits_double_within_bounds_and_end() {
        let backoff = Backoff::default();
        for (retries, from, to) in [(0, 250, 500), (1, 500, 1000), (4, 4000, 8000)] {
            let wait = backoff.wait(retries, None).unwrap();
            let (from, to) = (Duration::from_millis(from), Duration::from_millis(to));
            assert!(from <= wait && wait <= to, "{retries}: {wait:?}");
        }
        assert_eq!(backoff.wait(5, None), None);
        assert_eq!(backoff.wait(0, Some(Duration::from_secs(3600))), None);
        let asked = Duration::from_secs(3);
        let wait = backoff.wait(0, Some(asked)).unwrap();
        assert!(wait >= asked && wait < asked + Duration::from_millis(100));
    }
}
