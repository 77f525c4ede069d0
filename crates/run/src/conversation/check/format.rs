//! Formats checks and numbers for messages.

use casebook_suite::model::conversation::{Bounds, CallCheck};

use super::pattern;
use crate::assertions::shortened;
pub(super) use crate::numbers::{counted, float, format_bounds as bounds, format_number as number};

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

/// `once`, `at least 2 times`.
pub(super) fn times(times: Bounds) -> String {
    match bounds(times).as_str() {
        "1" => "once".to_owned(),
        "at most 1" => "at most once".to_owned(),
        "at least 1" => "at least once".to_owned(),
        words => format!("{words} times"),
    }
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
