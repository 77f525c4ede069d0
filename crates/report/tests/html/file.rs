//! The page as a file: independent of the number of threads, with the complete record.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use casebook_record::{ExampleData, RunData};
use casebook_report::html;
use serde_json::Value;

use crate::sample_runs::{large, showcase};

fn page(run: &RunData, threads: usize) -> String {
    let mut page = Vec::new();
    let options = html::Options {
        threads,
        ..html::Options::default()
    };
    html::write(run, &options, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

fn unpacked(page: &str, id: &str) -> String {
    let start = format!("id=\"{id}\">");
    let start = page.find(&start).unwrap() + start.len();
    let block = &page[start..start + page[start..].find('<').unwrap()];
    let mut text = String::new();
    flate2::read::GzDecoder::new(STANDARD.decode(block).unwrap().as_slice())
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn threads_do_not_change_the_page() {
    let run = large(700, 300);
    assert!(page(&run, 1) == page(&run, 5));
}

#[test]
fn every_example_is_complete_and_in_order() {
    let run = large(300, 9_000);
    let page = page(&run, 2);
    let index: Value = serde_json::from_str(&unpacked(&page, "index")).unwrap();
    let starts = index["chunks"].as_array().unwrap();
    assert!(starts.len() > 5, "chunks are small");
    let mut examples = Vec::new();
    for (number, start) in starts.iter().enumerate() {
        assert_eq!(*start, examples.len());
        let chunk: Vec<ExampleData> =
            serde_json::from_str(&unpacked(&page, &format!("chunk-{number}"))).unwrap();
        examples.extend(chunk);
    }
    assert!(run.examples.values().map(AsRef::as_ref).eq(&examples));
}

#[test]
fn a_row_has_the_fields_for_lists_and_charts() {
    let index: Value = serde_json::from_str(&unpacked(&page(&showcase(), 1), "index")).unwrap();
    let row = |name: &str| {
        index["rows"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["name"].as_str().unwrap().contains(name))
            .unwrap()
            .to_string()
    };
    insta::assert_snapshot!(row("lists what there is"), @r#"{"id":"example:3aff8cecd984","groups":["shop"],"name":"lists what there is","outcome":"failed","file":"suites/shop.casebook.yaml","line":6,"duration":57,"start":20,"worker":1,"tags":["fast","catalogue"],"kind":"command","class":"Casebook::AssertionFailed","reason":"output differs from the expected text","criteria":[["exitCode",1,0,0],["outputEquals",0,1,0]]}"#);
    insta::assert_snapshot!(row("books with a change"), @r#"{"id":"example:6b015b0dfbe7","groups":["Room booking agent"],"name":"books with a change of time","outcome":"failed","file":"suites/booking.casebook.yaml","line":22,"duration":3140,"start":900,"worker":1,"tags":["agent"],"kind":"conversation","class":"Casebook::AssertionFailed","reason":"no call matches: called check_availability with room \"Blue Room\", capacity ≥ 10","criteria":[["friendly",1,0,0],["grounded_pricing",0,1,0],["called",0,1,0],["polite_refusal",0,0,1],["stays_on_task",1,0,0]],"tracing":{"tokens":{"input":5820,"output":433},"cost":0.0104,"latency_ms":3110,"agent":{"calls":3,"latency_ms":2400,"tokens":{"input":3900,"output":310},"cost":0.0077},"judge":{"calls":3,"latency_ms":710,"tokens":{"input":1920,"output":123},"cost":0.0027}},"topics":["greeting","gathering","booking"],"graph":0}"#);
    insta::assert_snapshot!(row("trial 2"), @r#"{"id":"example:924d5a71dde0~2","groups":["Room booking agent"],"name":"remembers the number of guests (trial 2 of 5)","outcome":"failed","file":"suites/booking.casebook.yaml","line":60,"duration":1170,"start":4450,"worker":4,"tags":["agent"],"kind":"conversation","class":"Casebook::AssertionFailed","reason":"the reply does not contain \"50\"","criteria":[["friendly",1,0,0],["remembers",0,1,0]],"trial":{"number":2,"of":5,"test":"example:924d5a71dde0"},"tracing":{"tokens":{"input":5820,"output":433},"cost":0.0104,"latency_ms":3110,"agent":{"calls":3,"latency_ms":2400,"tokens":{"input":3900,"output":310},"cost":0.0077},"judge":{"calls":3,"latency_ms":710,"tokens":{"input":1920,"output":123},"cost":0.0027}},"topics":["greeting","gathering"],"graph":0}"#);
    insta::assert_snapshot!(index["graphs"].to_string(), @r#"[{"greeting":["gathering"],"gathering":["results","greeting"],"results":["booking","gathering"],"booking":["farewell"],"farewell":[]}]"#);
}
