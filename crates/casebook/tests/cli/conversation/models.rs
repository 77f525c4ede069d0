//! Models: requests, the cache, replay, and secrets.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::server::{ReceivedRequest, Server, ServerAction};
use crate::support::{Project, eventually, timed};

const KEY: &str = "sk-ant-0123456789";
const MINE: &str = "odd-but-secret-1";

/// An agent that replies with the number of the turn.
const AGENT: &str = r#"
n=0
while read -r line; do
  n=$((n + 1))
  printf '{"id":%d,"type":"response","text":"Hello %d %s"}\n' "$n" "$n" "$MINE"
done
"#;

/// One scripted and one simulated conversation.
fn suite(server: &Server) -> String {
    format!(
        r"
name: Booking
agent: {{command: bash agent.sh}}
llm: {{provider: anthropic, model: m-1, url: {url}, price: {{input: 3, output: 15}}}}
judge: {{votes: 3}}
criteria:
  friendly: {{description: The reply is friendly, good: [{{text: Welcome, why: it greets}}]}}
simulator: {{role: Planner, maxTurns: 2}}
tests:
  - name: greets
    trials: 2
    conversation:
      - user: Hi
        expect: [{{satisfies: friendly}}]
        evaluate: [{{notClaims: prices}}]
      - user: Bye
        evaluate: [{{satisfies: friendly}}]
  - name: books
    simulate: {{goal: Book a room}}
    expect: [{{satisfies: friendly}}]
",
        url = server.url
    )
}

fn project(suite: &str) -> Project {
    let project = Project::with("talk.casebook.yaml", suite);
    project.write("agent.sh", AGENT);
    project
}

/// A model's response: a verdict with different reasons each time, or a message.
fn answer(number: usize, received: &ReceivedRequest) -> String {
    let body: Value = serde_json::from_str(&received.body).unwrap();
    let asked = &body["tools"][0]["input_schema"]["properties"];
    let id = &asked["criterion"]["enum"][0];
    let text = match id.as_str() {
        Some(_) => {
            json!({"criterion": id, "reasons": format!("Reason {number}."), "verdict": "passed"})
        }
        None => json!({"message": format!("Message {number}"), "goal_reached": false}),
    };
    message(&text.to_string())
}

fn message(text: &str) -> String {
    json!({
        "model": "m-1-x",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 100, "output_tokens": 10},
    })
    .to_string()
}

fn model() -> Server {
    Server::new(|number, received| ServerAction::ok(answer(number, received)))
}

/// A run's examples without the fields that differ between equal runs.
fn comparable_examples(project: &Project, record: &str) -> Value {
    let mut run = project.json(&format!("{record}/run.json"));
    remove_volatile(&mut run);
    run["examples"].take()
}

fn remove_volatile(value: &mut Value) {
    const VOLATILE: [&str; 10] = [
        "ended_at",
        "cached",
        "timestamp",
        "started_at",
        "finished_at",
        "duration_ms",
        "duration",
        "worker",
        "id",
        "rerun",
    ];
    match value {
        Value::Object(map) => {
            // The latency of an agent differs from run to run; that of a cached response does not.
            if !map.contains_key("prompt") {
                map.remove("latency_ms");
            }
            VOLATILE.iter().for_each(|name| drop(map.remove(*name)));
            map.values_mut().for_each(remove_volatile);
        }
        Value::Array(all) => all.iter_mut().for_each(remove_volatile),
        _ => {}
    }
}

