//! One method among others: rule S9.

use super::layout::indented;
use super::marker::{is_begin, is_end, is_marker};
use crate::metadata::read::Plan;
use crate::outline::{Group, Outline, outline};
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

/// A method's block in a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The line it begins on.
    pub line: usize,
    /// The line it ends on.
    pub last_line: usize,
    /// What is in it.
    pub text: String,
}

/// The block that a spec has for each of these methods.
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

/// Puts the block of a method into a spec.
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
    // Nothing can be put into a block that stands elsewhere.
    outline.groups.retain(|group| group.body.is_some());
    if outline.groups.is_empty() {
        return Err(MergeError::NoGroup);
    }
    Ok(outline)
}

/// The group of a method, by its name or by its marker.
fn of_method<'o>(class: &'o Group, spec: &str, plan: &Plan) -> Option<&'o Group> {
    let method = plan.short();
    let groups = groups_in(class);
    let described = groups.iter().find(|group| group.description == method);
    described.or_else(|| marked(&groups, spec, plan)).copied()
}

/// The same text as Ruby: placeholders that stand bare are blank, so that everything keeps its place.
fn without_tokens(spec: &str) -> String {
    TOKENS.iter().fold(spec.to_owned(), |text, token| {
        text.replace(token, &" ".repeat(token.len()))
    })
}

/// The group of a class; where none is about a class, the first.
fn of_class<'o>(outline: &'o Outline, class: &str) -> Option<&'o Group> {
    let groups = &outline.groups;
    let is_about_a_class = |group: &Group| {
        let mut letters = group.description.chars();
        let is_constant = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
        letters.next().is_some_and(char::is_uppercase) && letters.all(is_constant)
    };
    let own = groups.iter().find(|group| group.description == class);
    let first = groups
        .first()
        .filter(|_| !groups.iter().any(is_about_a_class));
    own.or(first)
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
    let own = Some(group).filter(|group| group.body.is_some());
    let inner = group.groups().flat_map(groups_in);
    own.into_iter().chain(inner).collect()
}

/// Keeps the `describe` line and its `end`.
fn replaced(spec: &str, group: &Group, block: &[String]) -> String {
    let (start, end) = content(spec, group);
    let indent = column(spec, group.span.0);
    let block: Vec<&String> = block.iter().collect();
    let unmarked = match block.as_slice() {
        [first, inner @ .., last] if is_marker(first) && is_marker(last) => inner,
        all => all,
    };
    let inside: Vec<_> = unmarked[1..unmarked.len() - 1]
        .iter()
        .map(|line| shifted(line, indent))
        .collect();
    let before = spec[..start].trim_end();
    let inside = inside.join("\n");
    format!("{before}\n{inside}\n{:indent$}{}", "", &spec[end..])
}

/// Behind the last method's block, else before the end of the top group.
fn inserted(spec: &str, top: &Group, block: &[String]) -> String {
    let is_method = |group: &&Group| group.description.starts_with(['#', '.']);
    let indent = column(spec, top.span.0);
    let lines: Vec<_> = indented(block.to_vec())
        .iter()
        .map(|line| shifted(line, indent))
        .collect();
    let text = lines.join("\n");
    if let Some(last) = top.groups().filter(is_method).last() {
        let end = behind(spec, last.span.1);
        return format!("{}\n\n{text}{}", &spec[..end], &spec[end..]);
    }
    let (start, end) = content(spec, top);
    let before = spec[..end].trim_end();
    let gap = if before.len() <= start { "\n" } else { "\n\n" };
    format!("{before}{gap}{text}\n{:indent$}{}", "", &spec[end..])
}

/// Where a group has its content: from behind the line that opens it, as far as nothing but a comment is left of that.
fn content(spec: &str, group: &Group) -> (usize, usize) {
    let (start, end) = group.body.unwrap_or(group.span);
    (line_end(spec, start).min(end), end)
}

/// Behind a block: also behind a comment on its last line, and the marker that says that it ends.
fn behind(spec: &str, end: usize) -> usize {
    let end = line_end(spec, end);
    let rest = spec[end..].strip_prefix('\n').unwrap_or_default();
    let next = rest.lines().next().unwrap_or_default();
    if is_end(next) {
        end + 1 + next.len()
    } else {
        end
    }
}

/// The end of a line where nothing but a comment follows; else here.
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
