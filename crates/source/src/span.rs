//! [`Span`]: a byte range in a file.

use std::ops::Range;

/// A range of bytes in a file, end excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

impl Span {
    /// The span from `start` to `end`; empty if `end` is before `start`.
    pub fn new(start: usize, end: usize) -> Span {
        Span {
            start,
            end: end.max(start),
        }
    }

    /// From the start of this span to the end of the other.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start, other.end)
    }

    /// Whether the other span is completely within this one.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The same bytes as a range, for slicing.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}
