//! The structure of an existing spec: rules O1 to O3.

mod example_body;
mod json;
mod read;
mod setup_block;

use crate::ruby::RubyError;

pub(crate) use read::{is_example, is_group};

/// A spec's structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// As it was named.
    pub file: String,
    /// Every group that stands in no other.
    pub groups: Vec<Group>,
    /// Shared examples that stand in no group.
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
    /// `describe` or `context`; `shared` where it is a list of shared examples.
    pub kind: &'static str,
    /// As written; `described_class` and constants by name.
    pub description: String,
    /// What people read of it, where it is a text; `#{}` where something is put into it.
    pub text: Option<String>,
    /// Counted from 1.
    pub line: usize,
    /// 0 at the top.
    pub depth: usize,
    /// What is set up directly in it.
    pub setup: Setup,
    /// What stands directly in it.
    pub children: Vec<Node>,
    /// From its first byte to behind its last.
    pub span: (usize, usize),
    /// From behind `do` or `{` to before `end` or `}`; none where the block stands elsewhere (`&block`).
    pub body: Option<(usize, usize)>,
    /// Only this is to be run, or it is not.
    pub mark: FocusMark,
    /// `shared_examples` by name.
    pub shared_examples: Vec<String>,
    /// What is in those.
    pub shared: Vec<Group>,
    /// `it_behaves_like` and its kin, by name.
    pub includes: Vec<String>,
    /// How many of these bring setup along: `include_context`, or a block of their own.
    pub setups_included: usize,
    /// The code of what is set up.
    pub pieces: Vec<SetupBlock>,
}

/// A `let`, `subject` or hook and its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupBlock {
    /// `let`, `let!`, `subject`, `subject!`, `before`, `after`.
    pub kind: &'static str,
    /// The name it was given; of a hook, how often it runs, unless for each example.
    pub name: Option<String>,
    /// What is in its block, without indentation and with the text of heredocs.
    pub code: String,
    /// Counted from 1.
    pub line: usize,
}

/// Names in order; hooks are the word `hook` each.
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
pub struct Example {
    /// `it`, `specify` or `example`.
    pub kind: &'static str,
    /// As written.
    pub description: String,
    /// What people read of it, where it is a text; `#{}` where something is put into it.
    pub text: Option<String>,
    /// Counted from 1.
    pub line: usize,
    /// The last line.
    pub last_line: usize,
    /// Of the group it stands in, and one more.
    pub depth: usize,
    /// From its first byte to behind its last.
    pub span: (usize, usize),
    /// Only this is to be run, or it is not.
    pub mark: FocusMark,
    /// Whether it has a block at all.
    pub has_block: bool,
    /// Whether there is nothing in that block.
    pub is_empty: bool,
    /// Whether it expects something, or says that it is still pending.
    pub expects: bool,
}

/// A prefix `f` or `x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FocusMark {
    /// None.
    #[default]
    Plain,
    /// Only this is to be run.
    Focused,
    /// It is not to be run.
    Pending,
}

/// The structure of a spec.
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
    /// What is worth a warning: deep nesting, empty groups.
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
