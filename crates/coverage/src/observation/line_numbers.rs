//! [`LineNumbers`]: the lines of a source at which probes report.

use std::collections::BTreeSet;

use casebook_design::probes::{ProbedFile, StateProbe};

/// Finds the line of an offset.
pub(super) struct LineNumbers {
    newlines: Vec<usize>,
}

impl LineNumbers {
    pub(super) fn new(text: &[u8]) -> LineNumbers {
        let bytes = text.iter().enumerate();
        let newlines = bytes.filter(|(_, byte)| **byte == b'\n');
        LineNumbers {
            newlines: newlines.map(|(offset, _)| offset).collect(),
        }
    }

    /// The lines of all code that shows a state.
    pub(super) fn of_state(&self, file: &ProbedFile, state: &StateProbe) -> Vec<usize> {
        let offsets = file.offsets(state);
        let lines: BTreeSet<usize> = offsets.map(|offset| self.of_offset(offset)).collect();
        lines.into_iter().collect()
    }

    fn of_offset(&self, offset: usize) -> usize {
        1 + self.newlines.partition_point(|newline| *newline < offset)
    }
}
