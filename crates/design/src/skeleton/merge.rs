//! Merges the block of one method into an existing spec: rule S9.

use super::layout::indented;
use super::marker::{begins, is_begin, is_end, is_marker};
use crate::metadata::read::Plan;
use crate::outline::{Group, Outline, outline};
use crate::ruby::RubyError;

/// Placeholders that are not valid Ruby.
const TOKENS: [&str; 4] = [
    "{COMMON_SETUP}",
    "{SETUP_CODE}",
    "{EXPECTATION}",
    "{THRESHOLD_VALUE}",
];

/// How to merge into an existing spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// Insert a new block; an existing one is a conflict.
    Insert,
    /// Replace the content of an existing block.
    Replace,
    /// Insert or replace.
    Upsert,
    /// Insert a new block; an existing one is kept unchanged.
    Missing,
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Existing {
    /// The new text of the file.
    Merged(String),
    /// The block already exists, and `Insert` was requested.
    Conflict {
        /// The first line of the block.
        line: usize,
    },
    /// The block to replace does not exist.
    Absent,
}

/// Why a block cannot be merged into the file.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// The file is not valid Ruby.
    #[error(transparent)]
    Ruby(#[from] RubyError),
    /// There is no group to insert a method into.
    #[error("the file has no RSpec group")]
    NoGroup,
}

/// A method's block in a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its first line.
    pub line: usize,
    /// Its last line.
    pub last_line: usize,
    /// Its text.
    pub text: String,
}

/// The existing block of each method.
pub fn find_blocks(spec: &str, plans: &[Plan]) -> Result<Vec<Option<Block>>, MergeError> {
    let outline = read(spec)?;
    let block = |plan: &Plan| {
        let class = of_class(&outline, &plan.class)?;
        let group = of_method(class, spec, plan)?;
        let text = spec[group.span.0..group.span.1].to_owned();
        Some(Block {
            line: group.line,
            last_line: group.line + text.matches('\n').count(),
            text,
        })
    };
    Ok(plans.iter().map(block).collect())
}

/// Merges the block of a method into a spec.
pub fn merge(
    spec: &str,
    plan: &Plan,
    block: &[String],
    how: Merge,
) -> Result<Existing, MergeError> {
    let outline = read(spec)?;
    let Some(class) = of_class(&outline, &plan.class) else {
        return Ok(match how {
            Merge::Replace => Existing::Absent,
            _ => Existing::Merged(appended(spec, &plan.class, block)),
        });
    };
    Ok(match (of_method(class, spec, plan), how) {
        (Some(group), Merge::Insert) => Existing::Conflict { line: group.line },
        (Some(_), Merge::Missing) => Existing::Merged(spec.to_owned()),
        (Some(group), _) => Existing::Merged(replaced(spec, group, block)),
        (None, Merge::Replace) => Existing::Absent,
        (None, _) => Existing::Merged(inserted(spec, class, block)),
    })
}

fn read(spec: &str) -> Result<Outline, MergeError> {
    let mut outline = outline(without_tokens(spec).as_bytes(), "spec")?;
    // A group whose block is defined elsewhere cannot be changed.
    outline.groups.retain(|group| group.body.is_some());
    if outline.groups.is_empty() {
        return Err(MergeError::NoGroup);
    }
    Ok(outline)
}

/// The group of a method, found by its description or by its marker.
fn of_method<'o>(class: &'o Group, spec: &str, plan: &Plan) -> Option<&'o Group> {
    let method = plan.short();
    let groups = groups_in(class);
    let described = groups.iter().find(|group| group.description == method);
    described
        .or_else(|| marked(&groups, spec, plan))
        .or_else(|| groups.iter().find(|group| names_method(group, plan)))
        .copied()
}

/// Whether a group describes a method with its parameters, `.load(file, options = {})`, or by a symbol, `:load`.
fn names_method(group: &Group, plan: &Plan) -> bool {
    let description = &group.description;
    let rest = description.strip_prefix(&plan.short());
    rest.is_some_and(|rest| rest.starts_with('('))
        || description.strip_prefix(':') == Some(&plan.method)
}

/// The text with bare placeholders replaced by spaces, so that it is valid Ruby and all offsets stay the same.
fn without_tokens(spec: &str) -> String {
    TOKENS.iter().fold(spec.to_owned(), |text, token| {
        text.replace(token, &" ".repeat(token.len()))
    })
}

/// The group of a class. If no group describes a class, the first group.
fn of_class<'o>(outline: &'o Outline, class: &str) -> Option<&'o Group> {
    let groups = &outline.groups;
    let describes_class = |group: &Group| {
        let mut letters = group.description.chars();
        let is_constant = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
        letters.next().is_some_and(char::is_uppercase) && letters.all(is_constant)
    };
    let exact = groups.iter().find(|group| group.description == class);
    let first = groups
        .first()
        .filter(|_| !groups.iter().any(describes_class));
    exact.or(first)
}

