//! `--otlp`: runs as traces and metrics. The protocol's own definitions, installed by `script/setup`, read what is sent.

use std::path::Path;

use serde_json::{Value, json};

use crate::conversation::server::{Server, ServerAction};
use crate::events::{failing_run, lines};
use crate::support::Project;

fn recorded() -> Project {
    let project = Project::new();
    let record = project.casebook("record --from jsonl");
    record.stdin(lines(&failing_run())).run();
    project
}

fn collector() -> Server {
    Server::with_actions(vec![ServerAction::ok("{}")])
}

/// What the server received: one line per span and metric.
fn received(server: &Server, project: &Project) -> Vec<String> {
    let python = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../python/bin/python3");
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/otlp.py");
    let requests: String = server
        .received()
        .iter()
        .map(|request| {
            let body: Value = serde_json::from_str(&request.body).unwrap();
            let path = request.line.split(' ').nth(1).unwrap();
            json!({"path": path, "body": body}).to_string() + "\n"
        })
        .collect();
    let script = format!("{} {}", python.display(), reader.display());
    let read = project.bash(&script).stdin(requests).run().exits(0);
    read.stdout.lines().map(str::to_owned).collect()
}

fn starting_with<'l>(lines: &'l [String], start: &str) -> &'l str {
    let found = lines.iter().find(|line| line.starts_with(start));
    found.unwrap_or_else(|| panic!("no line starts with `{start}`: {lines:#?}"))
}

#[test]
fn a_recorded_run_is_a_trace_with_a_span_for_each_test() {
    let (project, server) = (recorded(), collector());
    let outcome = project
        .casebook(&format!("report --otlp {}", server.url))
        .run()
        .exits(0);
    assert_eq!((&outcome.stdout[..], &outcome.stderr[..]), ("", ""));
    let lines = received(&server, &project);
    let run = starting_with(&lines, "span casebook run < :");
    assert!(run.contains("test.suite.run.status=failure"), "{run}");
    assert!(run.ends_with("error='failed tests: 1'"), "{run}");
    let passed = starting_with(&lines, "span Sum adds < casebook run:");
    assert!(passed.contains("test.case.result.status=pass"), "{passed}");
    let failed = starting_with(&lines, "span Sum divides < casebook run:");
    for text in [
        "test.case.result.status=fail",
        "code.line.number=3",
        "error.type=Sum::Wrong",
        "error='expected 2, got 3'",
    ] {
        assert!(failed.contains(text), "{text}: {failed}");
    }
    assert!(
        lines.contains(&"metric casebook.tests {test}: 1 casebook.test.status=failed".to_owned()),
        "{lines:#?}"
    );
    starting_with(&lines, "metric casebook.test.duration s: count=1 sum=0.25");
    starting_with(&lines, "metric casebook.run.duration s: 2.0");
}

#[test]
fn exporting_a_run_again_sends_the_same_ids() {
    let (project, server) = (recorded(), collector());
    let export = format!("report --otlp {}", server.url);
    project.casebook(&export).run().exits(0);
    project.casebook(&export).run().exits(0);
    let bodies: Vec<_> = server
        .received()
        .into_iter()
        .map(|request| request.body)
        .collect();
    assert_eq!(bodies[..2], bodies[2..]);
}

#[test]
fn the_environment_supplies_headers() {
    let (project, server) = (recorded(), collector());
    let report = project.casebook(&format!("report --format csv --otlp {}/v1", server.url));
    let outcome = report
        .env("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b")
        .run()
        .exits(0);
    assert!(outcome.stdout.starts_with("run_id,"));
    let request = &server.received()[0];
    assert_eq!(request.line, "POST /v1/traces HTTP/1.1");
    assert_eq!(request.header("api-key"), Some("a b"));
    assert_eq!(request.header("content-type"), Some("application/json"));
}