#[test]
fn a_cached_run_is_replayed_without_the_server_and_the_key() {
    let server = model();
    let project = project(&suite(&server));
    let run = |arguments: &str| project.casebook(&format!("run --llm-cache kept {arguments}"));
    run("-j 4 --record first")
        .env("ANTHROPIC_API_KEY", KEY)
        .run()
        .exits(0);
    let asked = server.received().len();
    // Two trials with three checks and one simulated conversation with one, with three votes each; two messages; and
    // a request whether the simulated user is done after the second message.
    assert_eq!(asked, 2 * 3 * 3 + 3 + 3);
    assert_eq!(project.files("kept").len(), asked);
    server.shut_down();
    let first = comparable_examples(&project, "first");
    assert!(first.to_string().contains("Reason 1"), "{first}");
    for (number, how) in [
        "-j 1",
        "-j 4 --llm-cache-only",
        "--workers 2 --llm-cache-only",
    ]
    .iter()
    .enumerate()
    {
        run(&format!("{how} --record again-{number}"))
            .run()
            .exits(0);
        let again = comparable_examples(&project, &format!("again-{number}"));
        assert_eq!(again.as_object().unwrap().len(), 3);
        for (id, example) in again.as_object().unwrap() {
            assert_eq!(example.to_string(), first[id].to_string(), "{id} {how}");
        }
    }
    assert!(
        project
            .read("again-0/run.json")
            .contains("\"cached\": true")
    );
}

#[test]
fn a_missing_cached_response_fails_the_test_and_calls_no_model() {
    let server = model();
    let project = project(&suite(&server));
    let outcome = project
        .casebook("run --llm-cache kept --llm-cache-only --filter greets --record r")
        .run()
        .exits(1);
    let output = outcome
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        output.contains(
            "no cached response for the judge's verdict on `satisfies: friendly` in turn 1"
        ) && output.contains("run with only `--llm-cache kept` to cache it"),
        "{output}"
    );
    assert_eq!(server.received().len(), 0);
    let none = project.casebook("run --llm-cache-only").run().exits(2);
    assert!(none.stderr.contains("--llm-cache DIR"), "{}", none.stderr);
}

#[test]
fn defaults_for_the_llm_cache_can_be_set_in_casebook_toml() {
    let server = model();
    let project = project(&suite(&server));
    project.write("casebook.toml", "[run]\nllm-cache = \"kept\"\n");
    project.casebook("run --filter books").run().exits(0);
    assert_eq!(project.files("kept").len(), server.received().len());
    project.write(
        "casebook.toml",
        "[run]\nllm-cache = \"kept\"\nllm-cache-only = true\n",
    );
    project.casebook("run --filter books").run().exits(0);
}

#[test]
fn every_prompt_and_raw_response_is_in_the_record() {
    let server = Server::new(|number, received| match number {
        0 => ServerAction::ok(message("NOT satisfied")),
        1 => ServerAction::status(429).with("retry-after", "0"),
        _ => ServerAction::ok(answer(number, received)),
    });
    let project = project(&suite(&server));
    project
        .casebook("run --filter greets -j 1 --record r")
        .run()
        .exits(0);
    let events = project.journal("r/events.jsonl");
    let evaluation = events
        .iter()
        .find(|event| event["event_type"] == "EvaluationRecorded")
        .unwrap();
    let calls = evaluation["payload"]["metadata"]["votes"]
        .as_array()
        .unwrap();
    assert_eq!(calls.len(), 3, "one call per vote");
    let first = &calls[0]["corrects"];
    assert_eq!(first["answer"], "NOT satisfied");
    assert!(first["malformed"].is_string());
    assert_eq!(calls[0]["retries"], 1);
    assert_eq!(calls[0]["verdict"], "passed");
    assert_eq!(calls[0]["model"], "m-1-x");
    assert_eq!(calls[1]["tokens"], json!({"input": 100, "output": 10}));
    let sent: Value = serde_json::from_str(&server.received()[0].body).unwrap();
    assert_eq!(first["prompt"]["system"], sent["system"]);
    assert_eq!(first["prompt"]["user"], sent["messages"][0]["content"]);
    assert_eq!(sent["temperature"], 0.0);
}

/// Collects the text files of a directory, recursively.
fn texts(dir: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, found);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            found.push((path.display().to_string(), text));
        }
    }
}

