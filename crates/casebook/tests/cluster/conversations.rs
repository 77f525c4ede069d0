//! Conversations: the record equals that of one machine, and workers share the limits of models.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::http_server::{ReceivedRequest, Server as Model, ServerAction};
use crate::kills::slots;
use crate::record::{comparable, without};
use crate::security;
use crate::server::Server;
use crate::support::{Project, eventually};

const AGENT: &str = r#"
while read -r line; do printf '{"id":1,"type":"response","text":"Hello"}\n'; done
"#;

/// A suite with this many conversations. Each sends one request to the model.
fn suite(name: &str, model: &Model, limits: &str, count: usize) -> String {
    let test = |number: usize| {
        format!(
            "  - name: {name} {number}\n    conversation: [{{user: Hi, expect: [{{satisfies: friendly}}]}}]\n"
        )
    };
    format!(
        "
name: {name}
agent: {{command: bash agent.sh}}
timeout: 20
llm: {{provider: anthropic, model: m-1, url: {}, {limits}}}
criteria: {{friendly: The reply is friendly}}
tests:
{}",
        model.url,
        (0..count).map(test).collect::<String>()
    )
}

fn project(suite: &str) -> Project {
    let project = Project::with("talk.casebook.yaml", suite);
    project.write("agent.sh", AGENT);
    project
}

/// The verdict of a judge.
fn verdict(received: &ReceivedRequest) -> ServerAction {
    let body: Value = serde_json::from_str(&received.body).unwrap();
    let id = &body["tools"][0]["input_schema"]["properties"]["criterion"]["enum"][0];
    let text = json!({"criterion": id, "reasons": "It greets.", "verdict": "passed"}).to_string();
    let message = json!({
        "model": "m-1",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 100, "output_tokens": 10},
    });
    ServerAction::ok(message.to_string())
}

fn model() -> Model {
    Model::new(|_, received| verdict(received))
}

#[test]
fn the_record_equals_that_of_one_machine() {
    let (server, model) = (Server::start(), model());
    let project = project(&suite(
        "talk",
        &model,
        "concurrency: 2, requestsPerMinute: 100",
        4,
    ));
    let _workers = [server.worker(&project, 1), server.worker(&project, 1)];
    let local = project
        .casebook("run --record local .")
        .env("MODEL", "a-key");
    local.run().exits(0);
    let cluster = server.run(&project, "--record cluster .");
    cluster.env("MODEL", "a-key").run().exits(0);
    let [cluster, local] =
        ["cluster", "local"].map(|dir| without(comparable(&project, dir), &["latency_ms"]));
    assert_eq!(cluster, local);
    assert_eq!(model.received().len(), 8);
}

#[test]
fn workers_share_the_requests_per_minute() {
    let (server, model) = (Server::start(), model());
    let project = project(&suite("talk", &model, "requestsPerMinute: 4", 6));
    let _workers = [server.worker(&project, 1), server.worker(&project, 1)];
    let run = server.run(&project, "--record cluster .").run().exits(1);
    assert_eq!(model.received().len(), 4, "{run:#?}");
    let record = project.json("cluster/run.json");
    let examples = record["examples"].as_object().unwrap().values();
    let passed = examples.filter(|example| example["status"] == "passed");
    assert_eq!(passed.count(), 4, "{run:#?}");
}

#[test]
fn the_documented_permissions_suffice_for_shared_limits() {
    let model = model();
    let project = project(&suite("talk", &model, "requestsPerMinute: 1", 2));
    let config = security::documented_without_tls(&project);
    let server = security::configured(&project, &config);
    let start = || {
        let variables = [
            ("CASEBOOK_CLUSTER_USER", "worker"),
            ("CASEBOOK_CLUSTER_PASSWORD", "worker-secret"),
        ];
        security::worker(&project, &server.url(), &variables)
    };
    let _workers = [start(), start()];
    let run = server
        .run(&project, "--record none .")
        .env("CASEBOOK_CLUSTER_USER", "controller")
        .env("CASEBOOK_CLUSTER_PASSWORD", "controller-secret")
        .run()
        .exits(1);
    assert_eq!(model.received().len(), 1, "{run:#?}");
    assert_eq!(server.log_lines("Violation"), Vec::<String>::new());
}

#[test]
fn workers_share_the_concurrency() {
    let server = Server::start();
    let (running, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let model = Model::new({
        let most = most.clone();
        move |_, received| {
            let now = running.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(300));
            running.fetch_sub(1, Ordering::SeqCst);
            verdict(received)
        }
    });
    let project = project(&suite("talk", &model, "concurrency: 1", 6));
    let _workers = [server.worker(&project, 1), server.worker(&project, 1)];
    server.run(&project, "--record none .").run().exits(0);
    assert_eq!(model.received().len(), 6);
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

#[test]
fn the_call_of_a_killed_worker_ends() {
    let server = Server::start();
    let model = Model::new(|number, received| {
        if number == 0 {
            thread::sleep(Duration::from_secs(60));
        }
        verdict(received)
    });
    let without_timeout =
        |name| suite(name, &model, "concurrency: 1", 1).replace("timeout: 20", "");
    let project = project(&without_timeout("talk"));
    project.write("more.casebook.yaml", without_timeout("more"));
    let killed = server.worker(&project, 1);
    let run = server
        .run(&project, "--cluster-lease 2 --record none .")
        .start();
    eventually("the model is called", || model.received().len() == 1);
    let _other = server.worker(&project, 1);
    // Longer than the lease, which the living worker renews.
    thread::sleep(Duration::from_millis(4500));
    assert_eq!(model.received().len(), 1);
    for slot in slots(&killed) {
        kill_process(slot, Signal::KILL).unwrap();
    }
    run.finish().exits(0);
    assert_eq!(model.received().len(), 3);
}
