//! Writes accepted values into the text of a suite.
//!
//! [`SuiteEditor::change`] finds the value of an assertion and the ways to replace it, or why it must not be replaced.
//! [`SuiteEditor::apply`] returns the text of the suite with the new values. Only these values change: comments, order,
//! indentation and line endings around them are left unchanged. Every result is read again and compared with the tree of the
//! original; a way to write a value that means something else there is never used.

mod block;
mod json;
mod location;
mod scalar;
mod verify;

use std::collections::HashMap;
use std::ops::Range;

use casebook_source::yaml::{self, Layout, Node};
use casebook_source::{SourceFile, Span};
use serde_json::Value;

use crate::assertion::{Check, FileCheck, TextCheck};
use verify::{Expected, is_same_except};

/// What `casebook accept` writes for a failed assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceptable {
    /// The actual text, as the value of the field.
    Text,
    /// The actual JSON value, as the value of the pointer.
    Json,
    /// The actual output, as the snapshot.
    Snapshot,
    /// The actual text, as the content of the file with the expected text.
    File,
}

impl Check {
    /// What can be accepted if this check fails; `None` for a check that does not compare complete values.
    pub fn acceptable(&self) -> Option<Acceptable> {
        match self {
            Check::Text(_, TextCheck::Equals(_))
            | Check::File {
                check: FileCheck::Content(TextCheck::Equals(_)),
                ..
            } => Some(Acceptable::Text),
            Check::Text(_, TextCheck::EqualsFile(_))
            | Check::File {
                check: FileCheck::Content(TextCheck::EqualsFile(_)),
                ..
            } => Some(Acceptable::File),
            Check::Json { .. } => Some(Acceptable::Json),
            Check::Snapshot(_) => Some(Acceptable::Snapshot),
            Check::ExitCode(_)
            | Check::Signal(_)
            | Check::MaxDuration(_)
            | Check::Lines(_)
            | Check::Line { .. }
            | Check::JsonMatches { .. }
            | Check::Text(..)
            | Check::File { .. } => None,
        }
    }
}

impl Check {
    /// The path of the file with the expected text.
    pub fn expected_file(&self) -> Option<&str> {
        match self {
            Check::Text(_, TextCheck::EqualsFile(path))
            | Check::File {
                check: FileCheck::Content(TextCheck::EqualsFile(path)),
                ..
            } => Some(path),
            _ => None,
        }
    }
}

/// A new value of an assertion.
#[derive(Debug, Clone, PartialEq)]
pub enum NewValue {
    /// A text that is compared without the newlines at its end.
    Text(String),
    /// The value at a JSON Pointer.
    Json(Value),
}

/// Why a value is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A variable contains the value.
    #[error("it comes from the variable `{0}`; change that, or write the text without it")]
    Variable(String),
    /// A fragment contains the value.
    #[error("it comes from the fragment `{0}`, which other tests can use; change it there")]
    Fragment(String),
    /// An alias uses the value.
    #[error("the alias in line {0} uses the same value; change it by hand")]
    Alias(usize),
    /// The value is not in the file, or is written in a way that cannot be edited.
    #[error("it cannot be replaced in place; change it by hand")]
    NotInPlace,
}

/// The replacement of one value, not yet applied.
#[derive(Debug, Clone)]
pub struct Change {
    leaves: Vec<Leaf>,
}

/// A value that is replaced as a whole.
#[derive(Debug, Clone)]
struct Leaf {
    span: Span,
    expected: Expected,
    /// The ways to write it, the best first.
    rewrites: Vec<Rewrite>,
}

/// One way to write a value: bytes to replace.
type Rewrite = Vec<Replacement>;

/// New text for a range of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Replacement {
    range: Range<usize>,
    text: String,
}

/// A suite whose values can be replaced.
pub struct SuiteEditor<'f> {
    file: &'f SourceFile,
    root: Node<'f>,
    layout: Layout,
}

impl<'f> SuiteEditor<'f> {
    /// Reads the file; `None` if it is not one valid YAML document.
    pub fn new(file: &'f SourceFile) -> Option<SuiteEditor<'f>> {
        let mut parsed = yaml::parse(file);
        let root = parsed.documents.pop()?;
        let is_valid = parsed.documents.is_empty() && parsed.diagnostics.is_empty();
        is_valid.then(|| SuiteEditor {
            file,
            root,
            layout: Layout::of(file),
        })
    }

    /// The replacement of the value of the assertion with this span, or why it must not be replaced.
    pub fn change(&self, assertion: Span, value: &NewValue) -> Result<Change, Refusal> {
        let location = self.find(assertion).ok_or(Refusal::NotInPlace)?;
        self.check_shared(location)?;
        let leaves = match value {
            NewValue::Text(text) => self.text_leaf(location, text).map(|leaf| vec![leaf]),
            NewValue::Json(value) => self.json_leaves(location, value),
        };
        let leaves = leaves.ok_or(Refusal::NotInPlace)?;
        Ok(Change { leaves })
    }

    /// The text of the file with these changes, or the index of a change that cannot be made.
    pub fn apply(&self, changes: &[&Change]) -> Result<String, usize> {
        let first: Vec<_> = leaves(changes).map(|(_, leaf)| (leaf, 0)).collect();
        if let Some(text) = self.verified(&first) {
            return Ok(text);
        }
        let mut chosen = Vec::new();
        for (index, leaf) in leaves(changes) {
            let mut rewrites = 0..leaf.rewrites.len();
            let rewrite = rewrites.find(|rewrite| self.verified(&[(leaf, *rewrite)]).is_some());
            chosen.push((leaf, rewrite.ok_or(index)?));
        }
        self.verified(&chosen).ok_or(0)
    }

    /// The text with these leaves written in these ways, if it means what it should.
    fn verified(&self, leaves: &[(&Leaf, usize)]) -> Option<String> {
        let rewrites = leaves
            .iter()
            .map(|(leaf, rewrite)| leaf.rewrites.get(*rewrite));
        let rewrites: Vec<&Rewrite> = rewrites.collect::<Option<_>>()?;
        let text = replaced(self.file.text(), rewrites.into_iter().flatten())?;
        let file = SourceFile::new(self.file.name(), text);
        let parsed = yaml::parse(&file);
        let [root] = parsed.documents.as_slice() else {
            return None;
        };
        let expected: HashMap<_, _> = leaves
            .iter()
            .map(|(leaf, _)| (leaf.span, &leaf.expected))
            .collect();
        let is_right = parsed.diagnostics.is_empty() && is_same_except(&self.root, root, &expected);
        is_right.then(|| file.text().to_owned())
    }
}

/// All leaves, each with the index of its change.
fn leaves<'c>(changes: &[&'c Change]) -> impl Iterator<Item = (usize, &'c Leaf)> {
    let changes = changes.iter().enumerate();
    changes.flat_map(|(index, change)| change.leaves.iter().map(move |leaf| (index, leaf)))
}

/// The text with all replacements; `None` if two overlap.
fn replaced<'r>(text: &str, replacements: impl Iterator<Item = &'r Replacement>) -> Option<String> {
    let mut sorted: Vec<_> = replacements.collect();
    sorted.sort_by_key(|replacement| (replacement.range.start, replacement.range.end));
    let mut edited = String::with_capacity(text.len());
    let mut from = 0;
    for Replacement { range, text: new } in sorted {
        edited.push_str(text.get(from..range.start)?);
        edited.push_str(new);
        from = range.end;
    }
    edited.push_str(text.get(from..)?);
    Some(edited)
}
