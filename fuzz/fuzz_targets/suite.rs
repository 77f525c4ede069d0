//! Any text as a suite. The text after a NUL is the content of every file that it names.

#![no_main]

use casebook_fuzz::suite;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let [suite, scenarios] = suite::pieces(text);
    suite::checked_with(suite, &|path: &str| {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "json" | "yaml" => Ok(scenarios.to_owned()),
            _ => Err("there is no such file".to_owned()),
        }
    });
});
