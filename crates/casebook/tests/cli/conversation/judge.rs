//! `casebook judge`: recorded conversations, judged again.

use serde_json::{Value, json};

use super::server::{Server, ServerAction};
use super::suite;
use crate::run::Suite;

const SUITE: &str = "
name: Shop
llm: {provider: scripted, verdicts: {kind: true, brief: false}, user: [hello, bye]}
criteria: {kind: The reply is kind, brief: The reply is brief}
topics:
  start: {description: s, evaluate: [{satisfies: brief}]}
tests:
  - name: talks
    trials: {count: 2, atLeast: 1}
    conversation:
      - user: hello
        expect: [{contains: HELLO}, {satisfies: kind}]
      - user: bye
    expect: [{satisfies: kind}]
  - name: fails otherwise
    conversation: [{user: hello, expect: [{contains: NOPE}, {satisfies: kind}]}]
  - name: simulates
    simulate: {goal: g, maxTurns: 2}
    expect: [{satisfies: kind}]
  - {name: command, command: echo hi, outputContains: hi}
";

/// The suite after a run, recorded in `out/1`, without its agent.
fn recorded(yaml: &str, exit: i32) -> Suite {
    let suite = suite(yaml);
    suite.run("").exits(exit);
    // Neither the agent nor the simulated user is called again.
    std::fs::remove_file(suite.project.at("agent")).unwrap();
    suite
}

/// The run without what differs in every judging: times and ids.
fn comparable(mut run: Value) -> Value {
    for key in ["run_id", "started_at", "finished_at", "metadata"] {
        run[key].take();
    }
    super::comparable(&run)
}

#[test]
fn the_same_judge_gives_the_same_record_with_the_id_of_its_source() {
    let suite = recorded(SUITE, 1);
    let judged = suite.project.casebook("judge out/1 --record again").run();
    let judged = judged.exits(0);
    assert!(
        judged
            .stderr
            .contains("judged 10 checks of 4 conversations"),
        "{}",
        judged.shown()
    );
    let (old, new) = (
        suite.project.json("out/1/run.json"),
        suite.project.json("again/run.json"),
    );
    assert_eq!(
        new["metadata"]["rejudged"],
        json!({"run_id": old["run_id"]})
    );
    assert_ne!(old["run_id"], new["run_id"]);
    let statuses = |run: &Value| {
        let examples = run["examples"].as_object().unwrap();
        let examples = examples.values();
        json!(examples.map(|one| &one["status"]).collect::<Vec<_>>())
    };
    assert_eq!(statuses(&old), statuses(&new));
    let test = |run: &Value| {
        let run = comparable(run.clone());
        let examples = run["examples"].as_object().unwrap().clone();
        let mut examples = examples.into_iter();
        examples.find(|(_, one)| one["description"] == "simulates")
    };
    assert_eq!(test(&old), test(&new));
}

#[test]
fn another_suite_judges_one_criterion_and_diff_shows_what_changed() {
    let suite = recorded(SUITE, 1);
    let strict = format!("agent: {{command: ./agent}}\n{SUITE}");
    let strict = strict.replace("kind: true", "kind: [false, true]");
    let strict = strict.replace("name: Shop", "name: Strict shop");
    suite.project.write("strict.casebook.yaml", strict);
    let judge = "judge out/1 --suite strict.casebook.yaml --criterion kind --record again";
    suite.project.casebook(judge).run().exits(1);
    let diff = suite.project.casebook("diff out/1 again").run().exits(0);
    for part in [
        "kind  6 of 6 (100%) → 2 of 6 (33%)",
        "brief  0 of 3 (0%) → 0 of 3 (0%)",
        "2 newly failing, 1 still failing",
        "2 of 2 → 0 of 2 trials passed",
        "the reply does not contain \"NOPE\"",
        "rejudged.criterion: – → kind",
    ] {
        assert!(diff.stdout.contains(part), "{part}: {}", diff.stdout);
    }
    // And back: the failed trials pass again.
    let judge = "judge again --suite a.casebook.yaml --record back";
    suite.project.casebook(judge).run().exits(0);
    let diff = suite.project.casebook("diff out/1 back").run().exits(0);
    assert!(
        diff.stdout.contains("1 still failing, 3 unchanged"),
        "{}",
        diff.stdout
    );
}

