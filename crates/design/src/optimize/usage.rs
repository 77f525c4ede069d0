//! Names whose objects a stub cannot replace: rule W8.

use std::collections::BTreeSet;

use ruby_prism::{CallNode, Node, Visit};

use crate::ruby::syntax::{argument, arguments, called, literal_text, visit_children};

/// The names that are asked for an id, saved through, queried for, or handed to a job or a service.
pub(super) fn persisted_names(program: &Node<'_>) -> BTreeSet<String> {
    let mut usage = Usage::default();
    usage.visit(program);
    // What another name of an object is asked, the object is asked.
    while let Some(at) = usage
        .others
        .iter()
        .position(|(other, _)| usage.names.contains(other))
    {
        let (_, object) = usage.others.remove(at);
        usage.names.insert(object);
    }
    usage.names
}

#[derive(Default)]
struct Usage {
    names: BTreeSet<String>,
    /// Other names of objects: `let(:owner) { user }`.
    others: Vec<(String, String)>,
}

impl Usage {
    fn call(&mut self, call: &CallNode<'_>) {
        let method = called(call);
        if matches!(method, "let" | "let!" | "subject" | "subject!") {
            self.others.extend(other_name(call));
        }
        let asks_for_a_row = matches!(method, "id" | "persisted?" | "saved?" | "reload");
        if asks_for_a_row {
            self.names.extend(call.receiver().as_ref().and_then(name));
        }
        if matches!(method, "create" | "create!" | "build" | "<<" | "push") {
            let owner = call
                .receiver()
                .and_then(|association| association.as_call_node()?.receiver());
            self.names.extend(owner.as_ref().and_then(name));
        }
        let hands_over = matches!(method, "where" | "find_by" | "find_by!")
            || method.starts_with("perform")
            || method == "call" && call.receiver().is_some();
        if hands_over {
            for argument in arguments(call) {
                let mut inside = Inside(&mut self.names);
                inside.visit(&argument);
            }
        }
    }
}

impl<'pr> Visit<'pr> for Usage {
    fn visit(&mut self, node: &Node<'pr>) {
        if let Some(call) = node.as_call_node() {
            self.call(&call);
        }
        visit_children(self, node);
    }
}

/// `owner` and `user` of `let(:owner) { user }`.
fn other_name(call: &CallNode<'_>) -> Option<(String, String)> {
    let body = call.block()?.as_block_node()?.body()?;
    let only = body.as_statements_node()?.body().first()?;
    let own = argument(call).as_ref().and_then(literal_text);
    Some((own.unwrap_or_else(|| "subject".to_owned()), name(&only)?))
}

/// Every name in an expression.
struct Inside<'n>(&'n mut BTreeSet<String>);

impl<'pr> Visit<'pr> for Inside<'_> {
    fn visit(&mut self, node: &Node<'pr>) {
        self.0.extend(name(node));
        visit_children(self, node);
    }
}

/// A bare name: what a `let` defines.
fn name(node: &Node<'_>) -> Option<String> {
    let call = node.as_call_node()?;
    let is_bare = call.receiver().is_none() && call.arguments().is_none() && call.block().is_none();
    is_bare.then(|| called(&call).to_owned())
}
