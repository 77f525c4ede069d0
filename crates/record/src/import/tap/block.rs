//! Collects the lines of a YAML block, from `---` to `...`.
//!
//! vitest's blocks are almost YAML: a string contains line breaks without indentation, and only its quotes are escaped.
//! Such strings are rewritten as YAML.

/// The maximum size of a block.
const MAX_BYTES: usize = 1024 * 1024;

/// A block that is being read.
#[derive(Debug)]
pub(super) struct Block {
    /// The line of its `---`.
    pub(super) line: u64,
    indent: usize,
    text: String,
    /// A string of vitest whose closing quote has not been read.
    quoted: Option<String>,
    pub(super) too_long: bool,
}

/// The start of vitest's blocks, without indentation.
const VITEST: &str = "error:\n    name: \"";

/// How a block treats a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockLine {
    Content,
    /// The line was the closing `...`.
    Closed,
    /// The line is less indented, so the block ended without being closed. The caller must still process the line.
    Outside,
}

impl Block {
    /// Returns a block if the line opens one below a point with this indentation.
    pub(super) fn open(text: &str, line: u64, indent: usize) -> Option<Block> {
        let own = indent_of(text);
        (text.trim() == "---" && own > indent).then(|| Block {
            line,
            indent: own,
            text: String::new(),
            quoted: None,
            too_long: false,
        })
    }

    pub(super) fn take(&mut self, text: &str) -> BlockLine {
        if let Some(mut quoted) = self.quoted.take() {
            quoted.push_str("\\n");
            quoted.push_str(&with_escaped_backslashes(text));
            self.vitest_line(quoted, text);
            return BlockLine::Content;
        }
        let indent = indent_of(text);
        if indent < self.indent {
            if !text.trim().is_empty() {
                return BlockLine::Outside;
            }
            self.push("");
        } else if indent == self.indent && text.trim() == "..." {
            return BlockLine::Closed;
        } else {
            self.content(&text[self.indent..]);
        }
        BlockLine::Content
    }

    fn content(&mut self, line: &str) {
        let value = line.split_once(": \"").map(|(_, value)| value);
        match value {
            Some(value) if self.is_vitest(line) => {
                self.vitest_line(with_escaped_backslashes(line), value);
            }
            _ => self.push(line),
        }
    }

    fn is_vitest(&self, line: &str) -> bool {
        self.text.starts_with(VITEST) || format!("{}{line}", self.text).starts_with(VITEST)
    }

    /// Adds a complete line; keeps one whose string continues after `rest` on the next line.
    fn vitest_line(&mut self, line: String, rest: &str) {
        let closed = rest
            .match_indices('"')
            .any(|(at, _)| !rest[..at].ends_with('\\'));
        if closed {
            self.push(&line);
        } else if line.len() < MAX_BYTES {
            self.quoted = Some(line);
        } else {
            self.too_long = true;
        }
    }

    /// Its text without the indentation.
    pub(super) fn into_text(mut self) -> String {
        if let Some(open) = self.quoted.take() {
            self.push(&open);
        }
        self.text
    }

    fn push(&mut self, line: &str) {
        if self.too_long || self.text.len() + line.len() >= MAX_BYTES {
            self.too_long = true;
            return;
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// In vitest's strings, a backslash is an escape only before a quote.
fn with_escaped_backslashes(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        escaped.push(character);
        if character == '\\' && characters.peek() != Some(&'"') {
            escaped.push('\\');
        }
    }
    escaped
}

fn indent_of(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_read_until_its_closing_line() {
        let mut block = Block::open("  ---", 3, 0).unwrap();
        for (line, taken) in [
            ("  a: |", BlockLine::Content),
            ("", BlockLine::Content),
            ("    ...", BlockLine::Content),
            ("ok 2", BlockLine::Outside),
            ("  ... ", BlockLine::Closed),
        ] {
            assert_eq!(block.take(line), taken, "{line}");
        }
        assert_eq!(block.into_text(), "a: |\n\n  ...\n");
    }

    #[test]
    fn only_an_indented_line_opens_a_block() {
        assert!(Block::open("---", 1, 0).is_none());
        assert!(Block::open("    ---", 1, 4).is_none());
        assert!(Block::open("  --- x", 1, 0).is_none());
        assert!(Block::open("      ---", 1, 4).is_some());
    }

    #[test]
    fn strings_of_vitest_are_rewritten_as_yaml() {
        let mut block = Block::open("    ---", 1, 0).unwrap();
        for line in [
            "    error:",
            r#"        name: "Error""#,
            r#"        message: "a \"b\" \d"#,
            "...",
            r#"  end""#,
            r#"    at: "x.js:1:2""#,
        ] {
            assert_eq!(block.take(line), BlockLine::Content, "{line}");
        }
        assert_eq!(block.take("    ..."), BlockLine::Closed);
        assert_eq!(
            block.into_text(),
            concat!(
                "error:\n    name: \"Error\"\n",
                r#"    message: "a \"b\" \\d\n...\n  end""#,
                "\nat: \"x.js:1:2\"\n"
            )
        );
    }

    #[test]
    fn a_long_block_keeps_its_beginning() {
        let mut block = Block::open("  ---", 1, 0).unwrap();
        let line = format!("  {}", "x".repeat(1000));
        for _ in 0..2000 {
            assert_eq!(block.take(&line), BlockLine::Content);
        }
        assert!(block.too_long);
        assert!(block.into_text().len() <= MAX_BYTES);
    }
}
