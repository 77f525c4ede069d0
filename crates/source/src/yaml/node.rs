//! The tree, whose texts are those of the file where they can be.

use std::borrow::Cow;

use crate::span::Span;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'f> {
    /// From its first byte to its last.
    pub span: Span,
    /// What it is.
    pub kind: NodeKind<'f>,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind<'f> {
    /// A single value.
    Scalar(Scalar<'f>),
    /// A list.
    List(Vec<Node<'f>>),
    /// A mapping, in the order it is written; no key comes twice.
    Map(Vec<Entry<'f>>),
}

/// A single value: its text as written, whatever YAML would make of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar<'f> {
    /// The text, escapes resolved.
    pub text: Cow<'f, str>,
    /// Whether it stands without quotes and not as a block, so that `true`, `12` and nothing at all may be meant as
    /// such.
    pub plain: bool,
}

/// One entry of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'f> {
    /// The key's text.
    pub key: Cow<'f, str>,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node<'f>,
}

impl<'f> Node<'f> {
    /// Its text, if it is a single value.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    /// Its entries, if it is a mapping.
    pub fn as_map(&self) -> Option<&[Entry<'f>]> {
        match &self.kind {
            NodeKind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Its elements, if it is a list.
    pub fn as_list(&self) -> Option<&[Node<'f>]> {
        match &self.kind {
            NodeKind::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// Whether nothing was written, or `null` or `~`.
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, NodeKind::Scalar(scalar) if scalar.plain && matches!(&*scalar.text, "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The value of that key, if it is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node<'f>> {
        self.as_map()?
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
    }

    /// What it is, for messages.
    pub fn describe(&self) -> &'static str {
        match &self.kind {
            NodeKind::Scalar(_) if self.is_null() => "nothing",
            NodeKind::Scalar(_) => "a text",
            NodeKind::List(_) => "a list",
            NodeKind::Map(_) => "a mapping",
        }
    }

    /// How many nodes it is made of.
    pub(super) fn size(&self) -> usize {
        1 + self.children().map(Node::size).sum::<usize>()
    }

    /// How many levels it has; 0 for a single value.
    pub(super) fn depth(&self) -> usize {
        self.children()
            .map(|child| child.depth() + 1)
            .max()
            .unwrap_or(0)
    }

    fn children(&self) -> Box<dyn Iterator<Item = &Node<'f>> + '_> {
        match &self.kind {
            NodeKind::Scalar(_) => Box::new(std::iter::empty()),
            NodeKind::List(nodes) => Box::new(nodes.iter()),
            NodeKind::Map(entries) => Box::new(entries.iter().map(|entry| &entry.value)),
        }
    }
}
