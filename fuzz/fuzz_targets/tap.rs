//! Any bytes as a TAP stream.

#![no_main]

use std::io::BufReader;

use casebook_fuzz::import::{self, SOURCE};
use casebook_record::import::tap;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut events = Vec::new();
    let reader = BufReader::with_capacity(64, input);
    let problems = tap(reader, &SOURCE, &mut |event| events.push(event));
    let problems = problems.expect("memory can always be read");
    import::run(input, &events, &problems);
});
