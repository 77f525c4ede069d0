//! Writes the events of a run as they happen, one JSON object per line, in the format that `casebook record --from jsonl` reads.

use std::io;
use std::sync::Arc;

use casebook_record::{Event, Listener, ListenerError, Run, encode_line, for_each_run_event};

/// Writes each event as a line. Returns the first error of the writer once and writes nothing afterwards.
pub struct Jsonl<W> {
    out: W,
    line: Vec<u8>,
    broken: bool,
}

impl<W: io::Write> Jsonl<W> {
    /// Creates a listener that writes to `out`.
    pub fn new(out: W) -> Jsonl<W> {
        Jsonl {
            out,
            line: Vec::new(),
            broken: false,
        }
    }

    fn line(&mut self, event: &Event) -> io::Result<()> {
        self.line.clear();
        encode_line(event, &mut self.line);
        self.out.write_all(&self.line)
    }
}

impl<W: io::Write + Send> Listener for Jsonl<W> {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError> {
        if self.broken {
            return Ok(());
        }
        // A reader waits for the events, so none may stay in a buffer.
        let written = self.line(event).and_then(|()| self.out.flush());
        written.inspect_err(|_| self.broken = true)?;
        Ok(())
    }
}

/// Writes the events of a finished run from its record.
pub fn write(run: &Run, out: &mut dyn io::Write) -> io::Result<()> {
    let mut lines = Jsonl::new(out);
    for_each_run_event(run, &mut |event| lines.line(&event))
}
