//! What brings a state about (format 2.0, section 11.2): guessed from the condition alone.

use ruby_prism::{CallNode, Node, Visit};

use super::children::visit_children;
use super::level::is_class_of_the_program;
use super::node::{bare, called, constant, source};
use crate::characteristic::{External, Setup, SetupKind};

/// The setup of a condition. Whether data belongs to a record is decided later, where the class is known.
pub(crate) fn of(node: &Node<'_>) -> Setup {
    let mut seen = Seen::default();
    seen.visit(node);
    let kind = if seen.request || seen.bang || seen.clock {
        SetupKind::Action
    } else {
        SetupKind::Data
    };
    Setup {
        kind,
        class: None,
        of_record: !seen.request && (seen.bang || !seen.clock),
        external: external(node),
    }
}

/// The class that is asked for the value, where an expression begins with calling one.
fn external(node: &Node<'_>) -> Option<External> {
    let call = node.as_call_node()?;
    let receiver = bare(call.receiver()?);
    if constant(&receiver).is_none() {
        return external(&receiver);
    }
    let class = source(&receiver).trim_start_matches("::").to_owned();
    is_class_of_the_program(&class).then(|| External {
        class,
        method: called(&call).to_owned(),
    })
}

#[derive(Default)]
struct Seen {
    request: bool,
    bang: bool,
    clock: bool,
}

impl<'pr> Visit<'pr> for Seen {
    fn visit(&mut self, node: &Node<'pr>) {
        if let Some(call) = node.as_call_node() {
            self.call(&call);
        }
        self.clock |= matches!(constant(node), Some("Time" | "Date" | "DateTime"));
        visit_children(self, node);
    }
}

impl Seen {
    fn call(&mut self, call: &CallNode<'_>) {
        let name = called(call);
        self.request |= call.receiver().is_none() && matches!(name, "session" | "cookies");
        self.bang |= name.len() > 1 && name.ends_with('!');
        self.clock |= matches!(name, "ago" | "from_now");
    }
}
