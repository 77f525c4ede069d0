//! A cluster that cannot be used gives a clear message: where, why, and what to do.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;

use crate::server::Server;
use crate::support::{Outcome, Project, eventually};

const ONE: &str = "
name: shop
tests:
  - name: passes
    command: echo one
";

fn project() -> Project {
    Project::with("shop.casebook.yaml", ONE)
}

/// `run --cluster` and `worker --connect` fail with exit code 2 and the same message.
#[track_caller]
fn both_say(url: &str, environment: &[(&str, &str)], message: &str) {
    let project = project();
    let commands = [
        format!("run --record run --cluster {url} ."),
        format!("worker --jobs 2 --connect {url}"),
    ];
    for command in commands {
        let call = environment
            .iter()
            .fold(project.casebook(&command), |call, (name, value)| {
                call.env(name, value)
            });
        let outcome = call.run().exits(2);
        assert_eq!(outcome.stderr, format!("error: {message}\n"), "{command}");
    }
    assert!(
        !project.exists("run"),
        "nothing ran, so nothing is recorded"
    );
}

#[test]
fn a_server_that_cannot_be_reached() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://{}", closed.local_addr().unwrap());
    drop(closed);
    both_say(
        &url,
        &[],
        &format!("cannot connect to {url}: connection refused; is nats-server running there?"),
    );
}

#[test]
fn a_server_without_jetstream() {
    let server = Server::with(&[]);
    both_say(
        &server.url(),
        &[],
        &format!(
            "{} runs without JetStream; start it with `nats-server --jetstream`",
            server.url()
        ),
    );
}

#[test]
fn a_server_that_is_too_old() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let info = r#"{"server_id":"A","version":"2.10.22","proto":1,"max_payload":1048576,"headers":true,"jetstream":true}"#;
            write!(stream, "INFO {info}\r\n").unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            for line in lines.map_while(Result::ok) {
                if line.starts_with("PING") {
                    let _ = stream.write_all(b"PONG\r\n");
                }
            }
        }
    });
    both_say(
        &url,
        &[],
        &format!("{url} has nats-server 2.10.22; version 2.10.23 or newer is required"),
    );
}

#[test]
fn wrong_credentials() {
    let users = Server::with(&["--jetstream", "--user", "ann", "--pass", "right"]);
    let token = Server::with(&["--jetstream", "--auth", "right"]);
    let message = |server: &Server| {
        format!(
            "{} rejects the credentials; pass --cluster-creds FILE, or set CASEBOOK_CLUSTER_USER and CASEBOOK_CLUSTER_PASSWORD, or CASEBOOK_CLUSTER_TOKEN",
            server.url()
        )
    };
    let ann = ("CASEBOOK_CLUSTER_USER", "ann");
    both_say(&users.url(), &[], &message(&users));
    both_say(
        &users.url(),
        &[ann, ("CASEBOOK_CLUSTER_PASSWORD", "wrong")],
        &message(&users),
    );
    let in_url = users.url().replace("//", "//ann:wrong@");
    both_say(&in_url, &[], &message(&users));
    both_say(
        &token.url(),
        &[("CASEBOOK_CLUSTER_TOKEN", "wrong")],
        &message(&token),
    );
    let project = project();
    let command = format!("cluster status {}", users.url());
    let call = project.casebook(&command).env(ann.0, ann.1);
    call.env("CASEBOOK_CLUSTER_PASSWORD", "right")
        .run()
        .exits(0);
}

#[test]
fn an_invalid_address() {
    both_say(
        "queue:4222",
        &[],
        "`queue:4222` is not the URL of a NATS server: it does not start with nats:// or tls://; write nats://HOST:4222 or tls://HOST:4222",
    );
    both_say(
        "nats://ann:secret@queue:4222",
        &[],
        "nats://queue:4222 is not on this machine, and the connection is not encrypted: anyone on the network could run code on the workers; use tls://queue:4222",
    );
    both_say(
        "tls://queue:4222",
        &[],
        "tls://queue:4222 is not on this machine: without credentials, anyone who can connect could run code on the workers; pass --cluster-creds FILE, or set CASEBOOK_CLUSTER_USER and CASEBOOK_CLUSTER_PASSWORD, or CASEBOOK_CLUSTER_TOKEN",
    );
    both_say(
        "nats://127.0.0.1 --cluster-name a.b",
        &[],
        "the cluster name `a.b` must consist of ASCII letters, digits, `-` and `_`",
    );
}

