//! What the state of one condition implies about another: the last paragraph of rule E14.

use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};

/// The truth of a condition when another one is in this state; `None` if it may be either.
pub(crate) fn implied_truth(
    asked: &CharacteristicDraft,
    known: &CharacteristicDraft,
    state: usize,
) -> Option<bool> {
    if known.same(asked) {
        let is_exact = known.family == asked.family && !asked.has_arguments;
        return is_exact.then_some(state == 0);
    }
    match (&known.family, &asked.family) {
        (
            ConditionKind::Equality { subject, .. },
            ConditionKind::Equality { subject: of, word },
        ) => {
            let is_known = subject == of && state == 0;
            is_known.then(|| known.states[0] == *word)
        }
        (ConditionKind::Value { subject }, ConditionKind::Equality { subject: of, word })
            if subject == of =>
        {
            is_value(&known.states, state, word)
        }
        (
            ConditionKind::Answer { receiver },
            ConditionKind::Predicate {
                receiver: of, word, ..
            },
        ) if receiver == of => is_answer(&known.states, state, word),
        (
            ConditionKind::Comparison { subject, .. },
            ConditionKind::Comparison { subject: of, .. },
        ) if subject == of && known.states.len() == 2 => {
            known.interval?.decides(state == 0, asked.interval?)
        }
        _ => None,
    }
}

/// Whether the subject equals `word`. A state such as `a_or_b` may be either of them, and `other` any value without a
/// state.
fn is_value(states: &[String], state: usize, word: &str) -> Option<bool> {
    let holds = |state: &String| state.split("_or_").any(|value| value == word);
    match states.iter().position(holds) {
        Some(at) if at == state => (states[state] == word).then_some(true),
        None if states[state] == "other" => None,
        _ => Some(false),
    }
}

/// Whether a predicate is true. The state names the first true predicate; later ones may be either.
fn is_answer(states: &[String], state: usize, word: &str) -> Option<bool> {
    let at = states.iter().position(|state| state == word)?;
    (at <= state).then_some(at == state)
}
