//! Scenarios and trials: each is recorded as a separate example, runs in parallel and can be resumed.

use serde_json::json;

use super::{suite, transcript};
use crate::run::Suite;

#[test]
fn every_trial_of_every_scenario_is_an_example() {
    let suite = suite(
        r"
llm: {provider: scripted, user: [hello]}
tests:
  - name: meets {{scenario.name}}
    simulate: {goal: '{{scenario.goal}}', maxTurns: 1}
    scenarios: who.yaml
    trials: 2
    expect: [{run: 'mkdir x 2>/dev/null || ! grep -q Ada'}]
",
    );
    suite.project.write(
        "who.yaml",
        "- {name: Ada, goal: meet Ada}\n- {name: Grace, goal: meet Grace, age: 37}\n",
    );
    let ran = suite.run("-j1").exits(1);
    let names: Vec<_> = ran
        .verdicts()
        .iter()
        .map(|verdict| verdict.split(" (").next().unwrap().to_owned())
        .collect();
    assert_eq!(
        names,
        ["meets Ada", "meets Ada", "meets Grace", "meets Grace"]
    );
    let first = ran.test("meets Ada (trial 1 of 2)");
    let id = first["stable_id"].as_str().unwrap();
    assert!(id.ends_with("~1"), "{id}");
    assert_eq!(
        first["metadata"]["trial"],
        json!({"number": 1, "of": 2, "test": id.trim_end_matches("~1")})
    );
    // One trial of Ada passed and the other failed.
    assert_eq!(
        (
            &first["status"],
            &ran.test("meets Ada (trial 2 of 2)")["status"]
        ),
        (&"passed".into(), &"failed".into())
    );
    let scenario = ran.test("meets Grace (trial 1 of 2)")["scenario_id"]
        .as_str()
        .unwrap();
    assert_eq!(ran.record["scenarios"][scenario]["data"]["age"], 37);
    assert_eq!(
        transcript(&ran, "meets Grace (trial 2 of 2)")[0],
        "1 hello → HELLO"
    );
    assert!(
        ran.outcome.stdout.contains("1 of 2"),
        "{}",
        ran.outcome.stdout
    );
}

#[test]
fn only_missing_trials_are_resumed() {
    let suite = suite(
        "
tests:
  - name: talks
    trials: 3
    conversation: [{user: run echo once >> log; say hi}]
",
    );
    suite.run("").exits(0);
    // As if the run had been killed after the first trial.
    let journal = suite.project.read("out/1/events.jsonl");
    let end = journal.find("ExamplePassed").unwrap();
    let end = end + journal[end..].find('\n').unwrap() + 1;
    suite.project.write("killed/events.jsonl", &journal[..end]);
    suite.call("--resume killed").run().exits(0);
    assert_eq!(suite.project.read("log").lines().count(), 3 + 2);
    let record = suite.project.json("killed/run.json");
    assert_eq!(record["examples"].as_object().unwrap().len(), 3);
}

/// A suite whose trials fail if their number, taken in order, is one of these.
fn counted(trials: &str, failing: &str) -> Suite {
    suite(&format!(
        r"
tests:
  - name: counts
    trials: {trials}
    conversation:
      - user: run n=1; while ! mkdir $n 2>/dev/null; do n=$((n + 1)); done; [[ ' {failing} ' == *' '$n' '* ]] && say bad || say good
        expect: [{{contains: good}}]
"
    ))
}

#[test]
fn retries_do_not_change_the_pass_rate_of_trials() {
    let suite = suite(
        "
tests:
  - name: fails first
    trials: 4
    conversation: [{user: 'run [ -e log ] && say good || { touch log; say bad; }', expect: [{contains: good}]}]
",
    );
    let ran = suite.run("-j1 --retries 2").exits(1);
    assert!(
        ran.outcome.stdout.contains("3 of 4"),
        "{}",
        ran.outcome.stdout
    );
    let statuses = |status: &str| {
        let examples = ran.record["examples"].as_object().unwrap();
        let same = examples.values().filter(|one| one["status"] == status);
        same.count()
    };
    assert_eq!((statuses("passed"), statuses("failed")), (3, 1));
}

