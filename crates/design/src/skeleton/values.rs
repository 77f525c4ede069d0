//! Ruby values that set up a state.

use super::tree::is_positive;
use crate::characteristic::{Kind, Threshold};
use crate::metadata::read::Entry;

/// How far the values for a comparison are from its limit (rule W5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Distance {
    /// 5 % of the limit, rounded up, and at least 1.
    #[default]
    Apart,
    /// The last value on each side of the limit.
    Boundary,
}

/// A value for each side of a limit: first one for which the comparison is true, then one for which it is false. `None` if the
/// limit is not an integer.
pub fn threshold_pair(threshold: &Threshold, distance: Distance) -> Option<(i64, i64)> {
    let bound: i64 = threshold.value.as_ref()?.parse().ok()?;
    let apart = i64::try_from(bound.unsigned_abs().div_ceil(20)).ok()?;
    let offset = match distance {
        Distance::Apart => apart.max(1),
        Distance::Boundary => 1,
    };
    let (above, below) = (bound.checked_add(offset)?, bound.checked_sub(offset)?);
    Some(match threshold.operator.as_str() {
        ">=" if distance == Distance::Boundary => (bound, below),
        "<=" if distance == Distance::Boundary => (bound, above),
        ">=" => (above, below),
        ">" => (above, bound),
        "<=" => (below, above),
        "<" => (below, bound),
        _ => return None,
    })
}

/// The Ruby literal for a state; `None` if it cannot be computed.
pub fn example_values(entry: &Entry, state: &str) -> Option<String> {
    let is_first = entry.states.first().is_some_and(|first| first == state);
    match entry.kind? {
        Kind::Binary => Some(is_positive(entry, state).to_string()),
        Kind::Enum | Kind::Sequential => {
            let literal = entry
                .state_text(state)
                .and_then(|text| text.literal.clone());
            Some(literal.unwrap_or_else(|| symbol(state)))
        }
        Kind::Range => {
            let (matching, failing) = threshold_pair(entry.threshold.as_ref()?, Distance::Apart)?;
            Some(if is_first { matching } else { failing }.to_string())
        }
    }
}

/// A symbol, quoted if its name requires it.
pub(super) fn symbol(state: &str) -> String {
    let starts_well = state.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if starts_well
        && state
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    {
        format!(":{state}")
    } else {
        format!(
            ":\"{}\"",
            state
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('#', "\\#")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_on_both_sides_of_a_bound() {
        for (operator, value, expected) in [
            (">=", "100", Some((105, 95))),
            (">", "100", Some((105, 100))),
            ("<=", "100", Some((95, 105))),
            ("<", "100", Some((95, 100))),
            (">=", "3", Some((4, 2))),
            (">", "0", Some((1, 0))),
            (">=", "-100", Some((-95, -105))),
            (">=", "101", Some((107, 95))),
            (">=", "1.5", None),
        ] {
            let threshold = Threshold {
                operator: operator.to_owned(),
                value: Some(value.to_owned()),
            };
            let pair = threshold_pair(&threshold, Distance::Apart);
            assert_eq!(pair, expected, "{operator} {value}");
        }
        for (operator, expected) in [
            (">=", (100, 99)),
            (">", (101, 100)),
            ("<=", (100, 101)),
            ("<", (99, 100)),
        ] {
            let threshold = Threshold {
                operator: operator.to_owned(),
                value: Some("100".to_owned()),
            };
            let pair = threshold_pair(&threshold, Distance::Boundary);
            assert_eq!(pair, Some(expected), "{operator}");
        }
    }
}
