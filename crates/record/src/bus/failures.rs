//! [`FailureLog`]: counts the errors and panics of a listener.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::{FailureHandler, ListenerFailure};

pub(super) struct FailureLog {
    pub(super) listener: &'static str,
    pub(super) count: AtomicU64,
    pub(super) first: Mutex<Option<String>>,
    pub(super) on_failure: Option<FailureHandler>,
}

impl FailureLog {
    pub(super) fn note(&self, message: String, events: usize) {
        if self.count.fetch_add(events as u64, Ordering::Relaxed) == 0 {
            *self.first.lock() = Some(message);
            if let (Some(on_failure), Some(failure)) = (&self.on_failure, self.failure()) {
                // A panic of the failure handler must not reach the publisher.
                let _ = catch_unwind(AssertUnwindSafe(|| on_failure(&failure)));
            }
        }
    }

    pub(super) fn failure(&self) -> Option<ListenerFailure> {
        let first = self.first.lock().clone()?;
        Some(ListenerFailure {
            listener: self.listener,
            first,
            count: self.count.load(Ordering::Relaxed),
        })
    }
}
