//! What a run knows of the world. The binary reads it once and passes it down.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use casebook_record::Time;

/// The world a run happens in.
#[derive(Debug, Clone)]
pub struct SystemContext {
    /// The environment that every script and command starts from.
    pub environment: Vec<(OsString, OsString)>,
    /// Where `casebook` was started: the working directory of every test.
    pub folder: PathBuf,
    /// Where temporary folders are made.
    pub temporary: PathBuf,
    /// What the clock says.
    pub now: fn() -> Time,
    /// What a stopwatch says.
    pub instant: fn() -> Instant,
}

impl SystemContext {
    /// The value of an environment variable.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        let mut found = self.environment.iter().filter(|(key, _)| key == name);
        found.next_back().map(|(_, value)| value)
    }
}