#[test]
fn a_collector_that_is_down_is_a_warning_for_a_run_and_an_error_for_a_report() {
    let project = Project::with("a.casebook.yaml", "tests: [{name: hello, command: echo}]\n");
    let run = project
        .casebook("run --otlp http://127.0.0.1:9")
        .run()
        .exits(0);
    let warning = "cannot export the run: http://127.0.0.1:9/v1/traces: connection refused: nothing is listening there";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    let report = project
        .casebook("report --otlp http://127.0.0.1:9")
        .run()
        .exits(2);
    assert!(report.stderr.contains(warning), "{}", report.stderr);
}

#[test]
fn a_refusal_names_its_status_and_reason() {
    let project = recorded();
    for (action, message) in [
        (
            ServerAction::status(401),
            "/v1/traces responded with status 401: {\"error\":\"401\"}",
        ),
        (
            ServerAction::ok(
                r#"{"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too old"}}"#,
            ),
            "the collector rejected 3 items: too old",
        ),
    ] {
        let server = Server::with_actions(vec![action]);
        let outcome = project
            .casebook(&format!("report --otlp {}", server.url))
            .run()
            .exits(2);
        assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    }
    let typo = project
        .casebook("report --otlp localhost:4318")
        .run()
        .exits(2);
    assert!(
        typo.stderr
            .contains("must be a URL such as http://localhost:4318"),
        "{}",
        typo.stderr
    );
}

/// A run of a conversation with an agent that reports its model, tokens and cost.
fn conversation(arguments: &str, server: &Server) -> Project {
    let reply = r#"{"text": "Hello Ada", "tool_calls": [{"name": "look", "arguments": {"who": "Ada"}, "error": "no Ada"}],
        "metadata": {"model": "m-1", "tokens": {"input": 3, "output": 40}, "cost": 0.5}}"#;
    let agent = Server::with_actions(vec![ServerAction::ok(reply)]);
    let suite = format!(
        "agent: {{http: {{url: '{}'}}}}\ntests: [{{name: talks, conversation: [{{user: I am Ada}}]}}]\n",
        agent.url
    );
    let project = Project::with("talk.casebook.yaml", suite);
    let run = format!("run --otlp {} {arguments}", server.url);
    project.casebook(&run).run().exits(0);
    project
}

#[test]
fn conversations_have_spans_and_metrics_without_their_content() {
    let server = collector();
    let project = conversation("", &server);
    let lines = received(&server, &project);
    let reply = starting_with(&lines, "span invoke_agent < talk::talks:");
    for text in [
        "gen_ai.response.model=m-1",
        "gen_ai.usage.input_tokens=3",
        "gen_ai.usage.output_tokens=40",
        "casebook.cost=0.5",
    ] {
        assert!(reply.contains(text), "{text}: {reply}");
    }
    let call = starting_with(&lines, "span execute_tool look < invoke_agent:");
    assert!(call.ends_with("error='the tool failed'"), "{call}");
    for metric in [
        "metric gen_ai.client.token.usage {token}: count=1 sum=3.0 ",
        "metric gen_ai.client.token.usage {token}: count=1 sum=40.0 ",
        "metric gen_ai.client.operation.duration s: count=1 ",
        "metric casebook.cost 1: 0.5 ",
    ] {
        starting_with(&lines, metric);
    }
    assert!(!lines.join("\n").contains("Ada"), "{lines:#?}");
}

#[test]
fn content_is_exported_on_request() {
    let server = collector();
    let project = conversation("--otlp-content", &server);
    let lines = received(&server, &project);
    let reply = starting_with(&lines, "span invoke_agent < ");
    let message =
        r#"gen_ai.input.messages=[{"role":"user","parts":[{"type":"text","content":"I am Ada"}]}]"#;
    assert!(reply.contains(message), "{reply}");
    let call = starting_with(&lines, "span execute_tool look < ");
    assert!(
        call.contains(r#"gen_ai.tool.call.arguments={"who":"Ada"}"#),
        "{call}"
    );
    assert!(call.ends_with("error='no Ada'"), "{call}");
}
