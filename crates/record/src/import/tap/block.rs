//! Collects the lines of a YAML block, from `---` to `...`.

/// The maximum size of a block.
const MAX_BYTES: usize = 1024 * 1024;

/// A block that is being read.
#[derive(Debug)]
pub(super) struct Block {
    /// The line of its `---`.
    pub(super) line: u64,
    indent: usize,
    text: String,
    pub(super) too_long: bool,
}

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
            too_long: false,
        })
    }

    pub(super) fn take(&mut self, text: &str) -> BlockLine {
        let indent = indent_of(text);
        if indent < self.indent {
            if !text.trim().is_empty() {
                return BlockLine::Outside;
            }
            self.push("");
        } else if indent == self.indent && text.trim() == "..." {
            return BlockLine::Closed;
        } else {
            self.push(&text[self.indent..]);
        }
        BlockLine::Content
    }

    /// Its text without the indentation.
    pub(super) fn into_text(self) -> String {
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
