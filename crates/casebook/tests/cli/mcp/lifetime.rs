//! Canceled requests, clients that disappear: no process is left.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::client::Client;
use crate::support::{Project, eventually, kills, timed};

/// A duration that identifies the processes of one test.
fn sleep(number: u32) -> String {
    format!("sleep {}.{number}", 60_000 + std::process::id() % 1_000)
}

fn is_running(command: &str) -> bool {
    let found = Command::new("pgrep").args(["-f", command]).output();
    found.unwrap().status.success()
}

/// A suite whose processes leave their group, ignore signals, or have children.
fn busy(sleep: &str) -> Project {
    let suite = format!(
        "setup: {sleep} &
tests:
  - {{name: plain, command: {sleep}}}
  - {{name: in the background, command: '{sleep} & {sleep}'}}
  - {{name: in its own session, command: 'setsid {sleep} & {sleep}'}}
  - {{name: stubborn, command: \"trap '' TERM; {sleep}; {sleep}\"}}
"
    );
    Project::with("busy.casebook.yaml", suite)
}

#[test]
fn a_run_that_is_canceled_at_any_moment_leaves_no_process() {
    let sleep = sleep(1);
    let project = busy(&sleep);
    let mut client = Client::start(&project, "");
    for attempt in 0..kills(50) {
        let arguments = json!({ "jobs": 3 });
        let params = json!({ "name": "run", "arguments": arguments });
        let id = client.send("tools/call", &params);
        thread::sleep(Duration::from_millis(attempt * 47 % 300));
        client.notify("notifications/cancelled", &json!({ "requestId": id }));
        // Runs one at a time: it is answered when the canceled one has ended, which is not answered.
        let arguments = json!({ "name": "accept", "arguments": { "paths": ["none"] } });
        client.result("tools/call", &arguments);
        assert!(!is_running(&sleep), "canceled at {attempt}");
    }
    client.close().exits(0);
}

#[test]
fn a_request_that_waits_can_be_canceled() {
    let sleep = sleep(2);
    let project = busy(&sleep);
    project.write(
        "a.casebook.yaml",
        "tests: [{name: writes, command: touch written}]\n",
    );
    let mut client = Client::start(&project, "");
    let running = json!({ "name": "run", "arguments": { "paths": ["busy.casebook.yaml"] } });
    let running = client.send("tools/call", &running);
    eventually("the run begins", || is_running(&sleep));
    let waiting = json!({ "name": "run", "arguments": { "paths": ["a.casebook.yaml"] } });
    let waiting = client.send("tools/call", &waiting);
    client.notify("notifications/cancelled", &json!({ "requestId": waiting }));
    client.notify("notifications/cancelled", &json!({ "requestId": running }));
    let last = json!({ "name": "accept", "arguments": { "paths": ["none"] } });
    client.result("tools/call", &last);
    assert!(!project.exists("written"));
}

#[test]
fn a_client_that_disappears_leaves_no_process() {
    let sleep = sleep(3);
    let project = busy(&sleep);
    let started = || {
        let mut client = Client::start(&project, "");
        client.send("tools/call", &json!({ "name": "run", "arguments": {} }));
        eventually("the run begins", || is_running(&sleep));
        client
    };
    started().close().exits(0);
    assert!(!is_running(&sleep), "closed");
    let client = started();
    client.server().signal(Signal::TERM);
    client.wait().exits(143);
    assert!(!is_running(&sleep), "terminated");
}

#[test]
fn an_id_that_is_used_twice_leaves_no_process() {
    let sleep = sleep(5);
    let project = busy(&sleep);
    let mut client = Client::start(&project, "");
    let run = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run"}}"#;
    client.write(run);
    eventually("the run begins", || is_running(&sleep));
    client.write(run);
    client.close().exits(0);
    assert!(!is_running(&sleep));
}

/// A server whose output is read only if the test reads it.
fn server(project: &Project) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_casebook"))
        .arg("mcp")
        .current_dir(project.at("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A server whose output is not read, with more answers than a pipe holds, and a run.
fn unread(project: &Project, sleep: &str) -> std::process::Child {
    let mut server = server(project);
    let mut input = server.stdin.take().unwrap();
    let run = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run"}}"#;
    writeln!(input, "{run}").unwrap();
    for id in 2..50 {
        writeln!(
            input,
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#
        )
        .unwrap();
    }
    eventually("the run begins", || is_running(sleep));
    server
}

#[test]
fn a_client_that_does_not_read_can_end_the_server() {
    let sleep = sleep(6);
    let project = busy(&sleep);
    // Its input was closed; then it is terminated.
    let mut server = unread(&project, &sleep);
    eventually("the run is killed", || !is_running(&sleep));
    kill_process(Pid::from_child(&server), Signal::TERM).unwrap();
    assert_eq!(server.wait().unwrap().code(), Some(143));
    // Its output is closed too.
    let mut server = unread(&project, &sleep);
    drop(server.stdout.take());
    assert!(server.wait().unwrap().success());
    assert!(!is_running(&sleep));
}

#[test]
fn requests_of_a_client_that_is_gone_are_not_handled() {
    let tests = (0..2_000).map(|n| format!("  - {{name: test {n}, command: echo {n}}}\n"));
    let project = Project::with(
        "a.casebook.yaml",
        "tests:\n".to_owned() + &tests.collect::<String>(),
    );
    let mut server = server(&project);
    let mut input = server.stdin.take().unwrap();
    for id in 0..1_000 {
        writeln!(
            input,
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"check"}}}}"#
        )
        .unwrap();
    }
    drop(server.stdout.take());
    drop(input);
    let ((), took) = timed(|| assert!(server.wait().unwrap().success()));
    // All of them take minutes in an unoptimized build.
    assert!(took < Duration::from_secs(20), "{took:?}");
}

/// A project whose `rspec` starts a process and waits.
fn with_slow_rspec(sleep: &str) -> Project {
    let project = Project::with("Gemfile", "");
    project.write(
        "lib/cart.rb",
        "class Cart\n  def total(items)\n    return 0 if items.empty?\n    1\n  end\nend\n",
    );
    project.write("spec/cart_spec.rb", "RSpec.describe('x') { it('y') {} }\n");
    let script = format!("#!/bin/sh\nsetsid {sleep} &\n{sleep} &\n{sleep}\n");
    for program in ["rspec", "bundle"] {
        let path = format!("bin/{program}");
        project.write(&path, &script);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(project.at(&path), mode).unwrap();
    }
    project
}

#[test]
fn canceled_programs_of_rspec_and_design_are_killed() {
    let sleep = sleep(4);
    let project = with_slow_rspec(&sleep);
    let call = project.casebook("mcp").path_first(&project.at("bin"));
    let mut client = Client::of(call);
    for params in [
        json!({ "name": "design_pipeline", "arguments": { "target": "lib/cart.rb#total", "overwrite": true } }),
        json!({ "name": "rspec", "arguments": { "specs": ["spec/cart_spec.rb"] } }),
    ] {
        let id = client.send("tools/call", &params);
        eventually("it begins", || is_running(&sleep));
        client.notify("notifications/cancelled", &json!({ "requestId": id }));
        let next = json!({ "name": "accept", "arguments": { "paths": ["none"] } });
        client.result("tools/call", &next);
        assert!(!is_running(&sleep), "{params}");
    }
}
