//! [`SharedLocks`]: locks that other processes share.

use std::any::Any;
use std::time::Duration;

use casebook_suite::model::Lock;

/// The locks of all processes that run tests of one run.
pub trait SharedLocks: Send + Sync {
    /// Acquires all of these locks, or none of them.
    fn try_acquire(&self, locks: &[Lock]) -> LockAttempt;
}

/// Whether locks were acquired.
pub enum LockAttempt {
    /// They are held until this is dropped.
    Acquired(Box<dyn Any + Send>),
    /// Another process holds one of them, or cannot be reached. Ask again after this time.
    Wait(Duration),
}