#[test]
fn combinations_of_checks_are_judged_again_in_their_places() {
    let yaml = "
llm: {provider: scripted, verdicts: {kind: true, rude: false}}
criteria: {kind: The reply is kind, rude: The reply is rude}
tests:
  - name: talks
    conversation:
      - user: hello
        expect: [{not: {satisfies: rude}}, {contains: HELLO}, {anyOf: [{equals: NOPE}, {satisfies: kind}]}, {not: {contains: NOPE}}, {not: {run: 'false'}}]
        evaluate: {anyOf: [{latency: {max: 60}}, {satisfies: kind}]}
";
    let suite = recorded(yaml, 0);
    let strict = format!("agent: {{command: ./agent}}\n{yaml}");
    let strict = strict.replace("kind: true, rude: false", "kind: false, rude: true");
    suite.project.write("a.casebook.yaml", strict);
    let judged = suite.project.casebook("judge out/1 --record again").run();
    let judged = judged.exits(1);
    let summary = "judged 3 checks of 1 conversation: 1 passed, 2 failed, 0 inconclusive";
    assert!(judged.stderr.contains(summary), "{}", judged.shown());
    let results = |run: &str| {
        let run = suite.project.json(&format!("{run}/run.json"));
        let example = run["examples"]
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap();
        let results = example["evaluations"].as_array().unwrap().iter();
        let results = results.map(|one| {
            let result = if one["passed"] == true {
                "passed"
            } else {
                "failed"
            };
            format!("{result}: {}", one["description"].as_str().unwrap())
        });
        results.collect::<Vec<_>>()
    };
    let expected = |judged: &str| {
        vec![
            format!("{judged}: not satisfies rude"),
            "passed: contains \"HELLO\"".to_owned(),
            format!("{judged}: anyOf equals \"NOPE\" or satisfies kind"),
            "passed: not contains \"NOPE\"".to_owned(),
            "passed: not run false".to_owned(),
            "passed: anyOf latency at most 60 seconds or satisfies kind".to_owned(),
        ]
    };
    assert_eq!(results("out/1"), expected("passed"));
    assert_eq!(results("again"), expected("failed"));
}

#[test]
fn criteria_contain_the_captured_values_again() {
    let verdict = json!({"criterion": "satisfies", "reasons": "It does.", "verdict": "passed"});
    let reply = json!({"choices": [{"message": {"content": verdict.to_string()}, "finish_reason": "stop"}]});
    let server = Server::new(move |_, _| ServerAction::ok(reply.to_string()));
    let yaml = format!(
        "
llm: {{provider: openai, model: j, url: '{}'}}
tests:
  - name: talks
    conversation:
      - user: look 17
        capture: {{at: {{tool: look, argument: /at}}, seen: SEEN}}
      - {{user: bye, expect: [{{satisfies: 'It has {{{{at}}}} and {{{{seen}}}}'}}]}}
",
        server.url
    );
    let suite = recorded(&yaml, 0);
    suite
        .project
        .casebook("judge out/1 --record again")
        .run()
        .exits(0);
    let prompts: Vec<_> = server
        .received()
        .iter()
        .map(|one| one.body.clone())
        .collect();
    assert_eq!(prompts.len(), 2);
    assert_eq!(prompts[0], prompts[1]);
    assert!(prompts[1].contains("It has 17 and SEEN"), "{}", prompts[1]);
}

#[test]
fn a_conversation_that_stopped_at_a_criterion_does_not_pass_when_it_passes() {
    let yaml = "
llm: {provider: scripted, verdicts: {kind: VERDICT}}
criteria: {kind: The reply is kind}
tests:
  - name: talks
    conversation: [{user: hello, expect: [{satisfies: kind}]}, {user: bye, expect: [{satisfies: kind}]}]
";
    let suite = recorded(&yaml.replace("VERDICT", "false"), 1);
    let kind = format!("agent: {{command: ./agent}}\n{yaml}").replace("VERDICT", "true");
    suite.project.write("a.casebook.yaml", kind);
    let judged = suite.project.casebook("judge out/1 --record again").run();
    judged.exits(1);
    let run = suite.project.json("again/run.json");
    let example = run["examples"].as_object().unwrap().values().next();
    let message = example.unwrap()["exception"]["message"].as_str().unwrap();
    assert!(message.contains("run the test again"), "{message}");
}

