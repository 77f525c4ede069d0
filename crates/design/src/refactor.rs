//! Old specs in the present style, as far as that is mechanical: the conservative half of "refactor legacy" (section 10).
//!
//! `should` turns assertions round, `wording` mends descriptions. Whoever writes the result runs the spec before and after.

mod should;
mod wording;

use ruby_prism::{CallNode, Node, Visit};

use crate::edits::applied;
use crate::ruby::syntax::visit_children;
use crate::ruby::{RubyError, syntax_error};

pub(crate) use wording::third_person;

/// The comment that every file begins with.
const FROZEN: &str = "# frozen_string_literal: true";

/// A spec in the present style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refactored {
    /// Its text.
    pub text: String,
    /// How many times `should` became `expect`.
    pub assertions: usize,
    /// How many descriptions are worded anew.
    pub descriptions: usize,
    /// Whether literals are frozen from now on.
    pub is_frozen_now: bool,
}

impl Refactored {
    /// How many changes were made.
    pub fn changes(&self) -> usize {
        self.assertions + self.descriptions + usize::from(self.is_frozen_now)
    }
}

/// Changes what can be changed without knowing what the spec is about.
pub fn refactor(spec: &str) -> Result<Refactored, RubyError> {
    let (assertions, descriptions) = {
        let parsed = ruby_prism::parse(spec.as_bytes());
        if let Some(error) = syntax_error(&parsed) {
            return Err(error);
        }
        (
            should::edits(&parsed.node()),
            wording::edits(&parsed.node()),
        )
    };
    let counts = (assertions.len(), descriptions.len());
    let edits = assertions.into_iter().flatten().chain(descriptions);
    let text = applied(spec, edits.collect());
    let is_frozen_now = !spec.contains("frozen_string_literal:");
    Ok(Refactored {
        text: if is_frozen_now { frozen(&text) } else { text },
        assertions: counts.0,
        descriptions: counts.1,
        is_frozen_now,
    })
}

/// With the comment at the top, behind a line that says which program runs the file.
fn frozen(text: &str) -> String {
    let end = match text.split_once('\n') {
        Some((first, _)) if first.starts_with("#!") => first.len() + 1,
        _ => 0,
    };
    let (before, rest) = text.split_at(end);
    format!("{before}{FROZEN}\n\n{}", rest.trim_start_matches('\n'))
}

/// What is found in the calls of a file, in the order of the text.
fn in_calls<T>(program: &Node<'_>, look: fn(&CallNode<'_>) -> Option<T>) -> Vec<T> {
    let mut finder = Finder {
        look,
        found: Vec::new(),
        depth: 0,
    };
    finder.visit(program);
    finder.found
}

struct Finder<T> {
    look: fn(&CallNode<'_>) -> Option<T>,
    found: Vec<T>,
    depth: usize,
}

impl<'pr, T> Visit<'pr> for Finder<T> {
    fn visit(&mut self, node: &Node<'pr>) {
        // Deeper than any spec; a trap for recursion otherwise.
        if self.depth > 4_000 {
            return;
        }
        self.depth += 1;
        let found = node.as_call_node().and_then(|call| (self.look)(&call));
        self.found.extend(found);
        visit_children(self, node);
        self.depth -= 1;
    }
}
