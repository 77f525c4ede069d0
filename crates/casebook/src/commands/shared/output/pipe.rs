//! Standard output as a pipe that may be closed.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output was closed. Clones share it.
#[derive(Clone)]
pub(crate) struct PipeState {
    is_closed: Arc<AtomicBool>,
    on_close: Arc<dyn Fn() + Send + Sync>,
}

impl PipeState {
    /// Calls `on_close` when standard output is closed.
    pub(crate) fn new(on_close: impl Fn() + Send + Sync + 'static) -> PipeState {
        PipeState {
            is_closed: Arc::default(),
            on_close: Arc::new(on_close),
        }
    }

    /// Whether standard output was closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    fn leave(&self) {
        if !self.is_closed.swap(true, Ordering::SeqCst) {
            (self.on_close)();
        }
    }
}

/// A writer that ignores a closed pipe, as with `| head`.
pub(crate) struct PipeWriter<W> {
    out: W,
    pipe: PipeState,
}

impl<W: Write> PipeWriter<W> {
    pub(crate) fn new(out: W, pipe: PipeState) -> PipeWriter<W> {
        PipeWriter { out, pipe }
    }

    fn attempt(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) -> io::Result<()> {
        if self.pipe.is_closed() {
            return Ok(());
        }
        match write(&mut self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.pipe.leave();
                Ok(())
            }
            result => result,
        }
    }
}

impl<W: Write> Write for PipeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|out| out.write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(Write::flush)
    }
}
