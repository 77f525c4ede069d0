//! A stream whose reader may leave.

use std::io::{self, Write};

/// Whoever stops reading, as `head` does, does not want to know more: that is no trouble.
pub(super) struct Pipe<W> {
    out: W,
    is_left: bool,
}

impl<W: Write> Pipe<W> {
    pub(super) fn new(out: W) -> Pipe<W> {
        Pipe {
            out,
            is_left: false,
        }
    }

    fn attempt(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) -> io::Result<()> {
        if self.is_left {
            return Ok(());
        }
        match write(&mut self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_left = true;
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
