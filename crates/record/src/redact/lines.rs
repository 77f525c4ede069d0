//! [`RedactedLines`]: redaction of a stream.

use super::Redactor;

/// At most this many bytes are held.
const MAX_HELD: usize = 64 * 1024;

/// Redacts a stream that arrives line by line. Lines that may be the beginning of a secret with several lines are held
/// until the next line.
#[derive(Debug)]
pub struct RedactedLines {
    redactor: Redactor,
    held: Vec<u8>,
}

impl RedactedLines {
    pub(super) fn new(redactor: Redactor) -> RedactedLines {
        RedactedLines {
            redactor,
            held: Vec::new(),
        }
    }

    /// Adds a line with its line break. Returns the redacted lines that can be shown, which may be none.
    pub fn push(&mut self, line: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(line);
        if self.may_continue() {
            return Vec::new();
        }
        self.end()
    }

    /// Returns the lines that are still held.
    pub fn end(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        match self.redactor.redacted(&held) {
            Some(redacted) => redacted,
            None => held,
        }
    }

    /// Whether the lines so far end with the first lines of a secret.
    fn may_continue(&self) -> bool {
        let Some(secrets) = &self.redactor.0 else {
            return false;
        };
        let is_begun = |secret: &String| {
            let breaks = secret.match_indices('\n');
            let mut beginnings = breaks.map(|(index, _)| &secret.as_bytes()[..=index]);
            beginnings.any(|first| self.held.ends_with(first))
        };
        self.held.len() <= MAX_HELD && secrets.multiline.iter().any(is_begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[&str]) -> Vec<String> {
        let mut redacted = Redactor::of(["first line\nno\nlast line"]).lines();
        let mut shown: Vec<_> = lines
            .iter()
            .map(|line| redacted.push(line.as_bytes()))
            .collect();
        shown.push(redacted.end());
        let texts = shown.into_iter().map(String::from_utf8);
        texts.map(Result::unwrap).collect()
    }

    #[test]
    fn a_secret_with_several_lines_is_redacted_as_a_whole() {
        assert_eq!(
            shown(&["a\n", "is first line\n", "no\n", "last line!\n", "b\n"]),
            ["a\n", "", "", "is [redacted]!\n", "b\n", ""]
        );
    }

    #[test]
    fn lines_are_shown_when_the_secret_does_not_continue() {
        assert_eq!(
            shown(&["first line\n", "no\n", "other\n", "first line\n"]),
            ["", "", "[redacted]\nno\nother\n", "", "[redacted]\n"]
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_kept() {
        let mut lines = Redactor::of(["s3cr3t-value"]).lines();
        assert_eq!(lines.push(b"\xff s3cr3t-value\n"), b"\xff [redacted]\n");
    }
}
