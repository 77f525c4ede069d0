//! Literals for states, and the states of literals.

use super::inputs::Inputs;
use crate::characteristic::{Characteristic, Kind, Threshold};
use crate::ruby::members;
use crate::skeleton::threshold_pair;

impl Inputs<'_> {
    /// A literal that leads to a state.
    pub(super) fn value(&self, found: &Characteristic, state: &str) -> Option<String> {
        let position = found.states.iter().position(|known| known == state)?;
        match found.values.get(position) {
            Some(value) => value.clone(),
            None if found.threshold.is_none() => self.member(found, position),
            None => self.number_beside_limit(found, position),
        }
    }

    /// A member of a constant list in the same file, or a value that is not a member.
    fn member(&self, found: &Characteristic, position: usize) -> Option<String> {
        let lists = &self.analysis.lists;
        let list = |path: &str| lists.iter().find(|(known, _)| known == path);
        let path = self.in_scope(found.bound.as_ref()?, |path| list(path).is_some())?;
        let (_, known) = list(path.trim_start_matches("::"))?;
        members(known).get(position)?.clone()
    }

    /// A present value of the type that the other conditions test.
    pub(super) fn fitting(&self, found: &Characteristic) -> Option<String> {
        if !is_any_value(found) {
            return None;
        }
        let others = self.analysis.characteristics.iter();
        others
            .filter(|other| !other.presence && other.tested == found.tested)
            .find_map(|other| self.value(other, other.first_continuing_state()?))
            .filter(|value| is_something(value))
    }

    /// The state of a parameter that has this value.
    pub(super) fn state_of<'c>(&self, found: &'c Characteristic, value: &str) -> Option<&'c str> {
        let state = |position: usize| found.states.get(position).map(String::as_str);
        let has_value = |state: &&String| {
            let given = self.literal(found, state);
            given.is_some_and(|given| given.value == value)
        };
        if let Some(exact) = found.states.iter().find(has_value) {
            return Some(exact);
        }
        if is_any_value(found) && is_something(value) {
            return state(0);
        }
        if let Some(is_other) = differs(found, value) {
            return state(usize::from(is_other));
        }
        let bound = self.bound(found)?;
        let limit: i64 = bound.value.as_ref()?.parse().ok()?;
        let number: i64 = value.parse().ok()?;
        let matching = match bound.operator.as_str() {
            ">" => number > limit,
            ">=" => number >= limit,
            "<" => number < limit,
            "<=" => number <= limit,
            _ => return None,
        };
        state(usize::from(!matching))
    }

    /// The threshold of a single comparison. The limit may be a constant of the same file.
    fn bound(&self, found: &Characteristic) -> Option<Threshold> {
        let mut threshold = found.threshold.clone()?;
        if let Some(constant) = &found.bound {
            let numbers = &self.analysis.numbers;
            let number = |path: &str| numbers.iter().find(|(known, _)| known == path);
            let path = self.in_scope(constant, |path| number(path).is_some())?;
            threshold.value = number(&path).map(|(_, number)| number.to_string());
        }
        (found.states.len() == 2).then_some(threshold)
    }

    /// A number on the side of the limit that leads to the state.
    fn number_beside_limit(&self, found: &Characteristic, position: usize) -> Option<String> {
        let (matching, failing) = threshold_pair(&self.bound(found)?, self.distance)?;
        let number = if position == 0 { matching } else { failing };
        Some(number.to_string())
    }
}

/// Whether a value differs from the literal that it is compared with. `None` if there is no such comparison, or if the
/// values have different types.
fn differs(found: &Characteristic, value: &str) -> Option<bool> {
    let literal = found.values.first()?.as_deref()?;
    let kind = |text: &str| match text.chars().next() {
        Some(first @ (':' | '\'')) => Some(first),
        Some('"') => Some('\''),
        Some('0'..='9' | '-') => Some('0'),
        _ => None,
    };
    let word = |text: &str| text.trim_matches([':', '\'', '"']).to_owned();
    let is_equality = found.kind == Kind::Binary && found.states.first() == Some(&word(literal));
    let is_same_type = kind(literal).is_some() && kind(literal) == kind(value);
    (is_equality && is_same_type).then(|| word(literal) != word(value))
}

/// Whether a presence test accepts any value except nil and blanks.
pub(super) fn is_any_value(found: &Characteristic) -> bool {
    let absent = found.values.get(1).and_then(Option::as_deref);
    found.presence && absent == Some("nil")
}

/// Whether a literal is neither nil nor false nor blank.
pub(super) fn is_something(value: &str) -> bool {
    let is_word =
        |text: &str| text.contains(char::is_alphanumeric) && !text.contains(['\\', '#', '\'', '"']);
    let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    let text = quoted('\'').or_else(|| quoted('"'));
    value.parse::<i64>().is_ok()
        || value.starts_with("{ ")
        || value.starts_with("['")
        || value.starts_with("proc")
        || value.strip_prefix(':').is_some_and(|name| !name.is_empty())
        || text.is_some_and(is_word)
}
