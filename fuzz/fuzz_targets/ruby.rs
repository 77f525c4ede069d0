//! Any bytes as Ruby code: analyzed, outlined, reviewed.

#![no_main]

use casebook_design::metadata::document::Document;
use casebook_design::metadata::read::{Plan, plan, plans};
use casebook_design::metadata::write::{DocumentHeader, Format, flat, plugin};
use casebook_design::outline::outline;
use casebook_design::review::{ReviewContext, review};
use casebook_design::ruby::{AnalysisOptions, analyze_all};
use casebook_design::skeleton::{Distance, Style, skeleton};
use casebook_design::spec::{Records, architect, implement, leftovers};
use casebook_design::{NamingProfile, on_deep_stack};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    on_deep_stack(|| {
        let found = analyze_all(input, "lib/a.rb", AnalysisOptions::default()).unwrap_or_default();
        let found: Vec<_> = found.into_iter().flatten().collect();
        let stamp = DocumentHeader {
            timestamp: "2026-11-15T12:00:00Z".to_owned(),
            source_mtime: 1,
            file: "lib/a.rb".to_owned(),
            spec_path: "spec/lib/a_spec.rb".to_owned(),
            factories: serde_json::Map::new(),
            is_library: false,
            models: vec!["a".to_owned()],
            names: NamingProfile::Short,
        };
        if !found.is_empty() {
            let value = plugin(found.clone(), &stamp, 1);
            let written = Document::new(value.clone());
            let read = Document::parse("a", written.text().to_owned())
                .expect("what is written can be read");
            assert_eq!(read.value(), &value);
            let planned = plans(&read, None).expect("what is found can be planned");
            skeleton(&planned, Style::Bare);
        }
        for analysis in found {
            let (value, _) = flat(analysis.clone(), &stamp, Format::V1_3);
            let written = Document::new(value.clone());
            let read = Document::parse("a", written.text().to_owned())
                .expect("what is written can be read");
            assert_eq!(read.value(), &value);
            plan(&read, None).expect("what is found can be planned");
            let planned = Plan::of(&analysis, "lib/a.rb");
            let planned = std::slice::from_ref(&planned);
            let spec = skeleton(planned, Style::Bare);
            let analyses = std::slice::from_ref(&analysis);
            let spec = architect(&spec, planned, analyses).text;
            let spec = implement(
                &spec,
                planned,
                analyses,
                &Records::default(),
                Distance::Apart,
                &[],
            )
            .text;
            assert!(
                leftovers(&spec).is_empty() || input.contains(&b'{'),
                "{spec}"
            );
        }
        let _ = outline(input, "a_spec.rb");
        review(&String::from_utf8_lossy(input), &ReviewContext::default());
    });
});
