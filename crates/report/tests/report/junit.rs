//! Runs as JUnit XML.

use casebook_record::import::{self, ImportSource};
use casebook_record::{RunBuilder, RunData, Status};
use casebook_report::junit;
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;

use crate::stream::{Stream, hostile, time};

fn written(run: &RunData) -> String {
    let mut out = Vec::new();
    junit::write(run, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn read(xml: &str) -> RunData {
    let builder = RunBuilder::new("read");
    let source = ImportSource {
        name: "junit",
        now: &|| time(0),
    };
    let problems =
        import::junit(xml.as_bytes(), &source, &mut |event| builder.apply(event)).unwrap();
    assert!(problems.is_empty(), "{problems:?}\n{xml}");
    builder.close().unwrap()
}

/// Tests of every outcome, some with several attempts.
pub(crate) fn mixed() -> Stream {
    let mut stream = Stream::planned(5);
    let list = stream.begin_at("venues", "lists", 3);
    let hello = stream.begin_at("greet", "says \"hello\" & <bye>", 0);
    stream.pass(
        &hello,
        &json!({"command": "greet", "exit_code": 0, "output": "Hello\n"}),
    );
    let german = stream.begin_at("greet", "in German", 1);
    stream.fail(
        &german,
        "Timeout: timed out after 2 s",
        &json!({"will_retry": true}),
    );
    stream.again("greet", &german);
    stream.pass(&german, &json!({"command": "greet --lang de"}));
    let french = stream.begin_at("greet", "in French", 2);
    stream.skip(&french, Some("not translated yet"));
    stream.evaluation(
        &list,
        "outputContains",
        false,
        &json!({
            "message": "the output does not contain \"x\"",
            "metadata": {
                "file": "suites/venues.casebook.yaml", "line": 14, "source": "    outputContains: x", "expected": "x",
                "comparison": "contains", "stream": "output",
                "actual": "\u{1b}[31mHarbour\u{1b}[0m Hall\u{1}\n",
            },
        }),
    );
    stream.fail(
        &list,
        "AssertionFailed: the output does not contain \"x\"",
        &json!({"command": {"command": "venues list", "exit_code": 0, "output": "\u{1b}[31mHarbour\u{1b}[0m Hall\u{1}\n"}}),
    );
    let again = stream.begin_at("venues", "again", 4);
    stream.fail(
        &again,
        "AssertionFailed: first",
        &json!({"will_retry": true}),
    );
    stream.again("venues", &again);
    stream.fail(&again, "AssertionFailed: second", &json!({}));
    stream.stop();
    stream
}

#[test]
fn suites_and_tests_come_in_the_order_of_the_files() {
    assert_snapshot!(written(&mixed().run()), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="casebook" tests="5" skipped="1" failures="2" errors="0" timestamp="2025-11-15T08:27:31.594+00:00" time="0.016">
        <testsuite name="greet" tests="3" skipped="1" errors="0" failures="0" timestamp="2025-11-15T08:27:31.596+00:00" time="0.025" file="suites/greet.casebook.yaml">
            <testcase name="says &quot;hello&quot; &amp; &lt;bye&gt;" classname="greet" timestamp="2025-11-15T08:27:31.596+00:00" time="0.012" file="suites/greet.casebook.yaml" line="4"/>
            <testcase name="in German" classname="greet" timestamp="2025-11-15T08:27:31.600+00:00" time="0.012" file="suites/greet.casebook.yaml" line="7">
                <flakyFailure timestamp="2025-11-15T08:27:31.598+00:00" time="0.057" message="timed out after 2 s" type="Casebook::Timeout">suites/greet.casebook.yaml:7 · 57 ms
    timed out after 2 s

    run it again: casebook run suites/greet.casebook.yaml:7
    </flakyFailure>
            </testcase>
            <testcase name="in French" classname="greet" timestamp="2025-11-15T08:27:31.602+00:00" time="0.001" file="suites/greet.casebook.yaml" line="10">
                <skipped message="not translated yet"/>
            </testcase>
        </testsuite>
        <testsuite name="venues" tests="2" skipped="0" errors="0" failures="2" timestamp="2025-11-15T08:27:31.595+00:00" time="0.114" file="suites/venues.casebook.yaml">
            <testcase name="lists" classname="venues" assertions="1" timestamp="2025-11-15T08:27:31.595+00:00" time="0.057" file="suites/venues.casebook.yaml" line="13">
                <failure message="the output does not contain &quot;x&quot;" type="Casebook::AssertionFailed">suites/venues.casebook.yaml:13 · 57 ms
    ✗ the output does not contain &quot;x&quot;
      --&gt; suites/venues.casebook.yaml:14
      14 │ outputContains: x

    $ venues list
      exit code 0
      output
      │ ␛[31mHarbour␛[0m Hall␁

    run it again: casebook run suites/venues.casebook.yaml:13
    </failure>
                <system-out>Harbour Hall�
    </system-out>
            </testcase>
            <testcase name="again" classname="venues" timestamp="2025-11-15T08:27:31.606+00:00" time="0.057" file="suites/venues.casebook.yaml" line="16">
                <failure message="first" type="Casebook::AssertionFailed">suites/venues.casebook.yaml:16 · 57 ms
    first

    run it again: casebook run suites/venues.casebook.yaml:16
    </failure>
                <rerunFailure timestamp="2025-11-15T08:27:31.608+00:00" time="0.057" message="second" type="Casebook::AssertionFailed">suites/venues.casebook.yaml:16 · 57 ms · after 1 earlier attempt
    second

    run it again: casebook run suites/venues.casebook.yaml:16
    </rerunFailure>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn attempts_are_read_back() {
    let run = read(&written(&mixed().run()));
    let found: Vec<_> = run
        .examples
        .values()
        .map(|example| {
            (
                example.description.as_str(),
                example.status,
                example.attempts().len(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("says \"hello\" & <bye>", Status::Passed, 0),
            ("in German", Status::Passed, 1),
            ("in French", Status::Pending, 0),
            ("lists", Status::Failed, 0),
            ("again", Status::Failed, 1),
        ]
    );
}

#[test]
fn ten_thousand_tests_are_written_at_once() {
    let mut stream = Stream::planned(10_000);
    for n in 0..10_000 {
        let test = stream.begin(&format!("suite {}", n % 100), &format!("test {n}"));
        stream.pass(&test, &json!({"command": "true"}));
    }
    stream.stop();
    let xml = written(&stream.run());
    assert_eq!(xml.matches("<testcase ").count(), 10_000);
    assert_eq!(xml.matches("<testsuite ").count(), 100);
}

proptest! {
    #[test]
    fn written_results_are_read_with_the_same_outcomes(
        tests in prop::collection::vec((hostile(), 0..3_u8, hostile()), 1..20),
    ) {
        let mut stream = Stream::planned(tests.len() as u64);
        for (name, verdict, text) in &tests {
            let test = stream.begin("greet", name);
            match verdict {
                0 => stream.pass(&test, &json!({"command": text})),
                1 => stream.skip(&test, Some(text)),
                _ => stream.fail(&test, &format!("AssertionFailed: {text}"), &json!({
                    "command": {"command": text, "stdout": text, "stderr": text},
                })),
            }
        }
        stream.stop();
        let run = read(&written(&stream.run()));
        let statuses: Vec<_> = run.examples.values().map(|example| example.status).collect();
        let expected: Vec<_> = tests
            .iter()
            .map(|(_, verdict, _)| match verdict {
                0 => Status::Passed,
                1 => Status::Pending,
                _ => Status::Failed,
            })
            .collect();
        prop_assert_eq!(statuses, expected);
    }
}
