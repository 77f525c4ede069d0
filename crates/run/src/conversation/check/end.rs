//! Checks how the conversation ended.

use serde_json::json;

use crate::assertions::CheckResult;
use crate::transcript::Scope;

/// Checks that the conversation ended in one of these ways.
pub(super) fn evaluate(reasons: &[String], scope: Scope<'_>) -> CheckResult {
    let Some(end) = scope.transcript.end else {
        return CheckResult::undecided("the conversation has not ended".to_owned());
    };
    let is_expected = reasons.iter().any(|reason| reason == end);
    let expected = reasons.join(" or ");
    CheckResult {
        problem: (!is_expected)
            .then(|| format!("the conversation ended with {end} instead of {expected}")),
        expected: Some(json!(reasons)),
        actual: Some(end.into()),
        ..CheckResult::default()
    }
}
