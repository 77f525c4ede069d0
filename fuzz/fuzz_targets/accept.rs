//! Any text as a suite, and any text after a NUL as the actual value of each of its assertions: the value is replaced, and nothing
//! else, or the change is refused.

#![no_main]

use casebook_fuzz::suite;
use casebook_source::Span;
use casebook_suite::Suite;
use casebook_suite::accept::{Acceptable, NewValue, SuiteEditor};
use casebook_suite::model::{Check, FileCheck, TextCheck};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Assertions to change; each change reads the suite again.
const CHANGES: usize = 8;

fuzz_target!(|input: &str| {
    let [text, new] = suite::pieces(input);
    let checked = suite::checked(text);
    let Some(old) = checked.suite else { return };
    let Some(editor) = SuiteEditor::new(&old.file) else {
        return;
    };
    let assertions = old.tests.iter().flat_map(|test| test.assertions());
    for assertion in assertions.take(CHANGES) {
        let value = match assertion.check.acceptable() {
            Some(Acceptable::Text) => NewValue::Text(new.to_owned()),
            Some(Acceptable::Json) => NewValue::Json(json(new)),
            _ => continue,
        };
        let Ok(change) = editor.change(assertion.span, &value) else {
            continue;
        };
        if let Ok(edited) = editor.apply(&[&change]) {
            let edited = suite::checked(&edited).suite;
            compare(&old, &edited.expect("the edited suite is valid"), assertion.span, &value);
        }
    }
});

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// All assertions are the same, except those at the changed location.
fn compare(old: &Suite, new: &Suite, changed: Span, value: &NewValue) {
    assert_eq!(old.tests.len(), new.tests.len());
    for (old, new) in old.tests.iter().zip(&new.tests) {
        assert_eq!(old.name, new.name);
        assert_eq!(old.assertions().count(), new.assertions().count());
        for (old, new) in old.assertions().zip(new.assertions()) {
            if old.span == changed {
                assert!(is_expected(&new.check, value), "{new:?} {value:?}");
            } else {
                assert_eq!(old.check, new.check);
            }
        }
    }
}

fn is_expected(check: &Check, value: &NewValue) -> bool {
    match (check, value) {
        (
            Check::Text(_, TextCheck::Equals(text))
            | Check::File {
                check: FileCheck::Content(TextCheck::Equals(text)),
                ..
            },
            NewValue::Text(new),
        ) => text.trim_end_matches('\n') == new.trim_end_matches('\n'),
        (Check::Json { expected, .. }, NewValue::Json(new)) => expected == new,
        _ => false,
    }
}
