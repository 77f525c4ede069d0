//! What may change between one condition and the next: what an enclosing branch has decided stays decided only as long
//! as nothing does (the last sentence of E14).
//!
//! Objects are told apart by the name they are reached through. Whatever is called on such a name may change the
//! answers behind it, unless it is a question, an operator or a change of dress; so may whatever is given it.

use ruby_prism::{CallNode, IfNode, Node, StatementsNode, UnlessNode, Visit};

use super::leaf::is_persistence;
use super::name::is_normaliser;
use super::node::called;
use super::roots::{ITSELF, Names, Root, names};

/// Something that was done.
#[derive(Debug)]
pub(crate) enum Change {
    /// Code that cannot be seen ran.
    Anything,
    Call {
        on: Vec<String>,
        with: Vec<String>,
    },
}

impl Change {
    /// What this node does, apart from what the nodes in it do. Within a condition, plain attributes are read.
    pub(crate) fn of(node: &Node<'_>, is_asked: bool) -> Option<Change> {
        if let Some(call) = node.as_call_node() {
            return (!is_reading(&call, is_asked)).then(|| of_call(&call));
        }
        if node.as_yield_node().is_some()
            || node.as_super_node().is_some()
            || node.as_forwarding_super_node().is_some()
        {
            return Some(Change::Anything);
        }
        is_write(node).then(|| Change::Call {
            on: names(node),
            with: Vec::new(),
        })
    }

    /// Whether the answer to a condition that is reached through this may be another one now.
    pub(crate) fn concerns(&self, root: &Root) -> bool {
        match self {
            Change::Anything => !root.is_plain,
            Change::Call { on, with } => {
                on.contains(&root.name) || !root.is_plain && with.contains(&root.name)
            }
        }
    }
}

fn of_call(call: &CallNode<'_>) -> Change {
    let on = match call.receiver() {
        Some(receiver) => names(&receiver),
        None => vec![ITSELF.to_owned()],
    };
    let mut with = Names::default();
    if let Some(arguments) = call.arguments() {
        with.visit_arguments_node(&arguments);
    }
    if let Some(block) = call
        .block()
        .and_then(|block| block.as_block_argument_node())
    {
        with.visit_block_argument_node(&block);
    }
    Change::Call { on, with: with.0 }
}

/// Whether a call only tells something.
fn is_reading(call: &CallNode<'_>, is_asked: bool) -> bool {
    let name = called(call);
    let is_operator = !name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    if is_operator {
        return !matches!(name, "<<" | "[]=");
    }
    let is_known = name.ends_with('?') || is_normaliser(name) || matches!(name, "fetch" | "dig");
    is_known || call.receiver().is_none() && is_kernel(name) || is_asked && is_attribute(call, name)
}

/// Functions that every object has and that leave it alone.
fn is_kernel(name: &str) -> bool {
    matches!(
        name,
        "raise" | "fail" | "throw" | "puts" | "print" | "p" | "pp" | "warn" | "format" | "sprintf"
    )
}

fn is_attribute(call: &CallNode<'_>, name: &str) -> bool {
    let takes_from = matches!(
        name,
        "pop" | "shift" | "next" | "gets" | "getc" | "read" | "readline" | "call" | "reload"
    );
    call.arguments().is_none()
        && call.block().is_none()
        && !name.ends_with('!')
        && !is_persistence(name)
        && !takes_from
}

/// Attributes, elements and variables of objects that get another value. Of local variables the whole method tells.
fn is_write(node: &Node<'_>) -> bool {
    matches!(
        node,
        Node::CallAndWriteNode { .. }
            | Node::CallOrWriteNode { .. }
            | Node::CallOperatorWriteNode { .. }
            | Node::CallTargetNode { .. }
            | Node::IndexAndWriteNode { .. }
            | Node::IndexOrWriteNode { .. }
            | Node::IndexOperatorWriteNode { .. }
            | Node::IndexTargetNode { .. }
    ) || is_write_of_instance_variable(node)
}

pub(super) fn is_write_of_instance_variable(node: &Node<'_>) -> bool {
    matches!(
        node,
        Node::InstanceVariableWriteNode { .. }
            | Node::InstanceVariableAndWriteNode { .. }
            | Node::InstanceVariableOrWriteNode { .. }
            | Node::InstanceVariableOperatorWriteNode { .. }
            | Node::InstanceVariableTargetNode { .. }
    )
}

/// All changes in what may run again before it is read: loops, blocks, what is retried.
pub(crate) struct Ahead<'a> {
    pub(crate) changes: &'a mut Vec<Change>,
    pub(crate) is_asked: bool,
}

impl Ahead<'_> {
    fn condition(&mut self, node: &Node<'_>) {
        let is_asked = std::mem::replace(&mut self.is_asked, true);
        self.visit(node);
        self.is_asked = is_asked;
    }
}

impl<'pr> Visit<'pr> for Ahead<'_> {
    fn visit_branch_node_enter(&mut self, node: Node<'pr>) {
        self.changes.extend(Change::of(&node, self.is_asked));
    }

    fn visit_leaf_node_enter(&mut self, node: Node<'pr>) {
        self.changes.extend(Change::of(&node, self.is_asked));
    }

    fn visit_statements_node(&mut self, node: &StatementsNode<'pr>) {
        let is_asked = std::mem::take(&mut self.is_asked);
        ruby_prism::visit_statements_node(self, node);
        self.is_asked = is_asked;
    }

    fn visit_if_node(&mut self, node: &IfNode<'pr>) {
        self.condition(&node.predicate());
        if let Some(statements) = node.statements() {
            self.visit_statements_node(&statements);
        }
        if let Some(subsequent) = node.subsequent() {
            self.visit(&subsequent);
        }
    }

    fn visit_unless_node(&mut self, node: &UnlessNode<'pr>) {
        self.condition(&node.predicate());
        if let Some(statements) = node.statements() {
            self.visit_statements_node(&statements);
        }
        if let Some(clause) = node.else_clause() {
            self.visit_else_node(&clause);
        }
    }
}
