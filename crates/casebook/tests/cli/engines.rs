//! Runs the conformance suites. The native engine, in one process and in workers, and `--engine bats` must have the
//! outcomes given by the tags of the tests. (The compiled Bats code is tested in `bats.rs`.)

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::Project;

const SUITES: &str = "crates/run/tests/conformance";

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// Runs suites in the root of the repository and returns the recorded examples.
fn run(arguments: &[&str], suites: &[String]) -> Vec<Value> {
    let project = Project::new();
    let status = Command::new(env!("CARGO_BIN_EXE_casebook"))
        .current_dir(root())
        .args(["run", "--quiet", "--record"])
        .arg(project.at("record"))
        .args(arguments)
        .args(suites)
        .env_remove("CI")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.code().is_some_and(|code| code < 2), "{status}");
    let run: Value = serde_json::from_str(&project.read("record/run.json")).unwrap();
    run["examples"]
        .as_object()
        .unwrap()
        .values()
        .cloned()
        .collect()
}

/// All suites except the one with `only`, which is tested separately.
fn all_suites() -> Vec<String> {
    let entries = std::fs::read_dir(root().join(SUITES)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let suites =
        names.filter(|name| name.ends_with(".casebook.yaml") && name != "only.casebook.yaml");
    suites.map(|name| format!("{SUITES}/{name}")).collect()
}

fn has(example: &Value, tag: &str) -> bool {
    let tags = example["metadata"]["tags"].as_array();
    tags.is_some_and(|tags| tags.iter().any(|other| other == tag))
}

/// The difference between the outcome of a test and its tags; `None` if they agree.
fn problem(example: &Value) -> Option<String> {
    let command = &example["metadata"]["command"];
    let is = |flag: &str| command[flag] == Value::Bool(true);
    let phase = command["phase"].as_str().unwrap_or_default();
    let actual = match example["status"].as_str().unwrap() {
        "failed" => format!("failed in {phase}"),
        status => format!(
            "{status}{}{}",
            if is("flaky") { " flaky" } else { "" },
            if is("leaky") { " leaky" } else { "" }
        ),
    };
    let expected = if example["description"] == "teardownFile" {
        "failed in "
    } else if has(example, "fails") {
        "failed in command"
    } else if has(example, "fails-setup") || has(example, "fails-setup-file") {
        "failed in setup"
    } else if has(example, "fails-teardown") {
        "failed in teardown"
    } else if has(example, "skipped") {
        "pending"
    } else if has(example, "flaky") {
        "passed flaky"
    } else if has(example, "leaky") {
        "passed leaky"
    } else {
        "passed"
    };
    (actual != expected).then(|| {
        format!(
            "{} {}: {actual}, not {expected}",
            example["location"], example["description"]
        )
    })
}

fn assert_as_tagged(examples: &[Value]) {
    let problems: Vec<_> = examples.iter().filter_map(problem).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_native_engine_has_the_tagged_outcomes() {
    let examples = run(&[], &all_suites());
    assert!(examples.len() > 250, "{}", examples.len());
    assert_as_tagged(&examples);
    let failing: Vec<_> = examples
        .iter()
        .filter(|example| example["description"] == "teardownFile")
        .collect();
    assert_eq!(failing.len(), 2, "two suites have a failing teardownFile");
}

#[test]
fn only_excludes_other_tests() {
    let examples = run(&[], &[format!("{SUITES}/only.casebook.yaml")]);
    assert!(!examples.is_empty() && !examples.iter().any(|example| has(example, "not-run")));
    assert_as_tagged(&examples);
}

/// The recorded examples by location and description, without times, attempts and workers.
fn comparable(examples: Vec<Value>) -> BTreeMap<String, Value> {
    let strip = |mut example: Value| {
        let key = format!("{} {}", example["location"], example["description"]);
        for field in ["started_at", "finished_at", "duration_ms"] {
            example[field] = Value::Null;
        }
        example["metadata"]["worker"] = Value::Null;
        for attempt in example["metadata"]["attempts"]
            .as_array_mut()
            .into_iter()
            .flatten()
        {
            *attempt = Value::Null;
        }
        (key, example)
    };
    examples.into_iter().map(strip).collect()
}

/// Only suites whose output does not depend on the time or the directory of the run can be compared literally.
#[test]
fn workers_and_one_process_have_equal_records() {
    let suites: Vec<_> = [
        "assertions",
        "hooks",
        "names",
        "setup-file-fails",
        "skips",
        "snapshots",
        "streams",
        "variables",
        "workdir",
    ]
    .iter()
    .map(|name| format!("{SUITES}/{name}.casebook.yaml"))
    .collect();
    let single = comparable(run(&["-j", "1"], &suites));
    let workers = comparable(run(&["--workers", "2"], &suites));
    assert_eq!(
        single.keys().collect::<Vec<_>>(),
        workers.keys().collect::<Vec<_>>()
    );
    for (name, example) in &single {
        let evaluations = |example: &Value| example["evaluations"].clone();
        let other = &workers[name];
        assert_eq!(example["status"], other["status"], "{name}");
        assert_eq!(example["exception"], other["exception"], "{name}");
        assert_eq!(
            without_times(evaluations(example)),
            without_times(evaluations(other)),
            "{name}"
        );
        assert_eq!(
            without_temp_dirs(&example["metadata"]),
            without_temp_dirs(&other["metadata"]),
            "{name}"
        );
    }
}

fn without_times(mut evaluations: Value) -> Value {
    for evaluation in evaluations.as_array_mut().into_iter().flatten() {
        evaluation["timestamp"] = Value::Null;
    }
    evaluations
}

/// Replaces the names of temporary directories, which differ between runs.
fn without_temp_dirs(value: &Value) -> String {
    let text = value.to_string();
    let mut parts = text.split("casebook-run-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !c.is_ascii_alphanumeric() && !"/-".contains(c))
            .unwrap_or(part.len());
        out.push_str("[dir]");
        out.push_str(&part[end..]);
    }
    out
}

#[test]
fn bats_has_the_tagged_outcomes() {
    let suites: Vec<_> = [
        "retries",
        "setup-file-fails",
        "skips",
        "snapshots",
        "teardown-file-fails",
        "timeout-in-setup",
    ]
    .iter()
    .map(|name| format!("{SUITES}/{name}.casebook.yaml"))
    .collect();
    assert_as_tagged(&run(&["--engine", "bats"], &suites));
}

/// A project whose temporary files are in `tmp`.
fn bats(project: &Project, arguments: &str) -> crate::support::Call {
    std::fs::create_dir_all(project.at("tmp")).unwrap();
    let call = project.casebook(&format!("run --engine bats {arguments}"));
    call.env("TMPDIR", project.at("tmp"))
}

#[test]
fn bats_does_not_change_the_path() {
    let suite = "setupFile: '[ \"$PATH\" = \"{{env.PATH}}\" ]'\nsetup: '[ \"$PATH\" = \"{{env.PATH}}\" ]'\ntests: [{name: inherits, command: echo \"$PATH\", outputEquals: \"{{env.PATH}}\"}]\n";
    let project = Project::with("a.casebook.yaml", suite);
    bats(&project, "").run().exits(0);
}

#[test]
fn what_bats_tests_write_to_descriptor_3_is_shown() {
    let suite = "tests: [{name: tells, command: echo progress >&3}]\n";
    let project = Project::with("a.casebook.yaml", suite);
    let outcome = bats(&project, "").run().exits(0);
    assert!(outcome.stderr.contains("progress\n"), "{outcome:#?}");
}

#[test]
fn a_teardown_that_exits_under_bats_is_reported_with_its_code() {
    let suite = "teardown: |\n  (exit 3)\n  echo cleaning; exit 4\ntests:\n  - name: one\n    command: echo hi\n";
    let project = Project::with("a.casebook.yaml", suite);
    let shown = bats(&project, "").run().exits(1).stdout;
    for part in [
        "`teardown` failed with exit code 4",
        "--> a.casebook.yaml:2\n",
        "   output\n   │ cleaning\n\n",
    ] {
        assert!(shown.contains(part), "{part:?} is not in {shown}");
    }
    // The line numbers of Bats are those of the compiled code, so they must not be named as lines of the suite.
    let compiled = project.bash("$CASEBOOK compile a.casebook.yaml -o a.bats && bats --tap a.bats");
    let tap = compiled.run().exits(1).stdout;
    assert!(
        tap.contains("# a.casebook.yaml:2: teardown called `exit 4`\n"),
        "{tap}"
    );
    assert!(!tap.contains("a.casebook.yaml, line"), "{tap}");
}

#[test]
fn services_left_by_hooks_do_not_keep_bats_waiting() {
    for (number, hook) in [
        "setupFile: 'sleep 300 &'",
        "setupFile: '(sleep 300; true) >/dev/null 2>&1 &'",
        "setupFile: 'setsid sleep 300 & (sleep 300 &)'",
        "setup: 'sleep 300 &'",
        "setupFile: '(while true; do sleep 1; done &)'",
        "setup: '(while true; do sleep 1; done &)'",
        "teardown: '(while true; do sleep 1; done &)'",
        "teardownFile: '(while true; do sleep 1; done &)'",
    ]
    .into_iter()
    .enumerate()
    {
        let suite = format!("{hook}\ntests: [{{name: one, command: echo hi}}]\n");
        let project = Project::with("a.casebook.yaml", suite);
        let script = "$CASEBOOK compile a.casebook.yaml -o a.bats && timeout 60 bats --tap a.bats";
        let outcome = project.bash(script).run();
        assert_eq!(outcome.code, 0, "{number}: {outcome:#?}");
        bats(&project, "").run().exits(0);
    }
}

#[test]
fn an_interrupted_bats_leaves_no_directory() {
    let suite = "tests: [{name: waits, command: sleep 0.2}, {name: later, command: sleep 60}]\n";
    std::thread::scope(|scope| {
        for number in 0..5 {
            scope.spawn(move || {
                let project = Project::with("a.casebook.yaml", suite);
                let live = bats(&project, "").start();
                crate::support::eventually("the run has begun", || {
                    !project.files("tmp").is_empty()
                });
                std::thread::sleep(std::time::Duration::from_millis(number * 150));
                live.signal(rustix::process::Signal::INT);
                live.wait().exits(130);
                assert_eq!(project.files("tmp"), [""; 0], "{number}");
            });
        }
    });
}
