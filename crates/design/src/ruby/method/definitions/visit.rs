//! Visits a file and collects its classes, modules and methods.

use std::sync::Arc;

use ruby_prism::{
    CallNode, ClassNode, ConstantWriteNode, DefNode, ModuleNode, Node, SingletonClassNode, Visit,
};

use crate::ruby::branch::state_machine::StateMachine;
use crate::ruby::condition::sample_values::list;
use crate::ruby::method::body_scan::{BodyScan, MAX_DEPTH};
use crate::ruby::method::definitions::{Definitions, Scope, Visibility};
use crate::ruby::syntax::node::{called, constant, source, text};
use crate::ruby::syntax::traverse::visit_children;

impl<'pr> Visit<'pr> for Definitions<'pr> {
    fn visit(&mut self, node: &Node<'pr>) {
        if self.depth > MAX_DEPTH {
            self.is_too_deep = true;
            return;
        }
        self.depth += 1;
        // One match for most nodes, because this runs for every node.
        if !may_define(node) {
            visit_children(self, node);
        } else if let Some(class) = node.as_class_node() {
            self.visit_class_node(&class);
        } else if let Some(module) = node.as_module_node() {
            self.visit_module_node(&module);
        } else if let Some(singleton) = node.as_singleton_class_node() {
            self.visit_singleton_class_node(&singleton);
        } else if let Some(method) = node.as_def_node() {
            self.visit_def_node(&method);
        } else if let Some(call) = node.as_call_node() {
            self.visit_call_node(&call);
        } else if let Some(write) = node.as_constant_write_node() {
            self.visit_constant_write_node(&write);
        }
        self.depth -= 1;
    }

    fn visit_class_node(&mut self, node: &ClassNode<'pr>) {
        let scope = Scope {
            path: self.path(&node.constant_path()),
            superclass: node.superclass().map(|superclass| source(&superclass)),
            ..Scope::default()
        };
        self.visit_scope(scope, node.body());
    }

    fn visit_module_node(&mut self, node: &ModuleNode<'pr>) {
        let scope = Scope {
            path: self.path(&node.constant_path()),
            is_module: true,
            ..Scope::default()
        };
        self.visit_scope(scope, node.body());
    }

    fn visit_singleton_class_node(&mut self, node: &SingletonClassNode<'pr>) {
        if node.expression().as_self_node().is_some() {
            let scope = Scope {
                is_singleton: true,
                visibility: Visibility::Public,
                ..self.scope()
            };
            self.visit_scope(scope, node.body());
        }
    }

    fn visit_def_node(&mut self, node: &DefNode<'pr>) {
        let mut scan = BodyScan::at(node, self.depth);
        self.is_too_deep |= scan.is_too_deep;
        let nested = std::mem::take(&mut scan.nested);
        if self.inside_method == 0 {
            self.define(node, scan);
        }
        self.inside_method += 1;
        for definition in &nested {
            self.visit(definition);
        }
        self.inside_method -= 1;
    }

    fn visit_call_node(&mut self, node: &CallNode<'pr>) {
        let is_class_methods =
            node.receiver().is_none() && called(node) == "class_methods" && node.block().is_some();
        if is_class_methods {
            let scope = Scope {
                is_singleton: true,
                visibility: Visibility::Public,
                ..self.scope()
            };
            return self.visit_scope(scope, node.block());
        }
        if let Some(machine) = StateMachine::declared(node) {
            self.machines.push(machine);
        }
        // Arguments first: in `private def name` the method must be defined before it is made private.
        ruby_prism::visit_call_node(self, node);
        if node
            .receiver()
            .is_none_or(|receiver| receiver.as_self_node().is_some())
        {
            self.declare(node);
        }
    }

    /// `Point = Struct.new(:x) do … end` also defines a class.
    fn visit_constant_write_node(&mut self, node: &ConstantWriteNode<'pr>) {
        let block = node
            .value()
            .as_call_node()
            .filter(|call| matches!(called(call), "new" | "define"))
            .filter(|call| {
                let receiver = call.receiver();
                matches!(
                    receiver.as_ref().and_then(constant),
                    Some("Struct" | "Class" | "Module" | "Data")
                )
            })
            .and_then(|call| call.block());
        let name = text(node.name().as_slice());
        let path = match self.scopes.last() {
            Some(scope) => format!("{}::{name}", scope.path),
            None => name.to_owned(),
        };
        let Some(block) = block else {
            if node.value().as_integer_node().is_some()
                && let Ok(number) = source(&node.value()).replace('_', "").parse()
            {
                Arc::make_mut(&mut self.numbers).push((path.clone(), number));
            }
            if let Some(members) = list(&node.value()) {
                Arc::make_mut(&mut self.lists).push((path.clone(), members));
            }
            Arc::make_mut(&mut self.constants).push(path);
            return ruby_prism::visit_constant_write_node(self, node);
        };
        self.visit_scope(
            Scope {
                path,
                ..Scope::default()
            },
            Some(block),
        );
    }
}

/// Whether a node may define something itself, not only in its children.
fn may_define(node: &Node<'_>) -> bool {
    matches!(
        node,
        Node::ClassNode { .. }
            | Node::ModuleNode { .. }
            | Node::SingletonClassNode { .. }
            | Node::DefNode { .. }
            | Node::CallNode { .. }
            | Node::ConstantWriteNode { .. }
    )
}
