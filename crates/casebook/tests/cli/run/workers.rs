//! Worker processes, and how they can fail.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use super::Suite;

/// The tests signal their worker: it is the parent of the command.
const SUITE: &str = "
setupFile: export FROM_FILE=yes; sleep 60 >/dev/null & echo $! > service
teardownFile: kill -0 $(cat service)
tests:
  - {name: before, command: echo $FROM_FILE, outputEquals: 'yes'}
  - {name: deadly, command: 'KILL_IT'}
  - {name: after, command: echo $FROM_FILE, outputEquals: 'yes'}
  - {name: last, command: 'true'}
";

fn deadly(command: &str) -> Suite {
    Suite::new(&SUITE.replace("KILL_IT", command))
}

#[test]
fn a_killed_worker_fails_only_its_running_test() {
    for (signal, reason) in [
        ("KILL", "it was killed by SIGKILL"),
        ("TERM", "it was killed by SIGTERM"),
    ] {
        // The fourth field is the parent. A command that contains PPID would have a shell as its parent.
        let suite = deadly(&format!(
            "kill -{signal} $(cut -d \" \" -f 4 /proc/$$/stat); sleep 600"
        ));
        let ran = suite.run("--workers 1").exits(1);
        assert_eq!(
            ran.verdicts(),
            [
                "before passed",
                &format!("deadly failed: worker 1 died: {reason}"),
                "after passed",
                "last passed"
            ]
        );
        assert_eq!(
            ran.test("deadly")["exception"]["class_name"],
            "Casebook::WorkerDied"
        );
    }
}

/// A suite with a worker program that runs `how` the first time, and a real worker from then on.
fn misbehaving(how: &str) -> Suite {
    let suite = deadly("true");
    let script = format!(
        "#!/bin/bash
if mkdir \"${{0%/*}}/taken\"; then
  read -r hello <&0
  {how}
  exit 9
fi
exec \"{}\" \"$@\"
",
        env!("CARGO_BIN_EXE_casebook")
    );
    let path = suite.project.at("worker");
    fs::write(&path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    suite
}

#[track_caller]
fn first_fails(how: &str, reason: &str) {
    let suite = misbehaving(how);
    let ran = suite
        .run("--workers 1 --worker-silence 60 --worker-program ./worker")
        .exits(1);
    assert_eq!(
        ran.verdicts(),
        [
            &format!("before failed: worker 1 died: {reason}"),
            "deadly passed",
            "after passed",
            "last passed"
        ],
        "{:#?}",
        ran.outcome
    );
}

const READY: &str = r#"echo '{"ready":{"version":3}}' >&0;"#;

#[test]
fn a_worker_that_exits_immediately_is_replaced() {
    first_fails("", "it exited with code 9");
}

#[test]
fn a_worker_that_exits_during_a_test_is_replaced() {
    first_fails(&format!("{READY} read -r work"), "it exited with code 9");
}

#[test]
fn a_worker_that_sends_an_invalid_line_is_replaced() {
    first_fails(
        &format!("{READY} echo 'hello, world' >&0; sleep 600"),
        "it sent an invalid line: expected value at line 1 column 1",
    );
}

#[test]
fn a_worker_of_another_version_is_not_used() {
    first_fails(
        r#"echo '{"ready":{"version":7}}' >&0; sleep 600"#,
        "it has protocol version 7 instead of 3",
    );
}

#[test]
fn a_silent_worker_is_replaced() {
    let suite = misbehaving(&format!("{READY} sleep 600"));
    // Much longer than the heartbeat interval of a real worker.
    let ran = suite
        .run("--workers 1 --worker-silence 5 --worker-program ./worker")
        .exits(1);
    let verdicts = ran.verdicts();
    assert!(
        verdicts[0].starts_with("before failed: worker 1 died: no heartbeat for "),
        "{verdicts:?}"
    );
    assert_eq!(
        verdicts[1..],
        ["deadly passed", "after passed", "last passed"]
    );
}

#[test]
fn a_frame_of_a_gigabyte_is_rejected() {
    first_fails(
        &format!("{READY} exec 5>&0; head -c 1000000000 /dev/zero | tr '\\0' x >&5; sleep 600"),
        "it sent a line of more than 64 MiB",
    );
}

#[test]
fn a_program_that_cannot_be_started_fails_every_test() {
    let suite = deadly("true");
    let ran = suite.run("--workers 2 --worker-program ./nothing").exits(1);
    for verdict in ran.verdicts() {
        assert!(
            verdict.contains("died: cannot start it: No such file"),
            "{verdict}"
        );
    }
}

#[test]
fn workers_exit_when_their_controller_is_killed() {
    let suite = Suite::new(
        "tests:\n  - {name: a, command: touch a; sleep 60}\n  - {name: b, command: touch b; sleep 60}\n",
    );
    let running = suite.call("--workers 2 --record out").start();
    until(|| suite.project.exists("a") && suite.project.exists("b"));
    running.signal(Signal::KILL);
    until(|| suite.processes().is_empty());
    // The next run removes the abandoned directory.
    suite
        .project
        .write("a.casebook.yaml", "tests: [{name: c, command: 'true'}]");
    suite.run("").exits(0);
}

fn until(condition: impl Fn() -> bool) {
    let mut polls = 0..3000;
    while !condition() {
        assert!(polls.next().is_some(), "it took too long");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn output_and_retries_are_sent_by_workers() {
    let suite = Suite::new(
        "
tests:
  - {name: fails, command: 'seq 30000; echo end >&2', stderrEquals: nothing}
  - name: flaky
    retries: 2
    command: mkdir once
  - {name: odd, env: {ODD: \"ä\"}, command: 'printf \"%s\\\\377\" \"$ODD\"'}
",
    );
    fs::create_dir(suite.project.at("once")).unwrap();
    let ran = suite.run("--workers 2").exits(1);
    let kept = ran.command("fails")["output_file"].as_str().unwrap();
    let kept = suite.project.read(&format!("{}/{kept}", ran.dir));
    assert!(kept.contains("\n29999\n") && kept.contains("--- stderr ---\nend\n"));
    assert_eq!(
        ran.test("flaky")["metadata"]["attempts"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(ran.output("odd"), "ä\u{fffd}");
}

#[test]
fn jobs_and_workers_exclude_each_other() {
    let suite = deadly("true");
    let ran = suite.run("--workers 2 -j 2").exits(2);
    assert!(
        ran.outcome.stderr.contains("cannot be used with"),
        "{ran:#?}"
    );
    let outcome = suite.project.casebook("worker").run().exits(2);
    assert!(outcome.stderr.contains("needs --connect:"), "{outcome:#?}");
}

#[test]
fn shards_are_merged_into_one_record() {
    let tests: Vec<_> = (0..7)
        .map(|number| format!("{{name: t{number}, command: 'exit {}'}}", number / 6))
        .collect();
    let suite = Suite::new(&format!("tests: [{}]", tests.join(", ")));
    suite.call("--shard 1/2 --record one").run();
    suite.call("--shard 2/2 --record two").run();
    suite
        .project
        .casebook("merge two one --record all")
        .run()
        .exits(1);
    let all = suite.project.json("all/run.json");
    let names: Vec<_> = all["examples"]
        .as_object()
        .unwrap()
        .values()
        .map(|test| test["description"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["t0", "t1", "t2", "t3", "t4", "t5", "t6"]);
    assert_eq!(all["metadata"]["configuration"].get("shard"), None);
    suite.project.casebook("merge two nowhere").run().exits(2);
}
