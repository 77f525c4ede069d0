//! Any texts as the values of variables, and one that uses them.

#![no_main]

use casebook_fuzz::suite::{self, FROM_ENVIRONMENT, quoted};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let [text, first, second] = suite::pieces(input).map(quoted);
    let checked = suite::checked(&format!(
        "variables: {{first: {first}, second: {second}}}\n\
         tests: [{{name: x, command: {text}, stdin: 'x{{{{env.SECRET}}}}y'}}]\n"
    ));
    let Some(suite) = checked.suite else { return };
    let step = &suite.tests[0].steps()[0];
    let untouched = format!("x{FROM_ENVIRONMENT}y");
    assert_eq!(
        step.stdin.as_ref(),
        Some(&untouched),
        "done once, never again"
    );
    let [plain, ..] = suite::pieces::<3>(input);
    if !plain.contains("{{") {
        assert_eq!(step.command.text, plain, "nothing to substitute");
    }
});
