//! Scans the body of a method once, for all collectors that only need its nodes.

use ruby_prism::{CallNode, DefNode, Node, Visit};

use crate::ruby::condition::boolean_names::Assignments;
use crate::ruby::method::parameter_class::ParameterClasses;
use crate::ruby::method::side_effects::SideEffects;
use crate::ruby::method::test_level::MethodDependencies;
use crate::ruby::syntax::node::called;
use crate::ruby::syntax::traverse::{clone_handle, visit_children};

/// Greater than in any real program; protects against stack overflow on generated code.
pub(in crate::ruby::method) const MAX_DEPTH: usize = 4_000;

/// What was collected in a method, without the methods defined inside it.
#[derive(Default)]
pub(crate) struct BodyScan<'pr> {
    pub(crate) assignments: Assignments<'pr>,
    pub(crate) dependencies: MethodDependencies<'pr>,
    pub(crate) side_effects: SideEffects,
    pub(crate) classes: ParameterClasses<'pr>,
    /// The offset of the last conditional.
    pub(crate) last_conditional: Option<u32>,
    /// Methods and `class << self` inside it.
    pub(in crate::ruby::method) nested: Vec<Node<'pr>>,
    /// Whether the code is nested too deeply to be visited.
    pub(in crate::ruby::method) is_too_deep: bool,
    depth: usize,
}

impl<'pr> BodyScan<'pr> {
    /// Scans the body of a method at this depth.
    pub(in crate::ruby::method) fn at(method: &DefNode<'pr>, depth: usize) -> BodyScan<'pr> {
        let mut scan = BodyScan {
            depth,
            ..BodyScan::default()
        };
        if let Some(body) = method.body() {
            scan.visit(&body);
        }
        scan
    }

    /// Records a node that is not a call.
    fn record(&mut self, node: &Node<'pr>) {
        self.assignments.record(node);
        self.dependencies.record(node);
        self.classes.record(node);
        if is_conditional(node) {
            let offset = node.location().start();
            self.last_conditional = self.last_conditional.max(Some(offset));
        }
    }
}

impl<'pr> Visit<'pr> for BodyScan<'pr> {
    fn visit(&mut self, node: &Node<'pr>) {
        if self.depth > MAX_DEPTH {
            self.is_too_deep = true;
            return;
        }
        self.depth += 1;
        if let Some(call) = node.as_call_node() {
            self.visit_call_node(&call);
        } else if node.as_def_node().is_some() {
            self.nested.push(clone_handle(node));
        } else {
            if node.as_singleton_class_node().is_some() {
                self.nested.push(clone_handle(node));
            }
            self.record(node);
            visit_children(self, node);
        }
        self.depth -= 1;
    }

    fn visit_call_node(&mut self, node: &CallNode<'pr>) {
        let name = called(node);
        self.dependencies.call(name, node);
        self.side_effects.call(name, node);
        self.classes.call(name, node);
        ruby_prism::visit_call_node(self, node);
    }
}

fn is_conditional(node: &Node<'_>) -> bool {
    matches!(
        node,
        Node::IfNode { .. }
            | Node::UnlessNode { .. }
            | Node::CaseNode { .. }
            | Node::CaseMatchNode { .. }
            | Node::AndNode { .. }
            | Node::OrNode { .. }
    )
}
