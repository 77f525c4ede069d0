//! Stubs and doubles: of what is tested, of every instance, of nothing in particular.

use ruby_prism::{CallNode, Node};

use super::super::Review;
use super::super::roles::SpecRoles;
use crate::ruby::syntax::{argument, called, line, mentioned, source};

/// What persistence does by itself.
const PERSISTENCE: [&str; 6] = ["save", "save!", "create", "create!", "update", "update!"];

pub(super) fn check(call: &CallNode<'_>, cast: &SpecRoles, review: &mut Review) {
    let name = called(call);
    let has_receiver = call.receiver().is_some();
    let (slug, issue) = match name {
        "allow_any_instance_of" | "expect_any_instance_of" | "any_instance" => {
            ("any-instance", format!("{name} is used"))
        }
        "should" | "should_not" if has_receiver => ("should-syntax", format!(".{name} is used")),
        "double" if !has_receiver && !cast.lets.iter().any(|known| known == name) => {
            ("plain-double", "a plain double is used".to_owned())
        }
        "instance_variable_get" => ("stub-own-method", "an instance variable is read".to_owned()),
        "send" | "__send__" if has_receiver && names_method(call) => (
            "stub-own-method",
            "a method is called past its visibility".to_owned(),
        ),
        "to" | "not_to" | "to_not" => match stubbed(call, cast) {
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

/// What is wrong with `allow(target).to receive(…)`.
fn stubbed(call: &CallNode<'_>, cast: &SpecRoles) -> Option<String> {
    let allow = call.receiver()?.as_call_node()?;
    let is_head = matches!(called(&allow), "allow" | "expect") && allow.receiver().is_none();
    let target = argument(&allow).filter(|_| is_head)?;
    let receive = receive(&argument(call)?)?;
    let methods = mentioned(&receive);
    if is_tested(&target, cast) {
        return Some("the object under test is stubbed".to_owned());
    }
    let name = source(&target);
    let method = methods
        .into_iter()
        .find(|method| PERSISTENCE.contains(&method.as_str()))
        .filter(|_| !cast.doubles.contains(&name))?;
    Some(format!("receive(:{method}) stubs what persistence does"))
}

/// `receive(:x)` of `receive(:x).with(1).and_return(2)`.
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

/// `subject`, its name, `described_class`, `described_class.new`.
fn is_tested(target: &Node<'_>, cast: &SpecRoles) -> bool {
    let text = source(target);
    let is_made = text.starts_with("described_class.new");
    is_made || cast.tested.contains(&text)
}
