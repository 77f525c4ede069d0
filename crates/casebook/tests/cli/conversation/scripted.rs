//! Conversations with scripted users.

use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use super::{comparable, end, failure, suite, transcript};
use crate::support::eventually;

#[test]
fn turns_tool_calls_and_evaluations_are_recorded() {
    let ran = suite(
        r"
tests:
  - name: talks
    tags: [smoke]
    conversation:
      - user: hello
        expect: [{contains: HELLO}, {notCalled: look}]
        evaluate: [{maxLength: 3}]
      - user: look 7
        expect: [{called: {tool: look, with: {at: {min: 5}}}}]
    expect: [{turns: {max: 2}}, {calledInOrder: [look]}]
",
    )
    .run("")
    .exits(0);
    assert_eq!(
        transcript(&ran, "talks"),
        [
            "1 hello → HELLO",
            r#"2 look 7 → SEEN look{"at":7,"how":"well"}"#,
            "1 hard contains \"HELLO\" holds",
            "1 hard notCalled look holds",
            "1 soft maxLength 3 fails",
            "2 hard called look with at at least 5 holds",
            "end hard turns at most 2 holds",
            "end hard calledInOrder look holds",
        ]
    );
    assert_eq!(end(&ran, "talks"), "script_end");
    let metadata = &ran.test("talks")["metadata"];
    assert_eq!(metadata["kind"], "conversation");
    assert_eq!(metadata["tracing"]["agent"]["calls"], 2);
    assert!(metadata["command"].is_null(), "{metadata:#}");
}

#[test]
fn a_failed_expectation_stops_the_script_and_shows_the_closest_call() {
    let ran = suite(
        r"
tests:
  - name: talks
    conversation:
      - user: look 3
        expect: [{called: {tool: look, with: {at: {min: 5}}}}, {contains: SEEN}]
      - user: never said
    expect: [{turns: 2}]
",
    )
    .run("")
    .exits(1);
    assert_eq!(
        transcript(&ran, "talks")[1..],
        [
            "1 hard called look with at at least 5 fails",
            "1 hard contains \"SEEN\" holds"
        ]
    );
    assert_eq!(end(&ran, "talks"), "stop_condition");
    let shown = &ran.outcome.stdout;
    assert!(
        shown.contains("turn 1: no call of look has at at least 5; the closest has at 3"),
        "{shown}"
    );
    assert!(
        shown.contains(
            "closest   look {\"at\":3,\"how\":\"well\"}\n                                     ^\n"
        ),
        "{shown}"
    );
}

