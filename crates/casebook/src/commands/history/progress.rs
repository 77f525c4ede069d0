//! How far the first reading of many records is, on a terminal.

use std::cell::{Cell, RefCell};
use std::io::Write;

use crate::context::{self, Context};

/// Fewer are read before anyone wonders.
const MANY: usize = 20;

/// A line that is drawn over, and gone in the end.
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

    /// Nobody can be told that telling failed.
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
