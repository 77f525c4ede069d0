//! [`Clock`]: the time of events, which never goes back.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::time::Time;

/// A clock for the events of one run. Clones share its state.
///
/// It follows the wall clock, except that it never goes back: if the wall clock is set back during a run, it continues
/// at the pace of the monotonic clock, so that no test ends before it starts.
///
/// ```
/// use casebook_record::event::SuiteStopped;
/// use casebook_record::{Clock, Time};
///
/// let clock = Clock::system();
/// let stopped = SuiteStopped { time: clock.now() };
/// assert!(clock.now() >= stopped.time);
///
/// let in_a_test = Clock::fixed("2026-11-15T08:40:51Z".parse()?);
/// assert_eq!(in_a_test.now().to_string(), "2026-11-15T08:40:51.000+00:00");
/// # Ok::<(), casebook_record::InvalidTime>(())
/// ```
#[derive(Clone)]
pub struct Clock(Arc<Sources>);

struct Sources {
    wall: Box<dyn Fn() -> Time + Send + Sync>,
    elapsed: Box<dyn Fn() -> Duration + Send + Sync>,
    /// The wall clock when the clock was created.
    start: Time,
    /// The latest time returned, in milliseconds.
    latest: AtomicI64,
}

impl Clock {
    /// The clocks of the system. Create one per run.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place of this crate that reads the clocks"
    )]
    pub fn system() -> Clock {
        let start = Instant::now();
        Clock::new(|| Timestamp::now().into(), move || start.elapsed())
    }

    /// A clock that always returns this time, for tests.
    pub fn fixed(time: Time) -> Clock {
        Clock::new(move || time, || Duration::ZERO)
    }

    /// A clock from a wall clock and the time elapsed on a monotonic clock.
    pub fn new(
        wall: impl Fn() -> Time + Send + Sync + 'static,
        elapsed: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Clock {
        let start = wall();
        Clock(Arc::new(Sources {
            wall: Box::new(wall),
            elapsed: Box::new(elapsed),
            start,
            latest: AtomicI64::new(start.as_millis()),
        }))
    }

    /// The current time; never before a time returned earlier.
    pub fn now(&self) -> Time {
        let Sources {
            wall,
            elapsed,
            start,
            latest,
        } = &*self.0;
        let steady = start.plus_seconds(elapsed().as_secs_f64());
        let now = wall().max(steady).as_millis();
        let earlier = latest.fetch_max(now, Ordering::Relaxed);
        Time::from_millis(now.max(earlier))
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times that the clock returns for these readings of the wall clock and the monotonic clock, in milliseconds.
    /// The first reading creates the clock.
    fn times(readings: &'static [(i64, u64)]) -> Vec<i64> {
        let index = Arc::new(AtomicI64::new(0));
        let reading = |index: &Arc<AtomicI64>| {
            let index = Arc::clone(index);
            move || readings[usize::try_from(index.load(Ordering::Relaxed)).unwrap()]
        };
        let (wall, elapsed) = (reading(&index), reading(&index));
        let clock = Clock::new(
            move || Time::from_millis(wall().0),
            move || Duration::from_millis(elapsed().1),
        );
        let indexes = 1..i64::try_from(readings.len()).unwrap();
        indexes
            .map(|next| {
                index.store(next, Ordering::Relaxed);
                clock.now().as_millis()
            })
            .collect()
    }

    #[test]
    fn a_wall_clock_set_back_continues_at_the_pace_of_the_monotonic_clock() {
        let readings = &[(10_000, 0), (10_100, 100), (4_200, 200), (4_300, 300)];
        assert_eq!(times(readings), [10_100, 10_200, 10_300]);
    }

    #[test]
    fn a_wall_clock_set_forward_is_followed_and_never_goes_back() {
        let readings = &[(10_000, 0), (90_000, 100), (89_000, 200), (90_500, 1_700)];
        assert_eq!(times(readings), [90_000, 90_000, 90_500]);
    }
}
