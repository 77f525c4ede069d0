//! Finds names whose records must be saved: rule W8.

use std::collections::BTreeSet;

use ruby_prism::{CallNode, Node, Visit};

use crate::ruby::syntax::{argument, arguments, called, literal_text, visit_children};

/// The names whose id is read, that own new records, that are used in queries, or that are passed to a job or a service.
pub(super) fn persisted_names(program: &Node<'_>) -> BTreeSet<String> {
    let mut usage = Usage::default();
    usage.visit(program);
    // A use of an alias is a use of the object.
    while let Some(at) = usage
        .aliases
        .iter()
        .position(|(other, _)| usage.names.contains(other))
    {
        let (_, object) = usage.aliases.remove(at);
        usage.names.insert(object);
    }
    usage.names
}

#[derive(Default)]
struct Usage {
    names: BTreeSet<String>,
    /// Aliases of objects: `let(:owner) { user }`.
    aliases: Vec<(String, String)>,
}

impl Usage {
    fn call(&mut self, call: &CallNode<'_>) {
        let method = called(call);
        if matches!(method, "let" | "let!" | "subject" | "subject!") {
            self.aliases.extend(alias(call));
        }
        let needs_id = matches!(method, "id" | "persisted?" | "saved?" | "reload");
        if needs_id {
            self.names.extend(call.receiver().as_ref().and_then(name));
        }
        if matches!(method, "create" | "create!" | "build" | "<<" | "push") {
            let owner = call
                .receiver()
                .and_then(|association| association.as_call_node()?.receiver());
            self.names.extend(owner.as_ref().and_then(name));
        }
        let passes_records = matches!(method, "where" | "find_by" | "find_by!")
            || method.starts_with("perform")
            || method == "call" && call.receiver().is_some();
        if passes_records {
            for argument in arguments(call) {
                let mut collector = NameCollector(&mut self.names);
                collector.visit(&argument);
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

/// The alias and its object: `owner` and `user` for `let(:owner) { user }`.
fn alias(call: &CallNode<'_>) -> Option<(String, String)> {
    let body = call.block()?.as_block_node()?.body()?;
    let only = body.as_statements_node()?.body().first()?;
    let own = argument(call).as_ref().and_then(literal_text);
    Some((own.unwrap_or_else(|| "subject".to_owned()), name(&only)?))
}

/// Collects every name in an expression.
struct NameCollector<'n>(&'n mut BTreeSet<String>);

impl<'pr> Visit<'pr> for NameCollector<'_> {
    fn visit(&mut self, node: &Node<'pr>) {
        self.0.extend(name(node));
        visit_children(self, node);
    }
}

/// A bare name, such as one that `let` defines.
fn name(node: &Node<'_>) -> Option<String> {
    let call = node.as_call_node()?;
    let is_bare = call.receiver().is_none() && call.arguments().is_none() && call.block().is_none();
    is_bare.then(|| called(&call).to_owned())
}
