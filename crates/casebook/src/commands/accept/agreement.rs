//! Whether all tests that share a value agree about the new one: those of a matrix come from the same lines, and several tests can
//! compare with one file.

use std::collections::HashMap;

use casebook_suite::accept::NewValue;
use casebook_suite::model::Test;

use super::proposals::{Failure, SharedValue, shared_value};
use super::recorded::{RecordedTests, TestKey, key};
use super::refusal::Reason;
use super::suite_file::SuiteFile;

/// Refuses a value if the tests that share it have different results, or did not all run.
pub(super) fn check(
    file: &SuiteFile,
    shared: &SharedValue,
    failures: &[(Failure<'_>, NewValue)],
    tests: &RecordedTests,
) -> Result<(), Reason> {
    let proposed: HashMap<TestKey, &NewValue> = failures
        .iter()
        .map(|(failure, new)| (key(failure.example), new))
        .collect();
    let (_, new) = &failures[0];
    let sharing: Vec<&Test> = file
        .places()
        .filter(|place| shared_value(*place) == *shared)
        .map(|place| place.test)
        .collect();
    let named = |matches: &dyn Fn(&TestKey) -> bool| -> Vec<String> {
        let tests = sharing.iter().filter(|test| matches(&file.key(test)));
        tests.map(|test| test.name.clone()).collect()
    };
    let has_other = |key: &TestKey| {
        let other = proposed.get(key).is_some_and(|other| *other != new);
        other || !proposed.contains_key(key) && has_result(tests, key)
    };
    if sharing.iter().any(|test| has_other(&file.key(test))) {
        return Err(Reason::Disagreement(named(&|_| true)));
    }
    let not_run = named(&|key| !proposed.contains_key(key));
    if not_run.is_empty() {
        Ok(())
    } else {
        Err(Reason::NotRun(not_run))
    }
}

/// Whether the test passed, or failed for another reason.
fn has_result(tests: &RecordedTests, of: &TestKey) -> bool {
    tests.has_passed(of) || tests.failed().any(|example| key(example) == *of)
}
