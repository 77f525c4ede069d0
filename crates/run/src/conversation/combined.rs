//! Evaluates checks that combine other checks: `anyOf` and `not`.
//!
//! A check that cannot be evaluated, such as `json` on a reply that is not JSON, is neither true nor false: its negation fails too.

use casebook_suite::model::conversation::ConversationCheck;
use serde_json::{Value, json};

use super::check::describe;
use super::end::SessionEnd;
use super::expectations::{CheckSubject, CheckedExpectation};
use super::session::Session;
use crate::assertions::CheckResult;

impl Session<'_> {
    /// Evaluates alternatives in order, up to the first that passes.
    pub(super) fn any_of(
        &self,
        checks: &[ConversationCheck],
        subject: &CheckSubject<'_>,
    ) -> Result<CheckedExpectation, SessionEnd> {
        let mut combined = CheckedExpectation::default();
        let mut problems = Vec::new();
        for check in checks {
            let checked = self.evaluate(check, subject)?;
            combined.add(check, &checked);
            combined.calls.extend(checked.calls.iter().cloned());
            if checked.result.problem.is_none() {
                combined.result.is_undecided = false;
                (combined.is_unjudged, combined.is_unscripted) = (false, false);
                return Ok(combined);
            }
            problems.push(format!("{}: {}", describe(check), full_problem(&checked)));
        }
        let problems = problems.join("; ");
        let count = checks.len();
        combined.result.problem = Some(format!(
            "none of the {count} alternatives passed: {problems}"
        ));
        Ok(combined)
    }

    /// Evaluates checks that must all pass, up to the first that fails.
    pub(super) fn all_of(
        &self,
        checks: &[ConversationCheck],
        subject: &CheckSubject<'_>,
    ) -> Result<CheckedExpectation, SessionEnd> {
        let mut combined = CheckedExpectation::default();
        for check in checks {
            let checked = self.evaluate(check, subject)?;
            combined.calls.extend(checked.calls.iter().cloned());
            if checked.result.problem.is_some() {
                combined.add(check, &checked);
                combined.result.problem = Some(full_problem(&checked));
                return Ok(combined);
            }
        }
        Ok(combined)
    }

    /// Evaluates the negation of a check.
    pub(super) fn not(
        &self,
        check: &ConversationCheck,
        subject: &CheckSubject<'_>,
    ) -> Result<CheckedExpectation, SessionEnd> {
        let checked = self.evaluate(check, subject)?;
        let mut combined = CheckedExpectation::default();
        combined.add(check, &checked);
        combined.result.problem = match &checked.result.problem {
            Some(_) if checked.result.is_undecided => Some(full_problem(&checked)),
            Some(_) => None,
            None => {
                let reason = checked.reasoning.as_deref();
                let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                Some(format!("{} passed, but must not{reason}", describe(check)))
            }
        };
        combined.calls = checked.calls;
        Ok(combined)
    }
}

impl CheckedExpectation {
    /// Adds the result of a combined check.
    fn add(&mut self, check: &ConversationCheck, checked: &CheckedExpectation) {
        let CheckResult { is_undecided, .. } = checked.result;
        self.result.is_undecided |= is_undecided;
        self.is_unjudged |= checked.is_unjudged;
        self.is_unscripted |= checked.is_unscripted;
        let problem = checked
            .result
            .problem
            .is_some()
            .then(|| full_problem(checked));
        let one =
            json!({"check": describe(check), "passed": problem.is_none(), "problem": problem});
        match self.result.more.first_mut() {
            Some((_, Value::Array(all))) => all.push(one),
            _ => self.result.more.push(("checks", json!([one]))),
        }
    }
}

/// The problem, with the reason of the judge.
fn full_problem(checked: &CheckedExpectation) -> String {
    let problem = checked.result.problem.as_deref().unwrap_or_default();
    match &checked.reasoning {
        Some(reason) => format!("{problem}: {reason}"),
        None => problem.to_owned(),
    }
}
