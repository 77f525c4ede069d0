//! The environment of tests: variables, directories, descriptors, standard input.

use super::Suite;

#[test]
fn hooks_and_commands_get_the_variables_of_bats() {
    let suite = Suite::new(
        r#"
name: named
setup: &check |
  [[ -d $TEST_TEMP_DIR && $TEST_TEMP_DIR == "$BATS_TEST_TMPDIR" && -d $BATS_FILE_TMPDIR && -d $BATS_SUITE_TMPDIR ]]
  [[ -d $BATS_RUN_TMPDIR && $BATS_TEST_DESCRIPTION == 'it adds' && $BATS_TEST_NAME == test_it_adds ]]
  [[ $BATS_TEST_NUMBER == 2 && $BATS_SUITE_TEST_NUMBER == 2 ]]
teardown: *check
tests:
  - {name: first, command: 'true', skip: true}
  - name: it adds
    command: |
      env | grep -E '^(TEST_TEMP_DIR|BATS_)' | sed "s#$PWD#HERE#; s#casebook-run-[A-Za-z0-9-]*#RUN#" | sort
"#,
    );
    let ran = suite.run("-j1").exits(0);
    insta::assert_snapshot!(ran.output("it adds"), @r"
    BATS_FILE_TMPDIR=HERE/tmp/RUN/file-1
    BATS_RUN_TMPDIR=HERE/tmp/RUN
    BATS_SUITE_TEST_NUMBER=2
    BATS_SUITE_TMPDIR=HERE/tmp/RUN/suite
    BATS_TEST_DESCRIPTION=it adds
    BATS_TEST_DIRNAME=HERE
    BATS_TEST_FILENAME=HERE/a.casebook.yaml
    BATS_TEST_NAME=test_it_adds
    BATS_TEST_NUMBER=2
    BATS_TEST_TMPDIR=HERE/tmp/RUN/test-2
    TEST_TEMP_DIR=HERE/tmp/RUN/test-2
    ");
}

#[test]
fn the_temporary_directory_is_new_for_each_test_and_always_removed() {
    let suite = Suite::new(
        r#"
matrix: {n: [1, 2, 3]}
tests:
  - name: fills it
    command: |
      ls -A "$TEST_TEMP_DIR"
      mkdir -p "$TEST_TEMP_DIR/a/b"; touch "$TEST_TEMP_DIR/a/b/c"; chmod 0 "$TEST_TEMP_DIR/a/b" "$TEST_TEMP_DIR/a"
      ln -s / "$TEST_TEMP_DIR/root"
    outputEquals: ""
"#,
    );
    suite.run("").exits(0);
    assert!(std::path::Path::new("/proc").exists());
}

#[test]
fn descriptor_three_is_the_runners_standard_error() {
    let suite = Suite::new(
        "
setup: echo from setup >&3
tests:
  - {name: talks, command: echo from command >&3, outputEquals: ''}
",
    );
    let ran = suite.run("-q").exits(0);
    assert!(
        ran.outcome.stderr.contains("from setup\nfrom command\n"),
        "{ran:#?}"
    );
}

#[test]
fn standard_input_is_empty_unless_given() {
    let suite = Suite::new(
        "
tests:
  - {name: empty, command: cat, outputEquals: ''}
  - {name: given, command: 'cat; cat', stdin: \"a\\nb\\n\", outputEquals: \"a\\nb\"}
  - {name: not read, command: 'true', stdin: abc}
",
    );
    suite.project.write(
        "b.casebook.yaml",
        "setup: cat\ntests:\n  - {name: hooked, command: 'read x; cat', stdin: \"a\\nb\\n\", outputEquals: b}\n  - {name: hooked empty, command: cat, outputEquals: ''}\n",
    );
    suite.run_as(suite.call("").stdin("not for tests")).exits(0);
}

#[test]
fn a_test_runs_in_the_current_directory_or_in_its_workdir() {
    let suite = Suite::new("tests: [{name: x, command: 'true'}]\n");
    suite.project.write(
        "deep/b.casebook.yaml",
        "
tests:
  - {name: here, command: 'echo ${PWD##*/}; echo y > made', outputNotContains: deep, files: {made: {equals: y}}}
  - {name: there, command: 'basename \"$PWD\"; echo x > made', workdir: sub, outputEquals: sub, files: {made: {equals: x}}}
  - {name: above, command: ls, workdir: .., outputContains: a.casebook.yaml}
  - {name: nowhere, command: 'true', workdir: missing}
",
    );
    suite.project.write(
        "deep/c.casebook.yaml",
        "setup: cd /\ntests:\n  - {name: wins over cd, command: 'basename \"$PWD\"', workdir: sub, outputEquals: sub}\n  - {name: hooked nowhere, command: 'true', workdir: missing}\n",
    );
    suite.project.write("deep/sub/file", "");
    let ran = suite.run("").exits(1);
    let failed: Vec<_> = ran
        .verdicts()
        .into_iter()
        .filter(|verdict| !verdict.ends_with(" passed"))
        .collect();
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert_eq!(suite.project.read("made"), "y\n");
    for (verdict, name) in failed.iter().zip(["nowhere", "hooked nowhere"]) {
        assert!(
            verdict.starts_with(&format!("{name} failed: working directory not found: "))
                && verdict.ends_with("deep/missing"),
            "{verdict}"
        );
    }
}

#[test]
fn a_missing_bash_is_reported_before_the_run() {
    let suite = Suite::new("tests: [{name: x, command: 'true'}]\n");
    let ran = suite
        .run_as(suite.call("").env("PATH", "/no/such/directory"))
        .exits(2);
    assert!(
        ran.outcome
            .stderr
            .contains("error: bash not found in PATH; install it to run suites"),
        "{ran:#?}"
    );
}

#[test]
fn a_missing_temporary_directory_is_reported_before_the_run() {
    let suite = Suite::new("tests: [{name: x, command: 'true'}]\n");
    let missing = suite.project.at("missing");
    let ran = suite.run_as(suite.call("").env("TMPDIR", missing)).exits(2);
    assert!(
        ran.outcome
            .stderr
            .contains("set TMPDIR to a writable directory"),
        "{ran:#?}"
    );
}

#[test]
fn a_test_that_kills_its_parent_does_not_kill_the_runner() {
    let suite = Suite::new(
        r"
tests:
  - {name: kills, command: 'echo before; kill -9 $PPID; sleep 9; echo after'}
  - {name: next, command: echo fine}
",
    );
    let ran = suite.run("-j1").exits(1);
    assert_eq!(
        ran.verdicts(),
        [
            "kills failed: exit code 137 (killed by SIGKILL) instead of 0",
            "next passed"
        ]
    );
    assert_eq!(ran.output("kills"), "before\n");
    let suite = Suite::new(
        r"
tests:
  - {name: behaves the same, command: 'echo $0 >&2; test $PPID -gt 1; kill -TERM $$', exitCode: 143, stderr: bash}
",
    );
    suite.run("").exits(0);
}
