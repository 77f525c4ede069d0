//! [`Caller`]: the client that called a command through the MCP server, instead of a user in a terminal.
//!
//! The output of the command goes to the client, which can cancel the command and hears of its progress. Files outside of the
//! client's root are not read.

mod cancellation;
mod capture;
mod root;

use std::io::Write;
use std::sync::Arc;

pub(crate) use cancellation::Cancellation;
use capture::LineSplitter;
pub(crate) use capture::{CallOutput, Capture};
pub(crate) use root::Root;

/// Receives what a command reports while it runs.
pub(crate) trait Observer: Send + Sync {
    /// A step of the command, such as the program that it starts.
    fn step(&self, message: &str);

    /// A line of standard output, with [`CallOutput::Observed`].
    fn line(&self, line: &[u8]);
}

/// One call of a command.
pub(crate) struct Caller {
    pub(crate) root: Root,
    pub(crate) cancellation: Arc<Cancellation>,
    pub(crate) output: CallOutput,
    pub(crate) messages: Capture,
    pub(crate) observer: Arc<dyn Observer>,
}

impl Caller {
    pub(crate) fn stdout(&self) -> Box<dyn Write + Send> {
        match &self.output {
            CallOutput::Kept(capture) => Box::new(capture.clone()),
            CallOutput::Observed => Box::new(LineSplitter::new(Arc::clone(&self.observer))),
        }
    }

    pub(crate) fn stderr(&self) -> Box<dyn Write + Send> {
        Box::new(self.messages.clone())
    }

    /// Tells the client what the command does now.
    pub(crate) fn report(&self, step: &str) {
        self.observer.step(step);
    }
}
