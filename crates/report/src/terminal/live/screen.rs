//! The two streams: permanent lines on one, redrawn rows on the other.
//!
//! On a terminal both are the same screen. The rows are erased before a line is written and then drawn again below it.

use std::io;

use crate::terminal::page::Page;

/// With more bytes than this waiting, they are written at once and not at the next tick.
const MAX_WAITING: usize = 64 * 1024;

pub(super) struct Screen {
    color: bool,
    width: usize,
    out: Box<dyn io::Write + Send>,
    err: Box<dyn io::Write + Send>,
    /// Lines to be written to `out`.
    waiting: Vec<u8>,
    /// The rows drawn on `err`, without the last line break.
    drawn: Vec<u8>,
    /// The number of printed lines.
    lines: usize,
    /// The first error of `out`; nothing is written to it afterwards.
    error: Option<io::Error>,
    broken: bool,
}

impl Screen {
    pub(super) fn new(
        (color, width): (bool, usize),
        out: Box<dyn io::Write + Send>,
        err: Box<dyn io::Write + Send>,
    ) -> Screen {
        Screen {
            color,
            width,
            out,
            err,
            waiting: Vec::new(),
            drawn: Vec::new(),
            lines: 0,
            error: None,
            broken: false,
        }
    }

    /// Adds lines for the next flush.
    pub(super) fn print(&mut self, print: impl FnOnce(&mut Page) -> io::Result<()>) {
        let start = self.waiting.len();
        let mut page = Page::new(&mut self.waiting, self.color, self.width);
        print(&mut page).expect("writing to memory succeeds");
        self.lines += line_breaks(&self.waiting[start..]);
        if self.waiting.len() > MAX_WAITING {
            self.flush();
        }
    }

    /// The number of lines printed so far.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// Returns the error of `out` once.
    pub(super) fn error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Erases the rows and writes the waiting lines.
    pub(super) fn flush(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        self.erase();
        let written = self.write_out();
        self.waiting.clear();
        if let Err(error) = written {
            self.broken = true;
            self.error = Some(error);
        }
    }

    fn write_out(&mut self) -> io::Result<()> {
        if self.broken {
            return Ok(());
        }
        self.out.write_all(&self.waiting)?;
        self.out.flush()
    }

    /// Draws rows below the lines, replacing the previous ones.
    pub(super) fn draw(&mut self, rows: impl FnOnce(&mut Page) -> io::Result<()>) {
        let mut drawn = Vec::new();
        // One column less, because a character in the last column moves some terminals to the next line.
        let mut page = Page::new(&mut drawn, self.color, self.width.saturating_sub(1));
        rows(&mut page).expect("writing to memory succeeds");
        drawn.pop();
        if drawn == self.drawn {
            return;
        }
        let mut bytes = erasure(&self.drawn);
        // Line wrapping is off while rows are drawn: rows wrapped by a narrower terminal could not be erased.
        bytes.extend_from_slice(b"\x1b[?7l");
        bytes.extend_from_slice(&drawn);
        bytes.extend_from_slice(b"\x1b[?7h");
        self.write_err(&bytes);
        self.drawn = drawn;
    }

    /// Erases the rows.
    pub(super) fn erase(&mut self) {
        if !self.drawn.is_empty() {
            let erasure = erasure(&self.drawn);
            self.write_err(&erasure);
            self.drawn.clear();
        }
    }

    /// Writes permanent lines to `err`.
    pub(super) fn note(&mut self, print: impl FnOnce(&mut Page) -> io::Result<()>) {
        let mut lines = Vec::new();
        print(&mut Page::new(&mut lines, self.color, self.width))
            .expect("writing to memory succeeds");
        // Waiting lines are written first. A failed write to `err` cannot be reported.
        let _ = self.message(&lines);
    }

    /// Writes a message above the rows, which the next tick redraws.
    pub(super) fn message(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.flush();
        self.erase();
        self.err.write_all(bytes)?;
        self.err.flush()
    }

    /// Writes to `err` and ignores errors, because progress is optional.
    fn write_err(&mut self, bytes: &[u8]) {
        let _ = self.err.write_all(bytes).and_then(|()| self.err.flush());
    }
}

/// The escape sequence that moves the cursor from the end of these rows to their start and clears each row.
///
/// It does not clear the screen, because some terminals save a cleared screen in their history.
fn erasure(drawn: &[u8]) -> Vec<u8> {
    if drawn.is_empty() {
        return Vec::new();
    }
    let up = "\x1b[1A\x1b[2K".repeat(line_breaks(drawn));
    format!("\r\x1b[2K{up}").into_bytes()
}

fn line_breaks(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}