#[test]
fn a_test_with_a_threshold_passes_or_fails_as_a_whole() {
    for (trials, failing, exit, shown) in [
        ("{count: 5, atLeast: 3}", "1 4", 0, "3 of 5 (needs 3)"),
        ("{count: 5, atLeast: 3}", "4 5", 0, "3 of 5 (needs 3)"),
        ("{count: 5, passRate: 0.8}", "2", 0, "4 of 5 (needs 4)"),
        ("{count: 5, atLeast: 4}", "1 4", 1, "3 of 5 (needs 4)"),
        ("{count: 2, atLeast: 1}", "1 2", 1, "0 of 2 (needs 1)"),
    ] {
        let suite = counted(trials, failing);
        let ran = suite.run(
            "-j1 --format pretty --format tap=tap --format junit=junit.xml --format json=json",
        );
        let ran = ran.exits(exit);
        let case = format!("{trials} {failing}: {}", ran.outcome.stdout);
        assert!(ran.outcome.stdout.contains(shown), "{case}");
        let failed = failing.split(' ').count();
        let tap = suite.project.read("tap");
        let todo = tap.matches("# TODO the test passed: it needs").count();
        assert_eq!(todo, if exit == 0 { failed } else { 0 }, "{case}\n{tap}");
        assert_eq!(tap.matches("not ok").count(), failed, "{case}\n{tap}");
        let junit = suite.project.read("junit.xml");
        let failures = junit.matches("<failure").count();
        assert_eq!(failures, if exit == 0 { 0 } else { failed }, "{junit}");
        let json = suite.project.json("json");
        let test = &json["trials"]["by_test"][0];
        let outcome = if exit == 0 { "passed" } else { "failed" };
        assert_eq!(test["outcome"], outcome, "{case}");
        assert_eq!(json["failed_count"], failures, "{case}");
        // The same from the record.
        let report = suite.project.casebook("report out/1").run().exits(0);
        assert!(report.stdout.contains(shown), "{}", report.stdout);
        let diff = suite.project.casebook("diff out/1 out/1").run().exits(0);
        assert!(!diff.stdout.contains("newly"), "{}", diff.stdout);
    }
}

#[test]
fn the_number_of_trials_can_be_given_as_an_option() {
    let suite = counted("{count: 2, passRate: 0.5}", "1");
    let ran = suite.run("-j1 --trials 4 --k 1,3").exits(0);
    let shown = &ran.outcome.stdout;
    assert!(shown.contains("3 of 4 (needs 2)"), "{shown}");
    assert!(shown.contains("pass@3  pass^3"), "{shown}");
    let error = counted("{count: 5, atLeast: 3}", "")
        .call("--trials 2")
        .run()
        .exits(2);
    assert!(
        error.stderr.contains("`counts` needs 3 passed trials"),
        "{}",
        error.stderr
    );
}

/// Without `--trials`, no test would have the name of the trial.
#[test]
fn a_trial_is_run_again_with_as_many_trials() {
    for (trials, options, again) in [
        ("1", "--trials 3", " --trials 3"),
        ("3", "", ""),
        ("3", "--trials 3", ""),
    ] {
        let suite = counted(trials, "1");
        let ran = suite.run(&format!("-j1 {options}")).exits(1);
        let rerun = &ran.test("counts (trial 1 of 3)")["metadata"]["rerun"];
        let rerun = rerun.as_str().unwrap();
        let (command, filter) = rerun.split_once(" --filter ").unwrap();
        assert!(command.ends_with(&format!(":4{again}")), "{rerun}");
        let command = command.strip_prefix("casebook ").unwrap();
        let second = suite.project.casebook(&format!("{command} --filter"));
        let second = second.arg(filter.trim_matches('\'')).run().exits(0);
        assert!(second.stdout.contains("1 test"), "{}", second.stdout);
    }
}

#[test]
fn trials_whose_agent_cannot_be_reached_are_counted_separately_and_fail_the_test() {
    let suite = Suite::new(
        "
agent: {http: {url: 'http://127.0.0.1:9/chat'}}
tests:
  - name: talks
    trials: {count: 3, atLeast: 1}
    conversation: [{user: Hi}]
",
    );
    let ran = suite.run("").exits(1);
    let shown = &ran.outcome.stdout;
    assert!(
        shown.contains("0 of 0 (needs 1), 3 could not be run"),
        "{shown}"
    );
    let first = ran.test("talks (trial 1 of 3)");
    assert_eq!(first["metadata"]["conversation"]["unreachable"], true);
    assert_eq!(first["metadata"]["trial"]["needs"], 1);
}

#[test]
fn trials_whose_agent_cannot_be_started_are_counted_separately_and_fail_the_test() {
    // The first trial finds the program; the others do not.
    let suite = Suite::new(
        "
agent: {command: 'if mkdir \"$BATS_FILE_TMPDIR/first\" 2>/dev/null; then python3 echo.py; else no-such-program; fi'}
tests:
  - name: talks
    trials: {count: 3, atLeast: 1}
    conversation: [{user: Hi, expect: {contains: Hi}}]
",
    );
    suite.project.write("echo.py", "import json\nchat = json.loads(input())\nprint(json.dumps({'id': chat['id'], 'type': 'response', 'text': 'Hi'}))\n");
    let ran = suite.call("--jobs 1").run().exits(1);
    let shown = &ran.stdout;
    assert!(
        shown.contains("1 of 1 (needs 1), 2 could not be run"),
        "{shown}"
    );
    assert!(
        shown.contains("the agent exited with code 127 before it responded"),
        "{shown}"
    );
}
