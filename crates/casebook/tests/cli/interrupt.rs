//! Ctrl-C and SIGTERM: all received events are recorded, in order.

use std::io::Write as _;
use std::thread;

use insta::assert_snapshot;
use rustix::process::Signal;

use crate::events::{passed, started, suite};
use crate::support::{Live, Project, eventually};

#[test]
fn ctrl_c_records_unfinished_examples_as_failed() {
    let project = Project::new();
    let live = recording(&project);
    live.signal(Signal::INT);
    assert_snapshot!(live.wait().shown(), @r#"
    exit code 130
    --- stderr
    interrupted
    2 examples: 1 passed, 1 interrupted in 0 ms
    recorded in out
    "#);
    assert_eq!(project.files("out"), ["events.jsonl", "run.json"]);
    let examples = project.json("out/run.json")["examples"].clone();
    assert_eq!(examples["adds"]["status"], "passed");
    assert_eq!(examples["hangs"]["status"], "failed");
    assert_eq!(
        examples["hangs"]["exception"]["class_name"],
        "Casebook::Interrupted"
    );
}

#[test]
fn sigterm_does_the_same_with_its_exit_code() {
    let project = Project::new();
    let live = recording(&project);
    live.signal(Signal::TERM);
    live.wait().exits(143);
    assert_eq!(
        project.json("out/run.json")["examples"]["hangs"]["status"],
        "failed"
    );
}

/// Ctrl-C in a pipeline stops both processes: the end of the input and the signal may arrive in either order.
#[test]
fn ctrl_c_that_also_stops_the_producer_is_not_an_input_error() {
    for _ in 0..20 {
        let project = Project::new();
        let live = recording(&project);
        live.signal(Signal::INT);
        let outcome = live.finish();
        assert!([1, 130].contains(&outcome.code), "{outcome:#?}");
        assert!(project.exists("out/run.json"));
    }
}

#[test]
fn events_after_ctrl_c_are_not_acknowledged() {
    for _ in 0..20 {
        let project = Project::new();
        let mut live = recording(&project);
        let mut stdin = live.take_stdin();
        let producer = thread::spawn(move || {
            let more = format!("{}\n", started("more"));
            while stdin.write_all(more.as_bytes()).is_ok() {}
        });
        live.answer();
        live.signal(Signal::INT);
        let outcome = live.wait().exits(130);
        producer.join().unwrap();
        let acknowledged = outcome.stdout.lines().last().unwrap_or("0");
        let recorded = project.journal("out/events.jsonl").len();
        assert!(
            acknowledged.parse::<usize>().unwrap() <= recorded,
            "{acknowledged} {recorded}"
        );
    }
}

#[test]
fn nothing_is_recorded_before_the_first_line() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let project = Project::new();
        let live = project.casebook("record --from jsonl").start();
        eventually("signals are caught", || catches(&live, signal));
        live.signal(signal);
        live.wait().exits(code);
        assert!(project.files(".").is_empty());
    }
}

#[test]
fn incomplete_tap_is_recorded() {
    let project = Project::new();
    let mut live = project.casebook("record --from tap --record out").start();
    live.send("TAP version 14\n1..3\nok 1 - adds\nok 2 - divides");
    eventually("the first test is in the journal", || {
        project.exists("out/events.jsonl")
            && project.read("out/events.jsonl").contains("ExamplePassed")
    });
    live.signal(Signal::INT);
    live.wait().exits(130);
    assert!(project.read("out/run.json").contains("adds"));
}

/// A recorder with one finished and one running example on disk.
fn recording(project: &Project) -> Live {
    let mut live = project
        .casebook("record --from jsonl --ack --record out")
        .start();
    for line in [
        suite("stopped"),
        started("adds"),
        passed("adds"),
        started("hangs"),
    ] {
        live.send(line);
        live.answer();
    }
    live
}

fn catches(live: &Live, signal: Signal) -> bool {
    let caught = u64::from_str_radix(&live.status("SigCgt"), 16).unwrap_or(0);
    caught & (1 << (signal.as_raw() - 1)) != 0
}
