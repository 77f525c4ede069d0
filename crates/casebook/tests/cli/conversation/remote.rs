//! Agents reached over HTTP, from the suite to the terminal.

use super::server::{Server, ServerAction};
use super::{end, failure, transcript};
use crate::run::Suite;

#[test]
fn replies_are_checked_and_secrets_are_redacted() {
    let server = Server::with_actions(vec![
        ServerAction::status(503).with("retry-after", "0"),
        ServerAction::ok(r#"{"text":"one","tool_calls":[{"name":"look","arguments":{"at":1}}]}"#),
        ServerAction::ok(r#"{"text":"your key is tell-nobody-3"}"#),
    ]);
    let url = &server.url;
    let suite = Suite::new(&format!(
        "
agent: {{http: {{url: '{url}/chat?token=x', headers: {{Authorization: Bearer tell-nobody-3}}}}}}
tests:
  - name: talks
    conversation: [{{user: hello, expect: [{{called: look}}]}}, {{user: again, expect: [{{equals: two}}]}}]
"
    ));
    let ran = suite.run("").exits(1);
    assert_eq!(
        transcript(&ran, "talks")[..2],
        [
            r#"1 hello → one look{"at":1}"#,
            "2 again → your key is [redacted]"
        ]
    );
    let tracing = &ran.test("talks")["metadata"]["tracing"];
    assert_eq!(tracing["retries"], 1);
    let all = format!(
        "{}{}",
        ran.outcome.stdout,
        suite.project.read(&format!("{}/events.jsonl", ran.dir))
    );
    assert!(!all.contains("tell-nobody"), "{all}");
}

#[test]
fn an_unreachable_agent_is_reported() {
    let suite = Suite::new(
        "
agent: {openai: {url: 'http://127.0.0.1:9/v1', model: mine}}
tests: [{name: talks, conversation: [{user: hello}]}]
",
    );
    let ran = suite.run("").exits(1);
    assert_eq!(end(&ran, "talks"), "agent_error");
    assert!(
        failure(&ran, "talks")
            .1
            .contains("connection refused: nothing is listening there"),
        "{:?}",
        failure(&ran, "talks")
    );
    assert_eq!(
        ran.test("talks")["metadata"]["agent"]["url"],
        "http://127.0.0.1:9/v1"
    );
}
