//! Hooks: `setup`, `teardown`, `setupFile`, `teardownFile`.

use super::Suite;

#[test]
fn setup_affects_the_command_as_its_parent_shell() {
    let suite = Suite::new(
        r#"
setup: |
  local where=$TEST_TEMP_DIR
  cd "$where"
  export EXPORTED=yes
  plain=kept
  echo 1 > made.txt
  helper() { echo helped; }
  export -f helper
  return 0
  exit 9
teardown: |
  [[ $plain == kept && $PWD == "$TEST_TEMP_DIR" ]] || return 3
tests:
  - name: sees
    command: echo "$EXPORTED ${plain-unset} $(helper)"; pwd; echo 2 > other.txt
    outputMatches: ^yes unset helped
    files:
      made.txt: {equals: "1"}
      other.txt: {contains: "2"}
      none.txt: {exists: false}
  - name: can change nothing
    command: cd /; plain=lost; export EXPORTED=no; exit 4
    exitCode: 4
"#,
    );
    suite.run("").exits(0);
}

#[test]
fn after_a_failed_setup_only_teardown_runs() {
    let suite = Suite::new(
        r#"
setup: |
  case $BATS_TEST_DESCRIPTION in
    'a command fails') false;;
    'exits with zero') exit 0;;
    'exits with seven') exit 7;;
    'returns five') return 5;;
    'in a pipe it may fail') false | true;;
  esac
teardown: echo "torn down $BATS_TEST_DESCRIPTION" >> log
tests:
  - {name: a command fails, command: echo command >> log}
  - {name: exits with zero, command: echo command >> log}
  - {name: exits with seven, command: echo command >> log}
  - {name: returns five, command: echo command >> log}
  - {name: in a pipe it may fail, command: echo command >> log}
"#,
    );
    let ran = suite.run("-j1").exits(1);
    assert_eq!(
        ran.verdicts(),
        [
            "a command fails failed: `setup` failed with exit code 1",
            "exits with zero failed: `setup` called `exit`: end a hook with `return` instead",
            "exits with seven failed: `setup` failed with exit code 7",
            "returns five failed: `setup` failed with exit code 5",
            "in a pipe it may fail passed",
        ]
    );
    let log = suite.project.read("log");
    assert_eq!(log.matches("torn down").count(), 5, "{log}");
    assert_eq!(log.matches("command\n").count(), 1, "{log}");
    let test = ran.test("returns five");
    assert_eq!(test["exception"]["class_name"], "Casebook::SetupFailed");
    assert_eq!(test["metadata"]["hook"]["exit_code"], 5);
}

#[test]
fn only_the_last_status_of_teardown_counts() {
    let suite = Suite::new(
        r"
teardown: |
  false
  case $BATS_TEST_DESCRIPTION in
    fails) false;;
    exits) exit 6;;
    returns) return 4;;
    'exits well') exit 0;;
  esac
tests:
  - {name: fails, command: 'true'}
  - {name: exits, command: 'true'}
  - {name: returns, command: 'true'}
  - {name: exits well, command: 'true'}
  - {name: well, command: 'true'}
  - {name: command failed first, command: 'false'}
",
    );
    let ran = suite.run("").exits(1);
    assert_eq!(
        ran.verdicts(),
        [
            "fails failed: `teardown` failed with exit code 1",
            "exits failed: `teardown` failed with exit code 6",
            "returns failed: `teardown` failed with exit code 4",
            "exits well failed: `teardown` called `exit`: end a hook with `return` instead",
            "well passed",
            "command failed first failed: exit code 1 instead of 0",
        ]
    );
    let test = ran.test("fails");
    assert_eq!(test["exception"]["class_name"], "Casebook::TeardownFailed");
}

#[test]
fn commands_run_without_errexit_and_pipefail() {
    let suite = Suite::new(
        "
setup: 'true'
tests:
  - {name: no errexit, command: 'false; echo on', outputEquals: 'on'}
  - {name: no pipefail, command: 'false | true'}
",
    );
    suite.run("").exits(0);
}

