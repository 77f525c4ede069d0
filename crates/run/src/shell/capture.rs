//! [`Captured`]: the output of a process, up to a limit.

/// The text of one stream, as assertions see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Captured {
    /// Without NUL bytes.
    pub(crate) bytes: Vec<u8>,
    /// Whether the stream exceeded the limit.
    pub(crate) truncated: bool,
    /// Whether there were NUL bytes; they are dropped, as in `$(…)`.
    pub(crate) had_nul: bool,
    pub(crate) keeps: Retention,
}

/// The part of a stream that is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Retention {
    /// The beginning, without NUL bytes.
    #[default]
    Head,
    /// Everything, unchanged.
    All,
    /// The end, unchanged.
    Tail,
}

impl Captured {
    /// Appends output. Output beyond the limit is dropped, so that the writer never blocks.
    pub(crate) fn take(&mut self, read: &[u8], limit: usize) {
        match self.keeps {
            Retention::Head => self.take_text(read, limit),
            Retention::All => self.bytes.extend_from_slice(read),
            Retention::Tail => self.take_last(read, limit),
        }
    }

    /// Keeps up to twice the limit for a while, so that bytes are rarely moved.
    fn take_last(&mut self, read: &[u8], limit: usize) {
        self.bytes.extend_from_slice(read);
        if self.bytes.len() > 2 * limit {
            self.bytes.drain(..self.bytes.len() - limit);
            self.truncated = true;
        }
    }

    fn take_text(&mut self, read: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.bytes.len());
        let mut taken = 0;
        for piece in read.split_inclusive(|byte| *byte == 0) {
            let text = piece.strip_suffix(&[0]).unwrap_or(piece);
            self.had_nul |= text.len() < piece.len();
            let kept = text.len().min(room - taken);
            self.bytes.extend_from_slice(&text[..kept]);
            self.truncated |= kept < text.len();
            taken += kept;
        }
    }

    /// The text without the newlines at its end.
    pub(crate) fn text(&self) -> &[u8] {
        trimmed(&self.bytes)
    }
}

/// Removes newlines at the end.
pub(crate) fn trimmed(mut text: &[u8]) -> &[u8] {
    while let Some(shorter) = text.strip_suffix(b"\n") {
        text = shorter;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_bytes_do_not_count() {
        let mut captured = Captured::default();
        captured.take(b"a\0b\0", 4);
        captured.take(b"\0cde", 4);
        assert_eq!(captured.bytes, b"abcd");
        assert!(captured.had_nul && captured.truncated);
    }

    #[test]
    fn output_of_exactly_the_limit_is_not_truncated() {
        let mut captured = Captured::default();
        captured.take(b"abcd", 4);
        captured.take(b"\0", 4);
        assert!(!captured.truncated);
        captured.take(b"e", 4);
        assert!(captured.truncated);
    }

    #[test]
    fn the_tail_of_a_stream_is_kept() {
        let mut captured = Captured {
            keeps: Retention::Tail,
            ..Captured::default()
        };
        (0..100_u8).for_each(|byte| captured.take(&[byte], 10));
        assert!((10..=20).contains(&captured.bytes.len()) && captured.truncated);
        assert!(captured.bytes.ends_with(&[97, 98, 99]));
    }

    #[test]
    fn only_newlines_at_the_end_are_dropped() {
        assert_eq!(trimmed(b"\n a \r\n\n"), b"\n a \r");
    }
}
