//! Any text as metadata: read, checked, changed.

#![no_main]

use std::path::Path;

use casebook_design::metadata::check::{ValidationContext, check, write_back};
use casebook_design::metadata::document::Document;
use casebook_design::metadata::read::plan;
use casebook_design::skeleton::{Style, skeleton};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(mut document) = Document::parse("metadata.yml", text) else {
        return;
    };
    let around = ValidationContext {
        root: None,
        cwd: Path::new("/nowhere"),
        methods: &|_| None,
    };
    let findings = check(&document, &around);
    if let Ok(plan) = plan(&document, None)
        && plan.entries.len() < 8
    {
        skeleton(&[plan], Style::Comments);
    }
    let before = document.value().clone();
    write_back(&mut document, &findings);
    document.append_in("automation", "warnings", "a line");
    let read = Document::parse("metadata.yml", document.text().to_owned())
        .expect("what is written can be read");
    for (key, value) in &before {
        if key != "validation" && key != "automation" {
            assert_eq!(read.value().get(key), Some(value), "{text}");
        }
    }
});
