//! Setup, action and expectation: whether they are kept apart.

use ruby_prism::{CallNode, Node, StatementsNode, Visit};

use super::super::Review;
use super::super::roles::SpecRoles;
use crate::ruby::syntax::{
    argument, assignment, called, constant, line, literal_text, visit_children,
};

/// A hook that assigns, or that makes records and acts, mixes phases.
pub(super) fn hook(call: &CallNode<'_>, cast: &SpecRoles, review: &mut Review) {
    let Some(block) = call.block() else { return };
    let mut phases = Phases {
        cast,
        assigns: false,
        makes: false,
        acts: false,
    };
    phases.visit(&block);
    let issue = if phases.assigns {
        "instance variables are assigned in a hook"
    } else if phases.makes && phases.acts {
        "records are made and the subject is run in one hook"
    } else {
        return;
    };
    review.add("phases", line(&call.as_node()), issue);
}

/// Whether an example gives a name to what belongs into a `let`: `user = build(:user)`.
pub(super) fn assigns_setup(node: &Node<'_>) -> bool {
    assignment(node)
        .and_then(|(_, value)| value.as_call_node())
        .is_some_and(|call| is_factory(&call) || is_new(&call))
}

/// Records that an example makes without a name for them.
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
    cast: &'c SpecRoles,
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
            self.acts |= acts(&statements, self.cast);
        }
        visit_children(self, node);
    }
}

/// Whether one of these statements runs what is tested.
fn acts(statements: &StatementsNode<'_>, cast: &SpecRoles) -> bool {
    let mut all = statements.body().iter();
    all.any(|statement| {
        let value = assignment(&statement).map(|(_, value)| value);
        let call = value.unwrap_or(statement).as_call_node();
        call.is_some_and(|call| is_action(&call, cast))
    })
}

fn is_action(call: &CallNode<'_>, cast: &SpecRoles) -> bool {
    let name = called(call);
    let is_known = |names: &[String], name: &str| names.iter().any(|known| known == name);
    let Some(receiver) = call.receiver() else {
        let is_request = matches!(name, "get" | "post" | "put" | "patch" | "delete")
            && call.arguments().is_some();
        return is_request || is_known(&cast.subjects, name);
    };
    let Some(asked) = receiver.as_call_node() else {
        return false;
    };
    if asked.receiver().is_none() && is_known(&cast.tested, called(&asked)) {
        return name != "new" && !name.ends_with('=');
    }
    is_action(&asked, cast)
}

/// `create(:user)`, `FactoryBot.build(:user)`.
fn is_factory(call: &CallNode<'_>) -> bool {
    matches!(
        called(call),
        "create" | "build" | "build_stubbed" | "create_list" | "build_list" | "create_pair"
    ) && names_factory(call)
}

/// Whether a call leaves rows in the database.
pub(super) fn makes_row(call: &CallNode<'_>) -> bool {
    matches!(called(call), "create" | "create_list" | "create_pair") && names_factory(call)
}

fn names_factory(call: &CallNode<'_>) -> bool {
    let receiver = call.receiver();
    let is_ours = receiver.is_none()
        || matches!(
            receiver.as_ref().and_then(constant),
            Some("FactoryBot" | "FactoryGirl")
        );
    is_ours && argument(call).as_ref().and_then(literal_text).is_some()
}

fn is_new(call: &CallNode<'_>) -> bool {
    called(call) == "new" && call.receiver().as_ref().and_then(constant).is_some()
}
