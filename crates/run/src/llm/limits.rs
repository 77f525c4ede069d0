//! Limits the concurrent requests and the requests per minute to a model, over all conversations of a run
//! and, on a cluster, of all workers.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use casebook_suite::model::conversation::Llm;
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::http;

use super::ModelError;
use crate::http::HttpError;
use crate::shared_limiter::{RequestLimits, SharedLimiter, SharedStart};
use crate::stop::Cancellation;

const MINUTE: Duration = Duration::from_secs(60);
/// How often a stop request is checked while waiting for a permit.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The limits of one model.
pub(super) struct Limits {
    concurrency: Option<u32>,
    rate: Option<Rate>,
    shared: Option<SharedLimits>,
    state: Mutex<State>,
    released: Condvar,
    instant: fn() -> Instant,
}

/// The limits that other processes share.
pub(super) struct SharedLimits {
    pub(super) limiter: Arc<dyn SharedLimiter>,
    pub(super) url: String,
    pub(super) model: String,
    pub(super) limits: RequestLimits,
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
pub(super) struct Permit<'a> {
    limits: &'a Limits,
    _shared: Option<Box<dyn Any + Send>>,
}

impl Limits {
    /// Creates this process's share of the limits when `processes` workers use the same model.
    pub(super) fn new(
        llm: &Llm,
        processes: usize,
        shared: Option<SharedLimits>,
        instant: fn() -> Instant,
    ) -> Limits {
        let processes = u32::try_from(processes).unwrap_or(u32::MAX).max(1);
        let concurrency = llm.concurrency.map(|total| (total / processes).max(1));
        Limits {
            concurrency,
            rate: llm
                .requests_per_minute
                .map(|total| process_share(total, processes)),
            shared,
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
            match self.try_start(&mut state, now, true) {
                Ok(shared) => {
                    state.in_flight += 1;
                    return Ok(Permit {
                        limits: self,
                        _shared: shared,
                    });
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
            let started = self.try_start(&mut self.state(), (self.instant)(), false);
            match started {
                Ok(_) => return Ok(()),
                Err(allowed_at) => http::until(allowed_at, cancellation, self.instant)?,
            }
        }
    }

    /// Counts a request if the limits allow it now. Otherwise returns when to ask again.
    fn try_start(
        &self,
        state: &mut State,
        now: Instant,
        is_new_call: bool,
    ) -> Result<Option<Box<dyn Any + Send>>, Instant> {
        let shared = self
            .shared
            .as_ref()
            .map_or(SharedStart::Unavailable, |shared| {
                shared.try_start(is_new_call)
            });
        match shared {
            SharedStart::Started(permit) => {
                self.count(state, now);
                Ok(Some(permit))
            }
            SharedStart::Wait(time) => Err(now + time),
            SharedStart::Unavailable => self.try_start_here(state, now).map(|()| None),
        }
    }

    /// Counts a request if the rate of this process allows it now. Otherwise returns when it will.
    fn try_start_here(&self, state: &mut State, now: Instant) -> Result<(), Instant> {
        if let Some(rate) = self.rate
            && state.started.len() >= rate.calls as usize
            && let Some(first) = state.started.front()
            && now < *first + rate.time
        {
            return Err(*first + rate.time);
        }
        self.count(state, now);
        Ok(())
    }

    /// Keeps the starts that decide when the next request is allowed.
    fn count(&self, state: &mut State, now: Instant) {
        if let Some(rate) = self.rate {
            state.started.push_back(now);
            if state.started.len() > rate.calls as usize {
                state.started.pop_front();
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl SharedLimits {
    /// A retry is part of a call that is running already.
    fn try_start(&self, is_new_call: bool) -> SharedStart {
        let concurrency = self.limits.concurrency.filter(|_| is_new_call);
        let limits = RequestLimits {
            concurrency,
            ..self.limits
        };
        if limits == RequestLimits::default() {
            return SharedStart::Unavailable;
        }
        self.limiter.try_start(&self.url, &self.model, limits)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.limits.state().in_flight -= 1;
        self.limits.released.notify_one();
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
        let limits = Limits::new(&llm, 1, None, instant);
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

    /// Counts the questions; allows a request, forbids the next one, and is then unavailable.
    #[derive(Default)]
    struct Once(Mutex<Vec<RequestLimits>>);

    impl SharedLimiter for Once {
        fn try_start(&self, _url: &str, _model: &str, limits: RequestLimits) -> SharedStart {
            let mut asked = self.0.lock();
            asked.push(limits);
            match asked.len() {
                1 => SharedStart::Started(Box::new(())),
                2 => SharedStart::Wait(Duration::from_millis(1)),
                _ => SharedStart::Unavailable,
            }
        }
    }

    #[test]
    fn without_the_other_processes_the_own_limits_apply() {
        let llm = Llm {
            requests_per_minute: Some(2),
            ..testing::llm(Provider::Anthropic)
        };
        let limits = RequestLimits {
            concurrency: Some(7),
            per_minute: Some(2),
        };
        let (instant, limiter) = (testing::system().instant, Arc::new(Once::default()));
        let shared = SharedLimits {
            limiter: limiter.clone(),
            url: String::new(),
            model: String::new(),
            limits,
        };
        let here = Limits::new(&llm, 1, Some(shared), instant);
        without_deadline(|cancellation| {
            let soon = Cancellation {
                deadline: Some(instant() + Duration::from_millis(50)),
                ..cancellation
            };
            let _permit = here.acquire(soon).unwrap();
            assert_eq!(here.acquire_retry(soon), Ok(()));
            assert_eq!(here.acquire_retry(soon), Err(HttpError::OutOfTime));
        });
        let retry = RequestLimits {
            concurrency: None,
            ..limits
        };
        assert_eq!(*limiter.0.lock(), [limits, retry, retry, retry]);
    }
}
