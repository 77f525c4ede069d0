//! [`BlockLines`]: which lines of a spec belong to the blocks of some methods. An existing spec may have others.

use crate::metadata::read::Plan;
use crate::skeleton::find_blocks;

/// The first and the last line of each block.
pub(super) struct BlockLines(Vec<(usize, usize)>);

impl BlockLines {
    pub(super) fn of(spec: &str, plans: &[Plan]) -> BlockLines {
        let blocks = find_blocks(spec, plans).unwrap_or_default();
        let lines = blocks.iter().flatten();
        BlockLines(lines.map(|block| (block.line, block.last_line)).collect())
    }

    pub(super) fn contains(&self, line: usize) -> bool {
        let mut blocks = self.0.iter();
        blocks.any(|(first, last)| (*first..=*last).contains(&line))
    }
}
