//! A record is written and reported with one example in memory, not the record. The only test in its process, because the
//! peak is that of the process.

#![expect(
    clippy::unwrap_used,
    reason = "a failed helper fails the test that called it"
)]

use std::borrow::Cow;
use std::io;
use std::path::Path;

use casebook_record::{
    Bus, Destination, ExampleData, ExampleSource, Metadata, Recorder, Redactor, Run, RunData,
    RunIdentity, Time, decode, open_journal, open_run, write_run,
};
use casebook_report::{github, json, junit, tap, terminal};
use serde_json::json;

const EXAMPLES: usize = 200;
const OUTPUT_BYTES: usize = 40_000;
const TIME: &str = "2026-11-15T08:40:51.000+00:00";

/// Every tenth example failed.
struct Generated {
    count: usize,
    output_bytes: usize,
}

impl ExampleSource for Generated {
    fn count(&self) -> usize {
        self.count
    }

    fn read(&self, index: usize) -> io::Result<Cow<'_, ExampleData>> {
        let output = "line of output\n".repeat(self.output_bytes / 15);
        let has_failed = index.is_multiple_of(10);
        let example: ExampleData = serde_json::from_value(json!({
            "id": format!("example:{index}"), "stable_id": format!("example:{index}"), "canonical_path": null,
            "scenario_id": null, "file": "a.yaml", "description": format!("test {index}"), "location": "a.yaml:1",
            "status": if has_failed { "failed" } else { "passed" }, "started_at": TIME, "finished_at": TIME,
            "duration_ms": 5, "conversation": null,
            "exception": has_failed.then(|| json!({"class_name": "E", "message": "wrong output", "backtrace": []})),
            "metadata": {"suite": "a", "command": {"command": "cat", "exit_code": 0, "output": output}}
        }))?;
        Ok(Cow::Owned(example))
    }
}

fn write(path: &Path, count: usize, output_bytes: usize) {
    let run = RunData {
        schema_version: None,
        run_id: "generated".into(),
        started_at: Time::from_millis(0),
        finished_at: None,
        seed: None,
        git_commit: None,
        metadata: Metadata::new(),
        scenarios: indexmap::IndexMap::new(),
        extra: casebook_record::UnknownFields::default(),
        examples: Generated {
            count,
            output_bytes,
        },
    };
    let run: &Run = &run;
    write_run(path, run).unwrap();
}

fn report_in_all_formats(path: &Path) {
    let run = &*open_run(path, &Redactor::default()).unwrap().run;
    let out = &mut io::sink();
    terminal::report(run, &terminal::Options::default(), out).unwrap();
    tap::write(run, tap::Options::default(), out).unwrap();
    junit::write(run, out).unwrap();
    github::annotations(run, out).unwrap();
    serde_json::to_writer(out, &json::summary(run, 5, &[]).unwrap()).unwrap();
}

fn record(dir: &Path, count: usize, output_bytes: usize) {
    let destination = Destination::Dir(dir.into());
    let identity = RunIdentity::default();
    let recorder = Recorder::new(Bus::new(), destination, identity, Redactor::default());
    let output = "line of output\n".repeat(output_bytes / 15);
    for number in 0..count {
        let event = json!({"event_type": "ExamplePassed", "payload": {
            "time": TIME, "example_id": number.to_string(), "description": "d", "full_description": "d",
            "duration": 1.0, "metadata": {"command": {"output": output}}
        }});
        recorder.publish(decode(&event.to_string()).unwrap());
    }
    let result = recorder.finish();
    assert!(result.errors.is_empty() && result.run_file.is_some());
}

fn recover(dir: &Path) {
    let run = open_journal(&dir.join("events.jsonl"), &Redactor::default()).unwrap();
    write_run(&dir.join("run.json"), &*run.run).unwrap();
}

/// The peak memory of this process in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<u64>().unwrap() * 1024
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "/proc is Linux")]
fn record_recover_and_all_reports_need_less_than_a_third_of_the_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("small.json");
    // The code that is loaded from the program's file is not part of the measurement.
    write(&path, 20, OUTPUT_BYTES);
    report_in_all_formats(&path);
    let small = dir.path().join("small");
    record(&small, 20, OUTPUT_BYTES);
    recover(&small);

    let path = dir.path().join("large.json");
    write(&path, EXAMPLES, OUTPUT_BYTES);
    let allowed = std::fs::metadata(&path).unwrap().len() * 3 / 10;
    let before = peak();
    report_in_all_formats(&path);
    let needed = peak().saturating_sub(before);
    assert!(needed < allowed, "report: {needed} of {allowed} bytes");

    let large = dir.path().join("large");
    let before = peak();
    record(&large, EXAMPLES, OUTPUT_BYTES);
    let needed = peak().saturating_sub(before);
    assert!(needed < allowed, "record: {needed} of {allowed} bytes");

    let before = peak();
    recover(&large);
    let needed = peak().saturating_sub(before);
    assert!(needed < allowed, "recover: {needed} of {allowed} bytes");
}
