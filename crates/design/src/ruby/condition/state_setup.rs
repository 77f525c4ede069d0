//! How a test brings about a state (format 2.0, rule L3): first derived from the condition alone, then from the class.

use ruby_prism::{CallNode, Node, Visit};

use crate::characteristic::{Characteristic, ExternalCall, Setup, SetupKind};
use crate::ruby::branch::state_machine::StateMachine;
use crate::ruby::method::parameter::Parameter;
use crate::ruby::method::side_effects::is_http_client;
use crate::ruby::method::test_level::{class_path, is_program_class};
use crate::ruby::syntax::node::{bare, called, constant, is_constant, text};
use crate::ruby::syntax::traverse::visit_children;

/// The setup of a condition. `resolve_setup` decides later whether the data belongs to a record.
pub(crate) fn of(node: &Node<'_>) -> Setup {
    let mut scan = SetupScan::default();
    scan.visit(node);
    let kind = if scan.request || scan.bang || scan.outside {
        SetupKind::Action
    } else {
        SetupKind::Data
    };
    Setup {
        kind,
        class: None,
        of_record: !scan.request && (scan.bang || !scan.outside),
        variable: match scan.root {
            Some(Root::Variable(name)) => Some(name),
            Some(Root::Own) | None => None,
        },
        external: external(node),
    }
}

/// The call on another class with which an expression starts.
fn external(node: &Node<'_>) -> Option<ExternalCall> {
    let call = node.as_call_node()?;
    let receiver = bare(call.receiver()?);
    if !is_constant(&receiver) {
        return external(&receiver);
    }
    let class = class_path(&receiver);
    is_program_class(class).then(|| ExternalCall {
        class: class.to_owned(),
        method: called(&call).to_owned(),
    })
}

/// The subject of a condition: the first node in it that is neither a literal nor a constant.
enum Root {
    Own,
    Variable(String),
}

#[derive(Default)]
struct SetupScan {
    request: bool,
    bang: bool,
    /// The clock, or data from outside the program.
    outside: bool,
    root: Option<Root>,
}

impl<'pr> Visit<'pr> for SetupScan {
    fn visit(&mut self, node: &Node<'pr>) {
        if let Some(call) = node.as_call_node() {
            self.call(&call);
        }
        if self.root.is_none() {
            self.root = root(node);
        }
        self.outside |= constant(node).is_some_and(|name| is_external(name, node));
        visit_children(self, node);
    }
}

impl SetupScan {
    fn call(&mut self, call: &CallNode<'_>) {
        let name = called(call);
        self.request |= call.receiver().is_none() && matches!(name, "session" | "cookies");
        self.bang |= name.len() > 1 && name.ends_with('!');
        self.outside |= is_relative_to_now(name);
    }
}

fn root(node: &Node<'_>) -> Option<Root> {
    if let Some(read) = node.as_local_variable_read_node() {
        return Some(Root::Variable(text(read.name().as_slice()).to_owned()));
    }
    let is_own = node.as_instance_variable_read_node().is_some()
        || node.as_self_node().is_some()
        || node
            .as_call_node()
            .is_some_and(|call| call.receiver().is_none());
    is_own.then_some(Root::Own)
}

/// Whether a method compares with the current time or counts from it.
fn is_relative_to_now(method: &str) -> bool {
    matches!(
        method,
        "ago" | "from_now" | "past?" | "future?" | "today?" | "yesterday?" | "tomorrow?"
    )
}

/// Whether a constant is the clock, the environment, a file API or an HTTP client.
fn is_external(name: &str, node: &Node<'_>) -> bool {
    matches!(
        name,
        "Time" | "Date" | "DateTime" | "ENV" | "ARGV" | "STDIN" | "File" | "Dir" | "IO"
    ) || name != "Client" && is_http_client(class_path(node))
}

/// Refines setups by the class of the method: data of a record is created by its factory, and a state with guards or
/// callbacks is reached by a transition.
pub(in crate::ruby) fn resolve_setup(
    found: &mut [Characteristic],
    class: &str,
    is_model: bool,
    machines: &[StateMachine],
    parameters: &[Parameter],
) {
    for one in found {
        if !one.setup.of_record || !is_own(one, parameters) {
            continue;
        }
        let machine = machines.iter().find(|machine| machine.is_tested_by(one));
        if machine.is_none() && !is_model {
            continue;
        }
        one.setup.class = Some(class.to_owned());
        if machine.is_some_and(StateMachine::is_guarded) {
            one.setup.kind = SetupKind::Action;
        } else if one.setup.kind == SetupKind::Data {
            one.setup.kind = SetupKind::Factory;
        }
    }
}

/// Whether a condition reads the method's own object. A variable derived from it counts; a parameter or an attribute of
/// another variable does not.
fn is_own(found: &Characteristic, parameters: &[Parameter]) -> bool {
    found.setup.variable.as_ref().is_none_or(|variable| {
        let is_passed = parameters
            .iter()
            .any(|parameter| parameter.name == *variable);
        found.tested.as_ref() == Some(variable) && found.attribute_call.is_none() && !is_passed
    })
}
