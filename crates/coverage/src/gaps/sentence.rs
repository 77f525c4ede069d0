//! What is missing, in one sentence.

use casebook_design::metadata::read::Plan;
use casebook_design::probes::{ProbedMethod, StateProbe};
use casebook_design::skeleton::{Context, contexts};

use super::GapReason;
use crate::observation::ObservedMethod;

pub(super) fn sentence(reason: GapReason, method: &ObservedMethod, when: &str) -> String {
    let id = &method.id;
    match reason {
        GapReason::Never => format!("`{id}` is never called {when}"),
        GapReason::NotChecked => format!("no example checks `{id}` {when}"),
        GapReason::NotNamed => format!("no example of `{id}` is described as `{when}`"),
        GapReason::NotLoaded => format!("no spec loads {}", method.file),
        GapReason::OutsideExamples => {
            format!(
                "`{id}` is called {when} only outside of examples, such as while files are loaded"
            )
        }
        GapReason::Dead => format!("`{id}` cannot be called {when}: every object has the method"),
        GapReason::Platform => format!("the platform decides whether `{id}` is called {when}"),
    }
}

/// The state as the context of a spec would be named.
pub(super) fn context(
    method: &ObservedMethod,
    probed: &ProbedMethod,
    probe: &StateProbe,
) -> String {
    let plan = Plan::of(&probed.analysis, &method.file);
    let all = contexts(&plan);
    let characteristic = &probed.analysis.characteristics[probe.characteristic];
    let state = &characteristic.states[probe.state];
    let found = find(&all, probe.characteristic, state);
    match found {
        Some(context) => format!("when {}", context.description),
        None => format!("with {} = {state}", characteristic.name),
    }
}

fn find<'c>(contexts: &'c [Context], entry: usize, state: &str) -> Option<&'c Context> {
    contexts.iter().find_map(|context| {
        if context.entry == entry && context.state == state {
            return Some(context);
        }
        find(&context.children, entry, state)
    })
}