#[test]
fn the_failed_phase_is_reported() {
    let suite = Suite::new(
        "
setup: '[[ $BATS_TEST_DESCRIPTION != setup ]]'
teardown: '[[ $BATS_TEST_DESCRIPTION != teardown ]]'
tests:
  - {name: setup, command: 'true'}
  - {name: command, command: 'false'}
  - {name: teardown, command: 'true'}
",
    );
    let ran = suite.run("--format tap").exits(1);
    for name in ["setup", "command", "teardown"] {
        assert_eq!(ran.command(name)["phase"], name);
        let phase = format!("phase: \"{name}\"");
        assert!(ran.outcome.stdout.contains(&phase), "{:#?}", ran.outcome);
    }
}

/// Code that turns on aliases is not checked before the run, because an alias may complete it.
#[test]
fn hooks_with_syntax_errors_fail_when_they_run() {
    let suite = Suite::new(
        "
setup: |
  shopt -s expand_aliases
  if then (
teardown: echo torn >> log
tests:
  - {name: setup, command: echo ran >> log}
",
    );
    suite.project.write(
        "b.casebook.yaml",
        "teardown: |\n  shopt -s expand_aliases\n  case (\ntests:\n  - {name: teardown, command: echo ran >> log2}\n",
    );
    let ran = suite.run("").exits(1);
    assert_eq!(suite.project.read("log"), "torn\n");
    assert_eq!(suite.project.read("log2"), "ran\n");
    for name in ["setup", "teardown"] {
        assert_eq!(ran.command(name)["phase"], name);
        let output = ran.test(name)["metadata"]["hook"]["output"].to_string();
        assert!(output.contains("syntax error"), "{output}");
    }
}

#[test]
fn exports_of_setup_file_are_visible_in_all_later_code() {
    let suite = Suite::new(
        r#"
setupFile: |
  export FROM_FILE='a b'
  export TWO_LINES=$'1\n2'
  hidden=x
  unset GIVEN
  cd /
setup: '[[ $FROM_FILE == "a b" && ! ${hidden-} ]]'
teardown: '[[ $FROM_FILE == "a b" ]]'
teardownFile: '[[ $hidden == x && $FROM_FILE == "a b" && $PWD == / ]]'
env: {SUITE: s}
tests:
  - name: sees
    command: echo "$FROM_FILE-$TWO_LINES-${hidden-none}-${GIVEN-none}-$SUITE-$OWN"; pwd
    env: {OWN: o}
    outputMatches: "^a b-1\n2-none-none-s-o\n/.+"
"#,
    );
    // Exports are not output, so the limit on output does not apply to them.
    let call = suite.call("--max-output 2000").env("GIVEN", "given");
    suite.run_as(call).exits(0);
}

#[test]
fn a_failing_setup_file_fails_each_test_and_teardown_file_still_runs() {
    let suite = Suite::new(
        "
setupFile: echo preparing; false; echo not reached
setup: echo setup >> log
teardownFile: echo torn >> log
tests:
  - {name: one, command: echo command >> log}
  - {name: two, command: echo command >> log}
  - {name: skipped, command: 'true', skip: later}
",
    );
    let ran = suite.run("").exits(1);
    assert_eq!(
        ran.verdicts(),
        [
            "one failed: `setupFile` failed with exit code 1",
            "two failed: `setupFile` failed with exit code 1",
            "skipped pending",
        ]
    );
    assert_eq!(ran.test("one")["metadata"]["hook"]["output"], "preparing");
    assert_eq!(suite.project.read("log"), "torn\n");
}

#[test]
fn a_failing_teardown_file_fails_the_run() {
    let suite = Suite::new(
        "
teardownFile: echo oops; exit 3
tests:
  - {name: passes, command: 'true'}
",
    );
    let ran = suite.run("").exits(1);
    assert_eq!(
        ran.verdicts(),
        [
            "passes passed",
            "teardownFile failed: `teardownFile` failed with exit code 3"
        ]
    );
    let summary = "1 test: 1 passed, 1 failed hook in ";
    assert!(ran.outcome.stdout.contains(summary), "{:#?}", ran.outcome);
}

#[test]
fn a_skipped_test_runs_no_hook() {
    let suite = Suite::new(
        "
setupFile: echo x >> log
teardownFile: echo x >> log
setup: echo x >> log
teardown: echo x >> log
tests:
  - {name: skipped, command: echo x >> log, skip: true}
",
    );
    suite.run("").exits(0);
    assert!(!suite.project.exists("log"));
}

#[test]
fn shell_options_of_setup_do_not_change_the_output() {
    let suite = Suite::new(
        "
setup: set -xu; set -o posix; IFS=139; trap 'echo debug' DEBUG
teardown: 'true'
tests:
  - {name: quiet, command: echo hi, outputEquals: hi}
",
    );
    suite.run("").exits(0);
}

/// Bash treats a shell whose input is a socket as a remote one and would read `.bashrc`.
#[test]
fn hooks_do_not_read_the_users_bashrc() {
    let suite = Suite::new(
        "
setupFile: 'true'
setup: 'true'
tests:
  - {name: clean, command: 'echo \"${RC-none}\"', outputEquals: none}
",
    );
    suite.project.write(".bashrc", "export RC=read\n");
    suite.run("").exits(0);
}

#[test]
fn a_setup_that_breaks_the_hook_shell_does_not_hang_the_runner() {
    let suite = Suite::new(
        "
setup: |
  case $BATS_TEST_DESCRIPTION in
    replaced) exec sleep 0.1;;
    trap) trap 'echo mine' EXIT;;
    closed) for fd in /proc/self/fd/*; do fd=${fd##*/}; if ((fd > 2)); then eval \"exec $fd>&-\"; fi; done;;
  esac
