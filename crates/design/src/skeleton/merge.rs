//! One method among others: 5.7.

use super::layout::indented;
use super::marker::{is_begin, is_marker};
use crate::metadata::read::Plan;
use crate::outline::{Group, Node, Outline, outline};
use crate::ruby::RubyError;

/// Placeholders that are no Ruby.
const TOKENS: [&str; 4] = [
    "{COMMON_SETUP}",
    "{SETUP_CODE}",
    "{EXPECTATION}",
    "{THRESHOLD_VALUE}",
];

/// What to do where the spec file is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// Put a new block in; it must not be there yet.
    Insert,
    /// Replace what the block holds; it must be there.
    Replace,
    /// Whichever fits.
    Upsert,
    /// Put a new block in; one that is there stays as it is.
    Missing,
}

/// What was found in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Existing {
    /// The new text of the file.
    Merged(String),
    /// The block is there, and only a new one was to be put in.
    Conflict {
        /// The line it begins on.
        line: usize,
    },
    /// There is nothing to replace.
    Absent,
}

/// Why the file cannot be merged into.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// It is not Ruby.
    #[error(transparent)]
    Ruby(#[from] RubyError),
    /// There is no group to put a method in.
    #[error("the file has no RSpec group")]
    NoGroup,
}

/// Puts the block of a method into a spec.
pub fn merge(
    spec: &str,
    plan: &Plan,
    block: &[String],
    how: Merge,
) -> Result<Existing, MergeError> {
    let outline = outline(without_tokens(spec).as_bytes(), "spec")?;
    if outline.groups.is_empty() {
        return Err(MergeError::NoGroup);
    }
    let Some(class) = of_class(&outline, &plan.class) else {
        return Ok(match how {
            Merge::Replace => Existing::Absent,
            _ => Existing::Merged(appended(spec, &plan.class, block)),
        });
    };
    let method = plan.short();
    let groups = groups_in(class);
    let described = groups.iter().find(|group| group.description == method);
    let known = described.or_else(|| marked(&groups, spec, plan));
    Ok(match (known, how) {
        (Some(group), Merge::Insert) => Existing::Conflict { line: group.line },
        (Some(_), Merge::Missing) => Existing::Merged(spec.to_owned()),
        (Some(group), _) => Existing::Merged(replaced(spec, group, block)),
        (None, Merge::Replace) => Existing::Absent,
        (None, _) => Existing::Merged(inserted(spec, class, block)),
    })
}

/// The same text as Ruby: placeholders that stand bare are blank, so that everything keeps its place.
fn without_tokens(spec: &str) -> String {
    TOKENS.iter().fold(spec.to_owned(), |text, token| {
        text.replace(token, &" ".repeat(token.len()))
    })
}

/// The group of a class; without one of its own, the first that is about no class.
fn of_class<'o>(outline: &'o Outline, class: &str) -> Option<&'o Group> {
    let groups = &outline.groups;
    let is_about_a_class = |group: &&Group| {
        let mut letters = group.description.chars();
        let is_constant = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
        letters.next().is_some_and(char::is_uppercase) && letters.all(is_constant)
    };
    let own = groups.iter().find(|group| group.description == class);
    own.or_else(|| groups.iter().find(|group| !is_about_a_class(group)))
}

/// The group that a marker stands right above, or on the first line of.
fn marked<'g, 'o>(groups: &'g [&'o Group], spec: &str, plan: &Plan) -> Option<&'g &'o Group> {
    let begin = spec.lines().position(|line| is_begin(line, plan))? + 1;
    let at = |line: usize| groups.iter().find(move |group| group.line == line);
    at(begin + 1).or_else(|| at(begin - 1))
}

/// A group for another class of the same file.
fn appended(spec: &str, class: &str, block: &[String]) -> String {
    let block = indented(block.to_vec()).join("\n");
    format!(
        "{}\n\nRSpec.describe {class} do\n{block}\nend\n",
        spec.trim_end()
    )
}

fn groups_in(group: &Group) -> Vec<&Group> {
    let mut found = vec![group];
    for child in &group.children {
        if let Node::Group(inner) = child {
            found.extend(groups_in(inner));
        }
    }
    found
}

/// Keeps the `describe` line and its `end`.
fn replaced(spec: &str, group: &Group, block: &[String]) -> String {
    let (start, end) = group.span;
    let indent = column(spec, start);
    let first_line = spec[start..end]
        .find('\n')
        .map_or(end, |length| start + length);
    let block: Vec<&String> = block.iter().collect();
    let unmarked = match block.as_slice() {
        [first, inner @ .., last] if is_marker(first) && is_marker(last) => inner,
        all => all,
    };
    let inside: Vec<_> = unmarked[1..unmarked.len() - 1]
        .iter()
        .map(|line| shifted(line, indent))
        .collect();
    let last_line = spec[..end].rfind('\n').unwrap_or(first_line);
    format!(
        "{}\n{}{}",
        &spec[..first_line],
        inside.join("\n"),
        &spec[last_line..]
    )
}

/// Behind the last method's block, else before the end of the top group.
fn inserted(spec: &str, top: &Group, block: &[String]) -> String {
    let last_method = top.children.iter().rev().find_map(|child| match child {
        Node::Group(group) if group.description.starts_with(['#', '.']) => Some(group),
        _ => None,
    });
    let indent = column(spec, top.span.0);
    let lines: Vec<_> = indented(block.to_vec())
        .iter()
        .map(|line| shifted(line, indent))
        .collect();
    let text = lines.join("\n");
    if let Some(last) = last_method {
        let end = last.span.1;
        return format!("{}\n\n{text}{}", &spec[..end], &spec[end..]);
    }
    let end = spec[..top.span.1].rfind('\n').unwrap_or(top.span.1);
    let before = spec[..end].trim_end();
    let gap = if before.ends_with(" do") {
        "\n"
    } else {
        "\n\n"
    };
    format!("{before}{gap}{text}{}", &spec[end..])
}

fn shifted(line: &str, indent: usize) -> String {
    if line.is_empty() {
        String::new()
    } else {
        format!("{:indent$}{line}", "")
    }
}

fn column(text: &str, offset: usize) -> usize {
    offset - text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}
