//! Models by role, juries, batches and scores.

use serde_json::json;

use super::server::{Server, ServerAction};
use super::suite;

#[test]
fn each_role_has_its_own_model_with_its_parameters() {
    let verdict = json!({"criterion": "satisfies", "reasons": "It is short.", "verdict": "passed"});
    let reply = json!({"choices": [{"message": {"content": verdict.to_string()}, "finish_reason": "stop"}]});
    let server = Server::new(move |_, _| ServerAction::ok(reply.to_string()));
    let ran = suite(&format!(
        "
llm:
  judge: {{provider: openai, model: j, url: {}, temperature: 0.5, maxTokens: 77, headers: {{X-Secret-Token: tell-nobody}}}}
  user: {{provider: scripted, user: [hello]}}
tests:
  - name: talks
    simulate: {{goal: g, maxTurns: 1}}
    expect: [{{satisfies: It is short}}]
",
        server.url
    ))
    .run("")
    .exits(0);
    let received = server.received();
    let body: serde_json::Value = serde_json::from_str(&received[0].body).unwrap();
    assert_eq!(
        (&body["model"], &body["temperature"], &body["max_tokens"]),
        (&json!("j"), &json!(0.5), &json!(77))
    );
    assert_eq!(received[0].header("x-secret-token"), Some("tell-nobody"));
    assert!(!ran.test("talks").to_string().contains("tell-nobody"));
}

const JURY: &str = "
llm: {provider: scripted}
judge:
  agree: AGREE
  batch: true
  models:
    - {verdicts: {kind: true, helpful: 4}}
    - {verdicts: {kind: true, helpful: 5}}
    - {verdicts: {kind: false, helpful: 3}}
criteria:
  kind: The reply is kind
  helpful: {description: The reply helps, scale: {1: useless, 5: solves the problem}}
tests:
  - name: talks
    conversation:
      - user: hello
        expect: [{contains: HELLO}, {satisfies: kind}, {satisfies: {criterion: helpful, min: 4}}]
";

#[test]
fn a_jury_decides_without_a_member_whose_key_is_missing() {
    let ran = suite(
        "
llm: {provider: scripted}
judge:
  models: [{verdicts: {kind: true}}, {provider: openai, model: gpt-5, keyEnv: NO_SUCH_KEY}, {verdicts: {kind: true}}]
criteria: {kind: The reply is kind}
tests:
  - name: talks
    conversation: [{user: hello, expect: [{satisfies: kind}]}]
",
    )
    .run("")
    .exits(0);
    let vote = &ran.test("talks")["evaluations"][0]["metadata"]["votes"][1];
    assert_eq!(
        (&vote["model"], &vote["provider"]),
        (&json!("gpt-5"), &json!("openai"))
    );
    assert_eq!(vote["verdict"], "inconclusive");
    let error = vote["error"].as_str().unwrap();
    assert!(error.contains("set NO_SUCH_KEY"), "{error}");
    let warning = "one of the judges cannot be called, so its votes count as inconclusive";
    assert!(
        ran.outcome.stderr.contains(warning),
        "{}",
        ran.outcome.stderr
    );
}

#[test]
fn every_vote_of_a_jury_is_recorded_and_a_batch_is_one_request() {
    let ran = suite(&JURY.replace("AGREE", "majority")).run("").exits(0);
    let test = ran.test("talks");
    assert_eq!(test["metadata"]["tracing"]["judge"]["calls"], 3);
    let [_, kind, helpful] = &test["evaluations"].as_array().unwrap()[..] else {
        panic!("{test:#}");
    };
    let votes = |evaluation: &serde_json::Value, field: &str| {
        let votes = evaluation["metadata"]["votes"].as_array().unwrap();
        json!(votes.iter().map(|vote| &vote[field]).collect::<Vec<_>>())
    };
    assert_eq!(
        votes(kind, "verdict"),
        json!(["passed", "passed", "failed"])
    );
    assert_eq!(votes(helpful, "score"), json!([4.0, 5.0, 3.0]));
    let shown = &ran.outcome.stdout;
    assert!(shown.contains("helpful: mean 4.00 of 5"), "{shown}");
    assert_eq!(
        helpful["metadata"]["score"],
        json!({"value": 4.0, "min": 4.0, "scale": [1.0, 5.0]})
    );
    let ran = suite(&JURY.replace("AGREE", "all")).run("").exits(1);
    let kind = &ran.test("talks")["evaluations"][1];
    assert_eq!(kind["metadata"]["verdict"], "inconclusive");
    assert_eq!(
        kind["reasoning"],
        "2 of 3 votes passed, 1 failed, 0 inconclusive; all must agree: \
         scripted: passed: scripted in `llm.verdicts`; scripted: passed: scripted in `llm.verdicts`; \
         scripted: failed: scripted in `llm.verdicts`"
    );
}
