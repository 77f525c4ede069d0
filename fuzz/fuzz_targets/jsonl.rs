//! Any bytes as a journal.

#![no_main]

use std::io::BufReader;

use casebook_fuzz::{secret, survives};
use casebook_record::{EventReader, InputProblems};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // A small buffer, so that most lines are read in several parts.
    let mut reader = EventReader::new(BufReader::with_capacity(64, input));
    let mut problems = InputProblems::default();
    let mut events = Vec::new();
    while let Some(line) = reader.next().expect("memory can always be read") {
        events.extend(problems.take_event(line));
    }
    survives::events(&events);
    secret::is_hidden(events);
});
