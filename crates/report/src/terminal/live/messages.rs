//! A writer for other messages on the stream that shows progress.

use std::io;

use super::Shared;

/// A writer whose lines appear above the drawn progress. Each write must end with a complete line.
#[derive(Clone)]
pub struct Messages {
    show: Shared,
}

impl Messages {
    pub(super) fn above(show: Shared) -> Messages {
        Messages { show }
    }
}

impl io::Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.show.lock().message(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
