//! The words for the two sides of a lower bound (rule E6): an amount is sufficient or not. Of a moment, a position, a
//! number of errors or a value above its maximum, more is not better.

use ruby_prism::Node;

use crate::ruby::condition::leaf::comparison::{ABOVE, SUFFICIENT};
use crate::ruby::condition::value_name::value_name;
use crate::ruby::syntax::node::{called, constant};

/// Last words of names for moments, positions and numbers that are only labels.
#[rustfmt::skip]
const ORDERED: [&str; 34] = [
    "at", "on", "time", "date", "day", "month", "year", "hour", "minute", "timestamp", "mtime", "ctime", "atime",
    "now", "today", "deadline", "version", "index", "idx", "i", "j", "position", "pos", "offset", "cursor", "depth",
    "line", "lineno", "column", "status", "code", "id", "arity", "rank",
];

/// Words for what should be little.
#[rustfmt::skip]
const UNWANTED: [&str; 16] = [
    "error", "errors", "failure", "failures", "attempt", "attempts", "tries", "retries", "warnings", "violations",
    "delay", "latency", "elapsed", "overdue", "debt", "risky",
];

/// Words for the greatest value that is allowed.
const MAXIMUM: [&str; 5] = ["max", "maximum", "quota", "timeout", "deadline"];

/// The states of `>` and `>=`, by the name of the subject and the bound.
pub(crate) fn lower_bound(subject: &str, bound: Option<&Node<'_>>) -> [&'static str; 2] {
    if is_amount(subject) && !bound.is_some_and(is_moment_or_maximum) {
        SUFFICIENT
    } else {
        ABOVE
    }
}

fn is_amount(name: &str) -> bool {
    let last = name.rsplit('_').next().unwrap_or(name);
    // `at` and `on` are only endings.
    let is_ending = last != name || !matches!(last, "at" | "on");
    let is_ordered = ORDERED.contains(&last) && is_ending;
    !is_ordered && !name.split('_').any(|word| UNWANTED.contains(&word))
}

fn is_moment_or_maximum(bound: &Node<'_>) -> bool {
    let is_maximum = |name: &str| name.split('_').any(|word| MAXIMUM.contains(&word));
    is_moment(bound)
        || bound.as_string_node().is_some()
        || value_name(bound).is_some_and(|name| is_maximum(&name.full))
}

/// Whether an expression is a point in time or a version: `Time.now`, `3.days.ago`, `Date.today - 7`.
fn is_moment(node: &Node<'_>) -> bool {
    if let Some(name) = constant(node) {
        return matches!(name, "Time" | "Date" | "DateTime" | "Version");
    }
    let Some(call) = node.as_call_node() else {
        return false;
    };
    matches!(
        called(&call),
        "ago" | "from_now" | "now" | "today" | "current"
    ) || call.receiver().is_some_and(|receiver| is_moment(&receiver))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        for name in [
            "balance",
            "n",
            "job_retry_count",
            "count_on_hand",
            "user_age",
            "on",
            "level",
        ] {
            assert!(is_amount(name), "{name}");
        }
        for name in [
            "expires_at",
            "starts_on",
            "order_date",
            "now_hour",
            "index",
            "i",
            "response_status",
            "error_count",
            "user_id",
            "login_attempts",
            "ruby_version",
        ] {
            assert!(!is_amount(name), "{name}");
        }
    }
}
