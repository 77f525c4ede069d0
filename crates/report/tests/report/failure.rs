//! Failures of every kind, below their title.

use casebook_report::terminal::Options;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::sample::{evaluation, example, exception, facts, run, shown_with};

/// The failure of a test with these failed expectations and this metadata, below its title.
fn shown(class: &str, message: &str, evaluations: &[Value], metadata: &Value) -> String {
    let failed = example(
        "greet::in German",
        "failed",
        json!({
            "exception": exception(&format!("Casebook::{class}"), message), "evaluations": evaluations,
            "metadata": metadata,
        }),
    );
    let options = Options {
        width: 80,
        record: Some("runs/1".into()),
        ..Options::default()
    };
    let report = shown_with(&run([failed]), &options);
    let (_, failure) = report.split_once("1) greet › in German\n").unwrap();
    let (failure, _) = failure.split_once("\n\n1 example").unwrap();
    failure.to_owned()
}

/// A failed expectation in line 9 of the suite.
fn failed(kind: &str, message: &str, source: &str, fields: Value) -> Value {
    let mut evaluation = evaluation(
        kind,
        false,
        json!({"failure_message": message, "type": kind}),
    );
    let description = fields.get("description").cloned();
    evaluation["description"] = description.unwrap_or(kind.into());
    let mut metadata = json!({"file": "suites/a.yml", "line": 9, "source": source});
    let Value::Object(fields) = fields else {
        panic!("fields are an object");
    };
    let metadata = metadata.as_object_mut().unwrap();
    metadata.extend(fields);
    let Value::Object(facts) = facts(kind) else {
        panic!("facts are an object");
    };
    for (key, value) in facts {
        metadata.entry(key).or_insert(value);
    }
    evaluation["metadata"] = metadata.clone().into();
    evaluation
}

fn asserted(message: &str, evaluations: &[Value], command: &Value) -> String {
    shown(
        "AssertionFailed",
        message,
        evaluations,
        &json!({"command": command, "rerun": "casebook run suites/a.yml:7"}),
    )
}

