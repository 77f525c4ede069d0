//! Scans the body of a method once, for all collectors that only need its nodes.

use ruby_prism::{CallNode, DefNode, Node, Visit};

use crate::ruby::condition::boolean_names::Assignments;
use crate::ruby::method::parameter_class::ParameterClasses;
use crate::ruby::method::side_effects::SideEffects;
use crate::ruby::method::test_level::MethodDependencies;
use crate::ruby::syntax::node::called;
use crate::ruby::syntax::traverse::visit_children;

/// What was collected in a method, without the methods defined inside it.
#[derive(Default)]
pub(crate) struct BodyScan<'pr> {
    pub(crate) assignments: Assignments<'pr>,
    pub(crate) dependencies: MethodDependencies,
    pub(crate) side_effects: SideEffects,
    pub(crate) classes: ParameterClasses,
}

impl<'pr> BodyScan<'pr> {
    /// Scans the body of a method.
    pub(crate) fn at(method: &DefNode<'pr>) -> BodyScan<'pr> {
        let mut scan = BodyScan::default();
        if let Some(body) = method.body() {
            scan.visit(&body);
        }
        scan
    }
}

impl<'pr> Visit<'pr> for BodyScan<'pr> {
    fn visit(&mut self, node: &Node<'pr>) {
        if let Some(call) = node.as_call_node() {
            self.visit_call_node(&call);
        } else {
            self.assignments.record(node);
            self.dependencies.record(node);
            self.classes.record(node);
            visit_children(self, node);
        }
    }

    fn visit_call_node(&mut self, node: &CallNode<'pr>) {
        let name = called(node);
        self.dependencies.call(name, node);
        self.side_effects.call(name, node);
        self.classes.call(name, node);
        ruby_prism::visit_call_node(self, node);
    }

    fn visit_def_node(&mut self, _: &DefNode<'pr>) {}
}
