//! Finds the value of an assertion, and whether something else shares it.

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node, NodeKind};

use super::{Refusal, SuiteEditor};
use crate::assertion::decode::with_key;
use crate::expand::variable_in;

/// A value in the file.
#[derive(Clone, Copy)]
pub(super) struct ValueLocation<'n> {
    pub(super) node: &'n Node<'n>,
    /// The column of its key, or of the dash before it: its own lines must be indented more.
    pub(super) column: usize,
    /// The end of its key.
    pub(super) key_end: Option<usize>,
}

impl SuiteEditor<'_> {
    /// The value of the assertion with this span.
    pub(super) fn find(&self, assertion: Span) -> Option<ValueLocation<'_>> {
        let entry = find_entry(&self.root, &|entry| {
            let value = entry.value.span;
            value == assertion
                || with_key(entry, value) == assertion
                || entry.key_span.to(value) == assertion
        })?;
        Some(self.location_of(entry))
    }

    pub(super) fn location_of<'n>(&self, entry: &'n Entry<'n>) -> ValueLocation<'n> {
        ValueLocation {
            node: &entry.value,
            column: self.column(entry.key_span.start),
            key_end: Some(entry.key_span.end),
        }
    }

    /// The location of an element of a list.
    pub(super) fn location_of_item<'n>(&self, node: &'n Node<'n>) -> ValueLocation<'n> {
        ValueLocation {
            node,
            column: self.column(node.span.start).saturating_sub(2),
            key_end: None,
        }
    }

    /// Refuses a value that an alias, a fragment or a variable shares.
    pub(super) fn check_shared(&self, location: ValueLocation<'_>) -> Result<(), Refusal> {
        let span = location.node.span;
        if let Some(alias) = self.layout.alias_of(span) {
            let line = self.file.position(alias.span.start).line;
            return Err(Refusal::Alias(line));
        }
        if let Some(name) = self.fragment_around(span) {
            return Err(Refusal::Fragment(name.to_owned()));
        }
        match variable_below(location.node) {
            Some(name) => Err(Refusal::Variable(name.to_owned())),
            None => Ok(()),
        }
    }

    fn fragment_around(&self, span: Span) -> Option<&str> {
        let mut fragments = self.root.get("fragments")?.as_map()?.iter();
        let fragment = fragments.find(|fragment| {
            let around = fragment.value.span;
            around.start <= span.start && span.start <= around.end
        })?;
        Some(&fragment.key)
    }

    /// The number of bytes between the start of the line and this location.
    pub(super) fn column(&self, at: usize) -> usize {
        let before = self.file.text().get(..at).unwrap_or_default();
        before.len() - before.rfind('\n').map_or(0, |newline| newline + 1)
    }
}

fn find_entry<'n>(
    node: &'n Node<'n>,
    matches: &dyn Fn(&Entry<'_>) -> bool,
) -> Option<&'n Entry<'n>> {
    match &node.kind {
        NodeKind::Scalar(_) => None,
        NodeKind::List(nodes) => nodes.iter().find_map(|node| find_entry(node, matches)),
        // The innermost entry: the only entry of a block has the location of the mapping.
        NodeKind::Map(entries) => entries.iter().find_map(|entry| {
            let inner = find_entry(&entry.value, matches);
            inner.or_else(|| matches(entry).then_some(entry))
        }),
    }
}

/// The first variable in a value.
fn variable_below<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match &node.kind {
        NodeKind::Scalar(scalar) => variable_in(&scalar.text),
        NodeKind::List(nodes) => nodes.iter().find_map(variable_below),
        NodeKind::Map(entries) => entries
            .iter()
            .find_map(|entry| variable_below(&entry.value)),
    }
}
