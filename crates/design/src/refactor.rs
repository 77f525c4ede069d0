//! Rewrites old specs in the current style, as far as that is mechanical: the conservative part of rule P7.
//!
//! `should` rewrites assertions, with `block` for those that need a block and `custom_should` for `should` methods that are
//! not RSpec's. `wording` rewrites descriptions, and `frozen` adds the magic comment. What is not certain is left unchanged.
//! The caller runs the spec before and after.

mod block;
mod custom_should;
mod frozen;
mod should;
mod wording;

use ruby_prism::{Node, StatementsNode, Visit};

use crate::edits::{Edit, apply_edits};
use crate::ruby::syntax::visit_children;
use crate::ruby::{RubyError, syntax_error};

/// A spec in the current style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefactoredSpec {
    /// The new text.
    pub text: String,
    /// The number of rewritten `should` assertions.
    pub assertions: usize,
    /// The number of rewritten descriptions.
    pub descriptions: usize,
    /// Whether the comment `frozen_string_literal` was added.
    pub is_frozen_now: bool,
}

/// What is changed besides assertions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefactoredParts {
    /// Descriptions.
    pub wording: bool,
    /// String literals are frozen.
    pub literals: bool,
}

/// Makes the changes that do not depend on the meaning of the spec.
pub fn refactor(spec: &str, parts: RefactoredParts) -> Result<RefactoredSpec, RubyError> {
    let (text, assertions) = rewritten(spec, should::edits)?;
    let frozen = parts.literals.then(|| frozen::frozen(&text)).flatten();
    let is_frozen_now = frozen.is_some();
    let (mut text, mut descriptions) = (frozen.unwrap_or(text), 0);
    if parts.wording {
        (text, descriptions) = rewritten(&text, wording::edits)?;
    }
    Ok(RefactoredSpec {
        text,
        assertions,
        descriptions,
        is_frozen_now,
    })
}

/// Applies the edits of one kind; returns the new text and their number.
fn rewritten(
    text: &str,
    edits: fn(&Node<'_>) -> Vec<Vec<Edit>>,
) -> Result<(String, usize), RubyError> {
    let mut changes = {
        let parsed = ruby_prism::parse(text.as_bytes());
        if let Some(error) = syntax_error(&parsed) {
            return Err(error);
        }
        edits(&parsed.node())
    };
    let (new, count) = apply_edits(text, &changes);
    if is_ruby(&new) {
        return Ok((new, count));
    }
    // At least one edit breaks the syntax; the others are applied without it.
    changes.retain(|change| is_ruby(&apply_edits(text, std::slice::from_ref(change)).0));
    let (new, count) = apply_edits(text, &changes);
    Ok(if is_ruby(&new) {
        (new, count)
    } else {
        (text.to_owned(), 0)
    })
}

fn is_ruby(text: &str) -> bool {
    syntax_error(&ruby_prism::parse(text.as_bytes())).is_none()
}

/// The results of `look` for all nodes, in the order of the text. Nodes for which `enters` is false are skipped.
fn found<T>(
    program: &Node<'_>,
    enters: fn(&Node<'_>) -> bool,
    look: fn(&Node<'_>) -> Vec<T>,
) -> Vec<T> {
    let mut finder = Finder {
        enters,
        look,
        found: Vec::new(),
        depth: 0,
    };
    finder.visit(program);
    finder.found
}

struct Finder<T> {
    enters: fn(&Node<'_>) -> bool,
    look: fn(&Node<'_>) -> Vec<T>,
    found: Vec<T>,
    depth: usize,
}

impl<'pr, T> Visit<'pr> for Finder<T> {
    fn visit(&mut self, node: &Node<'pr>) {
        // Limits the recursion. No real spec is this deep.
        if self.depth > 4_000 || !(self.enters)(node) {
            return;
        }
        self.depth += 1;
        self.found.extend((self.look)(node));
        visit_children(self, node);
        self.depth -= 1;
    }

    /// Most parents visit statements with this method instead of `visit`.
    fn visit_statements_node(&mut self, node: &StatementsNode<'pr>) {
        self.visit(&node.as_node());
    }
}
