//! Reports fields of a test that cannot have an effect.

use std::time::Duration;

use casebook_source::yaml::{Entry, Node};

use super::find;
use crate::assertion::{Assertion, Check};
use crate::codes::VACUOUS;
use crate::model::{Action, Step};
use crate::reader::Reader;

/// Reports a `normalize` that applies to no assertion, and a `maxDuration` that the timeout makes pointless. `timeout` is that of the
/// test.
pub(super) fn check(
    node: &Node,
    fields: &[&Entry],
    action: &Action,
    timeout: Option<Duration>,
    reader: &mut Reader<'_, '_>,
) {
    let steps: &[Step] = match action {
        Action::Command(step) => std::slice::from_ref(step),
        Action::Steps(steps) => steps,
        Action::Conversation(_) => return,
    };
    let mut assertions = steps.iter().flat_map(|step| &step.assertions);
    if let Some(entry) = own(node, fields, "normalize")
        && !assertions.any(|assertion| assertion.check.is_normalized())
    {
        let help = "it is for `…Equals`, `…EqualsFile`, `snapshot`, and `equals`, `equalsFile` and `equalsFolder` of `files`";
        reader
            .note(VACUOUS, entry.key_span, "`normalize` has no effect")
            .help_last(help);
    }
    for step in steps {
        check_duration(step, step.timeout.or(timeout), reader);
    }
}

/// Reports an `ignoreCase` that applies to no assertion of the test or step.
pub(super) fn check_ignore_case(
    node: &Node,
    fields: &[&Entry],
    assertions: &[Assertion],
    reader: &mut Reader<'_, '_>,
) {
    let mut assertions = assertions.iter();
    let has_effect = |one: &Assertion| !one.ignore_case || one.check.depends_on_case();
    if let Some(entry) = own(node, fields, "ignoreCase")
        && !assertions.any(has_effect)
    {
        reader
            .note(VACUOUS, entry.key_span, "`ignoreCase` has no effect")
            .help_last("it is for `…Contains`, `…NotContains`, `…Matches` and `…NotMatches`");
    }
}

/// A field that is written in the test itself: a fragment may be used by other tests too.
fn own<'n>(node: &Node, fields: &[&'n Entry<'n>], name: &str) -> Option<&'n Entry<'n>> {
    find(fields, name).filter(|entry| node.span.contains(entry.key_span))
}

/// The timeout ends a command before its duration can reach a longer `maxDuration`.
fn check_duration(step: &Step, timeout: Option<Duration>, reader: &mut Reader<'_, '_>) {
    let Some(timeout) = timeout else {
        return;
    };
    let pointless = step.assertions.iter().filter(
        |assertion| matches!(assertion.check, Check::MaxDuration(longest) if longest >= timeout),
    );
    for assertion in pointless {
        let message = "`maxDuration` can never fail: the timeout is not longer";
        reader
            .note(VACUOUS, assertion.span, message)
            .help_last("write a shorter `maxDuration` or a longer `timeout`");
    }
}