#[test]
fn the_reason_is_in_the_first_three_lines() {
    let message = "expected exit code 0, got 3";
    let source = "    exitCode: 0";
    let exit_code = failed(
        "exitCode",
        message,
        source,
        json!({"expected": 0, "actual": 3}),
    );
    let command =
        json!({"command": "greet --lang de", "exit_code": 3, "output": "no such language: de\n"});
    assert_snapshot!(asserted(message, &[exit_code], &command), @r#"
    suites/a.yml:7
    ✗ expected exit code 0, got 3
      --> suites/a.yml:9
      9 │ exitCode: 0

    $ greet --lang de
      exit code 3
      output
      │ no such language: de

    run it again: casebook run suites/a.yml:7
    "#);
}

#[test]
fn texts_are_compared_line_by_line() {
    let message = "stdout is not what was expected";
    let source = "    stdoutEquals: |\n      Hallo, Welt\n      Bis\tbald\n      Tschüß";
    let equals = failed(
        "stdoutEquals",
        message,
        source,
        json!({"expected": "Hallo, Welt\nBis\tbald\nTschüß", "actual": "Hello, Welt \nBis bald\nTschüß"}),
    );
    let command = json!({
        "command": "greet --lang de", "exit_code": 0, "stdout": "Hello, Welt \nBis bald\nTschüß\n", "stderr": "",
    });
    assert_snapshot!(asserted(message, &[equals], &command), @r#"
    suites/a.yml:7
    ✗ stdout is not what was expected
      --> suites/a.yml:9
       9 │ stdoutEquals: |
      10 │   Hallo, Welt
         …
      - expected  + actual
      - Hallo, Welt
      - Bis⇥bald
      + Hello, Welt·
      + Bis·bald
        Tschüß
      invisible characters differ: · is a space, ⇥ a tab, ␍ a carriage return

    $ greet --lang de
      exit code 0

    run it again: casebook run suites/a.yml:7
    "#);
}

#[test]
fn a_long_text_is_shown_where_it_differs() {
    let lines: Vec<_> = (1..=2_000).map(|n| format!("venue {n}")).collect();
    let actual = lines.join("\n").replace("venue 1204\n", "venue 12O4\n");
    let message = "the output is not what was expected";
    let source = "    outputEquals: |\n      venue 1\n      venue 2\n      venue 3";
    let equals = failed(
        "outputEquals",
        message,
        source,
        json!({"expected": lines.join("\n"), "actual": actual}),
    );
    let command = json!({"command": "venues", "exit_code": 0, "output": actual, "output_file": "output/1.txt"});
    assert_snapshot!(asserted(message, &[equals], &command), @r#"
    suites/a.yml:7
    ✗ the output is not what was expected
      --> suites/a.yml:9
       9 │ outputEquals: |
      10 │   venue 1
         …
      - expected  + actual
        … 1,200 unchanged lines …
        venue 1201
        venue 1202
        venue 1203
      - venue 1204
      + venue 12O4
        venue 1205
        venue 1206
        venue 1207
        … 793 unchanged lines …
      full output: runs/1/output/1.txt

    $ venues
      exit code 0

    run it again: casebook run suites/a.yml:7
    "#);
}

#[test]
fn close_matches_are_shown_and_forbidden_text_is_marked() {
    let output = "1 venue:\n  Harbour Hall\n";
    let evaluations = [
        failed(
            "outputContains",
            "the output does not contain \"harbour hall\"",
            "    outputContains: harbour hall",
            json!({"expected": "harbour hall", "actual": output}),
        ),
        failed(
            "outputNotContains",
            "the output contains \"venue\"",
            "    outputNotContains: venue",
            json!({"expected": "venue", "actual": output}),
        ),
        failed(
            "outputNotMatches",
            "the output matches /H[a-z]+/",
            "    outputNotMatches: H[a-z]+",
            json!({"expected": "H[a-z]+", "actual": output, "found": "Harbour"}),
        ),
    ];
    let command = json!({"command": "venues find hall", "exit_code": 0, "output": output});
    let message = "the output does not contain \"harbour hall\"";
    assert_snapshot!(asserted(message, &evaluations, &command), @r#"
    suites/a.yml:7
    ✗ the output does not contain "harbour hall"
      --> suites/a.yml:9
      9 │ outputContains: harbour hall
      close match: differs only in case
      line 2 │   Harbour Hall

    ✗ the output contains "venue"
      --> suites/a.yml:9
      9 │ outputNotContains: venue
      line 1 │ 1 venue:
                 ^^^^^

    ✗ the output matches /H[a-z]+/
      --> suites/a.yml:9
      9 │ outputNotMatches: H[a-z]+
      line 2 │   Harbour Hall
                 ^^^^^^^

    $ venues find hall
      exit code 0
      output
      │ 1 venue:
      │   Harbour Hall

    run it again: casebook run suites/a.yml:7
    "#);
}

#[test]
fn json_is_compared_as_json_and_a_wrong_pointer_explained() {
    let evaluations = [
        failed(
            "outputJson",
            "nothing is at /venues/0/seats",
            "      /venues/0/seats: 80",
            json!({"expected": 80, "pointer": "/venues/0/seats"}),
        ),
        failed(
            "outputJson",
            "/venues/0/price is not what was expected",
            "      /venues/0/price: {eur: 480, vat: 19}",
            json!({
                "expected": {"eur": 480, "vat": 19}, "actual": {"eur": 480, "vat": 7},
                "description": "outputJson /venues/0/price equals {\"eur\":480,\"vat\":19}",
            }),
        ),
        failed(
            "outputJson",
            "/count is not what was expected",
            "      /count: \"1\"",
            json!({"expected": "1", "actual": 1, "description": "outputJson /count equals \"1\""}),
        ),
    ];
    let stdout = r#"{"count": 1, "venues": [{"name": "Hall", "price": {"eur": 480, "vat": 7}}]}"#;
    let command =
        json!({"command": "venues --json", "exit_code": 0, "stdout": stdout, "stderr": ""});
    assert_snapshot!(asserted("nothing is at /venues/0/seats", &evaluations, &command), @r#"
    suites/a.yml:7
    ✗ nothing is at /venues/0/seats
      --> suites/a.yml:9
      9 │ /venues/0/seats: 80

    ✗ /venues/0/price is not what was expected
      --> suites/a.yml:9
      9 │ /venues/0/price: {eur: 480, vat: 19}
      - expected  + actual
        {
          "eur": 480,
      -   "vat": 19
      +   "vat": 7
        }

    ✗ /count is not what was expected
      --> suites/a.yml:9
      9 │ /count: "1"
      expected  "1"
      actual    1

    $ venues --json
      exit code 0
      stdout
      │ {"count": 1, "venues": [{"name": "Hall", "price": {"eur": 480, "vat": 7}}]}

    run it again: casebook run suites/a.yml:7
    "#);
}

#[test]
fn files_are_named_and_shown() {
    let evaluations = [
        failed(
            "files",
            "out.txt does not contain \"done\"",
            "      out.txt: {contains: done}",
            json!({
                "path": "out.txt", "expected": "done", "actual": "begun\nDone!\n", "comparison": "contains",
            }),
        ),
        failed(
            "files",
            "b.txt is not what was expected",
            "      b.txt: {equals: b}",
            json!({"path": "b.txt", "expected": "b", "actual": "c\n", "comparison": "equals"}),
        ),
        failed(
            "files",
            "c.txt does not exist",
            "      c.txt: {exists: true}",
            json!({"path": "c.txt", "comparison": "exists"}),
        ),
    ];
    let command = json!({"command": "make", "signal": "SIGSEGV", "output": ""});
    assert_snapshot!(asserted("out.txt does not contain \"done\"", &evaluations, &command), @r#"
    suites/a.yml:7
    ✗ out.txt does not contain "done"
      --> suites/a.yml:9
      9 │ out.txt: {contains: done}
      close match: differs only in case
      line 2 │ Done!
      actual
      │ begun
      │ Done!

    ✗ b.txt is not what was expected
      --> suites/a.yml:9
      9 │ b.txt: {equals: b}
      - expected  + actual
      - b
      + c

    ✗ c.txt does not exist
      --> suites/a.yml:9
      9 │ c.txt: {exists: true}

    $ make
      killed by SIGSEGV, no output

    run it again: casebook run suites/a.yml:7
    "#);
}

#[test]
fn a_file_is_shown_by_its_comparison_not_by_its_name() {
    let evaluation = failed(
        "files",
        "x equals y.txt does not contain \"done\"",
        "      x equals y.txt: {contains: done}",
        json!({
            "path": "x equals y.txt", "expected": "done", "actual": "Done!\n", "comparison": "contains",
            "description": "files \"x equals y.txt\" contains \"done\"",
        }),
    );
    let command = json!({"command": "make", "exit_code": 0, "output": ""});
    let message = "x equals y.txt does not contain \"done\"";
    assert_snapshot!(asserted(message, &[evaluation], &command), @r#"
    suites/a.yml:7
    ✗ x equals y.txt does not contain "done"
      --> suites/a.yml:9
      9 │ x equals y.txt: {contains: done}
      close match: differs only in case
      line 1 │ Done!
      actual    "Done!\n"

    $ make
      exit code 0, no output

    run it again: casebook run suites/a.yml:7
    "#);
}

#[test]
fn without_metadata_both_values_are_shown_unchanged() {
    let evaluation = failed(
        "a check of another tool",
        "something is not as it should be",
        "",
        json!({"expected": "the one", "actual": "the other"}),
    );
    let command = json!({"command": "make", "exit_code": 0, "output": "the other"});
    assert_snapshot!(asserted("something is not as it should be", &[evaluation], &command), @r#"
    suites/a.yml:7
    ✗ something is not as it should be
      --> suites/a.yml:9
      expected  "the one"
      actual    "the other"

    $ make
      exit code 0
      output
      │ the other

    run it again: casebook run suites/a.yml:7
    "#);
}

#[test]
fn a_timeout_shows_what_was_written_so_far() {
    let command = json!({
        "command": "venues import big.csv", "signal": "SIGKILL", "timed_out": true, "timeout": 2.0, "phase": "command",
        "output": "reading big.csv\n 50%\r 60%\n",
    });
    let shown = shown(
        "Timeout",
        "timed out after 2 s",
        &[],
        &json!({"command": command}),
    );
    assert_snapshot!(shown, @r#"
    suites/a.yml:7
    timed out after 2 s

    $ venues import big.csv
      timed out after 2 s, killed by SIGKILL
      output so far
      │ reading big.csv
      │  50%␍ 60%
    "#);
}

#[test]
fn a_failed_hook_is_shown_with_its_script() {
    let hook = json!({
        "name": "setup", "exit_code": 127, "output": "bash: line 1: createdb: command not found\n",
        "file": "suites/a.yml", "line": 3, "source": "setup: |\n  createdb venues\n  venues migrate",
    });
    let shown = shown(
        "SetupFailed",
        "setup failed with exit code 127",
        &[],
        &json!({"hook": hook}),
    );
    assert_snapshot!(shown, @r#"
    suites/a.yml:7
    setup failed with exit code 127
    --> suites/a.yml:3
    3 │ setup: |
    4 │   createdb venues
    5 │   venues migrate
    output
    │ bash: line 1: createdb: command not found
    "#);
}

#[test]
fn a_command_that_was_not_run_names_the_hook_that_failed() {
    let metadata = json!({
        "hook": {"name": "setupFile", "message": "`setupFile` failed with exit code 1"},
        "command": {"command": "make", "phase": "setup"},
    });
    let shown = shown(
        "SetupFailed",
        "`setupFile` failed with exit code 1",
        &[],
        &metadata,
    );
    assert_snapshot!(shown, @r#"
    suites/a.yml:7
    `setupFile` failed with exit code 1

    $ make
      not run, because `setupFile` failed
    "#);
}

#[test]
fn the_exit_code_of_a_command_is_not_that_of_its_teardown() {
    let metadata = json!({
        "hook": {"name": "teardown", "message": "`teardown` failed with exit code 4"},
        "command": {"command": "true", "phase": "teardown", "exit_code": 0, "output": ""},
    });
    let shown = shown(
        "TeardownFailed",
        "`teardown` failed with exit code 4",
        &[],
        &metadata,
    );
    assert_snapshot!(shown, @r#"
    suites/a.yml:7
    `teardown` failed with exit code 4

    $ true
      exit code 0, no output
    "#);
}

#[test]
fn a_hook_that_is_not_the_cause_is_a_failure_of_its_own() {
    let hook = json!({
        "name": "teardown", "message": "`teardown` failed with exit code 4", "exit_code": 4, "output": "bye\n",
        "file": "suites/a.yml", "line": 3, "source": "echo bye\nexit 4",
    });
    let command = json!({
        "command": "sleep 3", "phase": "command", "timed_out": true, "timeout": 0.5, "exit_code": 143, "output": "",
    });
    let metadata = json!({"hook": hook, "command": command});
    let shown = shown("Timeout", "timed out after 500 ms", &[], &metadata);
    assert_snapshot!(shown, @r#"
    suites/a.yml:7
    timed out after 500 ms

    ✗ `teardown` failed with exit code 4
      --> suites/a.yml:3
      3 │ echo bye
      4 │ exit 4
      output
      │ bye

    $ sleep 3
      timed out after 500 ms, exit code 143, no output
    "#);
}

#[test]
fn truncated_output_is_reported() {
    let output = "head\n…\ntail";
    let message = "the output is not what was expected";
    let equals = failed(
        "outputEquals",
        message,
        "    outputEquals: x",
        json!({"expected": "head\nmiddle\ntail", "actual": output, "actual_truncated": true}),
    );
    let command = json!({"command": "yes", "exit_code": 0, "output": output, "truncated": true, "over_limit": true});
    assert_snapshot!(asserted(message, &[equals], &command), @r#"
    suites/a.yml:7
    ✗ the output is not what was expected
      --> suites/a.yml:9
      9 │ outputEquals: x
      - expected  + actual
        head
      - middle
      + …
        tail
      this diff contains only the beginning and the end of the output

    $ yes
      exit code 0, output truncated

    run it again: casebook run suites/a.yml:7
    "#);
}

#[test]
fn with_color_changed_words_are_emphasized() {
    let equals = failed(
        "outputEquals",
        "differs",
        "",
        json!({"expected": "say hello twice", "actual": "say hallo twice"}),
    );
    let failed = example(
        "a",
        "failed",
        json!({"evaluations": [equals], "metadata": {"command": {"output": "say hallo twice"}}}),
    );
    let options = Options {
        color: true,
        ..Options::default()
    };
    let report = shown_with(&run([failed]), &options);
    let line = report.lines().find(|line| line.contains("hallo")).unwrap();
    assert_snapshot!(line.replace('\u{1b}', "␛"), @"     ␛[32m+ say ␛[0m␛[1m␛[4m␛[32mhallo␛[0m␛[32m twice␛[0m");
}
