//! The YAML block or the indented text below the pending point.

use serde_json::Value;

use super::super::block::{Block, BlockLine};
use super::super::yaml;
use super::Importer;

impl Importer<'_> {
    pub(super) fn opens_block(&mut self, text: &str) -> bool {
        let under = self
            .pending_point
            .as_ref()
            .filter(|pending| pending.yaml.is_null());
        self.block = under.and_then(|pending| Block::open(text, self.line, pending.level * 4));
        self.block.is_some()
    }

    /// Whether the line is part of the indented text below the pending point.
    pub(super) fn is_indented_message(&mut self, text: &str) -> bool {
        let number = self.line;
        self.pending_point
            .as_mut()
            .is_some_and(|pending| pending.indented_line(number, text))
    }

    /// Whether the line is part of the YAML block.
    pub(super) fn is_in_block(&mut self, text: &str) -> bool {
        let Some(block) = &mut self.block else {
            return false;
        };
        match block.take(text) {
            BlockLine::Content => {}
            BlockLine::Closed => self.close_block(),
            BlockLine::Outside => {
                self.break_off_block();
                return false;
            }
        }
        true
    }

    pub(super) fn break_off_block(&mut self) {
        let line = self.block.as_ref().map_or(0, |block| block.line);
        self.problem(line, "the YAML block is not closed by `...`".into());
        self.close_block();
    }

    /// Parses the block; one that cannot be parsed is kept as text.
    fn close_block(&mut self) {
        let Some(block) = self.block.take() else {
            return;
        };
        let (line, too_long, text) = (block.line, block.too_long, block.into_text());
        let read = if too_long {
            Err("too long, truncated".to_owned())
        } else {
            yaml::parse(&text).map_err(|error| error.to_string())
        };
        let value = read.unwrap_or_else(|reason| {
            self.problem(line, format!("the YAML block is kept as text: {reason}"));
            Value::String(text)
        });
        if let Some(pending) = &mut self.pending_point {
            pending.yaml = value;
        }
    }
}
