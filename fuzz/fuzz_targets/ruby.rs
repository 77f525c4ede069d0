//! Any bytes as Ruby code: analyzed, outlined, reviewed.

#![no_main]

use casebook_design::metadata::document::Document;
use casebook_design::metadata::read::{Plan, plan};
use casebook_design::metadata::write::{Format, Stamp, flat};
use casebook_design::on_deep_stack;
use casebook_design::outline::outline;
use casebook_design::review::{About, review};
use casebook_design::ruby::analyze_all;
use casebook_design::skeleton::{Style, skeleton};
use casebook_design::spec::{architect, implement, leftovers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    on_deep_stack(|| {
        let found = analyze_all(input, "lib/a.rb").unwrap_or_default();
        for analysis in found.into_iter().flatten() {
            let stamp = Stamp {
                timestamp: "2026-11-15T12:00:00Z".to_owned(),
                source_mtime: 1,
                file: "lib/a.rb".to_owned(),
                factories: serde_json::Map::new(),
            };
            let (value, _) = flat(&analysis, &stamp, Format::V1_3);
            let written = Document::new(value.clone());
            let read = Document::parse("a", written.text().to_owned())
                .expect("what is written can be read");
            assert_eq!(read.value(), &value);
            plan(&read, None).expect("what is found can be planned");
            let planned = Plan::of(&analysis, "lib/a.rb");
            let spec = architect(&skeleton(&planned, Style::Bare), &planned, &analysis).text;
            let spec = implement(&spec, &planned, &analysis).text;
            assert!(
                leftovers(&spec).is_empty() || input.contains(&b'{'),
                "{spec}"
            );
        }
        let _ = outline(input, "a_spec.rb");
        review(&String::from_utf8_lossy(input), &About::default());
    });
});
