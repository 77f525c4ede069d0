//! Server-sent events: reads the data of each event as it arrives.

use std::borrow::Cow;

/// Splits a stream of bytes into events.
#[derive(Debug, Default)]
pub(super) struct EventParser {
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// The data of the event that has not ended yet.
    data: Option<String>,
    /// Whether the last byte was a carriage return, whose line feed is skipped.
    skips_line_feed: bool,
}

impl EventParser {
    /// Reads more bytes. Returns the data of the events that they complete.
    pub(super) fn read(&mut self, mut bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            let is_line_feed = bytes[end] == b'\n';
            let skips_line_feed = std::mem::replace(&mut self.skips_line_feed, !is_line_feed);
            bytes = rest;
            if !(is_line_feed && skips_line_feed && line.is_empty()) {
                events.extend(self.end_line(line));
            }
        }
        if !bytes.is_empty() {
            self.skips_line_feed = false;
            self.line.extend(bytes);
        }
        events
    }

    /// The data of the last event, which servers often do not end with an empty line.
    pub(super) fn finish(mut self) -> Option<String> {
        self.end_line(&[]).or(self.data)
    }

    /// Reads the line, of which these bytes are the end. Returns the data of the event if the line is empty, which ends it.
    fn end_line(&mut self, end: &[u8]) -> Option<String> {
        // Most lines arrive in one piece and need not be copied.
        let begun = std::mem::take(&mut self.line);
        let line = match begun.as_slice() {
            [] => Cow::Borrowed(end),
            begun => Cow::Owned([begun, end].concat()),
        };
        if line.is_empty() {
            return self.data.take();
        }
        let value = line.strip_prefix(b"data:")?;
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(&value);
            }
            None => self.data = Some(value.into_owned()),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_in_any_framing_and_in_any_pieces() {
        for (text, expected) in [
            ("data: a\n\ndata: b\n\n", &["a", "b"][..]),
            ("data:a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]),
            ("data: a\r\rdata: b\r\r", &["a", "b"]),
            (": comment\nevent: x\nid: 1\ndata: a\n\n", &["a"]),
            ("data: a\ndata: b\n\n", &["a\nb"]),
            ("data: a\n\ndata: the end", &["a", "the end"]),
            ("data:\n\ndata: ü\n", &["", "ü"]),
            ("retry: 3\n\n\n\n", &[]),
            ("", &[]),
        ] {
            for size in [1, 3, 1000] {
                let mut parser = EventParser::default();
                let mut events = Vec::new();
                for piece in text.as_bytes().chunks(size) {
                    events.extend(parser.read(piece));
                }
                events.extend(parser.finish());
                assert_eq!(events, expected, "{text:?} in pieces of {size}");
            }
        }
    }
}
