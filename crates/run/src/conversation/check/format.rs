//! Formats checks and numbers for messages.

use casebook_suite::model::conversation::{Bounds, CallCheck};

use super::pattern;
use crate::assertions::shortened;

/// `book_room with capacity at least 10, once, after check_availability`.
pub(super) fn calls(check: &CallCheck) -> String {
    let with = check.call.with.as_ref().map(|with| {
        let leaves = pattern::leaves(with, None);
        let expected: Vec<_> = leaves.into_iter().map(|leaf| leaf.expected).collect();
        format!(" with {}", shortened(&and(&expected)))
    });
    let outcome = check.call.failed.map(|failed| {
        let words = if failed { "failed" } else { "did not fail" };
        format!(" that {words}")
    });
    let times = check.times.map(|bounds| format!(", {}", times(bounds)));
    let placed = |word: &str, other: &Option<String>| {
        let other = other.as_ref()?;
        Some(format!(", {word} {other}"))
    };
    let before = placed("before", &check.before);
    let after = placed("after", &check.after);
    let parts = [with, outcome, times, before, after].into_iter().flatten();
    check.call.tool.clone() + &parts.collect::<String>()
}

/// `at least 2`, `at most 4`, `2 to 4`, `3`.
pub(crate) fn bounds(bounds: Bounds) -> String {
    match (bounds.min, bounds.max) {
        (Some(min), Some(max)) if min.total_cmp(&max).is_eq() => number(min),
        (Some(min), Some(max)) => format!("{} to {}", number(min), number(max)),
        (Some(min), None) => format!("at least {}", number(min)),
        (None, Some(max)) => format!("at most {}", number(max)),
        (None, None) => "any".to_owned(),
    }
}

/// `once`, `at least 2 times`.
pub(super) fn times(times: Bounds) -> String {
    match bounds(times).as_str() {
        "1" => "once".to_owned(),
        "at most 1" => "at most once".to_owned(),
        "at least 1" => "at least once".to_owned(),
        words => format!("{words} times"),
    }
}

/// The number with no more digits than needed.
pub(super) fn number(number: f64) -> String {
    format!("{number}")
}

/// `1 call`, `2 calls`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// `a, b and c`.
pub(super) fn and(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

/// `a, b, c`.
pub(super) fn list<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<_> = items.iter().map(AsRef::as_ref).collect();
    shortened(&items.join(", "))
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^52")]
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}