#[test]
fn keys_are_redacted_in_files_and_on_the_terminal() {
    // The key is in an error, in a response, and in a reply of an agent that has it in its environment.
    let server = Server::new(|number, received| match number % 3 {
        0 => ServerAction::ok(message(&format!("Key: {MINE}"))),
        1 => ServerAction::Respond(
            401,
            Vec::new(),
            format!("{{\"error\":{{\"message\":\"bad key {MINE}\"}}}}"),
        ),
        _ => ServerAction::ok(answer(number, received)),
    });
    let suite = suite(&server).replace("price:", "keyEnv: MINE, price:");
    for how in ["-j 2", "--workers 2"] {
        let project = project(&suite);
        let outcome = project
            .casebook(&format!("run {how} -v --llm-cache kept --record r --html page.html --format pretty --format json=out.json"))
            .env("MINE", MINE)
            .run()
            .exits(1);
        assert_eq!(server.received()[0].header("x-api-key"), Some(MINE));
        let mut all = vec![
            ("stdout".to_owned(), outcome.stdout),
            ("stderr".to_owned(), outcome.stderr),
        ];
        texts(&project.at(""), &mut all);
        assert!(all.len() > 5, "{all:?}");
        for (name, text) in all {
            assert!(!text.contains(MINE), "{name}: {text}");
            if name == "stdout" {
                assert!(text.contains("bad key [redacted]"), "{text}");
            }
        }
    }
}

#[test]
fn cached_responses_contain_no_secrets_of_a_test() {
    const SECRETS: [&str; 3] = ["of-the-file-1", "of-the-setup-1", "of-the-header-1"];
    let server = model();
    let agent = Server::new(|_, _| ServerAction::ok(json!({"text": SECRETS[2]}).to_string()));
    let [file, setup, header] = SECRETS;
    let judged = "conversation: [{user: Hi, evaluate: {claims: a b}}]";
    let suite = format!(
        "
agent: {{command: bash agent.sh}}
llm: {{provider: anthropic, model: m-1, url: {url}}}
setupFile: export FILE_TOKEN={file}
setup: export OWN_TOKEN={setup}
tests:
  - {{name: a, {judged}}}
  - {{name: b, {judged}, agent: {{http: {{url: '{asked}', headers: {{Authorization: Bearer {header}}}}}}}}}
",
        url = server.url,
        asked = agent.url
    );
    let project = Project::with("talk.casebook.yaml", &suite);
    project.write("agent.sh", AGENT.replace("$MINE", "$FILE_TOKEN $OWN_TOKEN"));
    project
        .casebook("run --llm-cache kept --record none")
        .run()
        .exits(0);
    let mut all = Vec::new();
    texts(&project.at("kept"), &mut all);
    assert_eq!(all.len(), 2);
    for (name, text) in all {
        assert!(text.contains("[redacted]"), "{name}: {text}");
        for secret in SECRETS {
            assert!(!text.contains(secret), "{name}: {text}");
        }
    }
}

#[test]
fn a_missing_key_is_reported_with_its_name_even_for_soft_checks() {
    let suite = suite(&model()).replace("url: http://", "url: https://");
    let hard = project(&suite)
        .casebook("run --filter greets")
        .run()
        .exits(1);
    let output = hard.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        output.contains("no API key for `provider: anthropic`; set ANTHROPIC_API_KEY"),
        "{output}"
    );
    for how in ["-j 2", "--workers 2"] {
        let soft = project(&suite.replace("        expect: [{satisfies: friendly}]\n", ""));
        let run = soft.casebook(&format!("run --filter greets {how}"));
        let output = run.run().exits(0).stderr;
        let warning = "could not be judged: cannot get a verdict: no API key for `provider: anthropic`; set ANTHROPIC_API_KEY";
        assert_eq!(output.matches(warning).count(), 1, "{output}");
    }
}

#[test]
fn a_soft_check_that_could_not_be_judged_is_reported() {
    let server = Server::new(|_, _| ServerAction::status(401));
    let suite = suite(&server).replace("        expect: [{satisfies: friendly}]\n", "");
    for how in ["-j 2", "--workers 2"] {
        let project = project(&suite);
        let outcome = project
            .casebook(&format!("run --filter greets {how} --record r"))
            .run()
            .exits(0);
        let report = project.casebook("report r").run().exits(0);
        for shown in [outcome.stdout, report.stdout] {
            assert!(
                shown.contains("? satisfies friendly  0 of 2 passed, 2 not judged"),
                "{shown}"
            );
            let why = "cannot get a verdict: ";
            let (_, soft) = shown.split_once("── `evaluate` checks").unwrap();
            assert_eq!(soft.matches(why).count(), 1, "{shown}");
        }
        let run = project.read("r/run.json");
        assert_eq!(run.matches("\"unjudged\": true").count(), 4, "{run}");
        let warning = "`casebook run --soft-errors fail` fails its test";
        assert_eq!(outcome.stderr.matches(warning).count(), 1);
        let strict = project.casebook(&format!("run --filter greets {how} --soft-errors fail"));
        let strict = strict.run().exits(1);
        assert!(!strict.stderr.contains("warning"), "{}", strict.stderr);
        assert!(strict.stdout.contains("cannot get a verdict"));
    }
}

