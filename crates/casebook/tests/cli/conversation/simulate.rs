//! Simulated users, and how their conversations end.

use serde_json::json;

use super::server::{Server, ServerAction};
use super::{end, failure, suite, transcript};

fn simulation(user: &str, test: &str) -> String {
    format!(
        r"
llm: {{provider: scripted, user: {user}, verdicts: {{done: [false, true]}}}}
criteria: {{done: All is said}}
tests:
  - name: simulated
    {test}
"
    )
}

#[test]
fn a_simulation_ends_at_its_limit_or_stop_condition() {
    for (user, test, reason, turns) in [
        (
            "[a, b, c]",
            "simulate: {goal: talk, maxTurns: 2}",
            "max_turns",
            2,
        ),
        (
            "[a, look 1, c]",
            "simulate: {goal: talk, stopWhen: {called: look}}",
            "stop_condition",
            2,
        ),
        (
            "[a, b, c]",
            "simulate: {goal: talk, stopWhen: {satisfies: done}}",
            "stop_condition",
            2,
        ),
    ] {
        let ran = suite(&simulation(user, test)).run("").exits(0);
        assert_eq!(end(&ran, "simulated"), reason, "{test}");
        let data = &ran.test("simulated")["conversation"]["metadata"]["simulation"];
        assert_eq!(data["termination_reason"], reason);
        assert_eq!(
            (&data["goal"], &data["turn_count"]),
            (&"talk".into(), &turns.into())
        );
        let metadata = &ran.test("simulated")["metadata"];
        assert_eq!(metadata["kind"], "simulation");
        assert_eq!(metadata["tracing"]["simulator"]["calls"], turns);
        let first = &ran.test("simulated")["conversation"]["turns"][0]["user_message"];
        assert_eq!(first["source"], "simulator");
        assert!(
            first["metadata"]["simulator"]["prompt"]["system"]
                .as_str()
                .unwrap()
                .contains("talk")
        );
    }
}

#[test]
fn a_simulated_user_without_further_texts_fails_its_test() {
    let ran = suite(&simulation("[a]", "simulate: {goal: talk}"))
        .run("")
        .exits(1);
    let (class, message) = failure(&ran, "simulated");
    assert_eq!(
        (class, end(&ran, "simulated")),
        ("Casebook::SimulatorFailed", "simulator_error")
    );
    assert!(message.contains("`llm.user` has 1 message"), "{message}");
    assert_eq!(transcript(&ran, "simulated"), ["1 a → A"]);
}

#[test]
fn an_agent_that_crashes_or_hangs_ends_a_simulation() {
    let ran = suite(&simulation("[a, run exit 3]", "simulate: {goal: talk}"))
        .run("")
        .exits(1);
    let data = &ran.test("simulated")["conversation"]["metadata"]["simulation"];
    assert_eq!(
        (end(&ran, "simulated"), &data["termination_reason"]),
        ("agent_error", &"agent_error".into())
    );
    let test = "simulate: {goal: talk}\n    timeout: 0.3";
    let ran = suite(&simulation("[a, run sleep 60]", test))
        .run("")
        .exits(1);
    assert_eq!(end(&ran, "simulated"), "timeout");
}

#[test]
fn a_failed_expectation_does_not_stop_a_simulation() {
    let yaml = "
llm: {provider: scripted, user: [a, look 1, c]}
topics:
  talk: {description: Talking, next: [see], expect: [{contains: nothing like it}]}
  see: {description: Seeing, triggers: [{called: look}]}
tests:
  - {name: simulated, simulate: {goal: talk, maxTurns: 3}, expect: [{turns: 3}]}
";
    let ran = suite(yaml).run("").exits(1);
    assert_eq!(end(&ran, "simulated"), "max_turns");
    assert_eq!(
        transcript(&ran, "simulated")[3..],
        [
            "1 hard contains \"nothing like it\" fails",
            "end hard turns 3 holds"
        ]
    );
}

#[test]
fn a_simulated_user_stops_when_its_goal_is_reached() {
    let server = Server::new(|number, _| {
        let content = match number {
            0 => json!({"message": "hello", "goal_reached": false}),
            _ => json!({"message": "", "goal_reached": true}),
        };
        let message = json!({"role": "assistant", "content": content.to_string()});
        ServerAction::ok(json!({"choices": [{"message": message}], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}).to_string())
    });
    let suite = suite(&format!(
        "
llm: {{provider: openai, model: m, url: '{}'}}
tests: [{{name: simulated, simulate: {{goal: talk}}, expect: [{{turns: 1}}]}}]
",
        server.url
    ));
    let ran = suite
        .run_as(suite.call("").env("OPENAI_API_KEY", "sk-0123456789"))
        .exits(0);
    assert_eq!(end(&ran, "simulated"), "goal_reached");
    assert_eq!(transcript(&ran, "simulated")[0], "1 hello → HELLO");
    // The last call, which ended the conversation, is recorded too.
    let metadata = &ran.test("simulated")["metadata"];
    assert_eq!(metadata["simulator_calls"][0]["turn"], 1);
    assert_eq!(metadata["tracing"]["simulator"]["tokens"]["input"], 18);
}

#[test]
fn a_simulated_user_continues_a_script() {
    let mixed = |first: &str| {
        format!(
            "conversation: [{{user: hello, expect: {{contains: {first}}}}}]\n    simulate: {{goal: talk, maxTurns: 2}}\n    expect: [{{turns: 3}}, {{ended: max_turns}}]"
        )
    };
    let ran = suite(&simulation("[a, b, c]", &mixed("HELLO")))
        .run("")
        .exits(0);
    assert_eq!(
        transcript(&ran, "simulated")[..3],
        ["1 hello → HELLO", "2 a → A", "3 b → B"]
    );
    let conversation = &ran.test("simulated")["conversation"];
    let source = |turn: usize| &conversation["turns"][turn]["user_message"]["source"];
    assert_eq!(
        (source(0), source(1)),
        (&"script".into(), &"simulator".into())
    );
    assert_eq!(conversation["metadata"]["simulation"]["turn_count"], 2);
    assert!(
        ran.outcome
            .stdout
            .contains("Simulations that stopped at maxTurns")
            && ran.outcome.stdout.contains("3 turns"),
        "{}",
        ran.outcome.stdout
    );
    let ran = suite(&simulation("[a, b, c]", &mixed("Bye")))
        .run("")
        .exits(1);
    assert_eq!(
        transcript(&ran, "simulated"),
        ["1 hello → HELLO", "1 hard contains \"Bye\" fails"]
    );
    assert_eq!(end(&ran, "simulated"), "stop_condition");
    assert!(ran.test("simulated")["conversation"]["metadata"]["simulation"].is_null());
}
