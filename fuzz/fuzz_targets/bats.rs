//! Any texts as the fields of a suite, compiled to Bats.

#![no_main]

use std::path::Path;

use casebook_fuzz::{bash, suite};
use casebook_suite::bats::{SuiteLocation, compile};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let [name, command, text, hook, value, path] = suite::pieces(input).map(suite::quoted);
    let checked = suite::checked(&format!(
        "{{setupFile: {hook}, teardownFile: {hook}, setup: {hook}, teardown: {hook}, env: {{A: {value}}}, timeout: 3, tests: [\n\
         {{name: {name}, command: {command}, stdoutEquals: {text}, outputContains: {text}, stdin: {text}, env: {{B: {value}}}}},\n\
         {{name: {name}, command: {command}, outputEquals: {text}, timeout: 1, workdir: {path}, files: {{? {path} : {{equals: {text}}}}}}},\n\
         {{name: {name}, command: {command}, outputJson: {{'': {text}}}, snapshot: {path}, skip: {value}}}]}}\n"
    ));
    if let Some(suite) = checked.suite {
        bash::can_read(&compile(&suite, SuiteLocation::At(Path::new(input))).code);
    }
});
