//! Checks stubs and doubles: of the object under test, of any instance, and without a class.

use ruby_prism::{CallNode, Node};

use super::super::Review;
use super::super::roles::SpecRoles;
use crate::ruby::syntax::{argument, called, line, mentioned, source};

/// Methods that save records.
const PERSISTENCE: [&str; 6] = ["save", "save!", "create", "create!", "update", "update!"];

pub(super) fn check(call: &CallNode<'_>, roles: &SpecRoles, review: &mut Review) {
    let name = called(call);
    let has_receiver = call.receiver().is_some();
    let (slug, issue) = match name {
        "allow_any_instance_of" | "expect_any_instance_of" | "any_instance" => {
            ("any-instance", format!("{name} is used"))
        }
        "should" | "should_not" if has_receiver => ("should-syntax", format!(".{name} is used")),
        "double" if !has_receiver && !roles.lets.iter().any(|known| known == name) => {
            ("plain-double", "a plain double is used".to_owned())
        }
        "instance_variable_get" => ("stub-own-method", "an instance variable is read".to_owned()),
        "send" | "__send__" if has_receiver && names_method(call) => (
            "stub-own-method",
            "a method is called regardless of its visibility".to_owned(),
        ),
        "to" | "not_to" | "to_not" => match stubbed(call, roles) {
            Some(issue) => ("stub-own-method", issue),
            None => return,
        },
        _ => return,
    };
    review.add(slug, line(&call.as_node()), issue);
}

fn names_method(call: &CallNode<'_>) -> bool {
    argument(call).is_some_and(|name| name.as_symbol_node().is_some())
}

/// The issue with `allow(target).to receive(…)`, if any.
fn stubbed(call: &CallNode<'_>, roles: &SpecRoles) -> Option<String> {
    let allow = call.receiver()?.as_call_node()?;
    let is_head = matches!(called(&allow), "allow" | "expect") && allow.receiver().is_none();
    let target = argument(&allow).filter(|_| is_head)?;
    let receive = receive(&argument(call)?)?;
    let methods = mentioned(&receive);
    if is_tested(&target, roles) {
        return Some("the object under test is stubbed".to_owned());
    }
    let name = source(&target);
    let method = methods
        .into_iter()
        .find(|method| PERSISTENCE.contains(&method.as_str()))
        .filter(|_| !roles.doubles.contains(&name))?;
    Some(format!("receive(:{method}) stubs persistence"))
}

/// The innermost call: `receive(:x)` of `receive(:x).with(1).and_return(2)`.
fn receive<'pr>(node: &Node<'pr>) -> Option<CallNode<'pr>> {
    let call = node.as_call_node()?;
    match call.receiver() {
        Some(inner) => receive(&inner),
        None => matches!(
            called(&call),
            "receive" | "receive_messages" | "receive_message_chain"
        )
        .then_some(call),
    }
}

/// Whether this is `subject`, a named subject, `described_class` or `described_class.new`.
fn is_tested(target: &Node<'_>, roles: &SpecRoles) -> bool {
    let text = source(target);
    let is_made = text.starts_with("described_class.new");
    is_made || roles.tested.contains(&text)
}
