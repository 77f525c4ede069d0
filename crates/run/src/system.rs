//! [`SystemContext`]: environment, directories and clocks, read once by the binary and passed down.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use casebook_record::Clock;

/// Environment, directories and clocks of a run.
#[derive(Debug, Clone)]
pub struct SystemContext {
    /// The environment that every script and command starts from.
    pub environment: Vec<(OsString, OsString)>,
    /// Where `casebook` was started: the working directory of every test.
    pub dir: PathBuf,
    /// Where temporary directories are created.
    pub temporary: PathBuf,
    /// The time of events.
    pub clock: Clock,
    /// The monotonic clock, for durations.
    pub instant: fn() -> Instant,
}

impl SystemContext {
    /// The value of an environment variable. The last definition applies.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        let mut found = self.environment.iter().filter(|(key, _)| key == name);
        found.next_back().map(|(_, value)| value)
    }
}
