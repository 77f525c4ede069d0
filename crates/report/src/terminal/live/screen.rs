//! The two streams: lines that stay on one, rows that are redrawn on the other.
//!
//! On a terminal they are the same screen, so the rows are erased before a line is written and drawn again below it.

use std::io;

use crate::terminal::page::Page;

/// More than this is written at once and not with the next tick.
const MAX_WAITING: usize = 64 * 1024;

pub(super) struct Screen {
    color: bool,
    width: usize,
    out: Box<dyn io::Write + Send>,
    err: Box<dyn io::Write + Send>,
    /// Lines that are still to be written to `out`.
    waiting: Vec<u8>,
    /// The rows that are drawn on `err`, without the last line break.
    drawn: Vec<u8>,
    /// How many lines have been printed.
    lines: usize,
    /// What `out` answered first; after that it is left alone.
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

    /// Puts lines where the next flush finds them.
    pub(super) fn print(&mut self, print: impl FnOnce(&mut Page) -> io::Result<()>) {
        let start = self.waiting.len();
        let mut page = Page::new(&mut self.waiting, self.color, self.width);
        print(&mut page).expect("writing to memory succeeds");
        self.lines += line_breaks(&self.waiting[start..]);
        if self.waiting.len() > MAX_WAITING {
            self.flush();
        }
    }

    /// How many lines have been printed so far.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// What `out` answered, told once.
    pub(super) fn error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Writes the lines that are waiting, in place of the rows.
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

    /// Draws rows below the lines, in place of those that are there.
    pub(super) fn draw(&mut self, rows: impl FnOnce(&mut Page) -> io::Result<()>) {
        let mut drawn = Vec::new();
        // One column less: a character in the last one leaves some terminals on the next line.
        let mut page = Page::new(&mut drawn, self.color, self.width.saturating_sub(1));
        rows(&mut page).expect("writing to memory succeeds");
        drawn.pop();
        if drawn == self.drawn {
            return;
        }
        let mut bytes = erasure(&self.drawn);
        // A terminal that has become narrower cuts the rows: if it wrapped them, they could not be erased.
        bytes.extend_from_slice(b"\x1b[?7l");
        bytes.extend_from_slice(&drawn);
        bytes.extend_from_slice(b"\x1b[?7h");
        self.write_err(&bytes);
        self.drawn = drawn;
    }

    /// Leaves no rows.
    pub(super) fn erase(&mut self) {
        if !self.drawn.is_empty() {
            let erasure = erasure(&self.drawn);
            self.write_err(&erasure);
            self.drawn.clear();
        }
    }

    /// Writes lines to `err`, where they stay.
    pub(super) fn note(&mut self, print: impl FnOnce(&mut Page) -> io::Result<()>) {
        let mut lines = Vec::new();
        print(&mut Page::new(&mut lines, self.color, self.width))
            .expect("writing to memory succeeds");
        // What has happened before is told before; nobody can be told that telling failed.
        let _ = self.message(&lines);
    }

    /// Writes a message above the rows, which the next tick draws again.
    pub(super) fn message(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.flush();
        self.erase();
        self.err.write_all(bytes)?;
        self.err.flush()
    }

    /// Progress that cannot be shown harms nobody.
    fn write_err(&mut self, bytes: &[u8]) {
        let _ = self.err.write_all(bytes).and_then(|()| self.err.flush());
    }
}

/// What takes the cursor from the end of these rows to their beginning and clears each on the way.
///
/// Row by row: some terminals keep what is cleared by the screen, and their history would fill with progress.
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
