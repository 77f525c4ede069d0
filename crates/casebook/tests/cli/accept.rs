//! `casebook accept`: actual output becomes the expected one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;

use crate::support::Project;

const SUITE: &str = r#"# Prices
variables: {v: old}
fragments:
  f: {outputEquals: old}
x-shared: &shared old
tests:
  - name: one line   # keep this
    command: echo new
    outputEquals: old   # and this
  - name: lines
    command: printf 'a\n\n  b\n'
    outputEquals: "old"
  - name: json
    command: |
      echo '{"id": 5, "items": [1, {"a": "x: y"}]}'
    outputJson:
      /id: 4
      /items:
        - 1   # first
        - a: z
  - {name: flow, command: "printf 'a\nb\n' >&2", stderr: 'x'}
  - name: file
    command: printf 'one\ntwo\n' > out.txt
    files:
      out.txt:
        equals: |
          one
  - name: matrix
    matrix: {os: [linux, mac]}
    command: echo new
    outputEquals: linux
  - name: snap
    command: echo new
    snapshot: true
  - name: steps
    steps:
      - command: echo same
        outputEquals: same
      - {command: echo new, outputEquals: old}
"#;

fn project() -> Project {
    let project = Project::with("a.casebook.yaml", SUITE);
    project.write("__snapshots__/a/snap.snap", "old\n");
    project
}

