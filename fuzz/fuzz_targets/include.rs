//! Any texts as a suite and the two files that it and they may include.

#![no_main]

use casebook_fuzz::suite;
use casebook_suite::Checked;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let [own, a, b] = suite::pieces(input);
    let read = |path: &str| match path.rsplit('/').next() {
        Some("a.yaml") => Ok(a.to_owned()),
        Some("b.yaml") => Ok(b.to_owned()),
        _ => Err("there is no such file".to_owned()),
    };
    let checked = suite::checked_with(own, &read);
    check_spans(&checked);
    let with_include = format!("include: [a.yaml, dir/../b.yaml, dir/a.yaml]\n{own}");
    check_spans(&suite::checked_with(&with_include, &read));
});

/// Every span of the suite is in one of its files.
fn check_spans(checked: &Checked) {
    let Some(suite) = &checked.suite else { return };
    for test in &suite.tests {
        assert!(
            !suite.file.is_included(test.span),
            "tests are never included"
        );
        for assertion in test.assertions() {
            let (file, span) = suite.file.locate(assertion.span);
            assert!(span.end <= file.text().len() + 1, "{assertion:?}");
        }
    }
    assert!(
        suite.files.len() >= suite.file.included().len(),
        "workers get all files"
    );
}
