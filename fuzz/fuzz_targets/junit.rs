//! Any bytes as a JUnit XML file.

#![no_main]

use std::io::BufReader;

use casebook_fuzz::import::{self, SOURCE};
use casebook_record::import::junit;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut events = Vec::new();
    let reader = BufReader::with_capacity(64, input);
    match junit(reader, &SOURCE, &mut |event| events.push(event)) {
        Ok(problems) => import::run(input, &events, &problems),
        Err(_) => assert_eq!(events, [], "a file that cannot be read emits nothing"),
    }
});