#[test]
fn what_cannot_be_judged_is_explained() {
    let yaml = "
llm: {provider: scripted, verdicts: {kind: true}}
criteria: {kind: The reply is kind, brief: The reply is brief}
tests:
  - {name: talks, conversation: [{user: hello, expect: [{satisfies: kind}]}]}
  - {name: command, command: echo hi}
";
    let suite = recorded(yaml, 0);
    suite.run("--filter command").exits(0);
    let whole = format!("agent: {{command: ./agent}}\n{yaml}");
    suite
        .project
        .write("renamed.casebook.yaml", whole.replace("talks", "speaks"));
    let model = "llm: {provider: scripted, verdicts: {kind: true}}";
    suite
        .project
        .write("unjudged.casebook.yaml", whole.replace(model, ""));
    suite.project.write(
        "exhausted.casebook.yaml",
        whole.replace("kind: true", "kind: []"),
    );
    for (arguments, message) in [
        (
            "out/2",
            "out/2/run.json contains no conversations to judge; run a suite with `conversation` or `simulate` first",
        ),
        (
            "out/1 --suite renamed.casebook.yaml",
            "a.casebook.yaml:6: the recorded test `talks` is not in renamed.casebook.yaml",
        ),
        (
            "out/1 --criterion kin",
            "unknown criterion `kin`: did you mean `kind`?",
        ),
        (
            "out/1 --criterion brief",
            "no check of the recorded conversations requires `brief`; add `satisfies: brief` to the suite",
        ),
        ("out/1 --suite unjudged.casebook.yaml", "llm"),
        (
            "out/1 --suite missing.casebook.yaml",
            "missing.casebook.yaml",
        ),
        (
            "out/1 --llm-cache-only",
            "--llm-cache-only requires --llm-cache DIR",
        ),
    ] {
        let command = format!("judge {arguments} --record again");
        let judged = suite.project.casebook(&command).run().exits(2);
        assert!(
            judged.stderr.contains(message),
            "{arguments}: {}",
            judged.shown()
        );
        assert!(!suite.project.exists("again"), "{arguments}");
    }
}

/// Four turns, of which the judge passes the first three.
const CALIBRATED: &str = "
llm: {provider: scripted, verdicts: {kind: [true, true, true, false]}}
criteria: {kind: The reply is kind}
tests:
  - name: talks
    conversation:
      - {user: one, evaluate: [{satisfies: kind}]}
      - {user: two, evaluate: [{satisfies: kind}]}
      - {user: three, evaluate: [{satisfies: kind}]}
      - {user: four, evaluate: [{satisfies: kind}]}
";

fn label(turn: u64, verdict: &str) -> String {
    json!({"example": "talks", "turn": turn, "criterion": "kind", "verdict": verdict, "by": "qa", "comment": "cold"})
        .to_string()
}