#[test]
fn a_topic_judge_that_cannot_be_reached_is_an_error_with_its_own_reason() {
    let server = Server::new(|_, _| ServerAction::status(401));
    let project = project(&format!(
        "
agent: {{command: bash agent.sh}}
llm: {{provider: openai, model: m, url: {}}}
topics:
  start: {{description: First contact, next: [more]}}
  more: {{description: Everything else}}
tests:
  - {{name: talks, conversation: [{{user: Hi}}]}}
",
        server.url
    ));
    project.casebook("run --record r").run().exits(1);
    let run = project.json("r/run.json");
    let test = run["examples"]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap();
    assert_eq!(test["metadata"]["conversation"]["end"], "judge_error");
    assert_eq!(test["exception"]["class_name"], "Casebook::JudgeFailed");
    let message = test["exception"]["message"].as_str().unwrap();
    assert!(message.starts_with("cannot get the topic from the judge: "));
}

#[test]
fn ctrl_c_does_not_wait_for_a_model() {
    let server = Server::with_actions(vec![ServerAction::Delay(
        Duration::from_secs(50),
        String::new(),
    )]);
    for how in ["-j 2", "--workers 2"] {
        let before = server.received().len();
        let project = project(&suite(&server));
        let live = project.casebook(&format!("run {how}")).start();
        eventually("a model is asked", || server.received().len() > before);
        let (outcome, time) = timed(|| {
            live.signal(Signal::INT);
            live.wait()
        });
        outcome.exits(130);
        assert!(time < Duration::from_secs(40), "{time:?}");
    }
}

/// The record of the simulated conversation, which passes.
fn simulated(project: &Project) -> Value {
    project
        .casebook("run --filter books --record r")
        .run()
        .exits(0);
    let run = project.json("r/run.json");
    let mut examples = run["examples"].as_object().unwrap().values();
    examples.next().unwrap().clone()
}

#[test]
fn a_failed_user_request_after_the_last_turn_does_not_fail_the_test() {
    let server = Server::new(|number, received| {
        if received.body.contains("goal_reached") && received.body.contains("Hello 2") {
            return ServerAction::status(400);
        }
        ServerAction::ok(answer(number, received))
    });
    let example = simulated(&project(&suite(&server)));
    assert_eq!(
        example["metadata"]["conversation"],
        json!({"end": "max_turns", "turns": 2})
    );
}

#[test]
fn a_simulated_user_that_reached_its_goal_sends_no_more_messages() {
    // Also in the last allowed turn.
    for turns in [1, 2] {
        let final_reply = format!("Hello {turns}");
        let server = Server::new(move |number, received| {
            if received.body.contains("goal_reached") && received.body.contains(&final_reply) {
                return ServerAction::ok(message(r#"{"message":"Bye","goal_reached":true}"#));
            }
            ServerAction::ok(answer(number, received))
        });
        let project = project(&suite(&server));
        let example = simulated(&project);
        assert_eq!(
            example["metadata"]["conversation"],
            json!({"end": "goal_reached", "turns": turns})
        );
        let events = project.journal("r/events.jsonl");
        let message_event = events
            .iter()
            .find(|event| event["event_type"] == "UserMessage")
            .unwrap();
        let call = &message_event["payload"]["metadata"]["simulator"];
        assert_eq!(call["model"], "m-1-x");
        assert!(
            call["prompt"]["system"]
                .as_str()
                .unwrap()
                .contains("Book a room")
        );
        assert_eq!(example["metadata"]["simulator_calls"][0]["turn"], turns);
    }
}
