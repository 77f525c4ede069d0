//! Scenarios and trials: each is recorded as a separate example, runs in parallel and can be resumed.

use serde_json::json;

use super::{suite, transcript};

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
