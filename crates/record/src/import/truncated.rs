//! Text of any length, of which the record keeps the head and the tail.

use serde_json::{Map, Value};

/// What the record keeps of one stream.
const LIMIT: usize = 64 * 1024;

/// Collects text and keeps at most 64 KiB of it: the first half and the last half.
#[derive(Debug, Clone, Default)]
pub(super) struct TruncatedText {
    head: String,
    /// Up to twice what is kept, so that it is cut only now and then.
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
        // Of a text longer than the tail only its end can stay.
        let kept = &tail[ceil(tail, tail.len().saturating_sub(LIMIT))..];
        self.dropped |= kept.len() < tail.len();
        self.tail.push_str(kept);
        if self.tail.len() > LIMIT {
            self.cut();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// The text, with a line that says so where a part is missing.
    pub(super) fn into_text(mut self) -> (String, bool) {
        if self.tail.len() > LIMIT / 2 {
            self.cut();
        }
        if self.dropped {
            self.head.push_str("\n[… cut …]\n");
        }
        self.head.push_str(&self.tail);
        (self.head, self.dropped)
    }

    fn cut(&mut self) {
        let from = ceil(&self.tail, self.tail.len().saturating_sub(LIMIT / 2));
        self.dropped |= from > 0;
        self.tail.drain(..from);
    }
}

/// What a test wrote, as `metadata.command` has it; nothing when it wrote nothing.
pub(super) fn command(stdout: TruncatedText, stderr: TruncatedText) -> Map<String, Value> {
    let mut command = Map::new();
    let mut truncated = false;
    for (key, stream) in [("stdout", stdout), ("stderr", stderr)] {
        if !stream.is_empty() {
            let (text, cut) = stream.into_text();
            truncated |= cut;
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

    fn capped(pieces: &[&str]) -> (String, bool) {
        let mut capped = TruncatedText::default();
        for piece in pieces {
            capped.push(piece);
        }
        capped.into_text()
    }

    #[test]
    fn short_text_is_kept_whole() {
        assert_eq!(capped(&[]), (String::new(), false));
        assert_eq!(capped(&["a", "", "é\n"]), ("aé\n".into(), false));
        let exactly = "x".repeat(LIMIT);
        assert_eq!(capped(&[&exactly]), (exactly.clone(), false));
    }

    #[test]
    fn long_text_keeps_its_head_and_its_tail_however_it_arrives() {
        let long = format!("first{}last", "é".repeat(LIMIT));
        let whole = capped(&[&long]);
        let characters: Vec<_> = long.chars().map(String::from).collect();
        let pieces: Vec<_> = characters.iter().map(String::as_str).collect();
        for (text, dropped) in [whole, capped(&pieces)] {
            assert!(dropped);
            assert!(text.starts_with("firsté") && text.ends_with("élast"));
            assert!(text.contains("\n[… cut …]\n"));
            assert!(text.len() <= LIMIT + 20, "{}", text.len());
        }
    }

    #[test]
    fn a_command_says_only_what_there_is() {
        let mut stdout = TruncatedText::default();
        stdout.push("out");
        let command = command(stdout, TruncatedText::default());
        assert_eq!(Value::Object(command), serde_json::json!({"stdout": "out"}));
    }
}
