//! Setups in a finished spec: the comments for those that are still to be written, and those that no example uses.

use std::ops::Range;

use super::block::indent_of;
use super::failure::PENDING;
use super::observed::OBSERVED;

const SET_UP: &str = "# Set up `";

/// The comment for a state that the code does not show how to bring about.
pub(super) fn set_up(characteristic: &str, state: &str) -> String {
    format!("{SET_UP}{characteristic}`: {state}.")
}

/// Removes the setups that no example uses. Examples that were learned have their own. `written` are the lines of setups in
/// this method's block that the implementer wrote.
pub(super) fn without_needless(lines: &[String], written: &[Range<usize>]) -> Vec<String> {
    let mut is_needless: Vec<bool> = (0..lines.len())
        .map(|at| lines[at].trim_start().starts_with(SET_UP) && !has_pending(examples(lines, at)))
        .collect();
    for setup in written.iter().filter(|setup| !setup.is_empty()) {
        if is_all_observed(examples(lines, setup.start)) {
            is_needless[setup.clone()].fill(true);
        }
    }
    let kept = lines.iter().zip(is_needless);
    kept.filter(|(_, is_needless)| !is_needless)
        .map(|(line, _)| line.clone())
        .collect()
}

/// The lines that follow a setup in its group.
fn examples(lines: &[String], setup: usize) -> &[String] {
    let indent = indent_of(&lines[setup]);
    let is_inside = |line: &&String| line.is_empty() || indent_of(line) >= indent;
    let count = lines[setup..].iter().take_while(is_inside).count();
    &lines[setup..setup + count]
}

fn has_pending(lines: &[String]) -> bool {
    lines
        .iter()
        .any(|line| line.trim_start().starts_with(PENDING))
}

/// Whether there are examples, and all of them were learned.
fn is_all_observed(lines: &[String]) -> bool {
    let starts = |line: &String| line.trim_start().starts_with("it ");
    let mut first_lines = lines.windows(2).filter(|pair| starts(&pair[0])).peekable();
    first_lines.peek().is_some() && first_lines.all(|pair| pair[1].trim() == OBSERVED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_stays_while_an_example_of_its_context_is_pending() {
        let spec = [
            "context 'a' do",
            "  # Set up `a`: present.",
            "",
            "  context 'b' do",
            "    # Set up `b`: present.",
            "",
            "    it 'x' do",
            "      expect(1).to eq(1)",
            "    end",
            "  end",
            "",
            "  it 'y' do",
            "    skip 'To be completed: set up `a`'",
            "  end",
            "end",
            "# Set up `c`: present.",
        ];
        let lines = without_needless(&spec.map(ToOwned::to_owned), &[]);
        let kept: Vec<_> = lines.iter().filter(|line| line.contains(SET_UP)).collect();
        assert_eq!(kept, ["  # Set up `a`: present."]);
        assert_eq!(lines.len(), spec.len() - 2);
    }

    #[test]
    fn a_setup_is_removed_if_all_examples_of_its_context_were_learned() {
        let spec = [
            "let(:x) { 1 }",
            "context 'a' do",
            "  let(:a) do",
            "    1",
            "  end",
            "",
            "  it 'y' do",
            "    # observed, not specified",
            "    expect(1).to eq(1)",
            "  end",
            "end",
            "it 'z' do",
            "  expect(x).to eq(1)",
            "end",
        ];
        let written = [0..1, 2..5];
        let lines = without_needless(&spec.map(ToOwned::to_owned), &written);
        let expected = [&spec[..2], &spec[5..]].concat();
        assert_eq!(lines, expected);
    }
}