#[test]
fn labels_are_compared_with_the_recorded_verdicts_and_kappa_is_a_gate() {
    let suite = recorded(CALIBRATED, 0);
    let labels = [(1, "passed"), (2, "passed"), (3, "failed"), (4, "failed")];
    let labels = labels.map(|(turn, verdict)| label(turn, verdict));
    suite.project.write("labels.jsonl", labels.join("\n"));
    let calibrate = "judge out/1 --calibrate labels.jsonl";
    let shown = suite.project.casebook(calibrate).run().exits(0).stdout;
    for part in [
        "a.casebook.yaml:6 kind, turn 3",
        "judge: passed: scripted in `llm.verdicts`",
        "qa: failed: cold",
        "label                 passed        failed  inconclusive",
        "failed                     1             1             0",
        "agreement  75% (3 of 4 labels)",
        "kappa      0.50 (95% interval -0.23 to 1.00)",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let gate = |min: &str| {
        let command = format!("{calibrate} --min-kappa {min}");
        suite.project.casebook(&command).run()
    };
    gate("0.5").exits(0);
    let below = gate("0.6").exits(1);
    assert!(
        below
            .stderr
            .contains("kappa 0.500 is below --min-kappa 0.6"),
        "{}",
        below.stderr
    );
    gate("2").exits(2);
    let kinder = CALIBRATED.replace("true, true, true, false", "true, true, false, false");
    let kinder = format!("agent: {{command: ./agent}}\n{kinder}");
    suite.project.write("kinder.casebook.yaml", kinder);
    let again = format!("{calibrate} --suite kinder.casebook.yaml --record again --min-kappa 1");
    let again = suite.project.casebook(&again).run().exits(0);
    assert!(again.stdout.contains("1.00 (no interval: no case differs)"));
}

#[test]
fn invalid_labels_and_undefined_kappas_are_explained() {
    let suite = recorded(CALIBRATED, 0);
    let calibrate = |labels: &str, arguments: &str| {
        suite.project.write("labels.jsonl", labels);
        let command = format!("judge out/1 --calibrate labels.jsonl {arguments}");
        suite.project.casebook(&command).run()
    };
    for (labels, message) in [
        (
            "{".to_owned(),
            "labels.jsonl:1: not a valid label: it is not JSON; a label looks like {\"example\"",
        ),
        (
            "7".to_owned(),
            "labels.jsonl:1: not a valid label: it is not an object; write one JSON object per line",
        ),
        (
            format!("[{},\n{}]", label(1, "passed"), label(2, "passed")),
            "labels.jsonl:1: the labels are in a list; write one JSON object per line",
        ),
        (
            format!("\n[\n{}\n]", label(1, "passed")),
            "labels.jsonl:2: the labels are in a list; write one JSON object per line",
        ),
        (
            label(1, "passed").replace("example", "conversation"),
            "labels.jsonl:1: not a valid label: unknown field `conversation`; did you mean `example`?",
        ),
        (
            label(1, "good"),
            "labels.jsonl:1: not a valid label: `verdict` must be passed, failed or inconclusive, not \"good\"",
        ),
        (
            format!("{}\n\n{}", label(1, "passed"), label(1, "failed")),
            "labels.jsonl:3: line 1 labels the same",
        ),
        (
            label(1, "passed").replace("talks", "walks"),
            "labels.jsonl:1: the run has no test `walks`",
        ),
        (
            label(1, "passed").replace("kind", "kin"),
            "the judge has no verdict on `kin` in this test",
        ),
        (
            label(9, "passed"),
            "no verdict on `kind` for turn 9, only for turn 1, turn 2, turn 3, turn 4; correct `turn`",
        ),
    ] {
        let found = calibrate(&labels, "").exits(2);
        assert!(
            found.stderr.contains(message),
            "{message}: {}",
            found.stderr
        );
        assert!(
            found
                .stderr
                .contains("1 invalid label; nothing was compared")
        );
    }
    for (labels, arguments, message) in [
        ("\n", "", "labels.jsonl has no labels; nothing was compared"),
        (
            &label(1, "passed"),
            "--criterion other",
            "labels.jsonl has no labels of the criterion `other`; nothing was compared",
        ),
    ] {
        let found = calibrate(labels, arguments).exits(2).stderr;
        assert!(found.contains(message), "{found}");
    }
    let same = label(1, "passed");
    let shown = calibrate(&same, "").exits(0).stdout;
    let why = "not defined: all labels and all verdicts are the same";
    assert!(shown.contains(why) && !shown.contains("NaN"), "{shown}");
    let gate = calibrate(&same, "--min-kappa 0").exits(2).stderr;
    assert!(gate.contains("--min-kappa cannot be checked"), "{gate}");
}

#[test]
fn scores_are_summarized_by_run_report_and_diff() {
    let yaml = "
llm: {provider: scripted, verdicts: {helpful: [4, 5, 3]}}
criteria: {helpful: {description: The reply helps, scale: {1: useless, 5: solves the problem}}}
tests:
  - name: talks
    conversation:
      - {user: one, evaluate: [{satisfies: {criterion: helpful, min: 3}}]}
      - {user: two, expect: [{satisfies: {criterion: helpful, min: 3}}]}
      - {user: three, evaluate: [{satisfies: {criterion: helpful, min: 3}}]}
";
    let suite = recorded(yaml, 0);
    let better = format!("agent: {{command: ./agent}}\n{yaml}").replace("4, 5, 3", "5, 5, 4");
    suite.project.write("a.casebook.yaml", better);
    let judged = suite.project.casebook("judge out/1 --record again").run();
    let before = "4.00 of 5 (95% interval 1.52 to 5.00)";
    let after = "4.67 of 5 (95% interval 3.23 to 5.00)";
    let parts = "4 ×1, 5 ×2";
    let summary = format!("helpful: mean {after} · scores {parts}");
    assert!(judged.exits(0).stdout.contains(&summary), "{summary}");
    let github = suite.project.casebook("report again --format github");
    let summary = suite.project.at("summary.md");
    github.env("GITHUB_STEP_SUMMARY", &summary).run().exits(0);
    let row = format!("| helpful | {after} | {parts} |");
    assert!(suite.project.read("summary.md").contains(&row), "{row}");
    let words = |outcome: crate::support::Outcome| {
        let shown = outcome.exits(0).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for command in [
        "diff out/1 again",
        "diff out/1 again --markdown",
        "diff out/1 again --html -",
    ] {
        let shown = words(suite.project.casebook(command).run());
        for part in [before, after, parts] {
            assert!(shown.contains(part), "{command}: {part}: {shown}");
        }
    }
}
