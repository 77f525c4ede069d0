//! The words and descriptions of contexts: rules S3 and S4.

use crate::characteristic::Kind;
use crate::metadata::read::{Entry, Layout, Plan};

/// Words that would make a double negation after `without`.
const NEGATIVE: [&str; 11] = [
    "not",
    "without",
    "no",
    "empty",
    "missing",
    "invalid",
    "insufficient",
    "blocked",
    "denied",
    "failed",
    "error",
];

/// The first word of a context; `None` for an unknown type.
pub(super) fn first_word(
    plan: &Plan,
    entry: &Entry,
    level: usize,
    position: usize,
    description: &str,
) -> Option<&'static str> {
    if level == 1 {
        return Some("when");
    }
    if entry.is_composite {
        return Some("and");
    }
    let is_pair = match entry.kind? {
        Kind::Binary => true,
        Kind::Range => entry.states.len() == 2,
        Kind::Enum | Kind::Sequential => false,
    };
    let is_second_of_presence =
        position > 0 && plan.layout == Layout::Plugin && entry.is_presence();
    Some(match (is_pair, position) {
        (false, _) => "and",
        (true, 0) => "with",
        (true, _) if is_second_of_presence && !is_negative(description) => "without",
        (true, _) => "but",
    })
}

fn is_negative(description: &str) -> bool {
    description
        .split_whitespace()
        .any(|word| NEGATIVE.contains(&word.to_lowercase().as_str()))
}

/// The text after the first word: the document's own, or the names of characteristic and state.
pub(super) fn description(entry: &Entry, state: &str, positive: &str) -> String {
    let text = entry.state_text(state).and_then(|text| text.words.as_ref());
    text.cloned()
        .unwrap_or_else(|| describe_state(entry.kind, &entry.name, state, positive))
}

/// A state in words.
pub(crate) fn describe_state(
    kind: Option<Kind>,
    name: &str,
    state: &str,
    positive: &str,
) -> String {
    let text = match kind {
        Some(Kind::Binary) => binary(name, state, positive),
        _ => format!("{name} is {state}"),
    };
    // The name of an instance variable may begin with `_`.
    let words: Vec<&str> = text
        .split(['_', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// The name with the state in place of its positive state; if the name does not contain that, followed by the state.
fn binary(name: &str, state: &str, positive: &str) -> String {
    match around(name, positive) {
        Some((before, after)) => {
            let words = [before, state, after];
            let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
            words.join(" ")
        }
        None => format!("{name} {state}"),
    }
}

/// The words of a name before and after the last occurrence of a state: `str` and `9` of `str_start_with_9`.
fn around<'n>(name: &'n str, state: &str) -> Option<(&'n str, &'n str)> {
    let mut parts = name.rmatch_indices(state).map(|(at, _)| {
        let (before, rest) = name.split_at(at);
        (before, &rest[state.len()..])
    });
    let is_word = |(before, after): &(&str, &str)| {
        (before.is_empty() || before.ends_with('_')) && (after.is_empty() || after.starts_with('_'))
    };
    let (before, after) = parts.find(is_word)?;
    Some((before.trim_end_matches('_'), after.trim_start_matches('_')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::negation::uppercase_not;

    #[test]
    fn descriptions_of_pairs() {
        for (name, states, expected) in [
            (
                "user_active",
                ["active", "inactive"],
                ["user active", "user inactive"],
            ),
            (
                "_mashes_key",
                ["key", "not_key"],
                ["mashes key", "mashes NOT key"],
            ),
            (
                "can_edit",
                ["allowed", "denied"],
                ["can edit allowed", "can edit denied"],
            ),
            (
                "archived",
                ["archived", "not_archived"],
                ["archived", "NOT archived"],
            ),
            (
                "user_present",
                ["present", "absent"],
                ["user present", "user absent"],
            ),
            (
                "str_start_with_9",
                ["start_with", "not_start_with"],
                ["str start with 9", "str NOT start with 9"],
            ),
            (
                "due_yet",
                ["due_yet", "not_due_yet"],
                ["due yet", "NOT due yet"],
            ),
            (
                "order_total",
                ["order_tot", "not_order_tot"],
                ["order total order tot", "order total NOT order tot"],
            ),
            (
                "parcel_sealed",
                ["sealed", "not_sealed"],
                ["parcel sealed", "parcel NOT sealed"],
            ),
        ] {
            let entry = Entry {
                name: name.to_owned(),
                kind: Some(Kind::Binary),
                is_composite: false,
                states: states.map(ToOwned::to_owned).to_vec(),
                default: None,
                depends_on: None,
                when_parent: Vec::new(),
                terminal_states: Vec::new(),
                source: None,
                threshold: None,
                state_texts: Vec::new(),
            };
            assert_eq!(
                states.map(|state| uppercase_not(&description(&entry, state, states[0]))),
                expected
            );
        }
    }
}
