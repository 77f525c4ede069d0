//! Services: what is started, recorded and shown, and that no process remains, however a run ends.

use std::path::Path;

use rustix::process::Signal;

use crate::support::{Project, eventually};

/// A service that ignores SIGTERM, one of the test, and tests that do not end. Each writes the id of its process.
const ENDLESS: &str = "\
services:
  deaf: {command: \"trap '' TERM; echo $$ >deaf; sleep 600 & echo $! >child; while :; do sleep 0.1; done\", stop: {within: 500ms}}
  own: {command: \"echo $$ >own; exec sleep 600\", scope: test}
tests: [{name: t, command: \"echo $$ >test; exec sleep 600\"}]
";
const PROCESSES: [&str; 4] = ["deaf", "child", "own", "test"];

fn is_running(project: &Project, name: &str) -> bool {
    let pid = project.read(name);
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"));
    status.is_ok_and(|status| !status.contains(") Z "))
}

fn wait_for_processes(project: &Project) {
    eventually("all processes run", || {
        let has_pid = |name: &&str| project.exists(name) && project.read(name).ends_with('\n');
        PROCESSES.iter().all(has_pid)
    });
}

fn assert_none_is_running(project: &Project) {
    for name in PROCESSES {
        assert!(!is_running(project, name), "{name}");
    }
}

#[test]
fn interrupts_stop_all_services() {
    for (arguments, signals) in [("", 1), ("", 2), ("--workers 1", 1)] {
        let project = Project::with("a.casebook.yaml", ENDLESS);
        let live = project
            .casebook(&format!("run {arguments} a.casebook.yaml"))
            .start();
        wait_for_processes(&project);
        for _ in 0..signals {
            live.signal(Signal::INT);
        }
        live.wait().exits(130);
        assert_none_is_running(&project);
    }
}

#[test]
fn a_failed_test_shows_what_its_service_wrote_and_secrets_are_redacted() {
    let suite = "\
env: {API_TOKEN: s3cr3t-value}
services:
  api: {command: 'echo token $API_TOKEN; until test -e go; do sleep 0.01; done; echo during; touch gone; exec sleep 600', ready: {log: token}}
tests: [{name: t, command: 'touch go; until test -e gone; do sleep 0.01; done; sleep 0.5; exit 1'}]
";
    let project = Project::with("a.casebook.yaml", suite);
    let shown = project
        .casebook("run --record r --format pretty --format junit=junit.xml a.casebook.yaml")
        .run()
        .exits(1)
        .shown();
    for text in [&shown, &project.read("junit.xml")] {
        assert!(text.contains("service api, during this test"), "{text}");
        assert!(text.contains("during"), "{text}");
    }
    let log = project.read("r/output/services-a-casebook-yaml.txt");
    assert!(log.contains("token") && log.contains("during"), "{log}");
    assert!(!log.contains("s3cr3t-value"), "{log}");
    assert!(!project.read("r/run.json").contains("s3cr3t-value"));
}

#[test]
fn only_services_of_selected_tests_are_started() {
    let suite = "\
services:
  one: {command: 'touch one-started; exec sleep 600'}
  two: {command: 'touch two-started; exec sleep 600'}
tests:
  - {name: first, uses: [one], command: 'true'}
  - {name: second, uses: [two], command: 'true'}
";
    let project = Project::with("a.casebook.yaml", suite);
    let call = project.casebook("run --filter second a.casebook.yaml");
    call.run().exits(0);
    assert!(!project.exists("one-started") && project.exists("two-started"));
}

#[test]
fn a_port_that_another_process_has_is_reported() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let suite = format!(
        "services: {{api: {{command: exec sleep 600, ready: {{port: {port}}}}}}}\ntests: [{{name: t, command: 'true'}}]\n"
    );
    let project = Project::with("a.casebook.yaml", suite);
    let shown = project
        .casebook("run a.casebook.yaml")
        .run()
        .exits(1)
        .shown();
    let message = format!("port {port} is already in use by another process");
    assert!(shown.contains(&message), "{shown}");
}

/// A definition for other suites: a service that answers as long as it runs, and three tests that use it.
const SHARED: &str = "\
services:
  api:
    command: 'echo $$ >>started; echo $$ >pid; echo up; exec sleep 600'
    ready: {log: up}
";
const USERS: &str = "\
include: [shared/services.yaml]
tests:
  - {name: first, command: 'kill -0 $(cat pid); echo 1 >>ran'}
  - {name: second, command: 'kill -0 $(cat pid); echo 2 >>ran; test ! -e wait || { touch waiting; sleep 600; }'}
  - {name: third, command: 'kill -0 $(cat pid); echo 3 >>ran'}
";

fn project_with_shared_service() -> Project {
    let project = Project::with("a.casebook.yaml", USERS);
    project.write("shared/services.yaml", SHARED);
    project
}

#[test]
fn the_workdir_of_an_included_service_is_relative_to_its_file() {
    let project = Project::with(
        "a.casebook.yaml",
        "include: [shared/services.yaml]\ntests: [{name: t, command: test -e shared/data/here}]\n",
    );
    project.write(
        "shared/services.yaml",
        "services: {api: {command: touch here; exec sleep 600, workdir: data, ready: {file: here}}}\n",
    );
    project.write("shared/data/x", "");
    project.casebook("run a.casebook.yaml").run().exits(0);
}

fn assert_stopped(project: &Project, starts: usize) {
    let started = project.read("started");
    assert_eq!(started.lines().count(), starts, "{started}");
    assert!(!is_running(project, "pid"));
}

#[test]
fn each_shard_starts_an_included_service_once() {
    let project = project_with_shared_service();
    for shard in 1..=3 {
        let call = project.casebook(&format!("run --shard {shard}/3 a.casebook.yaml"));
        call.run().exits(0);
        assert_stopped(&project, shard);
    }
    assert_eq!(project.read("ran"), "1\n2\n3\n");
}

#[test]
fn a_resumed_run_starts_the_services_of_the_remaining_tests() {
    let project = project_with_shared_service();
    project.write("wait", "");
    let live = project
        .casebook("run -j 1 --record r a.casebook.yaml")
        .start();
    eventually("the second test runs", || project.exists("waiting"));
    live.signal(Signal::INT);
    live.wait().exits(130);
    assert_stopped(&project, 1);
    std::fs::remove_file(project.at("wait")).unwrap();
    let resumed = project.casebook("run -j 1 --resume r").run().exits(0);
    assert!(resumed.stdout.contains("2 passed"), "{resumed:#?}");
    assert_stopped(&project, 2);
    assert_eq!(project.read("ran"), "1\n2\n2\n3\n");
}