/// The group with the marker on its first line, or, as earlier versions wrote it, directly below the marker.
fn marked<'g, 'o>(groups: &'g [&'o Group], spec: &str, plan: &Plan) -> Option<&'g &'o Group> {
    let begin = spec.lines().position(|line| begins(line, plan))? + 1;
    let at = |line: usize| groups.iter().find(move |group| group.line == line);
    at(begin + 1).or_else(|| at(begin - 1))
}

/// Appends a group for another class of the same file.
fn appended(spec: &str, class: &str, block: &[String]) -> String {
    let block = indented(block.to_vec()).join("\n");
    format!(
        "{}\n\nRSpec.describe {class} do\n{block}\nend\n",
        spec.trim_end()
    )
}

fn groups_in(group: &Group) -> Vec<&Group> {
    let itself = Some(group).filter(|group| group.body.is_some());
    let inner = group.groups().flat_map(groups_in);
    itself.into_iter().chain(inner).collect()
}

/// Replaces the content of a group and keeps its `describe` line and its `end`.
fn replaced(spec: &str, group: &Group, block: &[String]) -> String {
    let (start, end) = content(spec, group);
    let indent = column(spec, group.span.0);
    let inner = &block[1..block.len() - 1];
    let inside: Vec<_> = inner.iter().map(|line| shifted(line, indent)).collect();
    let inside = inside.join("\n");
    let is_marked = inner.first().is_some_and(|line| is_marker(line));
    let (before, after) = if is_marked {
        without_outer_markers(spec, group)
    } else {
        (&spec[..group.span.0], &spec[group.span.1..])
    };
    let open = spec[group.span.0..start].trim_end();
    let close = &spec[end..group.span.1];
    format!("{before}{open}\n{inside}\n{:indent$}{close}{after}", "")
}

/// The text before and after a group, without the markers around it that earlier versions wrote there.
fn without_outer_markers<'s>(spec: &'s str, group: &Group) -> (&'s str, &'s str) {
    let (mut before, mut after) = spec.split_at(group.span.0);
    after = &after[group.span.1 - group.span.0..];
    let above = before.trim_end_matches(' ').strip_suffix('\n');
    let above = above.map_or("", |above| above.rsplit('\n').next().unwrap_or(above));
    if is_begin(above) {
        // The indentation of the marker is kept for the group.
        before = &before[..before.trim_end().len() - above.trim().len()];
    }
    let below = after.strip_prefix('\n').unwrap_or_default();
    let below = below.lines().next().unwrap_or_default();
    if is_end(below) {
        after = &after[1 + below.len()..];
    }
    (before, after)
}

/// Inserts a block after the last method's block, or at the end of the top group.
fn inserted(spec: &str, top: &Group, block: &[String]) -> String {
    let is_method = |group: &&Group| group.description.starts_with(['#', '.']);
    let indent = column(spec, top.span.0);
    let lines: Vec<_> = indented(block.to_vec())
        .iter()
        .map(|line| shifted(line, indent))
        .collect();
    let text = lines.join("\n");
    // A group that is indented further is inside other code, such as a condition on the version of Ruby.
    let outermost = top.groups().map(|group| column(spec, group.span.0)).min();
    let is_direct = |group: &&Group| Some(column(spec, group.span.0)) == outermost;
    if let Some(last) = top.groups().filter(is_method).filter(is_direct).last() {
        let end = block_end(spec, last.span.1);
        return format!("{}\n\n{text}{}", &spec[..end], &spec[end..]);
    }
    let (start, end) = content(spec, top);
    let before = spec[..end].trim_end();
    let gap = if before.len() <= start { "\n" } else { "\n\n" };
    format!("{before}{gap}{text}\n{:indent$}{}", "", &spec[end..])
}

/// The span of a group's content. It starts after the line that opens the group, including a comment there.
fn content(spec: &str, group: &Group) -> (usize, usize) {
    let (start, end) = group.body.unwrap_or(group.span);
    (line_end(spec, start).min(end), end)
}

/// The end of a block, including a comment on its last line and its end marker.
fn block_end(spec: &str, end: usize) -> usize {
    let end = line_end(spec, end);
    let rest = spec[end..].strip_prefix('\n').unwrap_or_default();
    let next = rest.lines().next().unwrap_or_default();
    if is_end(next) {
        end + 1 + next.len()
    } else {
        end
    }
}

/// The end of the line if only a comment follows; otherwise the offset itself.
fn line_end(spec: &str, from: usize) -> usize {
    let rest = spec[from..].lines().next().unwrap_or_default();
    match rest.trim_start() {
        comment if comment.is_empty() || comment.starts_with('#') => from + rest.len(),
        _ => from,
    }
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
