//! The comments that say what is still to be set up in a context.

use super::block::indent_of;
use super::failure::PENDING;

const SET_UP: &str = "# Set up `";

/// The comment for a state that the code does not show how to bring about.
pub(super) fn set_up(characteristic: &str, state: &str) -> String {
    format!("{SET_UP}{characteristic}`: {state}.")
}

/// Removes the comments from contexts in which no example is pending: their examples were learned, with their own setup.
pub(super) fn without_needless(lines: &[String]) -> Vec<String> {
    let is_needless = |(at, line): &(usize, &String)| {
        let indent = indent_of(line);
        let is_inside = |line: &&String| line.is_empty() || indent_of(line) >= indent;
        let mut inside = lines[at + 1..].iter().take_while(is_inside);
        line.trim_start().starts_with(SET_UP)
            && !inside.any(|line| line.trim_start().starts_with(PENDING))
    };
    let kept = lines.iter().enumerate().filter(|line| !is_needless(line));
    kept.map(|(_, line)| line.clone()).collect()
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
        let lines = without_needless(&spec.map(ToOwned::to_owned));
        let kept: Vec<_> = lines.iter().filter(|line| line.contains(SET_UP)).collect();
        assert_eq!(kept, ["  # Set up `a`: present."]);
        assert_eq!(lines.len(), spec.len() - 2);
    }
}
