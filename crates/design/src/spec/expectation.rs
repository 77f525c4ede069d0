//! [`Expectation`]: where the implementer wrote an expectation.

/// An expectation in a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// Its line, 1-based.
    pub line: usize,
    /// Why it is not certain, so that only a run can confirm it; `None` if it follows from the code.
    pub doubt: Option<String>,
}

/// Ends a line with an expectation until all blocks are written, because blocks move one another. The doubt follows.
const NEW_EXPECTATION: char = '\u{1}';

/// The new expectations; removes their marks.
pub(super) fn take_marked(lines: &mut [String]) -> Vec<Expectation> {
    let mut expectations = Vec::new();
    for (index, line) in lines.iter_mut().enumerate() {
        let Some((code, doubt)) = line.split_once(NEW_EXPECTATION) else {
            continue;
        };
        expectations.push(Expectation {
            line: index + 1,
            doubt: Some(doubt.to_owned()).filter(|doubt| !doubt.is_empty()),
        });
        *line = code.to_owned();
    }
    expectations
}

/// The line of an expectation with its mark.
pub(super) fn mark_expectation(line: &str, doubt: Option<&str>) -> String {
    format!("{line}{NEW_EXPECTATION}{}", doubt.unwrap_or_default())
}
