//! A run as it happens, line by line: what every worker does, each line with the worker's number before it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use casebook_record::{Event, Listener, ListenerError};

use super::event_lines::EventLineFormatter;
use super::style::DIM;

/// Columns for the worker's number.
const PREFIX: usize = 5;

/// Writes a run as lines.
pub struct Interleaved {
    teller: EventLineFormatter,
    color: bool,
    out: Box<dyn io::Write + Send>,
}

impl Interleaved {
    /// Lines of so many columns.
    pub fn new(color: bool, width: usize, out: Box<dyn io::Write + Send>) -> Interleaved {
        let width = width.saturating_sub(PREFIX);
        Interleaved {
            teller: EventLineFormatter::new(color, width, None),
            color,
            out,
        }
    }
}

impl Listener for Interleaved {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn max_delay(&self) -> Duration {
        Duration::from_millis(50)
    }

    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError> {
        let Some(told) = self.teller.format(event) else {
            return Ok(());
        };
        let style = if self.color { DIM } else { super::style::PLAIN };
        let prefix = format!("{style}[{}]{style:#} ", told.worker);
        let mut lines = Vec::with_capacity(told.lines.len() + prefix.len());
        for line in told.lines.split_inclusive(|byte| *byte == b'\n') {
            lines.extend_from_slice(prefix.as_bytes());
            lines.extend_from_slice(line);
        }
        self.out.write_all(&lines)?;
        Ok(self.out.flush()?)
    }
}