#[test]
fn accepted_values_make_the_tests_pass() {
    let project = project();
    project.casebook("run").run().exits(1);
    let outcome = project.casebook("accept").run().exits(0);
    assert_snapshot!(outcome.stderr, @"9 values accepted: a.casebook.yaml, __snapshots__/a/snap.snap");
    let expected = SUITE
        .replace("Equals: old   #", "Equals: new   #")
        .replace("\"old\"", "|\n      a\n\n        b")
        .replace("/id: 4", "/id: 5")
        .replace("a: z", "a: \"x: y\"")
        .replace("stderr: 'x'", r#"stderr: "a\nb""#)
        .replace("          one\n", "          one\n          two\n")
        .replace("outputEquals: linux", "outputEquals: new")
        .replace("echo new, outputEquals: old", "echo new, outputEquals: new");
    assert_eq!(project.read("a.casebook.yaml"), expected);
    assert_eq!(project.read("__snapshots__/a/snap.snap"), "new\n");
    project.casebook("run").run().exits(0);
    let again = project.casebook("accept").run().exits(0);
    assert!(
        again.stderr.contains("no selected test failed"),
        "{again:?}"
    );
}

#[test]
fn a_dry_run_prints_a_patch_that_git_applies() {
    let project = project();
    project.casebook("run").run().exits(1);
    let patch = project.casebook("accept --dry-run").run().exits(0);
    assert_eq!(project.read("a.casebook.yaml"), SUITE);
    project.write("p.patch", &patch.stdout);
    project.bash("git apply p.patch").run().exits(0);
    let applied = project.read("a.casebook.yaml");
    project.write("a.casebook.yaml", SUITE);
    project.write("__snapshots__/a/snap.snap", "old\n");
    project.casebook("accept").run().exits(0);
    assert_eq!(project.read("a.casebook.yaml"), applied);
}

#[test]
fn what_is_shared_or_incomplete_is_refused() {
    let project = Project::with(
        "a.casebook.yaml",
        r#"variables: {v: old}
fragments:
  f: {outputEquals: old}
x-shared: &shared old
tests:
  - {name: variable, command: echo new, outputEquals: "a {{v}}"}
  - {name: fragment, command: echo new, $ref: f}
  - {name: alias, command: echo new, outputEquals: *shared}
  - name: matrix
    matrix: {os: [linux, mac]}
    command: echo {{os}}
    outputEquals: linux
  - {name: exit, command: echo oops; exit 3, outputEquals: fine}
  - {name: secret, command: echo $MY_TOKEN, env: {MY_TOKEN: s3cr3t-value}, outputEquals: x}
  - {name: secret snapshot, command: echo $MY_TOKEN, env: {MY_TOKEN: s3cr3t-value}, snapshot: true}
  - {name: long, command: seq 20000, outputEquals: x}
  - {name: bytes, command: printf '\377', outputEquals: x}
  - {name: missing, command: "true", files: {nope.txt: {equals: x}}}
  - {name: unstable, command: date +%N, retries: 1, outputEquals: x}
"#,
    );
    project.write("__snapshots__/a/secret-snapshot.snap", "old\n");
    let before = project.read("a.casebook.yaml");
    project.casebook("run").run().exits(1);
    let outcome = project.casebook("accept").run().exits(1);
    assert_snapshot!(outcome.stderr, @r#"
    warning: a.casebook.yaml:3: `outputEquals` of "fragment" is not changed: it comes from the fragment `f`, which other tests can use; change it there
    warning: a.casebook.yaml:4: `outputEquals` of "alias" is not changed: the alias in line 8 uses the same value; change it by hand
    warning: a.casebook.yaml:6: `outputEquals` of "variable" is not changed: it comes from the variable `v`; change that, or write the text without it
    warning: a.casebook.yaml:12: `outputEquals` of "matrix [os=mac]" is not changed: the tests that share it have different results: matrix [os=linux], matrix [os=mac]
    warning: a.casebook.yaml:13: `outputEquals` of "exit" is not changed: the command failed: exit code 3 instead of 0; fix that first, or change `exitCode`
    warning: a.casebook.yaml:14: `outputEquals` of "secret" is not changed: the output contains a secret that was redacted; check a part without it, as with outputContains
    warning: a.casebook.yaml:15: `snapshot` of "secret snapshot" is not changed: the output contains a secret that was redacted; `casebook run --update` writes a snapshot without it
    warning: a.casebook.yaml:16: `outputEquals` of "long" is not changed: the record has only an excerpt of the output, because it is long; change it by hand
    warning: a.casebook.yaml:17: `outputEquals` of "bytes" is not changed: the output is not valid UTF-8, or contains characters that a suite cannot contain
    warning: a.casebook.yaml:18: `files` of "missing" is not changed: no actual value to write: nope.txt does not exist
    warning: a.casebook.yaml:19: `outputEquals` of "unstable" is not changed: the attempts of the test had different results; run it again when its output is stable
    nothing was accepted
    "#);
    assert_eq!(project.read("a.casebook.yaml"), before);
    assert_eq!(
        project.read("__snapshots__/a/secret-snapshot.snap"),
        "old\n"
    );
}

#[test]
fn a_matrix_of_which_some_tests_ran_is_refused() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests:\n- {name: m, matrix: {os: [linux, mac]}, command: echo new, outputEquals: old}\n",
    );
    project.casebook("run --filter os=mac").run().exits(1);
    let outcome = project.casebook("accept").run().exits(1);
    assert_snapshot!(outcome.stderr, @r#"
    warning: a.casebook.yaml:2: `outputEquals` of "m [os=mac]" is not changed: other tests share it and did not run: m [os=linux]
    nothing was accepted
    "#);
}

#[test]
fn a_suite_that_changed_since_the_run_is_rejected() {
    let project = project();
    project.casebook("run").run().exits(1);
    let changed = format!("{SUITE}# a comment\n");
    project.write("a.casebook.yaml", &changed);
    let outcome = project.casebook("accept").run().exits(1);
    assert_snapshot!(outcome.stderr, @r#"
    warning: skipped a.casebook.yaml: it was edited after the run; run it again, then accept
    nothing was accepted
    "#);
    assert_eq!(project.read("a.casebook.yaml"), changed);
    assert_eq!(project.read("__snapshots__/a/snap.snap"), "old\n");
}

#[test]
fn tests_are_selected_by_file_and_line() {
    let project = project();
    project.write(
        "b.casebook.yaml",
        "tests:\n- {name: x, command: echo new, outputEquals: old}\n",
    );
    project.casebook("run").run().exits(1);
    project.casebook("accept b.casebook.yaml").run().exits(0);
    assert_eq!(project.read("a.casebook.yaml"), SUITE);
    let outcome = project.casebook("accept a.casebook.yaml:9").run().exits(0);
    assert_eq!(outcome.stderr, "1 value accepted: a.casebook.yaml\n");
    let outcome = project.casebook("accept a.casebook.yaml:2").run().exits(2);
    assert!(
        outcome.stderr.contains("no test at this line"),
        "{outcome:?}"
    );
    project.casebook("accept c.casebook.yaml").run().exits(2);
}

/// The parser's end of a block is after the indentation of the next test.
#[test]
fn a_line_does_not_select_the_test_before_it() {
    let project = project();
    let suite = "tests:\n  - name: x\n    command: echo new\n    outputEquals: |\n      old\n  - name: y\n    command: echo new\n    outputEquals: old\n";
    project.write("b.casebook.yaml", suite);
    project.casebook("run").run().exits(1);
    let listed = project.casebook("run --list b.casebook.yaml:6").run();
    assert_eq!(listed.stdout, "b.casebook.yaml:6  y\n");
    project.casebook("accept b.casebook.yaml:6").run().exits(0);
    let accepted = suite.replace("outputEquals: old", "outputEquals: new");
    assert_eq!(project.read("b.casebook.yaml"), accepted);
}

#[test]
fn the_user_decides_about_each_difference() {
    let project = project();
    project.casebook("run").run().exits(1);
    let review = project
        .casebook("accept --review")
        .env("EDITOR", "sed -i s/a/edited/")
        .stdin("what\ns\ne\na\nq\n")
        .run()
        .exits(0);
    assert_snapshot!(review.shown(), @r#"
    exit code 0
    --- stdout

    [1/9] a.casebook.yaml:9 one line: outputEquals
    ✗ output differs from the expected text
      --> a.casebook.yaml:9
      9 │ outputEquals: old   # and this
      - expected  + actual
      - old
      + new
    (a)ccept, (s)kip, (e)dit, (q)uit? type a, s, e or q, then Enter
    (a)ccept, (s)kip, (e)dit, (q)uit? 
    [2/9] a.casebook.yaml:12 lines: outputEquals
    ✗ output differs from the expected text
      --> a.casebook.yaml:12
      12 │ outputEquals: "old"
      - expected  + actual
      - old
      + a
      +
      +   b
    (a)ccept, (s)kip, (e)dit, (q)uit? 
    [3/9] a.casebook.yaml:17 json: outputJson
    ✗ /id is 5 instead of 4
      --> a.casebook.yaml:17
      17 │ /id: 4
    (a)ccept, (s)kip, (e)dit, (q)uit? 
    [4/9] a.casebook.yaml:18 json: outputJson
    ✗ /items is [1,{"a":"x: y"}] instead of [1,{"a":"z"}]
      --> a.casebook.yaml:18
      18 │ /items:
      19 │   - 1   # first
      20 │   - a: z
      - expected  + actual
        [
          1,
          {
      -     "a": "z"
      +     "a": "x: y"
          }
        ]
    (a)ccept, (s)kip, (e)dit, (q)uit? --- stderr
    2 values accepted: a.casebook.yaml
    "#);
    let expected = SUITE
        .replace("\"old\"", "|\n      edited\n\n        b")
        .replace("/id: 4", "/id: 5");
    assert_eq!(project.read("a.casebook.yaml"), expected);
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let project = project();
    project.casebook("run").run().exits(1);
    let review = project.casebook("accept --review");
    let review = review.env("VISUAL", "false").stdin("e\n").run().exits(0);
    let message = "the editor `false` failed";
    assert!(review.stderr.contains(message), "{review:?}");
    assert!(review.stderr.contains("nothing was accepted"), "{review:?}");
    assert_eq!(project.read("a.casebook.yaml"), SUITE);
}

#[test]
fn an_update_accepts_after_the_run() {
    let project = project();
    let outcome = project.casebook("run --update").run().exits(0);
    let written =
        "1 snapshot written: __snapshots__/a/snap.snap\n8 values accepted: a.casebook.yaml\n";
    assert!(outcome.stderr.contains(written), "{}", outcome.stderr);
    project.casebook("run").run().exits(0);
    // A failure that cannot be accepted is still one.
    project.write(
        "b.casebook.yaml",
        "tests:\n- {name: x, command: echo new, outputEquals: old, outputContains: zz}\n",
    );
    let outcome = project.casebook("run --update").run().exits(1);
    assert!(
        outcome.stderr.contains("1 value accepted: b.casebook.yaml"),
        "{outcome:?}"
    );
}

#[test]
fn line_endings_tabs_and_indentation_stay() {
    let project = Project::with(
        "crlf.casebook.yaml",
        "tests:\r\n- name: x\r\n  command: printf 'a\\nb\\n'\r\n  outputEquals:\told # c\r\n- name: y\r\n  command: printf '  z\\ny'\r\n  outputEquals: |2-\r\n      old\r\n    er\r\n\r\n  tags: [a]",
    );
    let before = project.read("crlf.casebook.yaml");
    project.casebook("run").run().exits(1);
    project.casebook("accept").run().exits(0);
    let expected = before
        .replace("old # c", "| # c\r\n    a\r\n    b")
        .replace("      old\r\n    er", "      z\r\n    y");
    assert_eq!(project.read("crlf.casebook.yaml"), expected);
}

#[test]
fn a_file_that_cannot_be_written_stays() {
    let project = project();
    project.casebook("run").run().exits(1);
    let full = project.bash(r#"trap "" XFSZ; ulimit -f 0; exec "$CASEBOOK" accept"#);
    let outcome = full.run().exits(2);
    assert_eq!(
        outcome.stderr,
        "error: cannot write a.casebook.yaml: file too large\n"
    );
    let path = project.at("a.casebook.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let outcome = project.casebook("accept").run().exits(2);
    assert_eq!(
        outcome.stderr,
        "error: cannot write a.casebook.yaml: permission denied\n"
    );
    assert_eq!(project.read("a.casebook.yaml"), SUITE);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
    project
        .bash("mv a.casebook.yaml real; ln -s real a.casebook.yaml")
        .run()
        .exits(0);
    project.casebook("accept").run().exits(0);
    assert!(project.at("a.casebook.yaml").is_symlink());
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o664);
    assert_ne!(project.read("real"), SUITE);
}

#[test]
fn unused_snapshots_are_deleted() {
    let project = project();
    project.write("__snapshots__/a/old/unused.snap", "x\n");
    project.write("__snapshots__/gone/x.snap", "x\n");
    let listed = project.casebook("accept --prune --dry-run").run().exits(0);
    assert_snapshot!(listed.shown(), @r#"
    exit code 0
    --- stdout
    __snapshots__/a/old/unused.snap
    __snapshots__/gone/x.snap
    --- stderr
    2 unused snapshots would be deleted
    "#);
    assert!(project.exists("__snapshots__/a/old/unused.snap"));
    project.casebook("accept --prune").run().exits(0);
    assert_eq!(project.files("__snapshots__"), ["a"]);
    assert_eq!(project.files("__snapshots__/a"), ["snap.snap"]);
    let again = project.casebook("accept --prune").run().exits(0);
    assert_eq!(again.stderr, "no unused snapshots\n");
    // A suite with errors may use any of them.
    project.write("__snapshots__/a/unused.snap", "x\n");
    project.write("a.casebook.yaml", "tests:\n- {name: x}\n");
    project.casebook("accept --prune").run().exits(2);
    assert!(project.exists("__snapshots__/a/unused.snap"));
}

#[test]
fn normalized_output_is_accepted() {
    let project = Project::with(
        "a.casebook.yaml",
        "normalize: [durations, tempdir]
tests:
  - name: text
    command: echo \"$TEST_TEMP_DIR took 5 ms\"
    outputEquals: old
  - name: snap
    command: echo took 6 ms
    snapshot: true
",
    );
    project.write("__snapshots__/a/snap.snap", "old\n");
    project.casebook("run").run().exits(1);
    project.casebook("accept").run().exits(0);
    let suite = project.read("a.casebook.yaml");
    assert!(
        suite.contains("    outputEquals: \"<tempdir> took <duration>\"\n")
            || suite.contains("    outputEquals: <tempdir> took <duration>\n"),
        "{suite}"
    );
    assert_eq!(
        project.read("__snapshots__/a/snap.snap"),
        "took <duration>\n"
    );
    project.casebook("run").run().exits(0);
}

#[test]
fn expected_files_are_written_if_all_tests_that_share_them_agree() {
    let project = Project::with(
        "suites/a.casebook.yaml",
        "tests:
  - {name: out, command: \"printf 'a\\nb\\n'\", outputEqualsFile: one.txt}
  - {name: new, command: echo err >&2, stderrEqualsFile: deep/new.txt}
  - {name: file, command: echo made >made.txt, files: {made.txt: {equalsFile: made.txt}}}
  - {name: passes, command: echo old, outputEqualsFile: shared.txt}
  - {name: differs, command: echo other, outputEqualsFile: shared.txt}
",
    );
    for file in ["one", "made", "shared"] {
        project.write(&format!("suites/{file}.txt"), "old\n");
    }
    project.casebook("run suites").run().exits(1);
    let outcome = project.casebook("accept").run().exits(1);
    assert_snapshot!(outcome.stderr, @r#"
    warning: suites/a.casebook.yaml:6: `outputEqualsFile` of "differs" is not changed: the tests that share it have different results: passes, differs
    3 values accepted: suites/one.txt, suites/deep/new.txt, suites/made.txt
    "#);
    assert_eq!(project.read("suites/one.txt"), "a\nb\n");
    assert_eq!(project.read("suites/deep/new.txt"), "err\n");
    assert_eq!(project.read("suites/shared.txt"), "old\n");
    let outcome = project.casebook("run suites").run().exits(1);
    assert!(outcome.stdout.contains("5 tests: 4 passed, 1 failed"));
}
