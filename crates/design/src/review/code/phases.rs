//! Checks that setup, action and expectation are separate.

use ruby_prism::{CallNode, Node, StatementsNode, Visit};

use super::super::Review;
use super::super::roles::SpecRoles;
use crate::ruby::syntax::{
    argument, assignment, called, constant, line, literal_text, visit_children,
};

/// Reports a hook that assigns instance variables, or that both creates records and runs the subject.
pub(super) fn hook(call: &CallNode<'_>, roles: &SpecRoles, review: &mut Review) {
    let Some(block) = call.block() else { return };
    let mut phases = Phases {
        roles,
        assigns: false,
        makes: false,
        acts: false,
    };
    phases.visit(&block);
    let issue = if phases.assigns {
        "instance variables are assigned in a hook"
    } else if phases.makes && phases.acts {
        "records are created and the subject is run in one hook"
    } else {
        return;
    };
    review.add("phases", line(&call.as_node()), issue);
}

/// Whether an example assigns an object that belongs in a `let`: `user = build(:user)`.
pub(super) fn assigns_setup(node: &Node<'_>) -> bool {
    assignment(node)
        .and_then(|(_, value)| value.as_call_node())
        .is_some_and(|call| is_factory(&call) || is_new(&call))
}

/// Statements of an example that create records without assigning them.
pub(super) fn records_created_in<'pr>(example: &CallNode<'pr>) -> Vec<Node<'pr>> {
    let body = example
        .block()
        .and_then(|block| block.as_block_node())
        .and_then(|block| block.body())
        .and_then(|body| body.as_statements_node());
    let is_made = |node: &Node<'_>| node.as_call_node().is_some_and(|call| is_factory(&call));
    body.map(|body| body.body().iter().filter(is_made).collect())
        .unwrap_or_default()
}

struct Phases<'c> {
    roles: &'c SpecRoles,
    assigns: bool,
    makes: bool,
    acts: bool,
}

impl<'pr> Visit<'pr> for Phases<'_> {
    fn visit(&mut self, node: &Node<'pr>) {
        self.assigns |= node.as_instance_variable_write_node().is_some()
            || node.as_instance_variable_or_write_node().is_some()
            || node.as_instance_variable_target_node().is_some();
        self.makes |= node.as_call_node().is_some_and(|call| is_factory(&call));
        if let Some(statements) = node.as_statements_node() {
            self.acts |= acts(&statements, self.roles);
        }
        visit_children(self, node);
    }
}

/// Whether one of these statements runs the object under test.
fn acts(statements: &StatementsNode<'_>, roles: &SpecRoles) -> bool {
    let mut all = statements.body().iter();
    all.any(|statement| {
        let value = assignment(&statement).map(|(_, value)| value);
        let call = value.unwrap_or(statement).as_call_node();
        call.is_some_and(|call| is_action(&call, roles))
    })
}

fn is_action(call: &CallNode<'_>, roles: &SpecRoles) -> bool {
    let name = called(call);
    let is_known = |names: &[String], name: &str| names.iter().any(|known| known == name);
    let Some(receiver) = call.receiver() else {
        let is_request = matches!(name, "get" | "post" | "put" | "patch" | "delete")
            && call.arguments().is_some();
        return is_request || is_known(&roles.subjects, name);
    };
    let Some(inner) = receiver.as_call_node() else {
        return false;
    };
    if inner.receiver().is_none() && is_known(&roles.tested, called(&inner)) {
        return name != "new" && !name.ends_with('=');
    }
    is_action(&inner, roles)
}

/// `create(:user)`, `FactoryBot.build(:user)`.
fn is_factory(call: &CallNode<'_>) -> bool {
    matches!(
        called(call),
        "create" | "build" | "build_stubbed" | "create_list" | "build_list" | "create_pair"
    ) && names_factory(call)
}

/// Whether a call creates rows in the database.
pub(super) fn makes_row(call: &CallNode<'_>) -> bool {
    matches!(called(call), "create" | "create_list" | "create_pair") && names_factory(call)
}

fn names_factory(call: &CallNode<'_>) -> bool {
    let receiver = call.receiver();
    let is_factory_bot = receiver.is_none()
        || matches!(
            receiver.as_ref().and_then(constant),
            Some("FactoryBot" | "FactoryGirl")
        );
    is_factory_bot && argument(call).as_ref().and_then(literal_text).is_some()
}

fn is_new(call: &CallNode<'_>) -> bool {
    called(call) == "new" && call.receiver().as_ref().and_then(constant).is_some()
}
