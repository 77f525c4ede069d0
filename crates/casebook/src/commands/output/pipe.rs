//! A stream whose reader may leave.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whoever reads standard output. Clones are the same reader.
#[derive(Clone)]
pub(in crate::commands) struct Reader {
    has_left: Arc<AtomicBool>,
    on_leaving: Arc<dyn Fn() + Send + Sync>,
}

impl Reader {
    /// One whose leaving has to be told.
    pub(in crate::commands) fn new(on_leaving: impl Fn() + Send + Sync + 'static) -> Reader {
        Reader {
            has_left: Arc::default(),
            on_leaving: Arc::new(on_leaving),
        }
    }

    /// Whether what is written reaches nobody any more.
    pub(in crate::commands) fn has_left(&self) -> bool {
        self.has_left.load(Ordering::SeqCst)
    }

    fn leave(&self) {
        if !self.has_left.swap(true, Ordering::SeqCst) {
            (self.on_leaving)();
        }
    }
}

/// Whoever stops reading, as `head` does, does not want to know more: that is no trouble.
pub(super) struct Pipe<W> {
    out: W,
    reader: Reader,
}

impl<W: Write> Pipe<W> {
    pub(super) fn new(out: W, reader: Reader) -> Pipe<W> {
        Pipe { out, reader }
    }

    fn attempt(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) -> io::Result<()> {
        if self.reader.has_left() {
            return Ok(());
        }
        match write(&mut self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.reader.leave();
                Ok(())
            }
            result => result,
        }
    }
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|out| out.write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(Write::flush)
    }
}
