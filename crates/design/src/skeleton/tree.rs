//! [`Context`]: states as nested contexts (rules S1 and S2).

use super::words::{description, first_word};
use crate::characteristic::Kind;
use crate::metadata::read::{Entry, Plan};
use crate::negation::uppercase_not;

/// Words that make a state the negative one of a pair.
const NEGATIVE_WORDS: [&str; 4] = ["invalid", "absent", "missing", "insufficient"];
const NEGATIVE_PREFIXES: [&str; 5] = ["not_", "no_", "invalid_", "missing_", "without_"];

/// One state of one characteristic, and the contexts below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// The index of the characteristic in the plan.
    pub entry: usize,
    /// The name of the state.
    pub state: String,
    /// `when`, `with`, `but` or `and`; `None` if it could not be decided.
    pub word: Option<&'static str>,
    /// The text after the word.
    pub description: String,
    /// Whether the method ends early here.
    pub is_terminal: bool,
    /// The contexts that depend on it; empty for a leaf.
    pub children: Vec<Context>,
}

/// The contexts of a method, with the root characteristics one after the other.
pub fn contexts(plan: &Plan) -> Vec<Context> {
    let roots = plan
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.depends_on.is_none());
    roots
        .flat_map(|(index, _)| states(plan, index, 1))
        .collect()
}

fn states(plan: &Plan, index: usize, level: usize) -> Vec<Context> {
    let entry = &plan.entries[index];
    let named = positive_first(entry);
    let mut ordered = named.clone();
    ordered.sort_by_key(|state| entry.terminal_states.contains(state));
    ordered
        .iter()
        .enumerate()
        .map(|(position, state)| {
            let is_terminal = entry.terminal_states.contains(state);
            let description = match description(entry, state, named[0]) {
                unchanged if plan.has_small_not => unchanged,
                text => uppercase_not(&text),
            };
            Context {
                entry: index,
                word: first_word(plan, entry, level, position, &description),
                description,
                is_terminal,
                children: if is_terminal {
                    Vec::new()
                } else {
                    children(plan, entry, state, level)
                },
                state: (*state).clone(),
            }
        })
        .collect()
}

fn children(plan: &Plan, parent: &Entry, state: &String, level: usize) -> Vec<Context> {
    let depends_here = |entry: &Entry| {
        entry.depends_on.as_ref() == Some(&parent.name) && entry.when_parent.contains(state)
    };
    let found = plan
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| depends_here(entry));
    found
        .flat_map(|(index, _)| states(plan, index, level + 1))
        .collect()
}

/// Whether a state is the positive one of a pair, or the first of several. It is the one that `true` represents.
pub(super) fn is_positive(entry: &Entry, state: &str) -> bool {
    positive_first(entry)
        .first()
        .is_some_and(|first| *first == state)
}

/// The states, with the positive one of a pair first.
fn positive_first(entry: &Entry) -> Vec<&String> {
    let mut states: Vec<&String> = entry.states.iter().collect();
    if let (Some(Kind::Binary), [first, second]) = (entry.kind, states.as_slice())
        && begins_negative(first, second)
    {
        states.swap(0, 1);
    }
    states
}

fn begins_negative(first: &str, second: &str) -> bool {
    NEGATIVE_PREFIXES
        .iter()
        .any(|prefix| first.starts_with(prefix))
        || NEGATIVE_WORDS.contains(&first) && !NEGATIVE_WORDS.contains(&second)
}

/// The number of contexts with an example.
pub fn leaves(contexts: &[Context]) -> usize {
    contexts
        .iter()
        .map(|context| match context.children.as_slice() {
            [] => 1,
            children => leaves(children),
        })
        .sum()
}

/// The number of levels of the contexts.
pub fn depth(contexts: &[Context]) -> usize {
    contexts
        .iter()
        .map(|context| 1 + depth(&context.children))
        .max()
        .unwrap_or(0)
}
