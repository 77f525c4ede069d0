//! The lines of methods' blocks in a spec.

use std::cmp::Reverse;
use std::ops::Range;

use crate::metadata::read::{Layout, Plan};
use crate::skeleton::find_blocks;

/// The line range of each method's block. Without a block, a document of one method covers the whole text, and one of the
/// plugin layout nothing.
fn blocks_of(spec: &str, plans: &[Plan]) -> Vec<Range<usize>> {
    let mut found = find_blocks(spec, plans).unwrap_or_default().into_iter();
    let lines = |plan: &Plan| match found.next().flatten() {
        Some(block) => block.line - 1..block.last_line,
        None if plan.layout == Layout::Plugin => 0..0,
        None => 0..spec.lines().count(),
    };
    plans.iter().map(lines).collect()
}

/// Changes only the blocks of methods. `change` gets the index of the method and its lines. Returns the new lines of the
/// spec and the second value of every change.
pub(super) fn change_blocks<T>(
    spec: &str,
    plans: &[Plan],
    mut change: impl FnMut(usize, &[String]) -> (Vec<String>, T),
) -> (Vec<String>, Vec<T>) {
    let mut lines: Vec<String> = spec.lines().map(ToOwned::to_owned).collect();
    let mut blocks = blocks_of(spec, plans);
    let mut order: Vec<usize> = (0..plans.len()).collect();
    // From the last to the first, because a change moves only the ends of enclosing blocks.
    order.sort_by_key(|index| Reverse(blocks[*index].start));
    let mut results = Vec::with_capacity(plans.len());
    for index in order {
        let block = blocks[index].clone();
        let (new, result) = change(index, &lines[block.clone()]);
        for enclosing in &mut blocks {
            if enclosing.start <= block.start && block.end <= enclosing.end {
                enclosing.end = enclosing.end + new.len() - block.len();
            }
        }
        lines.splice(block, new);
        results.push((index, result));
    }
    results.sort_by_key(|(index, _)| *index);
    (
        lines,
        results.into_iter().map(|(_, result)| result).collect(),
    )
}

/// The indentation of a line.
pub(super) fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a line contains only this placeholder, bare or in a comment.
pub(super) fn is_token(line: &str, token: &str) -> bool {
    let line = line.trim().trim_start_matches("# ");
    line == token
        || line
            .strip_prefix(token)
            .is_some_and(|rest| rest.trim_start().starts_with('#'))
}

/// Indents lines.
pub(super) fn indented(indent: usize, lines: &[String]) -> Vec<String> {
    lines
        .iter()
        .map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!("{:indent$}{line}", "")
            }
        })
        .collect()
}

/// What a finished spec must not contain, with line numbers: `{TOKENS}`, `# Logic:` and markers.
pub fn leftovers(spec: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, line) in spec.lines().enumerate() {
        if let Some(token) = token_in(line) {
            found.push((index + 1, token.to_owned()));
        } else if line.contains("# Logic:") || line.contains("# rspec-testing:") {
            found.push((index + 1, line.trim().to_owned()));
        }
    }
    found
}

/// The leftovers in the blocks of methods.
pub(crate) fn leftovers_of(spec: &str, plans: &[Plan]) -> Vec<(usize, String)> {
    let blocks = blocks_of(spec, plans);
    let mut left = leftovers(spec);
    left.retain(|(line, _)| blocks.iter().any(|block| block.contains(&(line - 1))));
    left
}

/// The first `{UPPER_CASE}` of a line. `#{UPPER_CASE}` is skipped: it is an interpolated constant.
fn token_in(line: &str) -> Option<&str> {
    let mut rest = line;
    while let Some(start) = rest.find('{') {
        let inside = &rest[start + 1..];
        let length = inside.find(|letter: char| !letter.is_ascii_uppercase() && letter != '_')?;
        let is_interpolated = rest[..start].ends_with('#');
        if length >= 3 && inside[length..].starts_with('}') && !is_interpolated {
            return Some(&rest[start..start + length + 2]);
        }
        rest = inside;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_found_with_their_lines() {
        let spec =
            "a {SETUP_CODE}\nlet(:x) { X }\n# Logic: a.rb:1\nh = {A => 1}\n{TOO}x {ok} {A_B}\n";
        let expected = [(1, "{SETUP_CODE}"), (3, "# Logic: a.rb:1"), (5, "{TOO}")];
        assert_eq!(
            leftovers(spec),
            expected.map(|(line, text)| (line, text.to_owned()))
        );
    }
}
