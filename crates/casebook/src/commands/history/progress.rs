//! Progress while many records are read for the first time, on a terminal.

use std::cell::{Cell, RefCell};
use std::io::Write;

use crate::context::{self, Context};

/// Fewer records are read quickly enough without a progress line.
const MANY: usize = 20;

/// A line that is redrawn, and erased at the end.
pub(super) struct Progress {
    out: Option<RefCell<Box<dyn Write + Send>>>,
    is_drawn: Cell<bool>,
}

impl Progress {
    pub(super) fn new(context: &Context) -> Progress {
        let is_seen = context.progress != context::Progress::Nowhere;
        Progress {
            out: is_seen.then(|| RefCell::new(Context::stderr())),
            is_drawn: Cell::new(false),
        }
    }

    pub(super) fn show(&self, done: usize, of: usize) {
        if of >= MANY {
            self.draw(&format!("reading records: {done} of {of}"));
            self.is_drawn.set(true);
        }
    }

    /// A failed write to standard error cannot be reported.
    fn draw(&self, text: &str) {
        if let Some(out) = &self.out {
            let mut out = out.borrow_mut();
            let _ = write!(out, "\r\u{1b}[2K{text}");
            let _ = out.flush();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_drawn.get() {
            self.draw("");
        }
    }
}
