//! The names that conditions and calls reach objects through: variables, constants and `self`.

use ruby_prism::{CallNode, Node, Visit};

use crate::ruby::condition::boolean_names::Flags;
use crate::ruby::syntax::node::{arguments, bare, called, constant, is_constant, text, variable};
use crate::ruby::syntax::traverse::visit_children;
use crate::ruby::walk::local_variables::LocalRead;
use crate::ruby::walk::mutations::{is_change, is_write_of_instance_variable};

/// Cannot collide with a variable, because `self` is a keyword.
const SELF: &str = "self";

/// A hash of a name, which is fast to compare. A collision only makes a known state count as changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameHash(u64);

impl NameHash {
    pub(in crate::ruby) const SELF: NameHash = NameHash::of(SELF);

    /// FNV-1a.
    pub(in crate::ruby) const fn of(name: &str) -> NameHash {
        NameHash::of_bytes(name.as_bytes())
    }

    pub(in crate::ruby) const fn of_bytes(bytes: &[u8]) -> NameHash {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        NameHash(hash)
    }
}

/// A name that the value of a condition depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dependency {
    pub(in crate::ruby) name: NameHash,
    /// Whether the variable itself is compared. Then passing it as an argument cannot change the result.
    pub(in crate::ruby) is_plain: bool,
}

/// What the value of a condition depends on.
pub(crate) struct Dependencies {
    /// `None` if evaluating it again may give another result, or if the method assigns one of the variables.
    pub(crate) names: Option<Vec<Dependency>>,
    /// The local variables that it reads.
    pub(crate) locals: Vec<LocalRead>,
}

/// The dependencies of a condition.
pub(crate) fn dependencies(condition: &Node<'_>, flags: &Flags<'_>) -> Dependencies {
    let mut collector = DependencyCollector {
        flags,
        dependencies: Vec::new(),
        locals: Vec::new(),
        changes: false,
    };
    collector.operand(condition);
    Dependencies {
        names: (!collector.changes).then_some(collector.dependencies),
        locals: collector.locals,
    }
}

/// The dependencies of several conditions together.
pub(crate) fn all_dependencies<'a>(
    each: impl Iterator<Item = Option<&'a [Dependency]>>,
) -> Option<Vec<Dependency>> {
    let each: Option<Vec<&[Dependency]>> = each.collect();
    each.map(|each| each.concat())
}

struct DependencyCollector<'a> {
    flags: &'a Flags<'a>,
    dependencies: Vec<Dependency>,
    locals: Vec<LocalRead>,
    changes: bool,
}

impl DependencyCollector<'_> {
    /// Visits an operand of a comparison.
    fn operand(&mut self, node: &Node<'_>) {
        let is_plain = node.as_local_variable_read_node().is_some() || is_constant(node);
        match reached_through(node).filter(|_| is_plain) {
            Some(name) => {
                self.note_local(node);
                self.add_name(name, true);
            }
            None => self.visit(node),
        }
    }

    fn add_name(&mut self, name: &str, is_plain: bool) {
        self.changes |= self.flags.is_assigned(name);
        let name = NameHash::of(name);
        self.dependencies.push(Dependency { name, is_plain });
    }

    fn note_local(&mut self, node: &Node<'_>) {
        let read = match node {
            Node::LocalVariableReadNode { .. } => node
                .as_local_variable_read_node()
                .map(|read| LocalRead::of(read.name().as_slice())),
            Node::ItLocalVariableReadNode { .. } => Some(LocalRead::of(b"it")),
            _ => LocalRead::assigned(node),
        };
        if let Some(read) = read
            && !self.locals.iter().any(|known| known.name() == read.name())
        {
            self.locals.push(read);
        }
    }

    /// Notes the variables in code of which nothing else is known. What a variable is assigned from is part of its
    /// origin.
    fn visit_locals(&mut self, node: &Node<'_>) {
        self.note_local(node);
        let count = self.locals.len();
        visit_children(self, node);
        if node.as_local_variable_write_node().is_some() {
            self.locals.truncate(count);
        }
    }

    fn visit_operands(&mut self, call: &CallNode<'_>) {
        if let Some(receiver) = call.receiver() {
            self.operand(&bare(receiver));
        }
        for argument in arguments(call) {
            self.operand(&bare(argument));
        }
    }
}

impl<'pr> Visit<'pr> for DependencyCollector<'_> {
    fn visit(&mut self, node: &Node<'pr>) {
        let call = node.as_call_node();
        let has_block = |call: &CallNode<'_>| call.block().is_some();
        if call.as_ref().is_some_and(has_block) || is_change(node, true) {
            self.changes = true;
            return self.visit_locals(node);
        }
        self.note_local(node);
        if let Some(name) = reached_through(node) {
            self.add_name(name, false);
        }
        match call.filter(|call| call.receiver().is_some() && is_comparison(called(call))) {
            Some(call) => self.visit_operands(&call),
            None => visit_children(self, node),
        }
    }
}

/// Whether the method depends only on its operands themselves.
fn is_comparison(name: &str) -> bool {
    let is_operator = matches!(name, "==" | "!=" | "===" | "<" | "<=" | ">" | ">=" | "!");
    is_operator
        || matches!(
            name,
            "nil?" | "is_a?" | "kind_of?" | "instance_of?" | "between?"
        )
}

/// The name through which this node itself reaches an object.
pub(in crate::ruby) fn reached_through<'pr>(node: &Node<'pr>) -> Option<&'pr str> {
    if let Some(read) = node.as_local_variable_read_node() {
        return Some(text(read.name().as_slice()));
    }
    if let Some(call) = node.as_call_node() {
        return call.receiver().is_none().then_some(SELF);
    }
    if node.as_self_node().is_some()
        || node.as_instance_variable_read_node().is_some()
        || node.as_class_variable_read_node().is_some()
        || is_write_of_instance_variable(node)
    {
        return Some(SELF);
    }
    variable(node).or_else(|| constant(node))
}
