//! [`CallOutput`]: where the output of a called command goes.

use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;

use super::Observer;

/// More than this is an error of the command instead of a server without memory.
const MAX_BYTES: usize = 64 << 20;

/// Where a command writes its data.
pub(crate) enum CallOutput {
    /// Into memory.
    Kept(Capture),
    /// To the observer, line by line.
    Observed,
}

/// A stream in memory. Clones write to the same one.
#[derive(Clone, Default)]
pub(crate) struct Capture(Arc<Mutex<Vec<u8>>>);

impl Capture {
    /// Everything written, without what was taken before.
    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock())
    }
}

impl Write for Capture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock();
        if written.len() + bytes.len() > MAX_BYTES {
            return Err(io::Error::other("more than 64 MiB; select less"));
        }
        written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Passes each line on when it is complete.
pub(super) struct LineSplitter {
    observer: Arc<dyn Observer>,
    line: Vec<u8>,
}

impl LineSplitter {
    pub(super) fn new(observer: Arc<dyn Observer>) -> LineSplitter {
        LineSplitter {
            observer,
            line: Vec::new(),
        }
    }
}

impl Write for LineSplitter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.observer.line(&self.line);
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
