//! Old specs in the present style, as far as that is mechanical: the conservative half of rule P7.
//!
//! `should` turns assertions round, `block` knows those about what happens, `foreign` where they may be somebody else's;
//! `wording` mends descriptions, `frozen` freezes literals. What is not certain stays as it was. Whoever writes the result
//! runs the spec before and after.

mod block;
mod custom_should;
mod frozen;
mod should;
mod wording;

use ruby_prism::{Node, StatementsNode, Visit};

use crate::edits::{Edit, apply_edits};
use crate::ruby::syntax::visit_children;
use crate::ruby::{RubyError, syntax_error};

pub(crate) use wording::third_person;

/// A spec in the present style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefactoredSpec {
    /// Its text.
    pub text: String,
    /// How many times `should` became `expect`.
    pub assertions: usize,
    /// How many descriptions are worded anew.
    pub descriptions: usize,
    /// Whether literals are frozen from now on.
    pub is_frozen_now: bool,
}

/// Changes what can be changed without knowing what the spec is about.
pub fn refactor(spec: &str) -> Result<RefactoredSpec, RubyError> {
    let (text, assertions) = rewritten(spec, should::edits)?;
    let (text, descriptions) = rewritten(&text, wording::edits)?;
    let frozen = frozen::frozen(&text);
    Ok(RefactoredSpec {
        assertions,
        descriptions,
        is_frozen_now: frozen.is_some(),
        text: frozen.unwrap_or(text),
    })
}

/// The text with changes of one kind, and how many they are.
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
    let (new, made) = apply_edits(text, &changes);
    if is_ruby(&new) {
        return Ok((new, made));
    }
    // Some change is not possible where it stands; without it the others are.
    changes.retain(|change| is_ruby(&apply_edits(text, std::slice::from_ref(change)).0));
    let (new, made) = apply_edits(text, &changes);
    Ok(if is_ruby(&new) {
        (new, made)
    } else {
        (text.to_owned(), 0)
    })
}

fn is_ruby(text: &str) -> bool {
    syntax_error(&ruby_prism::parse(text.as_bytes())).is_none()
}

/// What is found in the nodes of a file, in the order of the text; not below nodes that are not to be entered.
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
        // Deeper than any spec; a trap for recursion otherwise.
        if self.depth > 4_000 || !(self.enters)(node) {
            return;
        }
        self.depth += 1;
        self.found.extend((self.look)(node));
        visit_children(self, node);
        self.depth -= 1;
    }

    /// Most parents hand these on by what they are.
    fn visit_statements_node(&mut self, node: &StatementsNode<'pr>) {
        self.visit(&node.as_node());
    }
}
