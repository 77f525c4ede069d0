//! Changes that may happen between two conditions. A state that an enclosing branch implies stays known only until
//! something may change it (the last paragraph of rule E14). Objects are identified by the name they are reached
//! through. A call on such a name may change its state, unless it is a predicate, an operator or a conversion. So may a
//! call that receives it as an argument.

use ruby_prism::{CallNode, IfNode, Node, StatementsNode, UnlessNode, Visit};

use crate::ruby::condition::dependencies::{Dependency, NameHash, reached_through};
use crate::ruby::condition::leaf::is_persistence;
use crate::ruby::condition::value_name::is_normaliser;
use crate::ruby::syntax::node::called;
use crate::ruby::syntax::traverse::visit_children;

/// A possible change.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    /// Unknown code ran.
    Anything,
    /// A method was called on this name.
    On(NameHash),
    /// This name was passed as an argument.
    With(NameHash),
}

impl Change {
    /// Records the changes of this node, without those of its children.
    pub(crate) fn note(node: &Node<'_>, is_asked: bool, changes: &mut Vec<Change>) {
        if !is_change(node, is_asked) {
            return;
        }
        match node.as_call_node() {
            Some(call) => note_call(&call, changes),
            None if is_write(node) => Names::new(changes, Change::On).visit(node),
            None => changes.push(Change::Anything),
        }
    }

    /// Whether a condition with this dependency may have another value after the change.
    pub(crate) fn concerns(self, root: Dependency) -> bool {
        match self {
            Change::Anything => !root.is_plain,
            Change::On(name) => name == root.name,
            Change::With(name) => name == root.name && !root.is_plain,
        }
    }
}

/// Whether this node may change something. Within a condition, calls without arguments count as attribute reads.
pub(in crate::ruby) fn is_change(node: &Node<'_>, is_asked: bool) -> bool {
    match node.as_call_node() {
        Some(call) => !is_reading(&call, is_asked),
        None => runs_elsewhere(node) || is_write(node),
    }
}

fn runs_elsewhere(node: &Node<'_>) -> bool {
    matches!(
        node,
        Node::YieldNode { .. } | Node::SuperNode { .. } | Node::ForwardingSuperNode { .. }
    )
}

fn note_call(call: &CallNode<'_>, changes: &mut Vec<Change>) {
    match call.receiver() {
        Some(receiver) => Names::new(changes, Change::On).visit(&receiver),
        None => changes.push(Change::On(NameHash::ITSELF)),
    }
    let mut with = Names::new(changes, Change::With);
    if let Some(arguments) = call.arguments() {
        with.visit_arguments_node(&arguments);
    }
    if let Some(block) = call
        .block()
        .and_then(|block| block.as_block_argument_node())
    {
        with.visit_block_argument_node(&block);
    }
}

/// Records a change for every name in an expression.
struct Names<'a> {
    changes: &'a mut Vec<Change>,
    change: fn(NameHash) -> Change,
}

impl<'a> Names<'a> {
    fn new(changes: &'a mut Vec<Change>, change: fn(NameHash) -> Change) -> Names<'a> {
        Names { changes, change }
    }
}

impl<'pr> Visit<'pr> for Names<'_> {
    fn visit(&mut self, node: &Node<'pr>) {
        let name = reached_through(node).map(NameHash::of);
        self.changes.extend(name.map(self.change));
        visit_children(self, node);
    }
}

/// Whether a call changes nothing.
fn is_reading(call: &CallNode<'_>, is_asked: bool) -> bool {
    let name = called(call);
    let is_operator = !name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    if is_operator {
        return !matches!(name, "<<" | "[]=");
    }
    let is_known = name.ends_with('?') || is_normaliser(name) || matches!(name, "fetch" | "dig");
    is_known || call.receiver().is_none() && is_kernel(name) || is_asked && is_attribute(call, name)
}

/// Kernel methods that do not change the object.
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

/// Whether attributes, elements or instance variables are assigned. Assignments to local variables are collected per
/// method, in `Flags`.
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

pub(in crate::ruby) fn is_write_of_instance_variable(node: &Node<'_>) -> bool {
    matches!(
        node,
        Node::InstanceVariableWriteNode { .. }
            | Node::InstanceVariableAndWriteNode { .. }
            | Node::InstanceVariableOrWriteNode { .. }
            | Node::InstanceVariableOperatorWriteNode { .. }
            | Node::InstanceVariableTargetNode { .. }
    )
}

/// Collects all changes in code that may run again before it is read: loops, blocks, retried code.
pub(crate) struct RepeatedChanges<'a> {
    pub(crate) changes: &'a mut Vec<Change>,
    pub(crate) is_asked: bool,
}

impl RepeatedChanges<'_> {
    fn condition(&mut self, node: &Node<'_>) {
        let is_asked = std::mem::replace(&mut self.is_asked, true);
        self.visit(node);
        self.is_asked = is_asked;
    }
}

impl<'pr> Visit<'pr> for RepeatedChanges<'_> {
    fn visit_branch_node_enter(&mut self, node: Node<'pr>) {
        Change::note(&node, self.is_asked, self.changes);
    }

    fn visit_leaf_node_enter(&mut self, node: Node<'pr>) {
        Change::note(&node, self.is_asked, self.changes);
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
