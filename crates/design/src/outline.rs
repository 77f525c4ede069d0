//! Reads the structure of an existing spec: rules O1 to O3.

mod example_body;
mod json;
mod read;
mod setup_block;

use crate::ruby::RubyError;

pub(crate) use read::{is_example, is_group};

/// The structure of a spec.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The path as given by the caller.
    pub file: String,
    /// The outermost groups.
    pub groups: Vec<Group>,
    /// Shared examples outside of any group.
    pub shared: Vec<Group>,
}

/// A group or an example.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// `describe`, `context`.
    Group(Box<Group>),
    /// `it`, `specify`, `example`.
    Example(Example),
}

/// A group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// `describe` or `context`; `shared` for a definition of shared examples.
    pub kind: &'static str,
    /// As written; `described_class` and constants by name.
    pub description: String,
    /// The description without quotes, if it is a string; `#{}` in place of interpolated values.
    pub text: Option<String>,
    /// 1-based.
    pub line: usize,
    /// 0 for an outermost group.
    pub depth: usize,
    /// Names set up directly in it.
    pub setup: Setup,
    /// Groups and examples directly in it.
    pub children: Vec<Node>,
    /// Byte range.
    pub span: (usize, usize),
    /// Byte range between `do` or `{` and `end` or `}`; `None` when the block is passed as `&block`.
    pub body: Option<(usize, usize)>,
    /// Whether it is focused or skipped.
    pub mark: FocusMark,
    /// Names of the `shared_examples` defined in it.
    pub shared_examples: Vec<String>,
    /// The content of those shared examples.
    pub shared: Vec<Group>,
    /// Names included with `it_behaves_like` and the like.
    pub includes: Vec<String>,
    /// Number of includes that add setup: `include_context`, or an include with a block.
    pub setups_included: usize,
    /// The code of its `let`, `subject` and hooks.
    pub setup_blocks: Vec<SetupBlock>,
}

/// A `let`, `subject` or hook and its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupBlock {
    /// `let`, `let!`, `subject`, `subject!`, `before`, `after`.
    pub kind: &'static str,
    /// The name it defines; for a hook its scope, unless that is each example.
    pub name: Option<String>,
    /// The code of its block, without indentation and followed by the text of its heredocs.
    pub code: String,
    /// 1-based.
    pub line: usize,
}

/// Names set up in a group, in order; every hook is the word `hook`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// `subject`.
    pub subject: Vec<String>,
    /// `let`.
    pub lets: Vec<String>,
    /// `let!`.
    pub eager_lets: Vec<String>,
    /// `before`.
    pub before: Vec<String>,
    /// `after`.
    pub after: Vec<String>,
}

/// An example.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate property of its source"
)]
pub struct Example {
    /// `it`, `specify` or `example`.
    pub kind: &'static str,
    /// As written.
    pub description: String,
    /// The description without quotes, if it is a string; `#{}` in place of interpolated values.
    pub text: Option<String>,
    /// 1-based.
    pub line: usize,
    /// 1-based.
    pub last_line: usize,
    /// The depth of its group plus 1.
    pub depth: usize,
    /// Byte range.
    pub span: (usize, usize),
    /// Whether it is focused or skipped.
    pub mark: FocusMark,
    /// Whether it has a block.
    pub has_block: bool,
    /// Whether its block contains no code.
    pub is_empty: bool,
    /// Whether it contains an expectation, or marks itself as pending or skipped.
    pub expects: bool,
    /// Whether it is pending: it has no block, or `skip` or `pending` in its block or among its tags.
    pub is_pending: bool,
}

/// The prefix `f` or `x` of a group or example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FocusMark {
    /// No prefix.
    #[default]
    Plain,
    /// Only this runs.
    Focused,
    /// This does not run.
    Pending,
}

/// Reads the structure of a spec.
pub fn outline(spec: &[u8], file: &str) -> Result<Outline, RubyError> {
    let parsed = ruby_prism::parse(spec);
    if let Some(error) = crate::ruby::syntax_error(&parsed) {
        return Err(error);
    }
    let (groups, shared) = read::groups(&parsed.node())?;
    Ok(Outline {
        file: file.to_owned(),
        groups,
        shared,
    })
}

impl Outline {
    /// Warnings about deep nesting and empty groups.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let depth = self.max_depth();
        if depth > 4 {
            warnings.push(format!(
                "groups are nested {depth} levels deep; more than 4 are hard to follow"
            ));
        }
        for group in &self.groups {
            group.empty_groups(&mut warnings);
        }
        warnings
    }

    /// The largest depth of any node.
    pub fn max_depth(&self) -> usize {
        self.groups.iter().map(Group::max_depth).max().unwrap_or(0)
    }
}

impl Group {
    fn max_depth(&self) -> usize {
        let children = self.children.iter().map(|child| match child {
            Node::Group(group) => group.max_depth(),
            Node::Example(example) => example.depth,
        });
        children.max().unwrap_or(self.depth).max(self.depth)
    }

    fn empty_groups(&self, warnings: &mut Vec<String>) {
        if self.children.is_empty() && self.includes.is_empty() {
            warnings.push(format!(
                "line {}: {} '{}' has no examples",
                self.line, self.kind, self.description
            ));
        }
        for group in self.groups() {
            group.empty_groups(warnings);
        }
    }

    /// Whether it has examples, all of which are pending or empty: its setup is still to be written.
    pub(crate) fn is_unfinished(&self) -> bool {
        let is_open = |child: &Node| match child {
            Node::Group(group) => group.is_unfinished(),
            Node::Example(example) => {
                example.is_pending || example.is_empty || example.mark == FocusMark::Pending
            }
        };
        !self.children.is_empty() && self.includes.is_empty() && self.children.iter().all(is_open)
    }

    /// The groups directly in it.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.children.iter().filter_map(|child| match child {
            Node::Group(group) => Some(group.as_ref()),
            Node::Example(_) => None,
        })
    }

    /// The examples directly in it.
    pub fn examples(&self) -> impl Iterator<Item = &Example> {
        self.children.iter().filter_map(|child| match child {
            Node::Example(example) => Some(example),
            Node::Group(_) => None,
        })
    }
}
