//! Processes that outlive their command, intended or not.

use super::Suite;
use crate::support::timed;

#[test]
fn children_that_keep_the_output_open_are_killed_and_the_test_is_leaky() {
    let suite = Suite::new(
        "
tests:
  - {name: background, command: 'sleep 60 & echo x', outputEquals: x}
  - {name: other session, command: '(setsid sleep 60 &); echo x', outputEquals: x}
  - {name: deaf, command: '(trap \"\" TERM; sleep 60; sleep 60) & echo x', outputEquals: x}
  - {name: brief, command: '(sleep 0.05; echo y) & echo x', outputEquals: \"x\\ny\"}
  - {name: quiet, command: 'sleep 60 >/dev/null 2>&1 & echo x', outputEquals: x}
",
    );
    suite.project.write(
        "b.casebook.yaml",
        "setup: 'true'\ntests:\n  - {name: hooked, command: 'sleep 60 & echo x', outputEquals: x}\n",
    );
    let (ran, took) = timed(|| suite.run("-j6").exits(0));
    assert!(took.as_secs() < 50, "{took:?}");
    for (name, leaky) in [
        ("background", true),
        ("other session", true),
        ("deaf", true),
        ("hooked", true),
        ("brief", false),
        ("quiet", false),
    ] {
        assert_eq!(ran.command(name)["leaky"] == true, leaky, "{name}");
    }
    let ran = suite.run("--leaks fail --filter background").exits(1);
    let class = &ran.test("background")["exception"]["class_name"];
    assert_eq!(class, "Casebook::Leaked");
}

#[test]
fn daemons_are_killed_with_their_test_or_with_the_run() {
    // A unique duration, so that pgrep finds only this process.
    let sleep = format!("sleep 60.{}", std::process::id());
    let suite = Suite::new(&format!(
        "
tests:
  - name: daemon
    command: (setsid sleep 60 </dev/null >/dev/null 2>&1 & echo $! > pid); sleep 0.05
  - name: is gone
    command: sleep 0.05; ! kill -0 $(cat pid)
    stderrContains: No such process
  - name: twice removed
    command: setsid bash -c 'setsid sleep 60 & exit' </dev/null >/dev/null 2>&1
  - name: without its environment
    command: env -i setsid {sleep} </dev/null >/dev/null 2>&1 &
parallel: false
",
    ));
    suite.run("").exits(0);
    let search = suite.project.bash(&format!("pgrep -f '^{sleep}$'"));
    assert_eq!(search.run().exits(1).stdout, "");
}

#[test]
fn services_of_setup_file_run_until_teardown_file() {
    let suite = Suite::new(
        r#"
setupFile: |
  sleep 60 & echo $! > group
  setsid sleep 60 & echo $! > session
setup: |
  sleep 60 & echo $! > own
teardown: kill -0 "$(<own)"
teardownFile: kill -0 "$(<group)" && kill -0 "$(<session)"
parallel: false
tests:
  - {name: one, command: 'kill -0 $(<group) && kill -0 $(<session) && kill -0 $(<own); cp own first'}
  - {name: two, command: 'kill -0 $(<group) && kill -0 $(<session) && kill -0 $(<own)'}
  - {name: the first is gone, command: 'kill -0 $(<first)', exitCode: 1}
"#,
    );
    suite.run("").exits(0);
}

#[test]
fn hundreds_of_background_processes_are_killed() {
    let suite = Suite::new(
        "
matrix:
  a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
  b: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
tests:
  - {name: leaves one, command: '(setsid sleep 60 &) >/dev/null 2>&1 </dev/null; echo {{a}}-{{b}}'}
",
    );
    let ran = suite.run("-j16").exits(0);
    assert_eq!(ran.verdicts().len(), 200);
}