#[test]
fn a_suite_outside_the_project() {
    let (server, project, other) = (Server::start(), Project::new(), project());
    let suite = other.at("shop.casebook.yaml");
    let outcome = server
        .run(&project, "--record run")
        .arg(&suite)
        .run()
        .exits(2);
    assert_eq!(
        outcome.stderr,
        format!(
            "error: {} is outside this directory, so workers do not have it; run `casebook run --cluster` in a directory that contains all suites\n",
            suite.display()
        )
    );
}

/// A line of the messages that contains these words.
#[track_caller]
fn line<'o>(outcome: &'o Outcome, words: &str) -> &'o str {
    let mut lines = outcome.stderr.lines();
    let found = lines.find(|line| line.contains(words));
    found.unwrap_or_else(|| panic!("`{words}` not found: {outcome:#?}"))
}

#[test]
fn a_wrong_checkout_is_reported_and_another_worker_runs_the_tests() {
    let (server, right, wrong) = (Server::start(), Project::new(), Project::new());
    for number in 0..8 {
        let name = format!("s{number}.casebook.yaml");
        right.write(&name, ONE.replace("echo one", "sleep 0.2"));
        wrong.write(&name, ONE);
    }
    let _workers = [server.worker(&wrong, 1), server.worker(&right, 1)];
    let outcome = server.run(&right, "--record run .").run().exits(0);
    let refused = line(&outcome, " cannot run s");
    assert!(refused.starts_with("worker "), "{refused}");
    assert!(
        refused.contains("its file or a file that it reads differs from the controller's"),
        "{refused}"
    );
}

#[test]
fn a_run_that_all_workers_refuse_ends_and_records_what_is_known() {
    let (server, right) = (Server::start(), project());
    right.write("other.casebook.yaml", ONE.replace("shop", "other"));
    let wrong = Project::with("other.casebook.yaml", ONE.replace("shop", "other"));
    let _wrong = server.worker(&wrong, 2);
    let outcome = server.run(&right, "--record run .").run().exits(2);
    let error = line(&outcome, "error: no worker can run shop.casebook.yaml");
    assert!(
        error.contains("cannot read shop.casebook.yaml: no such file or directory"),
        "{error}"
    );
    assert!(
        error.ends_with("update the checkouts of the workers"),
        "{error}"
    );
    let record = right.json("run/run.json");
    let not_run = record["metadata"]["not_run"].as_array().unwrap();
    let shop = |test: &serde_json::Value| test["canonical_path"] == "shop::passes";
    assert!(not_run.iter().any(shop), "{record}");
}

/// A server whose store has room for this many bytes.
fn small_server(project: &Project, bytes: u64) -> Server {
    let text = format!("jetstream {{ max_file_store: {bytes} }}");
    project.write("small.conf", text);
    let file = project.at("small.conf");
    Server::with(&["--config", file.to_str().unwrap()])
}

#[test]
fn a_store_without_room_for_the_tests() {
    let project = project();
    project.write("other.casebook.yaml", ONE.replace("shop", "other"));
    let server = small_server(&project, 10);
    let outcome = server.run(&project, "--record run .").run().exits(2);
    let error = line(&outcome, "error: ");
    assert!(
        error.starts_with(
            "error: cannot put tests into the work queue: the store of the server is full (publish failed: insufficient resources"
        ),
        "{error}"
    );
    assert!(
        error.contains("raise `max_file_store` in its configuration"),
        "{error}"
    );
}

#[test]
fn a_store_without_room_for_the_results() {
    let project = Project::with(
        "shop.casebook.yaml",
        "name: shop\ntests:\n  - name: writes much\n    command: seq 200000; exit 1\n",
    );
    let server = small_server(&project, 100_000);
    let _worker = server.worker(&project, 1);
    let outcome = server
        .run(&project, "--record run --cluster-lease 2 .")
        .run()
        .exits(2);
    let waits = line(&outcome, "waits: the store of the server is full");
    assert!(waits.starts_with("worker "), "{waits}");
    let error = line(&outcome, "error: cannot store the results of worker ");
    assert!(
        error.contains("the store of the server is full ("),
        "{error}"
    );
    assert!(project.exists("run/run.json"));
    // The worker is ready for the next run.
    let command = format!("cluster status {}", server.url());
    eventually("the worker gives up", || {
        let status = project.casebook(&command).run().exits(0);
        status.stdout.contains("nothing")
    });
}
