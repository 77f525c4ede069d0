//! The order of states that a declared state machine gives (rule E13).

use crate::characteristic::Kind;
use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::walk::MethodWalk;

impl MethodWalk<'_> {
    /// Sorts the states by a declared state machine. Returns their order and the default.
    pub(in crate::ruby::walk) fn lifecycle(
        &self,
        draft: &mut CharacteristicDraft,
        attribute: Option<&str>,
    ) -> (Vec<usize>, Option<String>) {
        let found = attribute
            .filter(|_| draft.kind == Kind::Enum)
            .and_then(|attribute| {
                let attribute = attribute_name(attribute);
                self.machines
                    .iter()
                    .find_map(|machine| Some((machine, machine.order(attribute, &draft.states)?)))
            });
        let Some((machine, order)) = found else {
            return (Vec::new(), None);
        };
        draft.kind = Kind::Sequential;
        draft.states = order.iter().map(|at| draft.states[*at].clone()).collect();
        let default = machine.default_of(&draft.states);
        (order, default)
    }
}

/// The attribute at the end of an expression: `stage` of `self.stage.to_sym`.
fn attribute_name(source: &str) -> &str {
    source
        .rsplit('.')
        .find(|part| !matches!(*part, "to_s" | "to_sym" | "downcase" | "strip"))
        .unwrap_or(source)
        .trim_start_matches(['@', '&'])
        .trim_end_matches('&')
}
