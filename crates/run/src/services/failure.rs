//! [`ServiceFailure`]: why a test fails because of a service.

/// A service that a test uses is not ready or has died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServiceFailure {
    pub(crate) message: String,
    /// Whether the command of the test was run.
    pub(crate) is_during_test: bool,
}

impl ServiceFailure {
    /// The phase of the test in which the service failed.
    pub(crate) fn phase(&self) -> &'static str {
        if self.is_during_test {
            "command"
        } else {
            "setup"
        }
    }
}

/// Adds the end of the service's log to a message.
pub(super) fn with_log(message: &str, end: &str) -> String {
    if end.is_empty() {
        format!("{message}; it wrote nothing")
    } else {
        format!("{message}\nthe end of its log:\n{end}")
    }
}
