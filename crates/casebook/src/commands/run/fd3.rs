//! File descriptor 3, which Bats tests use for output that is not captured.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::OwnedFd;

use crate::context::Context;

/// Output on descriptor 3: goes to standard error, or is buffered while the full-screen view has the terminal.
pub(super) struct Fd3Output {
    _three: Option<OwnedFd>,
    kept: Option<File>,
}

impl Fd3Output {
    /// Called before anything else is opened, because the descriptor must be free.
    pub(super) fn begin(is_kept: bool) -> Fd3Output {
        let mut three = Context::open_fd3();
        let kept = three.as_mut().filter(|_| is_kept).and_then(|three| {
            let file = tempfile::tempfile().ok()?;
            rustix::io::dup2(&file, three).ok()?;
            Some(file)
        });
        Fd3Output {
            _three: three,
            kept,
        }
    }

    /// Writes the buffered output to standard error.
    pub(super) fn flush(self) {
        if let Some(mut file) = self.kept {
            let mut told = Vec::new();
            let read = file.rewind().and_then(|()| file.read_to_end(&mut told));
            // A failed write to standard error cannot be reported.
            let _ = read.and_then(|_| io::Write::write_all(&mut Context::stderr(), &told));
        }
    }
}
