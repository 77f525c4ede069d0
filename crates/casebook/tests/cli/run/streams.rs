//! Output of commands, as assertions and the record see it.

use insta::assert_snapshot;

use super::Suite;

#[test]
fn streams_are_interleaved_unless_a_test_captures_them_separately() {
    let suite = Suite::new(
        "
tests:
  - name: joined
    command: for i in 1 2 3; do echo out $i; echo err $i >&2; done
    outputEquals: |
      out 1
      err 1
      out 2
      err 2
      out 3
      err 3
  - name: apart
    command: for i in 1 2; do echo out $i; echo err $i >&2; done
    outputEquals: \"out 1\\nout 2\"
    stderr: \"err 1\\nerr 2\"
  - name: apart with hooks nowhere
    command: echo out; echo err >&2
    stdoutContains: out
    stdoutNotContains: err
    stderrMatches: ^err$
",
    );
    let ran = suite.run("").exits(0);
    assert_eq!(ran.command("apart")["stdout"], "out 1\nout 2\n");
    assert_eq!(ran.command("apart")["stderr"], "err 1\nerr 2\n");
    assert!(ran.command("apart")["output"].is_null());
}

#[test]
fn streams_of_tests_with_hooks_are_captured_the_same_way() {
    let suite = Suite::new(
        "
setup: echo noise; echo noise >&2
teardown: echo noise; echo noise >&2
tests:
  - name: joined
    command: echo out; echo err >&2; echo out
    outputEquals: \"out\\nerr\\nout\"
  - name: apart
    command: echo out; echo err >&2
    stdoutEquals: out
    stderr: err
",
    );
    suite.run("").exits(0);
}

#[test]
fn only_newlines_at_the_end_are_dropped() {
    let suite = Suite::new(
        r#"
tests:
  - {name: many, command: 'printf " a \n\n\n"', outputEquals: " a "}
  - {name: expected too, command: printf a, outputEquals: "a\n\n"}
  - {name: at the start, command: 'printf "\na"', outputEquals: "\na"}
  - {name: carriage return, command: 'printf "a\r\n"', outputEquals: "a\r"}
  - {name: nothing, command: printf "\n\n", outputEquals: ""}
"#,
    );
    suite.run("").exits(0);
}

#[test]
fn output_need_not_be_text() {
    let suite = Suite::new(
        r#"
tests:
  - {name: bytes, command: 'printf "a\377b"', outputMatches: '^a', outputContains: b}
  - {name: nul, command: 'printf "a\0b\0\n\0"', outputEquals: ab}
  - {name: nul apart, command: 'printf "x\0" >&2', stderr: x}
  - {name: fails, command: 'printf "\377\376"', outputEquals: a}
"#,
    );
    let ran = suite.run("").exits(1);
    assert_eq!(ran.output("bytes"), "a\u{fffd}b");
    assert_eq!(ran.command("nul")["nul_dropped"], true);
    assert_eq!(ran.command("nul apart")["nul_dropped"], true);
    assert!(ran.command("bytes")["nul_dropped"].is_null());
    assert_eq!(ran.output("fails"), "\u{fffd}\u{fffd}");
    let file = ran.command("fails")["output_file"].as_str().unwrap();
    let kept = std::fs::read(suite.project.at(&format!("{}/{file}", ran.dir))).unwrap();
    assert_eq!(kept, b"\xff\xfe");
}

#[test]
fn output_beyond_the_limit_is_dropped_and_the_command_continues() {
    let suite = Suite::new(
        "
tests:
  - name: much
    command: head -c 3000000 /dev/zero | tr '\\0' x; echo done >&3
    outputMatches: ^x{250}
  - {name: exactly, command: printf 0123456789, outputEquals: '0123456789'}
",
    );
    let ran = suite.run("--max-output 1K").exits(0);
    assert!(ran.outcome.stderr.contains("done"), "{:#?}", ran.outcome);
    assert_eq!(ran.output("much").len(), 1024);
    assert_eq!(ran.command("much")["truncated"], true);
    let ran = suite.run("--max-output 10 --filter exactly").exits(0);
    assert!(ran.command("exactly")["truncated"].is_null());
}

