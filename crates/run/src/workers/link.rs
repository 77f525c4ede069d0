//! How frames travel, whatever carries them.

use std::io;
use std::time::Duration;

use rustix::process::Pid;

/// The longest line that is taken from the other side.
pub(crate) const MAX_LINE: usize = 64 << 20;

/// Starts workers and connects them.
pub trait Transport: Sync {
    /// Starts a worker and returns the way to it.
    fn start(&self, number: usize) -> io::Result<Box<dyn Link>>;
}

/// A way to a worker.
pub trait Link: Send {
    /// Sends lines, each with its line end.
    fn send(&mut self, lines: &[u8]) -> Result<(), LinkError>;

    /// The next line without its end; nothing if none has come in time.
    fn receive(&mut self, timeout: Duration) -> Result<Option<&str>, LinkError>;

    /// Whether another line has come already.
    fn has_more(&self) -> bool;

    /// Ends the worker, if it has not ended, and says how it ended, as far as that is known.
    fn end(&mut self) -> Option<String>;

    /// The worker's process, where it is one of this machine.
    fn process(&self) -> Option<Pid>;
}

/// Why nothing can be sent or received any more.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The other side is gone.
    #[error("it is gone")]
    Closed,
    /// A line is longer than any frame may be.
    #[error("it sent more than {} MiB without a line end", MAX_LINE >> 20)]
    TooLong,
    /// A line is no text.
    #[error("it sent something that is not UTF-8")]
    NotText,
    /// The system said no.
    #[error("{0}")]
    Io(#[from] io::Error),
}