#[test]
fn the_agent_gets_variables_of_suite_and_hooks() {
    let suite = suite(
        r#"
env: {OF_SUITE: one}
setupFile: export OF_FILE=two
setup: export OF_SETUP=three; mkdir -p "$TEST_TEMP_DIR/there"; cd "$TEST_TEMP_DIR/there"; echo setup >> "$BATS_TEST_DIRNAME/log"
teardown: echo "teardown $OF_SETUP" >> "$BATS_TEST_DIRNAME/log"
tests:
  - name: talks
    agent: {command: '"$BATS_TEST_DIRNAME"/agent'}
    env: {OF_TEST: four}
    conversation:
      - user: run say $OF_SUITE-$OF_FILE-$OF_SETUP-$OF_TEST-${PWD##*/}
        expect: [{equals: one-two-three-four-there}]
    expect:
      - run: test "$OF_SUITE-$OF_FILE-$OF_SETUP-$OF_TEST-${PWD##*/}" = one-two-three-four-there
  - name: crashes
    agent: {command: exit 4}
    conversation: [{user: hello}]
  - name: elsewhere
    workdir: nowhere
    conversation: [{user: hello}]
"#,
    );
    let ran = suite.run("-j1").exits(1);
    assert_eq!(ran.verdicts()[0], "talks passed");
    assert!(ran.verdicts()[1].starts_with("crashes failed: the agent exited with code 4"));
    assert!(
        ran.verdicts()[2].contains("working directory not found"),
        "{:?}",
        ran.verdicts()
    );
    let log = suite.project.read("log");
    assert_eq!(log, "setup\nteardown three\n".repeat(3));
}

#[test]
fn a_failed_setup_or_teardown_fails_the_test() {
    let yaml = |setup: &str, teardown: &str| {
        format!(
            "setup: {setup}\nteardown: {teardown}\ntests: [{{name: talks, conversation: [{{user: hi}}]}}]\n"
        )
    };
    let ran = suite(&yaml("exit 3", "'true'")).run("").exits(1);
    assert_eq!(
        failure(&ran, "talks"),
        ("Casebook::SetupFailed", "`setup` failed with exit code 3")
    );
    let ran = suite(&yaml("'true'", "'false'")).run("").exits(1);
    assert_eq!(failure(&ran, "talks").0, "Casebook::TeardownFailed");
    assert_eq!(transcript(&ran, "talks"), ["1 hi → HI"]);
}

#[test]
fn a_run_check_reads_the_conversation_and_its_exit_code_decides() {
    let ran = suite(
        r#"
timeout: 20
tests:
  - name: holds
    conversation: [{user: look 3, expect: [{run: "grep -q '\"turn\":1'"}]}, {user: bye}]
    expect: [{run: "grep -o '\"name\":\"look\"'"}]
  - name: does not
    conversation: [{user: hello}]
    expect: [{run: "echo first; echo \"$(cat)\" | grep -c HELLO; exit 3"}]
  - name: takes too long
    timeout: 5
    conversation: [{user: hello}]
    expect: [{run: sleep 60}]
  - name: is soft
    conversation: [{user: hello}]
    evaluate: [{run: 'false'}]
"#,
    )
    .run("")
    .exits(1);
    assert_eq!(
        ran.test("holds")["status"],
        "passed",
        "{:#}",
        ran.test("holds")
    );
    let (class, message) = failure(&ran, "does not");
    assert_eq!(class, "Casebook::AssertionFailed");
    assert!(
        message.ends_with("exited with code 3:\nfirst\n1"),
        "{message}"
    );
    assert!(
        failure(&ran, "takes too long")
            .1
            .contains("took longer than")
    );
    assert_eq!(ran.test("is soft")["status"], "passed");
}

#[test]
fn secrets_of_agents_reach_neither_record_nor_terminal() {
    let suite = suite(
        r"
env: {MY_TOKEN: private-value-1}
setup: export OTHER_TOKEN=private-value-2
tests:
  - name: talks
    conversation:
      - user: run say $MY_TOKEN
        expect: [{contains: nothing like it}]
",
    );
    let ran = suite.run("").exits(1);
    let all = format!(
        "{}{}{}",
        ran.outcome.stdout,
        ran.record,
        suite.project.read(&format!("{}/events.jsonl", ran.dir))
    );
    assert!(!all.contains("private-value-1"), "{all}");
    assert!(all.contains("[redacted]"), "{all}");
}

#[test]
fn a_conversation_is_retried_and_both_attempts_are_recorded() {
    let suite = suite(
        r"
tests:
  - name: talks
    retries: 1
    conversation:
      - user: run if mkdir again 2>/dev/null; then say no; else say yes; fi
        expect: [{equals: 'yes'}]
",
    );
    let ran = suite.run("").exits(0);
    let test = ran.test("talks");
    assert_eq!(test["status"], "passed");
    let earlier = test["metadata"]["attempts"].as_array().unwrap();
    assert_eq!(earlier.len(), 1);
    assert_eq!(
        earlier[0]["conversation"]["turns"][0]["agent_response"]["content"],
        "no"
    );
}

#[test]
fn skip_and_fail_fast_apply_to_conversations() {
    let ran = suite(
        r"
tests:
  - {name: skipped, skip: not yet, conversation: [{user: hi}]}
  - {name: fails, conversation: [{user: hi, expect: [{contains: bye}]}]}
  - {name: not run, conversation: [{user: hi}]}
",
    )
    .run("-j1 --fail-fast")
    .exits(1);
    let verdicts = ran.verdicts();
    assert_eq!(verdicts.len(), 2);
    assert!(verdicts[0].starts_with("skipped pending"), "{verdicts:?}");
}

/// All kinds of conversations in one suite.
const ALL: &str = r"
llm: {provider: scripted, user: [hello, look 2], verdicts: {kind: [true, false], rude: inconclusive}, topics: [more, more]}
criteria: {kind: The reply is kind, rude: The reply is rude}
topics:
  first: {description: The beginning, next: [more], evaluate: [{satisfies: kind}]}
  more: {description: What follows, next: [seen]}
  seen: {description: Something was seen, triggers: [{called: look}]}
tests:
  - name: scripted
    conversation:
      - {user: hello, evaluate: [{satisfies: kind}]}
      - {user: look 1, expect: [{topic: seen}]}
  - name: judged
    conversation: [{user: hello, expect: [{satisfies: rude}]}]
  - name: simulated {{scenario.name}}
    simulate: {goal: '{{scenario.goal}}', maxTurns: 2}
    scenarios: scenarios.json
    trials: 2
    expect: [{reachedTopic: seen}]
  - name: crashes
    conversation: [{user: look 1}, {user: run exit 7}]
  - {name: a command, command: 'true'}
";

const SCENARIOS: &str =
    r#"[{"name": "one", "goal": "see it"}, {"name": "two", "goal": "see it twice"}]"#;

#[test]
fn the_record_is_the_same_with_workers() {
    let suite = suite(ALL);
    suite.project.write("scenarios.json", SCENARIOS);
    let inside = suite.run("-j2").exits(1);
    let outside = suite.run("--workers 2").exits(1);
    assert_eq!(inside.verdicts(), outside.verdicts());
    let [one, other] = [&inside, &outside].map(|ran| comparable(&ran.record["examples"]));
    assert_eq!(one, other);
}

#[test]
fn ctrl_c_in_a_conversation_keeps_the_transcript_and_leaves_no_processes() {
    let suite = suite(
        r"
teardown: echo torn down >> log
tests:
  - name: long
    conversation: [{user: hello}, {user: run sleep 60}]
  - name: other
    conversation: [{user: hello}]
",
    );
    let live = suite.call("-j1 --record out").start();
    eventually("the second turn has begun", || {
        suite.project.exists("out/events.jsonl")
            && suite
                .project
                .read("out/events.jsonl")
                .contains("run sleep 60")
    });
    thread::sleep(Duration::from_millis(50));
    live.signal(Signal::INT);
    let outcome = live.wait();
    assert_eq!(outcome.code, 130, "{outcome:#?}");
    suite.assert_nothing_left();
    assert_eq!(suite.project.read("log"), "torn down\n");
    let record = suite.project.json("out/run.json");
    let test = record["examples"]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap();
    assert_eq!(
        test["conversation"]["turns"][0]["agent_response"]["content"],
        "HELLO"
    );
    assert_eq!(test["metadata"]["conversation"]["end"], "interrupted");
    assert_eq!(test["exception"]["class_name"], "Casebook::Interrupted");

    // Resuming runs only the interrupted test and the one that was never started.
    let yaml = suite
        .project
        .read("a.casebook.yaml")
        .replace("run sleep 60", "bye");
    suite.project.write("a.casebook.yaml", yaml);
    suite.call("--resume out").run().exits(0);
    let record = suite.project.json("out/run.json");
    let tests: Vec<_> = record["examples"]
        .as_object()
        .unwrap()
        .values()
        .map(|test| test["status"].clone())
        .collect();
    assert_eq!(tests, ["passed", "passed"]);
}

#[test]
fn a_script_that_is_too_short_is_an_error_also_for_a_soft_check() {
    let ran = suite(
        "
llm: {provider: scripted, verdicts: {friendly: [true]}}
criteria: {friendly: It is friendly}
tests:
  - name: asks twice
    conversation: [{user: a, evaluate: {satisfies: friendly}}, {user: b, evaluate: {satisfies: friendly}}]
",
    )
    .run("")
    .exits(1);
    let (class, message) = failure(&ran, "asks twice");
    assert_eq!(class, "Casebook::JudgeFailed");
    assert!(
        message
            .contains("`llm.verdicts.friendly` has 1 verdict, but the conversation needs one more"),
        "{message}"
    );
}

#[test]
fn an_interrupted_conversation_is_not_a_failure() {
    let suite =
        suite("tests: [{name: waits, conversation: [{user: hello}, {user: run sleep 50}]}]");
    for how in ["", "--workers 1"] {
        let live = suite
            .project
            .casebook(&format!("run {how} --record r"))
            .start();
        eventually("the agent has answered", || {
            suite.project.exists("r/events.jsonl")
                && suite.project.read("r/events.jsonl").contains("sleep 50")
        });
        live.signal(Signal::INT);
        let outcome = live.wait().exits(130);
        assert!(
            outcome.stdout.contains("1 test: 1 interrupted in "),
            "{outcome:?}"
        );
        let report = suite.project.casebook("report r").run().stdout;
        assert!(report.contains("1 test: 1 interrupted in "), "{report}");
        assert!(report.contains("HELLO"), "{report}");
        // The interrupted attempt must not affect the resumed one.
        suite.project.write(
            "agent",
            super::AGENT.replace("run*)", "run*) say fine ;;\n    ran*)"),
        );
        let again = suite.project.casebook("run --resume r").run().exits(0);
        assert!(again.stdout.contains("1 test: 1 passed in "), "{again:?}");
        let report = suite.project.casebook("report r").run().stdout;
        assert!(report.contains("1 test: 1 passed in "), "{report}");
        suite.project.write("agent", super::AGENT);
        std::fs::remove_dir_all(suite.project.at("r")).unwrap();
    }
}

#[test]
fn exported_and_truncated_secrets_are_redacted() {
    const SECRET: &str = "s3cr3t-Value-1234";
    let suite = suite(
        r#"
setup: export MY_TOKEN=s3cr3t-$(echo Value)-1234
tests:
  - name: spoken
    conversation: [{user: run say $MY_TOKEN, expect: {contains: nothing}}]
  - name: cut
    agent: {command: 'printf "%0110d%s\n" 7 $MY_TOKEN'}
    conversation: [{user: hello}]
  - name: named
    agent:
      command: |
        read -r line
        printf '{"type":"tool_call","name":"a","result":{"%s":1}}\n' $MY_TOKEN
        echo '{"id":1,"type":"response","text":"x"}'
    conversation: [{user: hello, expect: {equals: y}}]
"#,
    );
    for how in ["-j 1", "--workers 2"] {
        let outcome = suite
            .project
            .casebook(&format!("run {how} -v --record r --html page.html"))
            .run()
            .exits(1);
        let shown = [outcome.stdout, outcome.stderr].concat();
        let files = ["r/run.json", "r/events.jsonl", "page.html"];
        for text in files
            .map(|name| suite.project.read(name))
            .iter()
            .chain([&shown])
        {
            assert!(
                !text.contains(SECRET) && !text.contains(&SECRET[..8]),
                "{text}"
            );
        }
        assert!(shown.matches("[redacted]").count() >= 3, "{shown}");
        std::fs::remove_dir_all(suite.project.at("r")).unwrap();
    }
}

#[test]
fn a_trace_shows_passed_conversations() {
    let ran =
        suite("tests: [{name: talks, conversation: [{user: hello, expect: {contains: HELLO}}]}]")
            .run("--trace")
            .exits(0);
    let shown = &ran.outcome.stdout;
    assert!(shown.contains("Agent  HELLO"), "{shown}");
    assert!(shown.contains("✓ contains \"HELLO\" · expect"), "{shown}");
}