teardown: echo \"$BATS_TEST_DESCRIPTION\" >> log
tests:
  - {name: replaced, command: 'true'}
  - {name: trap, command: 'true'}
  - {name: closed, command: 'true', timeout: 1}
",
    );
    let ran = suite.run("").exits(1);
    assert!(
        ran.verdicts()
            .iter()
            .all(|verdict| verdict.contains("failed")),
        "{ran:#?}"
    );
}

#[test]
fn the_next_test_starts_after_teardown_and_not_after_fail_fast() {
    let suite = Suite::new(
        r#"
setup: echo "setup $BATS_TEST_NUMBER" >> log
teardown: sleep 0.1; echo "teardown $BATS_TEST_NUMBER" >> log
tests:
  - {name: one, command: 'sleep 0.1; echo command 1 >> log'}
  - {name: two, command: 'echo command 2 >> log; false'}
  - {name: three, command: echo command 3 >> log}
"#,
    );
    suite.run("-j1 --fail-fast").exits(1);
    assert_eq!(
        suite.project.read("log"),
        "setup 1\ncommand 1\nteardown 1\nsetup 2\ncommand 2\nteardown 2\n"
    );
}

#[test]
fn messages_of_bash_name_the_hook_and_its_line() {
    let suite = Suite::new(
        r"
setup: |
  echo hi
  nosuch1
teardown: nosuch2
tests:
  - {name: a, command: 'true'}
",
    );
    let ran = suite.run("").exits(1);
    for message in [
        "│ hi\n   │ setup: line 2: nosuch1: command not found\n",
        "not run, because `setup` failed",
    ] {
        assert!(ran.outcome.stdout.contains(message), "{:#?}", ran.outcome);
    }
    let suite = Suite::new("teardown: nosuch2\ntests:\n  - {name: a, command: 'true'}\n");
    let shown = suite.run("").exits(1).outcome.stdout;
    assert!(
        shown.contains("│ teardown: line 1: nosuch2: command not found\n"),
        "{shown}"
    );
}
