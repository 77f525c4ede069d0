//! What processes of their own cost tests, and how fast events come back from them.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use casebook_record::{canonical_path, stable_id};

use crate::jobs;
use crate::overhead::TESTS;
use crate::program::{Programs, Took, run};
use crate::table::{Bar, Row, Table, seconds};
use crate::workload;

const ROUNDS: usize = 5;
const EVENTS: usize = 300_000;

pub(crate) fn measure(programs: &Programs, table: &mut Table) {
    jobs::computing(programs, table, "--workers");
    overhead(programs, table);
    forwarding(programs, table);
}

fn overhead(programs: &Programs, table: &mut Table) {
    let tests = workload::shell(TESTS);
    programs.write("trivial.casebook.yaml", &workload::suite(&tests, false));
    let (mut inside, mut outside) = (Took::NOTHING_YET, Took::NOTHING_YET);
    for round in 1..=ROUNDS {
        eprintln!("overhead, round {round} of {ROUNDS}");
        inside = inside.or(run(programs.casebook(&[
            "-j",
            "2",
            "trivial.casebook.yaml",
        ])));
        outside = outside.or(run(programs.casebook(&[
            "--workers",
            "2",
            "trivial.casebook.yaml",
        ])));
        programs.forget();
    }
    let ratio = outside.wall / inside.wall;
    table.add(Row {
        task: format!("{TESTS} trivial tests with `--workers 2`"),
        casebook: seconds(outside.wall),
        yardstick: format!("`-j 2`: {}", seconds(inside.wall)),
        value: format!(
            "{ratio:.2}× the time (CPU {:.2}×)",
            outside.cpu / inside.cpu
        ),
        bar: Bar::at_most("≤ 1.15×", ratio, 1.15),
    });
}

/// A worker that has nothing to do but to send events, and a controller that decodes, records and shows them.
fn forwarding(programs: &Programs, table: &mut Table) {
    programs.write(
        "one.casebook.yaml",
        "name: one\ntests: [{name: one, command: 'true'}]\n",
    );
    programs.write("events.txt", &events());
    let script = "#!/bin/bash
read -r hello
[[ $hello =~ \\\"version\\\":([0-9]+) ]]
echo \"{\\\"ready\\\":{\\\"version\\\":${BASH_REMATCH[1]}}}\" >&0
for _ in suite file run; do read -r line; done
exec cat events.txt >&0
";
    programs.write("sender", script);
    let path = programs.path("sender");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a script of ours");
    let mut best = f64::INFINITY;
    let arguments = [
        "--workers",
        "1",
        "--worker-program",
        "./sender",
        "one.casebook.yaml",
    ];
    for round in 1..=ROUNDS {
        eprintln!("forwarding, round {round} of {ROUNDS}");
        best = best.min(run(programs.casebook(&arguments)).wall);
        programs.forget();
    }
    let rate = EVENTS as f64 / best;
    table.add(Row {
        task: "events from a worker: decoded, recorded, shown".into(),
        casebook: format!("{rate:.0} events/s"),
        yardstick: String::new(),
        value: String::new(),
        bar: Bar::at_least("≥ 100,000 events/s", rate, 100_000.0),
    });
}

fn events() -> String {
    let id = stable_id(&canonical_path(["one", "one"], None));
    let id = id.trim_start_matches("example:");
    let time = "\"time\":\"2026-11-15T08:40:53.123+00:00\"";
    let names =
        format!("\"example_id\":\"{id}\",\"description\":\"one\",\"full_description\":\"one one\"");
    let mut text = format!(
        "{{\"event_type\":\"ExampleStarted\",\"payload\":{{{time},{names},\"location\":\"one.casebook.yaml:2\"}}}}\n"
    );
    for number in 2..EVENTS {
        let _ = writeln!(
            text,
            "{{\"event_type\":\"EvaluationRecorded\",\"payload\":{{{time},\"example_id\":\"{id}\",\"mode\":\"hard\",\"type\":\"outputContains\",\"description\":\"outputContains {number}\",\"passed\":true,\"metadata\":{{\"file\":\"one.casebook.yaml\",\"line\":2,\"expected\":\"value {number}\"}}}}}}"
        );
    }
    let _ = writeln!(
        text,
        "{{\"event_type\":\"ExamplePassed\",\"payload\":{{{time},{names},\"duration\":0.1}}}}\n{{\"done\":{{\"id\":1,\"end\":\"passed\"}}}}"
    );
    text
}
