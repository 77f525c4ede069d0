//! [`Transport`] and [`Link`]: how workers are started and connected.

use std::io;
use std::time::Duration;

use rustix::process::Pid;

/// The longest line that is received, in bytes.
pub(crate) const MAX_LINE: usize = 64 << 20;

/// Starts workers and connects them.
pub trait Transport: Sync {
    /// Starts a worker and returns the connection to it.
    fn start(&self, number: usize) -> io::Result<Box<dyn Link>>;
}

/// A connection to a worker.
pub trait Link: Send {
    /// Sends lines, each with its newline.
    fn send(&mut self, lines: &[u8]) -> Result<(), LinkError>;

    /// Receives the next line without its newline; `None` if none arrived in time.
    fn receive(&mut self, timeout: Duration) -> Result<Option<&str>, LinkError>;

    /// Whether another line is already buffered.
    fn has_more(&self) -> bool;

    /// Kills the worker if it is still running. Returns how it exited, if known.
    fn end(&mut self) -> Option<String>;

    /// The worker's process, if it is local.
    fn process(&self) -> Option<Pid>;
}

/// Why a connection cannot be used any longer.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The other side closed it.
    #[error("the worker exited")]
    Closed,
    /// A line exceeds the limit.
    #[error("it sent a line of more than {} MiB", MAX_LINE >> 20)]
    TooLong,
    /// A line is not UTF-8.
    #[error("it sent a line that is not UTF-8")]
    NotText,
    /// An error of the operating system.
    #[error("{0}")]
    Io(#[from] io::Error),
}
