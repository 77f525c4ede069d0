//! What the state of one condition implies about another: the last paragraph of rule E14.

use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};

/// The truth of a condition when another one is in this state; `None` if it may be either.
pub(crate) fn implied_truth(
    draft: &CharacteristicDraft,
    known: &CharacteristicDraft,
    state: usize,
) -> Option<bool> {
    if known.same(draft) {
        let is_exact = known.condition_kind == draft.condition_kind && !draft.has_arguments;
        return is_exact.then_some(state == 0);
    }
    match (&known.condition_kind, &draft.condition_kind) {
        (
            ConditionKind::Equality { subject, .. },
            ConditionKind::Equality {
                subject: other,
                word,
            },
        ) => {
            let is_known = subject == other && state == 0;
            is_known.then(|| known.states[0] == *word)
        }
        (
            ConditionKind::Value { subject },
            ConditionKind::Equality {
                subject: other,
                word,
            },
        ) if subject == other => is_value(&known.states, state, word),
        (
            ConditionKind::FirstPredicate { receiver },
            ConditionKind::Predicate {
                receiver: other,
                word,
                ..
            },
        ) if receiver == other => is_first_predicate(&known.states, state, word),
        (
            ConditionKind::Comparison { subject, .. },
            ConditionKind::Comparison { subject: other, .. },
        ) if subject == other && known.states.len() == 2 => {
            known.interval?.decides(state == 0, draft.interval?)
        }
        _ => None,
    }
}

/// Whether the subject equals `word`. A state such as `a_or_b` may be either of them, and `other` any value without a
/// state.
fn is_value(states: &[String], state: usize, word: &str) -> Option<bool> {
    let includes = |state: &String| state.split("_or_").any(|value| value == word);
    match states.iter().position(includes) {
        Some(at) if at == state => (states[state] == word).then_some(true),
        None if states[state] == "other" => None,
        _ => Some(false),
    }
}

/// Whether a predicate is true. The state names the first true predicate; later ones may be either.
fn is_first_predicate(states: &[String], state: usize, word: &str) -> Option<bool> {
    let at = states.iter().position(|state| state == word)?;
    (at <= state).then_some(at == state)
}
