//! Tests with steps: what a failure shows, and what is recorded.

use serde_json::Value;

use crate::support::Project;

const SUITE: &str = r#"
tests:
  - name: an order
    steps:
      - command: printf '{"id":"a-very-%s-id","n":7}' secret
        capture: {id: {json: /id, secret: true}, n: /n}
      - name: shows {{n}}
        command: echo order {{id|sh}} {{n|sh}}
        outputEquals: order 7
      - command: echo paid {{n|sh}}
"#;

#[test]
fn a_failure_names_the_step_and_shows_what_was_captured_and_not_run() {
    let project = Project::new();
    project.write("order.casebook.yaml", SUITE);
    let run = project
        .casebook("run --record record order.casebook.yaml")
        .run()
        .exits(1);
    for expected in [
        "   ✓ step 1  $ printf '{\"id\":\"a-very-%s-id\",\"n\":7}' secret\n",
        "             id = [redacted]\n",
        "             n = 7\n",
        "   ✗ step 2  shows {{n}}\n",
        "   - step 3  $ echo paid {{n|sh}}  not run\n",
    ] {
        assert!(run.stdout.contains(expected), "{expected}\n{}", run.stdout);
    }
    let record = project.read("record/run.json");
    assert!(!record.contains("a-very-secret-id"), "{record}");
    let record: Value = serde_json::from_str(&record).unwrap();
    let example = record["examples"].as_object().unwrap().values().next();
    let example = example.unwrap();
    let turns = example["conversation"]["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[1]["user_message"]["source"], "step");
    assert_eq!(turns[1]["user_message"]["metadata"]["name"], "shows 7");
    assert_eq!(
        turns[1]["agent_response"]["metadata"]["command"]["exit_code"],
        0
    );
    let evaluations = example["evaluations"].as_array().unwrap();
    let failed = evaluations.iter().find(|one| one["passed"] == false);
    assert_eq!(failed.unwrap()["turn_number"], 2);
    let junit = project.casebook("report record --format junit").run();
    assert!(
        junit.stdout.contains("step 2 of 3 (shows {{n}})"),
        "{}",
        junit.stdout
    );
}

/// The same with Bats: the code of Bats captures the values.
#[test]
fn a_short_secret_is_redacted_and_a_shorter_one_fails_the_step() {
    let project = Project::new();
    let suite = |pin: &str| {
        format!(
            r#"
tests:
  - name: logs in
    steps:
      - command: printf '{{"pin":"%s"}}' {pin}
        capture: {{pin: {{json: /pin, secret: true}}}}
      - command: echo the PIN is {{{{pin|sh}}}}
        outputEquals: nothing
"#
        )
    };
    for engine in ["native", "bats"] {
        project.write("pin.casebook.yaml", suite("ab''cd"));
        let run = project.casebook(&format!(
            "run --engine {engine} --record {engine} pin.casebook.yaml"
        ));
        let run = run.run().exits(1);
        let record = project.read(&format!("{engine}/run.json"));
        assert!(!run.stdout.contains("abcd"), "{}", run.stdout);
        assert!(run.stdout.contains("PIN is [redacted]"), "{}", run.stdout);
        assert!(!record.contains("abcd"), "{record}");
        project.write("pin.casebook.yaml", suite("abc"));
        let run = project.casebook(&format!(
            "run --engine {engine} --record {engine}/short pin.casebook.yaml"
        ));
        let run = run.run().exits(1);
        let message =
            "cannot capture `pin`: a secret must have at least 4 characters to be redacted";
        assert!(run.stdout.contains(message), "{}", run.stdout);
    }
}

#[test]
fn a_large_value_is_passed_on() {
    let project = Project::new();
    project.write(
        "large.casebook.yaml",
        r"
tests:
  - name: a megabyte
    steps:
      - command: head -c 1000000 /dev/zero | tr '\0' x; printf 'a\0b'
        capture: {text: output}
      - command: wc -c
        stdin: '{{text}}'
        outputContains: '1000002'
      - command: 'echo {{text|sh}} | wc -c'
        outputContains: '1000003'
",
    );
    let run = project.casebook("run large.casebook.yaml").run();
    run.exits(0);
}