/// An assertion that requires the complete output fails if it was truncated.
#[test]
fn truncated_output_does_not_count_as_absent() {
    let suite = Suite::new(
        "
tests:
  - {name: contains, command: seq 1000; echo ERROR, outputContains: '3'}
  - {name: not contains, command: seq 1000; echo ERROR, outputNotContains: ERROR}
  - {name: not matches, command: seq 1000; echo ERROR, outputNotMatches: 'ERR|BAD'}
  - {name: equals, command: echo 0123456789abcdefgh, outputEquals: 0123456789abcdef}
  - {name: lacks, command: seq 1000; echo ERROR, outputContains: ERROR}
  - {name: apart, command: seq 1000; echo x >&2, stderrNotContains: ERROR}
",
    );
    let native = suite.run("--max-output 16").exits(1);
    assert_snapshot!(native.verdicts().join("\n"), @r#"
    contains passed
    not contains failed: output was truncated by --max-output, so the rest cannot be checked
    not matches failed: output was truncated by --max-output, so the rest cannot be checked
    equals failed: output was truncated by --max-output, so the rest cannot be checked
    lacks failed: output does not contain "ERROR"; it was truncated by --max-output, so the rest cannot be checked
    apart passed
    "#);
    let shown = &native.outcome.stdout;
    assert!(shown.contains("output truncated: wrote more"), "{shown}");
    let bats = suite.run("--max-output 16 --engine bats").exits(1);
    assert_eq!(bats.verdicts(), native.verdicts());
}

#[test]
fn the_location_of_saved_output_is_shown_and_whether_it_is_complete() {
    let suite = Suite::new("tests: [{name: fails, command: seq 50000; false}]");
    for (arguments, kept) in [
        ("", "full output: "),
        ("--max-output 99K", "truncated output: "),
    ] {
        let shown = suite.run(arguments).exits(1).outcome.stdout;
        assert!(shown.contains(kept), "{shown}");
        let is_truncated = shown.contains("wrote more than --max-output allows");
        assert_eq!(is_truncated, !arguments.is_empty(), "{shown}");
    }
    let shown = suite.call("").run().exits(1).stdout;
    let latest = suite.project.at(".casebook/runs/latest");
    let name = std::fs::read_link(latest).unwrap();
    let location = format!("full output: .casebook/runs/{}/output/", name.display());
    assert!(shown.contains(&location), "{shown}");
}

#[test]
fn the_record_keeps_an_excerpt_and_a_file_the_complete_output_of_failed_tests() {
    let suite = Suite::new(
        "
tests:
  - {name: passes, command: seq 100000}
  - {name: fails, command: seq 100000, outputContains: x}
  - {name: says nothing, command: 'false'}
",
    );
    let ran = suite.run("").exits(1);
    for name in ["passes", "fails"] {
        let output = ran.output(name);
        assert!(output.len() <= 64 << 10 && output.len() > 60_000);
        assert!(output.starts_with("1\n2\n") && output.ends_with("100000\n"));
    }
    assert!(ran.command("passes")["output_file"].is_null());
    assert!(ran.command("says nothing")["output_file"].is_null());
    let file = ran.command("fails")["output_file"].as_str().unwrap();
    let complete = suite.project.read(&format!("{}/{file}", ran.dir));
    assert_eq!(complete.lines().count(), 100_000);
    assert_eq!(suite.project.files(&format!("{}/output", ran.dir)).len(), 1);
}

#[test]
fn the_lines_of_long_output_are_counted() {
    let suite = Suite::new("tests: [{name: counts, command: seq 20000, outputContains: none}]\n");
    let shown = suite.run("").exits(1).outcome.stdout;
    assert!(shown.contains("output, 20,000 lines\n"), "{shown}");
    assert!(shown.contains("… 19,976 lines …\n"), "{shown}");
    let tap = suite.run("--format tap").exits(1).outcome.stdout;
    assert!(tap.contains("… 19980 earlier lines …\n"), "{tap}");
}

#[test]
fn a_command_may_be_longer_than_an_argument() {
    let long = "x".repeat(200_000);
    let test = format!(
        "tests:\n  - name: long\n    command: |\n      text='{long}'\n      echo $0 $# ${{#text}} $HOOK\n    outputMatches: ^bash 0 200000"
    );
    let hooks =
        format!("setup: |\n  text='{long}'\n  export HOOK=${{#text}}\nteardown: |\n  : '{long}'\n");
    Suite::new(&format!("{test}\n")).run("").exits(0);
    Suite::new(&format!("{hooks}{test} 200000\n"))
        .run("")
        .exits(0);
}
