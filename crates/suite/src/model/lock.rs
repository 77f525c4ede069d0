//! [`Lock`]: what keeps tests from running at the same time.

/// A lock that a test holds while it runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lock {
    /// Its name, the same in all suites.
    pub name: String,
    /// Whether other tests that share it may run at the same time.
    pub is_shared: bool,
}
