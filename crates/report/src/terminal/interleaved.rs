//! Shows a run line by line while it lasts, each line prefixed with the worker's number.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use casebook_record::{Event, Listener, ListenerError};

use super::event_lines::EventLineFormatter;
use super::style::DIM;

/// Columns for the worker's number.
const PREFIX: usize = 5;

/// A listener that writes prefixed lines.
pub struct Interleaved {
    formatter: EventLineFormatter,
    color: bool,
    out: Box<dyn io::Write + Send>,
}

impl Interleaved {
    /// Creates a listener that writes lines of at most `width` columns.
    pub fn new(color: bool, width: usize, out: Box<dyn io::Write + Send>) -> Interleaved {
        let width = width.saturating_sub(PREFIX);
        Interleaved {
            formatter: EventLineFormatter::new(color, width, None),
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
        let Some(formatted) = self.formatter.format(event) else {
            return Ok(());
        };
        let style = if self.color { DIM } else { super::style::PLAIN };
        let prefix = format!("{style}[{}]{style:#} ", formatted.worker);
        let mut lines = Vec::with_capacity(formatted.lines.len() + prefix.len());
        for line in formatted.lines.split_inclusive(|byte| *byte == b'\n') {
            lines.extend_from_slice(prefix.as_bytes());
            lines.extend_from_slice(line);
        }
        self.out.write_all(&lines)?;
        Ok(self.out.flush()?)
    }
}
