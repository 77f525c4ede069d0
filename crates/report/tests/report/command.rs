//! Failing command tests.

use insta::assert_snapshot;
use serde_json::json;

use crate::sample::{evaluation, example, exception, run, shown};

#[test]
fn a_failure_shows_command_output_and_assertions() {
    let metadata = json!({"command": {
        "command": "greet --lang de World", "exit_code": 3, "stdout": "Hello, World\n",
        "stderr": "no such language: de\n\tusing en\n",
    }});
    let evaluations = [
        evaluation(
            "exitCode 0",
            false,
            json!({
                "failure_message": "expected exit code 0, got 3",
                "metadata": {"file": "suites/a.yml", "line": 9, "source": "exitCode: 0", "expected": 0, "actual": 3},
            }),
        ),
        evaluation(
            "stdoutEquals",
            false,
            json!({
                "failure_message": "stdout differs",
                "metadata": {
                    "file": "suites/a.yml", "line": 10, "source": "stdoutEquals: |\n  Hallo, World\n  Bis bald",
                    "expected": "Hallo, World\nBis bald\n", "actual": "Hello, World\n",
                },
            }),
        ),
        evaluation(
            "stderrEquals \"\"",
            false,
            json!({
                "metadata": {"expected": "", "actual": " unseen elsewhere "},
            }),
        ),
        evaluation("stderrContains \"language\"", true, json!({})),
    ];
    let failed = example(
        "greet::in German",
        "failed",
        json!({
            "duration_ms": 57, "exception": exception("Casebook::AssertionFailed", "3 of 4 expectations failed"),
            "evaluations": evaluations, "metadata": metadata,
        }),
    );
    assert_snapshot!(shown(&run([failed])), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · 1.24 s

    ── Failures ────────────────────────────────────────────────────────────────────

    1) greet › in German
       suites/a.yml:7 · 57 ms
       3 of 4 expectations failed

       ✗ expected exit code 0, got 3
         --> suites/a.yml:9
         9 │ exitCode: 0

       ✗ stdout differs
         --> suites/a.yml:10
         10 │ stdoutEquals: |
         11 │   Hallo, World
         12 │   Bis bald
         - expected  + actual
         - Hallo, World
         - Bis bald
         + Hello, World

       ✗ stderrEquals ""
         - expected (empty)  + actual
         +  unseen elsewhere·

       $ greet --lang de World
         exit code 3
         stderr
         │ no such language: de
         │         using en

    ── Slowest ─────────────────────────────────────────────────────────────────────

      57 ms  greet › in German  suites/a.yml:7

    1 example: 1 failed in 1.24 s
    "#);
}

#[test]
fn the_middle_of_a_long_output_is_hidden() {
    let output: Vec<_> = (1..=30).map(|line| format!("line {line}")).collect();
    let failed = example(
        "build",
        "failed",
        json!({
            "exception": {
                "class_name": "Casebook::Timeout", "message": "did not end within 2 s", "backtrace": [],
                "location": "suites/a.yml:12",
            },
            "metadata": {
                "command": {
                    "command": "make\nmake check", "exit_code": null, "signal": "SIGKILL", "output": output.join("\n"),
                    "timed_out": true, "leaky": true, "phase": "setup", "over_limit": true,
                },
                "attempts": [{"status": "failed"}],
            },
        }),
    );
    assert_snapshot!(shown(&run([failed])), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · 1.24 s

    ── Failures ────────────────────────────────────────────────────────────────────

    1) build
       suites/a.yml:12 · after 1 earlier attempt
       did not end within 2 s

       $ make
         make check
         not run, because `setup` failed, timed out, killed by SIGKILL, output
         truncated, left processes running
         output so far, 30 lines
         │ line 1
         │ line 2
         │ line 3
         │ line 4
         │ line 5
         │ line 6
         │ line 7
         │ line 8
         … 6 lines …
         │ line 15
         │ line 16
         │ line 17
         │ line 18
         │ line 19
         │ line 20
         │ line 21
         │ line 22
         │ line 23
         │ line 24
         │ line 25
         │ line 26
         │ line 27
         │ line 28
         │ line 29
         │ line 30

    1 example: 1 failed in 1.24 s
    "#);
}

#[test]
fn an_interrupted_example_is_not_a_failure() {
    let failed = example(
        "sleeps",
        "failed",
        json!({
            "exception": exception("Casebook::Interrupted", "the run ended before this example did"),
        }),
    );
    assert_snapshot!(shown(&run([failed])), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · 1.24 s

    ── Interrupted ─────────────────────────────────────────────────────────────────

    1) sleeps
       suites/a.yml:7
       the run ended before this example did

    1 example: 1 interrupted in 1.24 s
    "#);
}

#[test]
fn messages_keep_their_line_breaks() {
    let backtrace: Vec<_> = (1..=7)
        .map(|line| format!("lib/sum.rb:{line}:in 'add'"))
        .collect();
    let failed = example(
        "sum",
        "failed",
        json!({
            "exception": {
                "class_name": "RSpec::Expectations::ExpectationNotMetError",
                "message": "\nexpected: 4\n     got: 5\n\n(compared using ==)\n",
                "backtrace": backtrace,
            },
        }),
    );
    let silent = example("silent", "failed", json!({"exception": exception("", "")}));
    assert_snapshot!(shown(&run([failed, silent])), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · 1.24 s

    ── Failures ────────────────────────────────────────────────────────────────────

    1) sum
       suites/a.yml:7
       RSpec::Expectations::ExpectationNotMetError
         expected: 4
              got: 5

         (compared using ==)
           lib/sum.rb:1:in 'add'
           lib/sum.rb:2:in 'add'
           lib/sum.rb:3:in 'add'
           lib/sum.rb:4:in 'add'
           lib/sum.rb:5:in 'add'
           … 2 more lines

    2) silent
       suites/a.yml:7
       failed without a message

    2 examples: 2 failed in 1.24 s
    "#);
}

#[test]
fn a_failed_hook_of_a_suite_is_not_counted_as_a_test() {
    let failed = example(
        "greet::teardownFile",
        "failed",
        json!({
            "exception": exception("Casebook::TeardownFailed", "`teardownFile` failed with exit code 3"),
            "metadata": {"suite": "greet", "hook": {"name": "teardownFile"}},
        }),
    );
    let shown = shown(&run([example("greet::waves", "passed", json!({})), failed]));
    let summary = "\n1 test: 1 passed, 1 failed hook in 1.24 s\n";
    assert!(shown.ends_with(summary), "{shown}");
}
