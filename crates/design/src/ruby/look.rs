//! One way through the body of a method, for all who only look at it.

use ruby_prism::{CallNode, DefNode, Node, Visit};

use super::children::visit_children;
use super::flags::Assigned;
use super::level::Surroundings;
use super::reach::Reach;

/// What is seen in a method, but not in one that it defines.
#[derive(Default)]
pub(crate) struct Look<'pr> {
    pub(crate) assigned: Assigned<'pr>,
    pub(crate) surroundings: Surroundings,
    pub(crate) reach: Reach,
}

impl<'pr> Look<'pr> {
    /// At the body of that method.
    pub(crate) fn at(method: &DefNode<'pr>) -> Look<'pr> {
        let mut look = Look::default();
        if let Some(body) = method.body() {
            look.visit(&body);
        }
        look
    }
}

impl<'pr> Visit<'pr> for Look<'pr> {
    fn visit(&mut self, node: &Node<'pr>) {
        if let Some(call) = node.as_call_node() {
            self.visit_call_node(&call);
        } else {
            self.assigned.look(node);
            self.surroundings.look(node);
            visit_children(self, node);
        }
    }

    fn visit_call_node(&mut self, node: &CallNode<'pr>) {
        self.surroundings.call(node);
        self.reach.call(node);
        ruby_prism::visit_call_node(self, node);
    }

    fn visit_def_node(&mut self, _: &DefNode<'pr>) {}
}
