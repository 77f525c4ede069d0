//! Limits the concurrent requests and the requests per minute to a model, over all conversations of a run.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use casebook_suite::model::conversation::Llm;
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::http;

use super::ModelError;
use crate::http::HttpError;
use crate::stop::Cancellation;

const MINUTE: Duration = Duration::from_secs(60);
/// How often a stop request is checked while waiting for a permit.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The limits of one model.
pub(super) struct Limits {
    concurrency: Option<u32>,
    rate: Option<Rate>,
    state: Mutex<State>,
    released: Condvar,
    instant: fn() -> Instant,
}

/// At most `calls` in any period of `time`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rate {
    calls: u32,
    time: Duration,
}

#[derive(Default)]
struct State {
    in_flight: u32,
    /// When the latest requests started, oldest first.
    started: VecDeque<Instant>,
}

/// A running call; dropping it allows the next one.
pub(super) struct Permit<'a>(&'a Limits);

impl Limits {
    /// Creates this process's share of the limits when `processes` workers use the same model.
    pub(super) fn new(llm: &Llm, processes: usize, instant: fn() -> Instant) -> Limits {
        let processes = u32::try_from(processes).unwrap_or(u32::MAX).max(1);
        let concurrency = llm.concurrency.map(|total| (total / processes).max(1));
        Limits {
            concurrency,
            rate: llm
                .requests_per_minute
                .map(|total| process_share(total, processes)),
            state: Mutex::default(),
            released: Condvar::new(),
            instant,
        }
    }

    /// Waits until a call may start.
    pub(super) fn acquire(&self, cancellation: Cancellation<'_>) -> Result<Permit<'_>, ModelError> {
        loop {
            let mut state = self.state();
            let now = (self.instant)();
            if self
                .concurrency
                .is_some_and(|limit| state.in_flight >= limit)
            {
                self.released.wait_for(&mut state, STOP_POLL_INTERVAL);
                drop(state);
                http::until(now, cancellation, self.instant)?;
                continue;
            }
            match self.try_start(&mut state, now) {
                Ok(()) => {
                    state.in_flight += 1;
                    return Ok(Permit(self));
                }
                Err(allowed_at) => {
                    drop(state);
                    http::until(allowed_at, cancellation, self.instant)?;
                }
            }
        }
    }

    /// Waits until the request of a running call may be retried. Servers count retries too.
    pub(super) fn acquire_retry(&self, cancellation: Cancellation<'_>) -> Result<(), HttpError> {
        loop {
            let started = self.try_start(&mut self.state(), (self.instant)());
            match started {
                Ok(()) => return Ok(()),
                Err(allowed_at) => http::until(allowed_at, cancellation, self.instant)?,
            }
        }
    }

    /// Counts a request if the rate allows it now. Otherwise returns when it will.
    fn try_start(&self, state: &mut State, now: Instant) -> Result<(), Instant> {
        let Some(rate) = self.rate else {
            return Ok(());
        };
        while state
            .started
            .front()
            .is_some_and(|started| *started + rate.time <= now)
        {
            state.started.pop_front();
        }
        match state.started.front() {
            Some(first) if state.started.len() >= rate.calls as usize => Err(*first + rate.time),
            _ => {
                state.started.push_back(now);
                Ok(())
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.state().in_flight -= 1;
        self.0.released.notify_one();
    }
}

/// One process's share of `total` calls per minute. If there are fewer calls than processes, one call in more than a minute.
fn process_share(total: u32, processes: u32) -> Rate {
    let total = total.max(1);
    match total / processes {
        0 => Rate {
            calls: 1,
            time: MINUTE * processes / total,
        },
        calls => Rate {
            calls,
            time: MINUTE,
        },
    }
}

#[cfg(test)]
mod tests {
    use casebook_suite::model::conversation::Provider;

    use crate::llm::testing::{self, without_deadline};

    use super::*;

    #[test]
    fn a_retry_counts_as_a_request() {
        let llm = Llm {
            requests_per_minute: Some(2),
            ..testing::llm(Provider::Anthropic)
        };
        let instant = testing::system().instant;
        let limits = Limits::new(&llm, 1, instant);
        without_deadline(|cancellation| {
            let soon = Cancellation {
                deadline: Some(instant() + Duration::from_millis(50)),
                ..cancellation
            };
            let _permit = limits.acquire(soon).unwrap();
            assert_eq!(limits.acquire_retry(soon), Ok(()));
            assert_eq!(limits.acquire_retry(soon), Err(HttpError::OutOfTime));
        });
    }

    #[test]
    fn processes_share_the_rate() {
        for (total, processes, calls, seconds) in [
            (60, 1, 60, 60),
            (60, 4, 15, 60),
            (7, 2, 3, 60),
            (3, 4, 1, 80),
            (0, 2, 1, 120),
        ] {
            let time = Duration::from_secs(seconds);
            assert_eq!(
                process_share(total, processes),
                Rate { calls, time },
                "{total}/{processes}"
            );
        }
    }
}
