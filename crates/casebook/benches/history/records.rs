//! The records that are looked at: as `casebook run` writes them, of tests that mostly pass.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use casebook_record::{RunData, Time, write_run};
use serde_json::{Value, json};

pub(crate) const RUNS: usize = 1_000;
pub(crate) const EXAMPLES: usize = 1_000;
/// So many records differ: enough that the index does not profit from those that are the same.
const DIFFERENT: usize = 200;

const START: i64 = 1_763_195_251_594;
const HOUR: i64 = 3_600_000;

/// Writes all records; says how many bytes they are, as if none was linked.
pub(crate) fn write(project: &Path) -> u64 {
    let originals: Vec<PathBuf> = (0..DIFFERENT)
        .map(|number| {
            let path = project.join(format!("original-{number}.json"));
            write_run(&path, &run(number)).expect("a writable temporary directory");
            path
        })
        .collect();
    let mut bytes = 0;
    for number in 0..RUNS {
        let original = &originals[number % DIFFERENT];
        bytes += fs::metadata(original).expect("it was written").len();
        let dir = dir(project, number);
        fs::hard_link(original, dir.join("run.json")).expect("one file system");
    }
    let newest = dir_name(RUNS - 1);
    symlink(newest, project.join(".casebook/runs/latest")).expect("a writable temporary directory");
    bytes
}

/// Adds a run that no index knows.
pub(crate) fn add(project: &Path, number: usize) {
    let path = dir(project, RUNS + number).join("run.json");
    write_run(&path, &run(number)).expect("a writable temporary directory");
}

fn dir(project: &Path, number: usize) -> PathBuf {
    let dir = project.join(".casebook/runs").join(dir_name(number));
    fs::create_dir_all(&dir).expect("a writable temporary directory");
    dir
}

fn dir_name(number: usize) -> String {
    let hours = i64::try_from(number).expect("a small number");
    let moment = Time::from_millis(START + hours * HOUR);
    format!("{}-{number:08x}", moment.format("%Y%m%d-%H%M%S"))
}

fn run(number: usize) -> RunData {
    let examples: serde_json::Map<String, Value> = (0..EXAMPLES)
        .map(|test| (format!("{test:012x}"), example(number, test)))
        .collect();
    let run = json!({
        "run_id": format!("{number:08x}-aa61-46cd-bea1-bb6729000564"),
        "started_at": Time::from_millis(START), "finished_at": Time::from_millis(START + 90_000),
        "seed": null, "git_commit": format!("{:040x}", number / 2),
        "metadata": {"example_count": EXAMPLES, "configuration": {"engine": "native", "jobs": 2}},
        "examples": examples,
    });
    serde_json::from_value(run).expect("a run")
}

fn example(run: usize, test: usize) -> Value {
    let time = Time::from_millis(START);
    let failed = (run * 7 + test).is_multiple_of(97);
    let path = format!("suite {}::does what is asked of it, test {test}", test / 20);
    let file = format!("suites/suite-{}.casebook.yaml", test / 20);
    let exception = json!({"class_name": "Casebook::AssertionFailed", "message": "exit code 1 instead of 0", "backtrace": []});
    let evaluation = |name: &str| {
        json!({
            "name": name, "description": format!("{name} 0"), "passed": !failed, "reasoning": null, "timestamp": time,
            "mode": "hard", "type": name, "failure_message": null,
            "metadata": {"file": file, "line": test % 20 * 5 + 7, "source": "    exitCode: 0", "expected": 0, "actual": 0},
        })
    };
    json!({
        "id": format!("{test:012x}"), "stable_id": format!("example:{test:012x}"), "canonical_path": path, "scenario_id": null,
        "file": file, "description": format!("does what is asked of it, test {test}"),
        "location": format!("{file}:{}", test % 20 * 5 + 7), "status": if failed { "failed" } else { "passed" },
        "started_at": time, "finished_at": time, "duration_ms": duration(run, test),
        "exception": failed.then_some(exception), "conversation": null,
        "evaluations": [evaluation("exitCode"), evaluation("outputContains")],
        "metadata": {
            "suite": format!("suite {}", test / 20), "file": file, "rerun": format!("casebook run {file}:7"), "worker": 1,
            "command": {"command": "shop list --all", "exit_code": 0, "output": "bread\nmilk\n"},
        },
    })
}

/// A different duration for each test, with a little variation between runs.
fn duration(run: usize, test: usize) -> usize {
    let noise = (run * 1_000 + test).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
    test * 37 % 900 + noise % 60
}
