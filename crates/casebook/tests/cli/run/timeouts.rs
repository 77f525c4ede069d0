//! Tests that take too long.

use super::Suite;
use crate::support::timed;

#[test]
fn a_test_that_exceeds_its_timeout_is_killed_and_keeps_its_output() {
    let suite = Suite::new(
        "
tests:
  - {name: long, timeout: 3s, command: echo before; sleep 600; echo after}
  - {name: short, timeout: 600, command: 'false'}
",
    );
    let (ran, took) = timed(|| suite.run("").exits(1));
    assert!(took.as_secs() < 60, "{took:?}");
    let test = ran.test("long");
    assert_eq!(test["exception"]["class_name"], "Casebook::Timeout");
    assert_eq!(test["exception"]["message"], "timed out after 3 s");
    let command = ran.command("long");
    assert_eq!(command["output"], "before\n");
    assert_eq!(command["timed_out"], true);
    assert_eq!(command["timeout"], 3.0);
    assert_eq!(test["evaluations"].as_array().unwrap().len(), 0);
}

#[test]
fn a_tree_that_ignores_sigterm_is_killed() {
    let suite = Suite::new(
        "
timeout: 3s
tests:
  - {name: ignores, command: 'trap \"\" TERM; echo begun; sleep 60; sleep 60'}
  - {name: other session, command: 'setsid bash -c \"trap : TERM; while :; do sleep 1; done\" & setsid sleep 60'}
",
    );
    suite.project.write(
        "b.casebook.yaml",
        "timeout: 200ms\nsetup: 'true'\ntests:\n  - {name: hooked, command: 'trap \"\" TERM; sleep 60; sleep 60'}\n",
    );
    let ran = suite.run("-j3").exits(1);
    for name in ["ignores", "other session", "hooked"] {
        let class = &ran.test(name)["exception"]["class_name"];
        assert_eq!(class, "Casebook::Timeout");
    }
    assert_eq!(ran.command("ignores")["exit_code"], 137);
    assert_eq!(ran.command("ignores")["signal"], "SIGKILL");
}

#[test]
fn hooks_have_timeouts_and_teardown_runs_after_a_timeout() {
    let suite = Suite::new(
        r#"
timeout: 3s
setup: |
  echo "setup $BATS_TEST_DESCRIPTION" >> log
  if [[ $BATS_TEST_DESCRIPTION == setup ]]; then sleep 600; fi
  if [[ $BATS_TEST_DESCRIPTION == deaf ]]; then trap '' TERM; sleep 600; sleep 600; fi
teardown: |
  echo "teardown $BATS_TEST_DESCRIPTION" >> log
  if [[ $BATS_TEST_DESCRIPTION == teardown ]]; then sleep 600; fi
tests:
  - {name: setup, command: 'true'}
  - {name: command, command: sleep 600}
  - {name: teardown, command: 'true'}
  - {name: deaf, command: 'true'}
"#,
    );
    let (ran, took) = timed(|| suite.run("-j4").exits(1));
    assert!(took.as_secs() < 60, "{took:?}");
    assert_eq!(
        ran.verdicts(),
        [
            "setup failed: `setup` took longer than 3 s and was killed",
            "command failed: timed out after 3 s",
            "teardown failed: `teardown` took longer than 3 s and was killed",
            "deaf failed: `setup` took longer than 3 s and was killed",
        ]
    );
    let log = suite.project.read("log");
    for name in ["setup", "command", "teardown"] {
        assert!(log.contains(&format!("teardown {name}")), "{log}");
    }
}

#[test]
fn a_timeout_covers_setup_and_command_together() {
    let suite = Suite::new(
        "
setup: sleep 1
tests:
  - {name: together, timeout: 4s, command: sleep 2; sleep 1.5}
",
    );
    let ran = suite.run("").exits(1);
    let class = &ran.test("together")["exception"]["class_name"];
    assert_eq!(class, "Casebook::Timeout");
}

#[test]
fn a_timeout_shorter_than_the_start_of_a_shell_works() {
    let suite = Suite::new(
        "
timeout: 1ms
tests:
  - {name: shell, command: 'sleep 5; :'}
  - {name: no shell, command: sleep 5}
",
    );
    suite.project.write(
        "b.casebook.yaml",
        "timeout: 1ms\nsetup: 'true'\ntests:\n  - {name: hooked, command: sleep 5}\n",
    );
    let ran = suite.run("").exits(1);
    assert!(
        ran.verdicts()
            .iter()
            .all(|verdict| verdict.contains("1 ms")),
        "{ran:#?}"
    );
}

#[test]
fn the_timeout_option_applies_to_tests_without_their_own() {
    let suite = Suite::new(
        "
tests:
  - {name: none, command: sleep 600}
  - {name: own, timeout: 60, command: sleep 0.5}
",
    );
    let ran = suite.run("--timeout 200ms").exits(1);
    assert_eq!(
        ran.verdicts(),
        ["none failed: timed out after 200 ms", "own passed"]
    );
}
