//! [`EventReader`]: reads the events of a journal.

use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::compress;
use crate::event::Event;
use crate::lines::{Buffered, Lines, UnreadableLine};
use crate::wire::{DecodeError, decode};

/// Why a line of a journal is not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLine {
    /// The line cannot be read.
    #[error(transparent)]
    Unreadable(#[from] UnreadableLine),
    /// The text is not an event.
    #[error(transparent)]
    Undecodable(#[from] DecodeError),
}

/// One line of a journal.
#[derive(Debug)]
pub struct EventLine {
    /// Counted from 1.
    pub number: u64,
    /// The event, or why the line is not one.
    pub event: Result<Event, InvalidLine>,
    /// False for a last line without a line end. If it is also invalid, the writer was interrupted while writing it.
    pub ended: bool,
}

/// Reads events line by line; skips blank lines.
pub struct EventReader<R> {
    lines: Lines<R>,
}

impl EventReader<BufReader<Box<dyn io::Read + Send>>> {
    /// Opens a journal file; decompresses `.gz` and `.zst`.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(EventReader::new(BufReader::with_capacity(
            1 << 16,
            compress::open(path)?,
        )))
    }
}

impl<R: BufRead> EventReader<R> {
    /// Reads events from any reader.
    pub fn new(reader: R) -> EventReader<R> {
        EventReader {
            lines: Lines::new(reader),
        }
    }

    /// The next event or invalid line; `None` at the end.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator could not stop at a read error"
    )]
    pub fn next(&mut self) -> io::Result<Option<EventLine>> {
        while let Some(line) = self.lines.next()? {
            let event = match line.text {
                Ok(text) if text.trim_ascii().is_empty() => continue,
                Ok(text) => decode(text).map_err(InvalidLine::from),
                Err(error) => Err(error.into()),
            };
            return Ok(Some(EventLine {
                number: line.number,
                event,
                ended: line.ended,
            }));
        }
        Ok(None)
    }

    /// The number of bytes read so far, including the line of the last event.
    pub(crate) fn offset(&self) -> u64 {
        self.lines.offset()
    }

    /// Whether the next event is already buffered, so that reading it does not wait for the writer.
    pub fn is_ready(&self) -> bool
    where
        R: Buffered,
    {
        self.lines.is_ready()
    }
}
