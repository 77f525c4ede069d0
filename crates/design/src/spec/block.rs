//! The block of one method in a spec, by its lines: a spec with placeholders is not Ruby yet.

use std::ops::Range;

use crate::metadata::read::{Layout, Plan};

/// The lines of a method's block, its first and last included; where there is none, the whole text, which is
/// then about this method alone, or nothing.
pub(super) fn block_of(lines: &[String], plan: &Plan) -> Range<usize> {
    let method = plan.short();
    let class = class_of(lines, &plan.class);
    let titles = [
        format!("describe '{method}' do"),
        format!("describe \"{method}\" do"),
    ];
    let start = lines[class..]
        .iter()
        .position(|line| titles.iter().any(|title| line.trim() == title));
    let Some(start) = start.map(|start| class + start) else {
        let is_one_of_several = plan.layout == Layout::Plugin;
        return if is_one_of_several {
            0..0
        } else {
            0..lines.len()
        };
    };
    let indent = indent_of(&lines[start]);
    let length = lines[start + 1..]
        .iter()
        .position(|line| line.trim() == "end" && indent_of(line) == indent);
    start..length.map_or(lines.len(), |length| start + length + 2)
}

/// Where the group of a class begins; at the top where it has none.
fn class_of(lines: &[String], class: &str) -> usize {
    let title = format!("describe {class} do");
    lines
        .iter()
        .position(|line| line.trim_start_matches("RSpec.") == title)
        .unwrap_or(0)
}

/// How far a line is indented.
pub(super) fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A placeholder on a line of its own, bare or in a comment.
pub(super) fn is_token(line: &str, token: &str) -> bool {
    let line = line.trim().trim_start_matches("# ");
    line == token
        || line
            .strip_prefix(token)
            .is_some_and(|rest| rest.trim_start().starts_with('#'))
}

/// Lines with the indentation of another.
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

/// What no finished spec may hold: `{TOKENS}`, `# Logic:` and markers, each with its line.
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

/// What is left over in the block of one method.
pub(crate) fn leftovers_of(spec: &str, plan: &Plan) -> Vec<(usize, String)> {
    let lines: Vec<String> = spec.lines().map(ToOwned::to_owned).collect();
    let block = block_of(&lines, plan);
    let mut left = leftovers(spec);
    left.retain(|(line, _)| block.contains(&(line - 1)));
    left
}

/// The first `{UPPER_CASE}` of a line; `#{UPPER_CASE}` is a constant in a text.
fn token_in(line: &str) -> Option<&str> {
    let mut rest = line;
    while let Some(start) = rest.find('{') {
        let inside = &rest[start + 1..];
        let length = inside.find(|letter: char| !letter.is_ascii_uppercase() && letter != '_')?;
        let is_in_text = rest[..start].ends_with('#');
        if length >= 3 && inside[length..].starts_with('}') && !is_in_text {
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
