//! Changes that may happen between two conditions. A state that an enclosing branch implies stays known only until
//! something may change it (the last paragraph of rule E14). Objects are identified by the name they are reached
//! through. A call on such a name may change its state, unless it is a predicate, an operator or a conversion. So may a
//! call that receives it as an argument.

use ruby_prism::{CallNode, IfNode, Node, StatementsNode, UnlessNode, Visit};

use crate::ruby::condition::dependencies::{Dependency, NameHash, reached_through};
use crate::ruby::condition::leaf::is_persistence;
use crate::ruby::condition::value_name::is_conversion;
use crate::ruby::syntax::node::called;
use crate::ruby::syntax::traverse::visit_children;

/// A possible change.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    /// Unknown code ran.
    Anything,
    /// A method was called on this name.
    Receiver(NameHash),
    /// This name was passed as an argument.
    Argument(NameHash),
}

impl Change {
    /// Records the changes of this node, without those of its children.
    pub(crate) fn note(node: &Node<'_>, in_condition: bool, changes: &mut Vec<Change>) {
        if !is_change(node, in_condition) {
            return;
        }
        match node.as_call_node() {
            Some(call) => note_call(&call, changes),
            None if is_write(node) => NameRecorder::new(changes, Change::Receiver).visit(node),
            None => changes.push(Change::Anything),
        }
    }

    /// Whether a condition with this dependency may have another value after the change.
    pub(crate) fn affects(self, root: Dependency) -> bool {
        match self {
            Change::Anything => !root.is_plain,
            Change::Receiver(name) => name == root.name,
            Change::Argument(name) => name == root.name && !root.is_plain,
        }
    }
}

/// Whether this node may change something. Within a condition, calls without arguments count as attribute reads.
pub(in crate::ruby) fn is_change(node: &Node<'_>, in_condition: bool) -> bool {
    match node.as_call_node() {
        Some(call) => !is_read_only(&call, in_condition),
        None => runs_other_code(node) || is_write(node),
    }
}

fn runs_other_code(node: &Node<'_>) -> bool {
    matches!(
        node,
        Node::YieldNode { .. } | Node::SuperNode { .. } | Node::ForwardingSuperNode { .. }
    )
}

fn note_call(call: &CallNode<'_>, changes: &mut Vec<Change>) {
    match call.receiver() {
        Some(receiver) => NameRecorder::new(changes, Change::Receiver).visit(&receiver),
        None => changes.push(Change::Receiver(NameHash::SELF)),
    }
    let mut with = NameRecorder::new(changes, Change::Argument);
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
struct NameRecorder<'a> {
    changes: &'a mut Vec<Change>,
    change: fn(NameHash) -> Change,
}

impl<'a> NameRecorder<'a> {
    fn new(changes: &'a mut Vec<Change>, change: fn(NameHash) -> Change) -> NameRecorder<'a> {
        NameRecorder { changes, change }
    }
}

impl<'pr> Visit<'pr> for NameRecorder<'_> {
    fn visit(&mut self, node: &Node<'pr>) {
        let name = reached_through(node).map(NameHash::of);
        self.changes.extend(name.map(self.change));
        visit_children(self, node);
    }
}

/// Whether a call changes nothing.
fn is_read_only(call: &CallNode<'_>, in_condition: bool) -> bool {
    let name = called(call);
    let is_operator = !name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    if is_operator {
        return !matches!(name, "<<" | "[]=");
    }
    let is_known = name.ends_with('?') || is_conversion(name) || matches!(name, "fetch" | "dig");
    is_known
        || call.receiver().is_none() && is_kernel(name)
        || in_condition && is_attribute(call, name)
}

/// Kernel methods that do not change the object.
fn is_kernel(name: &str) -> bool {
    matches!(
        name,
        "raise" | "fail" | "throw" | "puts" | "print" | "p" | "pp" | "warn" | "format" | "sprintf"
    )
}

fn is_attribute(call: &CallNode<'_>, name: &str) -> bool {
    let consumes = matches!(
        name,
        "pop" | "shift" | "next" | "gets" | "getc" | "read" | "readline" | "call" | "reload"
    );
    call.arguments().is_none()
        && call.block().is_none()
        && !name.ends_with('!')
        && !is_persistence(name)
        && !consumes
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
    pub(crate) in_condition: bool,
}

impl RepeatedChanges<'_> {
    fn condition(&mut self, node: &Node<'_>) {
        let in_condition = std::mem::replace(&mut self.in_condition, true);
        self.visit(node);
        self.in_condition = in_condition;
    }
}

impl<'pr> Visit<'pr> for RepeatedChanges<'_> {
    fn visit_branch_node_enter(&mut self, node: Node<'pr>) {
        Change::note(&node, self.in_condition, self.changes);
    }

    fn visit_leaf_node_enter(&mut self, node: Node<'pr>) {
        Change::note(&node, self.in_condition, self.changes);
    }

    fn visit_statements_node(&mut self, node: &StatementsNode<'pr>) {
        let in_condition = std::mem::take(&mut self.in_condition);
        ruby_prism::visit_statements_node(self, node);
        self.in_condition = in_condition;
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
