//! Server-sent events: reads each event as it arrives.

use std::borrow::Cow;

/// An event.
#[derive(Debug, PartialEq)]
pub(super) struct ServerEvent {
    pub(super) data: String,
    /// Whether its name is `error`. Other names are not read.
    pub(super) is_error: bool,
}

/// Splits a stream of bytes into events.
#[derive(Debug, Default)]
pub(super) struct EventParser {
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// The data of the event that has not ended yet.
    data: Option<String>,
    /// Whether the name of that event is `error`.
    is_error: bool,
    /// Whether the last byte was a carriage return, whose line feed is skipped.
    skips_line_feed: bool,
}

impl EventParser {
    /// Reads more bytes. Returns the events that they complete.
    pub(super) fn read(&mut self, mut bytes: &[u8]) -> Vec<ServerEvent> {
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

    /// The last event, which servers often do not end with an empty line.
    pub(super) fn finish(mut self) -> Option<ServerEvent> {
        self.end_line(&[]).or_else(|| self.end_event())
    }

    fn end_event(&mut self) -> Option<ServerEvent> {
        let is_error = std::mem::take(&mut self.is_error);
        let data = self.data.take();
        // The cause of an error may be missing.
        (data.is_some() || is_error).then(|| ServerEvent {
            data: data.unwrap_or_default(),
            is_error,
        })
    }

    /// Reads the line, of which these bytes are the end. Returns the event if the line is empty, which ends it.
    fn end_line(&mut self, end: &[u8]) -> Option<ServerEvent> {
        // Most lines arrive in one piece and need not be copied.
        let begun = std::mem::take(&mut self.line);
        let line = match begun.as_slice() {
            [] => Cow::Borrowed(end),
            begun => Cow::Owned([begun, end].concat()),
        };
        if line.is_empty() {
            return self.end_event();
        }
        if let Some(name) = line.strip_prefix(b"event:") {
            self.is_error = name.trim_ascii() == b"error";
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
                let events: Vec<_> = events.into_iter().map(|event| event.data).collect();
                assert_eq!(events, expected, "{text:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn errors_are_events_with_that_name() {
        for (text, expected) in [
            (
                "event: error\ndata: a\n\ndata: b\n\n",
                &[("a", true), ("b", false)][..],
            ),
            ("data: a\nevent:error\n\n", &[("a", true)]),
            ("data: a\n\nevent: error", &[("a", false), ("", true)]),
            ("event: errors\ndata: a\n\n", &[("a", false)]),
        ] {
            let mut parser = EventParser::default();
            let mut events = parser.read(text.as_bytes());
            events.extend(parser.finish());
            let expected = expected.iter().map(|(data, is_error)| ServerEvent {
                data: (*data).to_owned(),
                is_error: *is_error,
            });
            assert_eq!(events, expected.collect::<Vec<_>>(), "{text:?}");
        }
    }
}
