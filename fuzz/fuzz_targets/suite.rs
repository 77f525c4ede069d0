//! Any text as a suite.

#![no_main]

use casebook_fuzz::suite;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    suite::checked(text);
});
