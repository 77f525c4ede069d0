//! The lines of a YAML block, from `---` to `...`.

/// The longest block that is kept.
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

/// What a line did to a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockLine {
    Content,
    /// It was the closing `...`.
    Closed,
    /// It stands further left, so the block has ended without being closed and the line is still to be read.
    NotOurs,
}

impl Block {
    /// A block when the line opens one under a point that stands at `indent`.
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
                return BlockLine::NotOurs;
            }
            self.push("");
        } else if indent == self.indent && text.trim() == "..." {
            return BlockLine::Closed;
        } else {
            self.push(&text[self.indent..]);
        }
        BlockLine::Content
    }

    /// Its text, without the indentation it stood in.
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
    fn a_block_is_read_up_to_its_end() {
        let mut block = Block::open("  ---", 3, 0).unwrap();
        for (line, taken) in [
            ("  a: |", BlockLine::Content),
            ("", BlockLine::Content),
            ("    ...", BlockLine::Content),
            ("ok 2", BlockLine::NotOurs),
            ("  ... ", BlockLine::Closed),
        ] {
            assert_eq!(block.take(line), taken, "{line}");
        }
        assert_eq!(block.into_text(), "a: |\n\n  ...\n");
    }

    #[test]
    fn only_an_indented_line_opens_one() {
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
