//! Reads a stream line by line. Shared by the JSONL and TAP readers.

use std::io::{self, BufRead};

/// The length of the longest line that is read. A longer line is skipped without being stored in memory.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// Written before the first line by some editors and tools.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A problem in one line of an input. Other lines are not affected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Counted from 1; 0 for the input as a whole.
    pub line: u64,
    /// The message, without the line number.
    pub message: String,
}

/// Why a line's text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableLine {
    /// Longer than [`MAX_LINE_BYTES`].
    #[error("longer than {} MiB", .0 / (1024 * 1024))]
    TooLong(usize),
    /// Not UTF-8 from this byte on.
    #[error("not valid UTF-8 at byte {0}")]
    NotUtf8(usize),
}

/// One line: its number, its text without the line end, and whether there was a line end.
#[derive(Debug)]
pub struct Line<'a> {
    /// Counted from 1.
    pub number: u64,
    /// The text, without `\n` or `\r\n`.
    pub text: Result<&'a str, UnreadableLine>,
    /// False only for a last line without a line end.
    pub ended: bool,
}

/// Reads lines one at a time into one buffer.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    number: u64,
    offset: u64,
    limit: usize,
}

impl<R: BufRead> Lines<R> {
    /// Reads lines of up to [`MAX_LINE_BYTES`] each.
    pub fn new(reader: R) -> Lines<R> {
        Lines {
            reader,
            buffer: Vec::new(),
            number: 0,
            offset: 0,
            limit: MAX_LINE_BYTES,
        }
    }

    /// The number of bytes read so far, including the current line.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line, or `None` at the end of the input.
    // Not an iterator: a line borrows the buffer of the one before.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator cannot lend its buffer"
    )]
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let (length, ended) = self.read_line()?;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        let text = if length > self.limit {
            self.buffer = Vec::new();
            Err(UnreadableLine::TooLong(self.limit))
        } else {
            line_text(&self.buffer, self.number == 1)
        };
        Ok(Some(Line {
            number: self.number,
            text,
            ended,
        }))
    }

    /// Whether the next line that is not blank is already buffered, so that reading it does not wait for the writer.
    pub fn is_ready(&self) -> bool
    where
        R: Buffered,
    {
        let ahead = self.reader.buffered().trim_ascii_start();
        ahead.contains(&b'\n')
    }

    /// Fills the buffer up to the line end or the limit; returns the length of the complete line and whether it has a
    /// line end.
    fn read_line(&mut self) -> io::Result<(usize, bool)> {
        let mut length = 0;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |index| index + 1);
            if length + taken <= self.limit {
                self.buffer.extend_from_slice(&available[..taken]);
            }
            length += taken;
            self.offset += taken as u64;
            self.reader.consume(taken);
            if end.is_some() || taken == 0 {
                return Ok((length, end.is_some()));
            }
        }
    }
}

/// The text of a line, without its line end and, in the first line, without a byte order mark.
fn line_text(line: &[u8], is_first: bool) -> Result<&str, UnreadableLine> {
    let bytes = line.strip_suffix(b"\n").unwrap_or(line);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let mark = if is_first { BYTE_ORDER_MARK } else { b"" };
    let bytes = bytes.strip_prefix(mark).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| UnreadableLine::NotUtf8(error.valid_up_to() + 1))
}

/// A reader with access to its buffer.
pub trait Buffered {
    /// The bytes that were read from the source and not consumed yet.
    fn buffered(&self) -> &[u8];
}

impl<R: io::Read + ?Sized> Buffered for io::BufReader<R> {
    fn buffered(&self) -> &[u8] {
        self.buffer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn read(input: &[u8], limit: usize) -> Vec<(u64, Result<String, UnreadableLine>, bool)> {
        // A tiny buffer, so that every line is assembled from several reads.
        let mut lines = Lines {
            limit,
            ..Lines::new(BufReader::with_capacity(3, input))
        };
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push((line.number, line.text.map(str::to_owned), line.ended));
        }
        all
    }

    #[test]
    fn line_ends_of_both_kinds_and_a_last_line_without_one() {
        assert_eq!(
            read(b"one\ntwo\r\n\nfour", 100),
            [
                (1, Ok("one".into()), true),
                (2, Ok("two".into()), true),
                (3, Ok(String::new()), true),
                (4, Ok("four".into()), false),
            ]
        );
        assert_eq!(read(b"", 100), []);
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_first_line() {
        assert_eq!(
            read("\u{feff}one\n\u{feff}two\n".as_bytes(), 100),
            [
                (1, Ok("one".into()), true),
                (2, Ok("\u{feff}two".into()), true)
            ]
        );
    }

    #[test]
    fn invalid_lines_do_not_affect_valid_ones() {
        assert_eq!(
            read(b"aaaaaaaaaaaa\nok\nx\xffy\nok\n", 5),
            [
                (1, Err(UnreadableLine::TooLong(5)), true),
                (2, Ok("ok".into()), true),
                (3, Err(UnreadableLine::NotUtf8(2)), true),
                (4, Ok("ok".into()), true),
            ]
        );
    }
}
