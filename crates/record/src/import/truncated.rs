//! Text of unlimited length, of which the record keeps the head and the tail.

use serde_json::{Map, Value};

/// The maximum size of one stream in the record.
const LIMIT: usize = 64 * 1024;

/// Collects text and keeps at most 64 KiB of it: the first half and the last half.
#[derive(Debug, Clone, Default)]
pub(super) struct TruncatedText {
    head: String,
    /// Up to twice its final size, so that it is rarely shortened.
    tail: String,
    dropped: bool,
}

impl TruncatedText {
    pub(super) fn push(&mut self, text: &str) {
        let room = if self.tail.is_empty() && !self.dropped {
            floor(text, (LIMIT / 2).saturating_sub(self.head.len()))
        } else {
            0
        };
        let (head, tail) = text.split_at(room);
        self.head.push_str(head);
        // Of a text longer than the tail, only the end can be kept.
        let kept = &tail[ceil(tail, tail.len().saturating_sub(LIMIT))..];
        self.dropped |= kept.len() < tail.len();
        self.tail.push_str(kept);
        if self.tail.len() > LIMIT {
            self.shorten();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// The text, with a marker line where a part is missing, and whether a part is missing.
    pub(super) fn into_text(mut self) -> (String, bool) {
        if self.tail.len() > LIMIT / 2 {
            self.shorten();
        }
        if self.dropped {
            self.head.push_str("\n[… cut …]\n");
        }
        self.head.push_str(&self.tail);
        (self.head, self.dropped)
    }

    fn shorten(&mut self) {
        let from = ceil(&self.tail, self.tail.len().saturating_sub(LIMIT / 2));
        self.dropped |= from > 0;
        self.tail.drain(..from);
    }
}

/// The output of a test in the form of `metadata.command`; empty without output.
pub(super) fn command(stdout: TruncatedText, stderr: TruncatedText) -> Map<String, Value> {
    let mut command = Map::new();
    let mut truncated = false;
    for (key, stream) in [("stdout", stdout), ("stderr", stderr)] {
        if !stream.is_empty() {
            let (text, is_truncated) = stream.into_text();
            truncated |= is_truncated;
            command.insert(key.into(), text.into());
        }
    }
    if truncated {
        command.insert("truncated".into(), true.into());
    }
    command
}

/// The last character boundary at or before `index`.
fn floor(text: &str, index: usize) -> usize {
    let index = index.min(text.len());
    (0..=index)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// The first character boundary at or after `index`.
fn ceil(text: &str, index: usize) -> usize {
    (index..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truncated(pieces: &[&str]) -> (String, bool) {
        let mut truncated = TruncatedText::default();
        for piece in pieces {
            truncated.push(piece);
        }
        truncated.into_text()
    }

    #[test]
    fn short_text_is_kept_completely() {
        assert_eq!(truncated(&[]), (String::new(), false));
        assert_eq!(truncated(&["a", "", "é\n"]), ("aé\n".into(), false));
        let exactly = "x".repeat(LIMIT);
        assert_eq!(truncated(&[&exactly]), (exactly.clone(), false));
    }

    #[test]
    fn long_text_keeps_its_head_and_tail_regardless_of_chunks() {
        let long = format!("first{}last", "é".repeat(LIMIT));
        let whole = truncated(&[&long]);
        let characters: Vec<_> = long.chars().map(String::from).collect();
        let pieces: Vec<_> = characters.iter().map(String::as_str).collect();
        for (text, dropped) in [whole, truncated(&pieces)] {
            assert!(dropped);
            assert!(text.starts_with("firsté") && text.ends_with("élast"));
            assert!(text.contains("\n[… cut …]\n"));
            assert!(text.len() <= LIMIT + 20, "{}", text.len());
        }
    }

    #[test]
    fn a_command_contains_only_nonempty_streams() {
        let mut stdout = TruncatedText::default();
        stdout.push("out");
        let command = command(stdout, TruncatedText::default());
        assert_eq!(Value::Object(command), serde_json::json!({"stdout": "out"}));
    }
}
