//! [`SharedLimiter`]: limits that other processes share.

use std::any::Any;
use std::time::Duration;

/// Counts the requests to models over all processes that share their limits.
pub trait SharedLimiter: Send + Sync {
    /// Counts a request to the model at this URL, if the limits allow it now.
    fn try_start(&self, url: &str, model: &str, limits: RequestLimits) -> SharedStart;
}

/// The limits on the requests to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestLimits {
    /// How many calls may run at the same time.
    pub concurrency: Option<u32>,
    /// How many requests may start in any minute.
    pub per_minute: Option<u32>,
}

/// Whether a request may start.
pub enum SharedStart {
    /// It was counted, and is running until the permit is dropped.
    Started(Box<dyn Any + Send>),
    /// Ask again after this time.
    Wait(Duration),
    /// The other processes cannot be reached, so only the limits of this process apply.
    Unavailable,
}
