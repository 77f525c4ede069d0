//! Suites of conversations: checked, listed, selected, resumed, rejected.

use std::fs;

use crate::run::Suite;

const AGENT: &str = r#"while read -r line; do
  id=${line#*'"id":'}
  printf '{"id":%s,"type":"response","text":"Hello"}\n' "${id%%[,\}]*}"
done
"#;

const YAML: &str = "\
name: Talk
agent: {command: bash agent.sh}
tests:
  - name: greets {{scenario.name}}
    trials: 2
    scenarios: people/all.json
    conversation: [{user: 'I am {{scenario.name}}', expect: {contains: Hello}}]
";

fn suite(scenarios: &str) -> Suite {
    let suite = Suite::new(YAML);
    suite.project.write("agent.sh", AGENT);
    suite.project.write("people/all.json", scenarios);
    suite
}

const PEOPLE: &str = r#"[{"name": "Ada", "goal": "g"}, {"name": "Bob", "goal": "h", "id": "bob"}]"#;

#[test]
fn problems_in_a_scenario_file_are_reported_there() {
    let suite = suite("[\n  {\"name\": \"Ada\", \"goal\": \"g\"},\n  {\"name\": \"Bob\"}\n]\n");
    let checked = suite.project.casebook("check").run();
    assert_eq!(checked.code, 2);
    insta::assert_snapshot!(checked.stdout, @r#"
    people/all.json:3:3: error: the scenario `Bob` has no `goal` [bad-scenario]
      |
    3 |   {"name": "Bob"}
      |   ^
    "#);
    suite.project.casebook("run --record none").run().exits(2);
}

#[test]
fn scenarios_and_trials_are_listed_and_selected() {
    let suite = suite(PEOPLE);
    let listed = suite.project.casebook("run --list").run();
    insta::assert_snapshot!(listed.stdout, @"
    a.casebook.yaml:4  greets Ada (trial 1 of 2)
    a.casebook.yaml:4  greets Ada (trial 2 of 2)
    a.casebook.yaml:4  greets Bob (trial 1 of 2)
    a.casebook.yaml:4  greets Bob (trial 2 of 2)
    ");
    let second = suite.run_as(suite.call("--filter").arg("/Bob \\(trial 2 of 2\\)$/"));
    assert_eq!(
        second.exits(0).verdicts(),
        ["greets Bob (trial 2 of 2) passed"]
    );
    let both = suite.run_as(suite.call("--filter").arg("/^greets Bob$/"));
    assert_eq!(both.exits(0).verdicts().len(), 2);
    let shards = ["1/2", "2/2"].map(|shard| suite.run(&format!("--shard {shard}")).verdicts());
    assert_eq!((shards[0].len(), shards[1].len()), (2, 2));
    assert!(shards[0].iter().all(|test| !shards[1].contains(test)));
}

#[test]
fn finished_trials_are_not_repeated() {
    let suite = suite(PEOPLE);
    let complete = suite.run("-j1").exits(0);
    // As if it had been killed after its first trial.
    let journal = format!("{}/events.jsonl", complete.dir);
    let text = suite.project.read(&journal);
    let (first, _) = text.split_once("ExamplePassed").unwrap();
    let kept = text[first.len()..].find('\n').unwrap() + first.len() + 1;
    suite.project.write(&journal, &text[..kept]);
    fs::remove_file(suite.project.at(&format!("{}/run.json", complete.dir))).unwrap();
    let resumed = suite.call(&format!("--resume {}", complete.dir)).run();
    let shown = resumed.exits(0).stdout;
    assert!(shown.contains("3 passed"), "{shown}");
}

#[test]
fn workers_receive_the_scenarios() {
    let ran = suite(PEOPLE).run("--workers 2").exits(0);
    assert_eq!(ran.verdicts().len(), 4);
    let test = ran.test("greets Bob (trial 1 of 2)");
    assert_eq!(test["scenario_id"], "bob");
}

#[test]
fn bats_runs_commands_only() {
    let suite = suite(PEOPLE);
    for arguments in ["compile a.casebook.yaml", "run --engine bats --record none"] {
        let refused = suite.project.casebook(arguments).run().exits(2);
        assert_eq!(refused.stdout, "");
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused.stderr, @"error: a.casebook.yaml:4: `greets Ada` is a conversation, which Bats cannot run; use `casebook run`");
        }
    }
}

#[test]
fn a_comparison_lists_different_agents_and_models() {
    let suite = suite(PEOPLE);
    let run = |agent: &str, model: &str, record: &str| {
        let yaml = YAML.replace("bash agent.sh", agent);
        let yaml = format!("llm: {{provider: scripted, model: {model}}}\n{yaml}");
        suite.project.write("s.casebook.yaml", &yaml);
        let run = format!("run s.casebook.yaml --record {record}");
        suite.project.casebook(&run).run().exits(0);
    };
    run("bash agent.sh", "small", "before");
    run("bash ./agent.sh", "large", "after");
    run("bash ./agent.sh", "large", "again");
    let diff = suite.project.casebook("diff before after").run().exits(0);
    for line in [
        r#"configuration.agents: ["bash agent.sh"] → ["bash ./agent.sh"]"#,
        r#"configuration.models: ["scripted small"] → ["scripted large"]"#,
    ] {
        assert!(diff.stdout.contains(line), "{}", diff.stdout);
    }
    let diff = suite.project.casebook("diff after again").run().exits(0);
    assert!(!diff.stdout.contains("configuration."), "{}", diff.stdout);
}
