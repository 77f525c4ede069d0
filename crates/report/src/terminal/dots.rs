//! Shows a run as one character per test: `.` passed, `F` failed, `*` skipped.

use std::io;
use std::sync::Arc;

use anstyle::Style;
use casebook_record::{Event, Listener, ListenerError};

use super::style::{BAD, GOOD, PLAIN, WARN};
use crate::flag;

/// Characters per line, so that they can be counted.
const PER_LINE: usize = 50;

/// A listener that writes one character per test.
pub struct Dots {
    color: bool,
    written: usize,
    out: Box<dyn io::Write + Send>,
}

impl Dots {
    /// Creates a listener that writes to `out`.
    pub fn new(color: bool, out: Box<dyn io::Write + Send>) -> Dots {
        Dots {
            color,
            written: 0,
            out,
        }
    }

    fn dot(&mut self, style: Style, mark: char) -> io::Result<()> {
        let style = if self.color { style } else { PLAIN };
        self.written += 1;
        let end = if self.written.is_multiple_of(PER_LINE) {
            "\n"
        } else {
            ""
        };
        write!(self.out, "{style}{mark}{style:#}{end}")
    }
}

impl Listener for Dots {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError> {
        match &**event {
            event if event.will_repeat() => {}
            Event::ExamplePassed(_) => self.dot(GOOD, '.')?,
            Event::ExampleFailed(failed) if flag(&failed.metadata, "will_retry") => {}
            Event::ExampleFailed(_) => self.dot(BAD, 'F')?,
            Event::ExamplePending(_) => self.dot(WARN, '*')?,
            Event::SuiteStopped(_) if !self.written.is_multiple_of(PER_LINE) => {
                self.written = 0;
                self.out.write_all(b"\n")?;
            }
            _ => return Ok(()),
        }
        Ok(self.out.flush()?)
    }
}
