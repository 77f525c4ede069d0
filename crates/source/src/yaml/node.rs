//! [`Node`]: the tree of a YAML document. Strings are borrowed from the file where possible.

use std::borrow::Cow;

use crate::span::Span;

/// A value and its location.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'f> {
    /// Its location in the file.
    pub span: Span,
    /// The value.
    pub kind: NodeKind<'f>,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind<'f> {
    /// A single value.
    Scalar(Scalar<'f>),
    /// A list.
    List(Vec<Node<'f>>),
    /// A mapping in file order; its keys are unique.
    Map(Vec<Entry<'f>>),
}

/// A single value as text; numbers and booleans are not converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar<'f> {
    /// The text, escapes resolved.
    pub text: Cow<'f, str>,
    /// Whether it is written without quotes and not as a block, so that `true`, `12` or an empty value may be a
    /// boolean, a number or null.
    pub plain: bool,
}

/// One entry of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'f> {
    /// The key's text.
    pub key: Cow<'f, str>,
    /// The key's location.
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

    /// Whether it is empty without quotes, `null` or `~`.
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, NodeKind::Scalar(scalar) if scalar.plain && matches!(&*scalar.text, "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The value of `key`; `None` if there is none or this is not a mapping.
    pub fn get(&self, key: &str) -> Option<&Node<'f>> {
        self.as_map()?
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
    }

    /// The kind of value, for messages.
    pub fn describe(&self) -> &'static str {
        match &self.kind {
            NodeKind::Scalar(_) if self.is_null() => "an empty value",
            NodeKind::Scalar(scalar) if scalar.plain && scalar.text.parse::<f64>().is_ok() => {
                "a number"
            }
            NodeKind::Scalar(scalar)
                if scalar.plain && matches!(&*scalar.text, "true" | "false") =>
            {
                "a boolean"
            }
            NodeKind::Scalar(_) => "a string",
            NodeKind::List(_) => "a list",
            NodeKind::Map(_) => "a mapping",
        }
    }

    /// Moves the spans of this subtree, for a file whose offsets do not begin at 0.
    pub fn shift(&mut self, by: usize) {
        let moved = |span: Span| Span::new(span.start + by, span.end + by);
        self.span = moved(self.span);
        match &mut self.kind {
            NodeKind::Scalar(_) => {}
            NodeKind::List(nodes) => nodes.iter_mut().for_each(|node| node.shift(by)),
            NodeKind::Map(entries) => {
                for entry in entries {
                    entry.key_span = moved(entry.key_span);
                    entry.value.shift(by);
                }
            }
        }
    }

    /// The number of nodes in this subtree.
    pub(super) fn size(&self) -> usize {
        1 + self.children().map(Node::size).sum::<usize>()
    }

    /// The number of levels below this node; 0 for a single value.
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
