//! How much a provider is asked at once and in a minute, by all conversations of a run together.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use casebook_suite::model::conversation::Llm;
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::http;

use super::ModelError;
use crate::http::HttpError;
use crate::stop::Cancellation;

const MINUTE: Duration = Duration::from_secs(60);
/// How soon a request to stop is noticed.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The limits of one provider.
pub(super) struct Limits {
    concurrency: Option<u32>,
    rate: Option<Rate>,
    state: Mutex<State>,
    left: Condvar,
    instant: fn() -> Instant,
}

/// So many in such a time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rate {
    calls: u32,
    time: Duration,
}

#[derive(Default)]
struct State {
    under_way: u32,
    /// When the last requests were begun.
    begun: VecDeque<Instant>,
}

/// A call that is under way.
pub(super) struct Permit<'a>(&'a Limits);

impl Limits {
    /// This process's part of them, when several have the same.
    pub(super) fn new(llm: &Llm, processes: usize, instant: fn() -> Instant) -> Limits {
        let processes = u32::try_from(processes).unwrap_or(u32::MAX).max(1);
        let concurrency = llm.concurrency.map(|all| (all / processes).max(1));
        Limits {
            concurrency,
            rate: llm.requests_per_minute.map(|all| share(all, processes)),
            state: Mutex::default(),
            left: Condvar::new(),
            instant,
        }
    }

    /// Waits until a call may begin.
    pub(super) fn acquire(&self, patience: Cancellation<'_>) -> Result<Permit<'_>, ModelError> {
        loop {
            let mut state = self.state();
            let now = (self.instant)();
            if self.concurrency.is_some_and(|most| state.under_way >= most) {
                self.left.wait_for(&mut state, STOP_POLL_INTERVAL);
                drop(state);
                http::until(now, patience, self.instant)?;
                continue;
            }
            match self.begin(&mut state, now) {
                Ok(()) => {
                    state.under_way += 1;
                    return Ok(Permit(self));
                }
                Err(then) => {
                    drop(state);
                    http::until(then, patience, self.instant)?;
                }
            }
        }
    }

    /// Waits until the request of a call that is under way may be sent once more: servers count that as well.
    pub(super) fn acquire_retry(&self, patience: Cancellation<'_>) -> Result<(), HttpError> {
        loop {
            let begun = self.begin(&mut self.state(), (self.instant)());
            match begun {
                Ok(()) => return Ok(()),
                Err(then) => http::until(then, patience, self.instant)?,
            }
        }
    }

    /// Counts a request if the rate allows it now; else when it will.
    fn begin(&self, state: &mut State, now: Instant) -> Result<(), Instant> {
        let Some(rate) = self.rate else {
            return Ok(());
        };
        while state
            .begun
            .front()
            .is_some_and(|begun| *begun + rate.time <= now)
        {
            state.begun.pop_front();
        }
        match state.begun.front() {
            Some(first) if state.begun.len() >= rate.calls as usize => Err(*first + rate.time),
            _ => {
                state.begun.push_back(now);
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
        self.0.state().under_way -= 1;
        self.0.left.notify_one();
    }
}

/// One process's part of so many calls in a minute; one in more than a minute if there are not enough for all.
fn share(all: u32, processes: u32) -> Rate {
    let all = all.max(1);
    match all / processes {
        0 => Rate {
            calls: 1,
            time: MINUTE * processes / all,
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

    use crate::llm::testing::{self, patient};

    use super::*;

    #[test]
    fn a_request_that_is_sent_again_counts_anew() {
        let llm = Llm {
            requests_per_minute: Some(2),
            ..testing::llm(Provider::Anthropic)
        };
        let instant = testing::system().instant;
        let limits = Limits::new(&llm, 1, instant);
        patient(|patience| {
            let soon = Cancellation {
                deadline: Some(instant() + Duration::from_millis(50)),
                ..patience
            };
            let _pass = limits.acquire(soon).unwrap();
            assert_eq!(limits.acquire_retry(soon), Ok(()));
            assert_eq!(limits.acquire_retry(soon), Err(HttpError::OutOfTime));
        });
    }

    #[test]
    fn processes_share_what_a_minute_allows() {
        for (all, processes, calls, seconds) in [
            (60, 1, 60, 60),
            (60, 4, 15, 60),
            (7, 2, 3, 60),
            (3, 4, 1, 80),
            (0, 2, 1, 120),
        ] {
            let time = Duration::from_secs(seconds);
            assert_eq!(
                share(all, processes),
                Rate { calls, time },
                "{all}/{processes}"
            );
        }
    }
}
