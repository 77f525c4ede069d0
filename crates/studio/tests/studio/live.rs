//! Runs in progress.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::Events;
use crate::studio_project::StudioProject;

const RUN: &str = "20261118-080000-aaaaaaaa";

/// Reads events until the tests have these outcomes; each version of a test may arrive only once.
fn collect(events: &mut Events, rows: &mut BTreeMap<String, Value>, last: &mut u64) -> String {
    let event = events.next();
    if event.name == "rows" {
        assert!(event.id > *last, "{} arrived again", event.id);
        *last = event.id;
        for row in event.data.as_array().unwrap() {
            rows.insert(
                row["id"].as_str().unwrap().to_owned(),
                row["outcome"].clone(),
            );
        }
    }
    event.name
}

/// On a machine that does something else, some runs appear later; `script/bench studio` measures.
#[test]
fn a_run_appears_within_200_milliseconds() {
    let project = StudioProject::new();
    let mut events = project.events("/api/v1/events");
    events.next();
    let mut delays = Vec::new();
    for number in 10..40 {
        let start = Instant::now();
        let mut live = project.record(&format!("20261118-0800{number}-aaaaaaaa"));
        live.begin(1);
        live.start("a");
        while events.next().data["live"][0]["running"] != 1 {}
        delays.push(start.elapsed());
        live.pass("a");
        live.finish();
        while events.next().data["live"] != serde_json::json!([]) {}
        if delays.last() < Some(&Duration::from_millis(200)) {
            return;
        }
    }
    panic!("{delays:?}");
}

#[test]
fn tests_change_while_they_run() {
    let project = StudioProject::new();
    let mut live = project.record(RUN);
    live.begin(3);
    live.start("a");
    let index = project.get(&format!("/api/v1/runs/{RUN}"));
    let version = index.header("casebook-version").to_owned();
    assert_eq!(index.json()["run"]["live"], true);
    assert_eq!(index.json()["rows"][0]["outcome"], "running");

    let mut events = project.events(&format!("/api/v1/runs/{RUN}/events?after={version}"));
    let (mut rows, mut last) = (BTreeMap::new(), 0);
    live.pass("a");
    while rows.get("a") != Some(&"passed".into()) {
        collect(&mut events, &mut rows, &mut last);
    }
    live.start("b");
    live.fail("b", "no such file");
    while rows.get("b") != Some(&"failed".into()) {
        collect(&mut events, &mut rows, &mut last);
    }
    let test = project.get(&format!("/api/v1/runs/{RUN}/tests/b")).json();
    assert_eq!(test["exception"]["message"], "no such file");
    live.finish();
    while collect(&mut events, &mut rows, &mut last) != "ended" {}
    let index = project.get(&format!("/api/v1/runs/{RUN}")).json();
    assert_eq!(index["run"].get("live"), None);
    assert_eq!(index["rows"].as_array().unwrap().len(), 2);
}

/// What a page has seen is not sent again, and nothing is missing, whenever the server or the connection ends.
#[test]
fn nothing_is_lost_or_sent_twice_when_the_server_restarts() {
    let mut project = StudioProject::new();
    let mut live = project.record(RUN);
    live.begin(40);
    let (mut rows, mut last) = (BTreeMap::new(), 0);
    for number in 0..40 {
        let id = format!("{number:02}");
        live.start(&id);
        if number % 7 == 3 {
            project.stop();
            project.start();
        }
        let mut events = project.events(&format!("/api/v1/runs/{RUN}/events?after={last}"));
        live.pass(&id);
        while rows.get(&id) != Some(&"passed".into()) {
            collect(&mut events, &mut rows, &mut last);
        }
    }
    assert_eq!(rows.len(), 40);
    assert!(rows.values().all(|outcome| outcome == "passed"), "{rows:?}");
    live.finish();
}

#[test]
fn the_output_of_a_running_test_is_served_until_it_ends() {
    let project = StudioProject::new();
    let mut live = project.record(RUN);
    live.begin(2);
    live.start("a");
    let output = |id: &str| project.get(&format!("/api/v1/runs/{RUN}/tests/{id}/output"));
    project.get(&format!("/api/v1/runs/{RUN}"));
    assert_eq!(output("a").json()["output"], "");
    project.write_output(RUN, "a", "first\n");
    std::fs::write(project.runs().join("secret.so-far.txt"), "secret").unwrap();
    assert_eq!(output("a").json()["output"], "first\n");
    for other in ["b", "..%2F..%2Fsecret", "%2e%2e"] {
        assert_eq!(output(other).json()["output"], "", "{other}");
    }
    live.pass("a");
    project.get(&format!("/api/v1/runs/{RUN}"));
    assert_eq!(output("a").json()["output"], "");
    live.finish();
    project.get(&format!("/api/v1/runs/{RUN}"));
    assert_eq!(output("a").status, 404);
}

/// The writer's lock is released when its process is killed; here, when the recorder is dropped.
#[test]
fn a_killed_run_is_shown_as_interrupted() {
    let project = StudioProject::new();
    let mut live = project.record(RUN);
    live.begin(2);
    live.start("a");
    let mut events = project.events(&format!("/api/v1/runs/{RUN}/events"));
    assert_eq!(events.next().data[0]["outcome"], "running");
    drop(live);
    assert_eq!(events.next().name, "ended");
    let index = project.get(&format!("/api/v1/runs/{RUN}")).json();
    assert_eq!(index["rows"][0]["outcome"], "interrupted");
}

#[test]
fn a_run_that_is_not_in_progress_has_no_events() {
    let project = StudioProject::new();
    for name in [RUN, "..", "none"] {
        let mut events = project.events(&format!("/api/v1/runs/{name}/events?after=7"));
        let event = events.next();
        assert_eq!((event.name.as_str(), event.id), ("ended", 7));
    }
}

#[test]
fn a_page_that_reads_slowly_gets_the_newest_state() {
    let project = StudioProject::new();
    let mut live = project.record(RUN);
    live.begin(1);
    let mut events = project.events(&format!("/api/v1/runs/{RUN}/events"));
    for number in 0..3000 {
        let id = format!("{number}");
        live.start(&id);
        live.pass(&id);
    }
    sleep(Duration::from_millis(500));
    let (mut rows, mut last) = (BTreeMap::new(), 0);
    while rows.len() < 3000 || rows.values().any(|outcome| outcome != "passed") {
        collect(&mut events, &mut rows, &mut last);
    }
    live.finish();
}
