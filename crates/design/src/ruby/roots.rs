//! The names that conditions and calls reach objects through: the variables, constants and `self` at the bottom of them.

use ruby_prism::{CallNode, Node, Visit};

use super::changes::{Change, is_write_of_instance_variable};
use super::children::visit_children;
use super::node::{arguments, bare, called, constant, text, variable};

/// No variable has this name.
pub(super) const ITSELF: &str = "self";

/// What a condition reaches its answer through.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    pub(crate) name: String,
    /// Whether the variable itself is compared: then nobody who is only given it changes the answer.
    pub(super) is_plain: bool,
}

/// What a condition reaches its answer through; none where the next answer may be another one without more ado.
pub(crate) fn roots(condition: &Node<'_>) -> Option<Vec<Root>> {
    let mut asked = Asked {
        roots: Vec::new(),
        changes: false,
    };
    asked.operand(condition);
    (!asked.changes).then_some(asked.roots)
}

/// Those of several conditions together.
pub(crate) fn all_roots<'a>(each: impl Iterator<Item = Option<&'a [Root]>>) -> Option<Vec<Root>> {
    let each: Option<Vec<&[Root]>> = each.collect();
    each.map(|each| each.concat())
}

struct Asked {
    roots: Vec<Root>,
    changes: bool,
}

impl Asked {
    /// What is compared.
    fn operand(&mut self, node: &Node<'_>) {
        let is_plain = node.as_local_variable_read_node().is_some() || constant(node).is_some();
        match reached_through(node).filter(|_| is_plain) {
            Some(name) => self.through(name, true),
            None => self.visit(node),
        }
    }

    fn through(&mut self, name: &str, is_plain: bool) {
        self.roots.push(Root {
            name: name.to_owned(),
            is_plain,
        });
    }

    fn compared(&mut self, call: &CallNode<'_>) {
        if let Some(receiver) = call.receiver() {
            self.operand(&bare(receiver));
        }
        for argument in arguments(call) {
            self.operand(&bare(argument));
        }
    }
}

impl<'pr> Visit<'pr> for Asked {
    fn visit(&mut self, node: &Node<'pr>) {
        let call = node.as_call_node();
        let has_block = |call: &CallNode<'_>| call.block().is_some();
        if call.as_ref().is_some_and(has_block) || Change::of(node, true).is_some() {
            self.changes = true;
            return;
        }
        if let Some(name) = reached_through(node) {
            self.through(name, false);
        }
        match call.filter(|call| call.receiver().is_some() && compares(called(call))) {
            Some(call) => self.compared(&call),
            None => visit_children(self, node),
        }
    }
}

/// Whether it looks at nothing but the values themselves.
fn compares(name: &str) -> bool {
    let is_comparison = matches!(name, "==" | "!=" | "===" | "<" | "<=" | ">" | ">=" | "!");
    is_comparison
        || matches!(
            name,
            "nil?" | "is_a?" | "kind_of?" | "instance_of?" | "between?"
        )
}

/// The name through which this very node reaches an object.
fn reached_through<'pr>(node: &Node<'pr>) -> Option<&'pr str> {
    if let Some(read) = node.as_local_variable_read_node() {
        return Some(text(read.name().as_slice()));
    }
    if let Some(call) = node.as_call_node() {
        return call.receiver().is_none().then_some(ITSELF);
    }
    if node.as_self_node().is_some()
        || node.as_instance_variable_read_node().is_some()
        || node.as_class_variable_read_node().is_some()
        || is_write_of_instance_variable(node)
    {
        return Some(ITSELF);
    }
    variable(node).or_else(|| constant(node))
}

/// All names in an expression.
pub(super) fn names(node: &Node<'_>) -> Vec<String> {
    let mut names = Names::default();
    names.visit(node);
    names.0
}

#[derive(Default)]
pub(super) struct Names(pub(super) Vec<String>);

impl<'pr> Visit<'pr> for Names {
    fn visit(&mut self, node: &Node<'pr>) {
        self.0.extend(reached_through(node).map(ToOwned::to_owned));
        visit_children(self, node);
    }
}
