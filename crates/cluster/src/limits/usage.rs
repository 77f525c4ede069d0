//! [`Usage`]: the latest requests to a model and the calls that are running. Times are milliseconds of the server's clock.

use std::collections::BTreeMap;
use std::time::Duration;

use casebook_run::RequestLimits;
use serde::{Deserialize, Serialize};

use crate::keys::ServerTime;

const MINUTE: u64 = 60_000;
/// Starts are counted by tenth of a second, which bounds the size of the value.
const TICK: u64 = 100;
/// How long to wait before asking again whether a call has ended.
const FULL: Duration = Duration::from_millis(200);

/// The value of a key.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Usage {
    /// How many requests started, by time.
    starts: BTreeMap<u64, u32>,
    /// When the permits of the running calls expire, by id.
    permits: BTreeMap<String, u64>,
}

impl Usage {
    /// Counts a request, and a call with this permit and lease, if the limits allow it. Otherwise returns how long to wait.
    pub(super) fn start(
        &mut self,
        now: ServerTime,
        limits: RequestLimits,
        permit: Option<(&str, Duration)>,
    ) -> Result<(), Duration> {
        // Later times are from before the server's clock was set back.
        let counted = now.earliest.saturating_sub(MINUTE) + 1..now.latest + MINUTE;
        self.starts.retain(|time, _| counted.contains(time));
        self.permits.retain(|_, expiry| *expiry > now.earliest);
        if let Some(limit) = limits.concurrency
            && self.permits.len() >= limit.max(1) as usize
        {
            return Err(FULL);
        }
        if let Some(limit) = limits.per_minute
            && let Some(time) = self.nth_latest_start(limit.max(1))
        {
            return Err(Duration::from_millis(time + MINUTE - now.earliest));
        }
        let time = now.latest.next_multiple_of(TICK);
        *self.starts.entry(time).or_default() += 1;
        if let Some((id, lease)) = permit {
            self.renew(now, id, lease);
        }
        Ok(())
    }

    /// When the latest request but n-1 started.
    fn nth_latest_start(&self, n: u32) -> Option<u64> {
        let mut later = 0_u32;
        let mut latest_first = self.starts.iter().rev();
        let found = latest_first.find(|(_, count)| {
            later = later.saturating_add(**count);
            later >= n
        });
        found.map(|(time, _)| *time)
    }

    pub(super) fn renew(&mut self, now: ServerTime, id: &str, lease: Duration) {
        let lease = u64::try_from(lease.as_millis()).unwrap_or(u64::MAX);
        self.permits
            .insert(id.to_owned(), now.latest.saturating_add(lease));
    }

    pub(super) fn end(&mut self, id: &str) {
        self.permits.remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(30);

    /// A time that is known to 10 ms.
    fn at(millis: u64) -> ServerTime {
        ServerTime {
            earliest: 1_000_000 + millis,
            latest: 1_000_010 + millis,
        }
    }

    fn limits(concurrency: Option<u32>, per_minute: Option<u32>) -> RequestLimits {
        RequestLimits {
            concurrency,
            per_minute,
        }
    }

    #[test]
    fn a_minute_has_at_most_the_allowed_starts() {
        let (mut usage, two) = (Usage::default(), limits(None, Some(2)));
        assert_eq!(usage.start(at(0), two, None), Ok(()));
        assert_eq!(usage.start(at(10_000), two, None), Ok(()));
        let wait = usage.start(at(20_000), two, None).unwrap_err();
        assert_eq!(wait, Duration::from_millis(40_100));
        assert!(usage.start(at(60_099), two, None).is_err());
        assert_eq!(usage.start(at(60_100), two, None), Ok(()));
        assert!(usage.start(at(60_100), two, None).is_err());
    }

    #[test]
    fn a_lower_limit_counts_all_starts() {
        let mut usage = Usage::default();
        for second in 0..5 {
            let started = usage.start(at(second * 1000), limits(None, Some(5)), None);
            assert_eq!(started, Ok(()));
        }
        let wait = usage.start(at(5000), limits(None, Some(2)), None);
        assert_eq!(wait, Err(Duration::from_millis(58_100)));
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_block_requests() {
        let (mut usage, one) = (Usage::default(), limits(None, Some(1)));
        assert_eq!(usage.start(at(3_600_000), one, None), Ok(()));
        assert_eq!(usage.start(at(0), one, None), Ok(()));
    }

    #[test]
    fn calls_run_until_they_end_or_expire() {
        let (mut usage, one) = (Usage::default(), limits(Some(1), None));
        assert_eq!(usage.start(at(0), one, Some(("a", LEASE))), Ok(()));
        assert_eq!(usage.start(at(1), one, Some(("b", LEASE))), Err(FULL));
        usage.end("a");
        assert_eq!(usage.start(at(2), one, Some(("b", LEASE))), Ok(()));
        usage.renew(at(20_000), "b", LEASE);
        assert_eq!(usage.start(at(50_000), one, Some(("c", LEASE))), Err(FULL));
        assert_eq!(usage.start(at(50_010), one, Some(("c", LEASE))), Ok(()));
    }
}
