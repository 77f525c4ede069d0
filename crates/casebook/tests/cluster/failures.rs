//! Workers, controllers and servers that die or disappear.

use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use crate::kills::slots;
use crate::record::comparable;
use crate::server::Server;
use crate::support::{Project, eventually};

/// A suite of tests that each take a moment.
pub(crate) fn slow_tests(count: usize, seconds: &str) -> String {
    let tests = (0..count).map(|test| {
        format!("  - name: test {test}\n    command: sleep {seconds}; echo {test}\n    outputContains: \"{test}\"\n")
    });
    format!("name: slow\ntests:\n{}", tests.collect::<String>())
}

/// Waits until this many tests have passed, according to the journal.
fn wait_for_passed(project: &Project, count: usize) {
    let journal = "cluster/events.jsonl";
    eventually("tests pass", || {
        project.exists(journal) && project.read(journal).matches("ExamplePassed").count() >= count
    });
}

#[test]
fn a_run_continues_when_a_killed_server_is_back() {
    let project = Project::with("slow.casebook.yaml", slow_tests(20, "0.1"));
    let mut server = Server::start();
    let _worker = server.worker(&project, 2);
    project.casebook("run --record local .").run().exits(0);
    let run = server.run(&project, "--record cluster .").start();
    wait_for_passed(&project, 1);
    server.kill();
    thread::sleep(Duration::from_millis(300));
    server.restart();
    run.finish().exits(0);
    assert_eq!(
        comparable(&project, "cluster"),
        comparable(&project, "local")
    );
}

/// Long output is sent apart from the events.
#[test]
fn output_is_saved_when_a_killed_server_is_back() {
    let suite = "tests:
  - name: writes much
    command: seq 200000; touch written; until test -e killed; do sleep 0.02; done; exit 1
";
    let project = Project::with("a.casebook.yaml", suite);
    let mut server = Server::start();
    let _worker = server.worker(&project, 1);
    let run = server.run(&project, "--record cluster .").start();
    eventually("the test runs", || project.exists("written"));
    server.kill();
    project.write("killed", "");
    // Longer than a request to the server may take.
    thread::sleep(Duration::from_secs(12));
    server.restart();
    let ended = run.finish().exits(1);
    let run = project.json("cluster/run.json");
    let mut tests = run["examples"].as_object().unwrap().values();
    let file = tests.next().unwrap()["metadata"]["command"]["output_file"].as_str();
    let output = file.map(|file| project.read(&format!("cluster/{file}")));
    assert!(
        output.is_some_and(|output| output.contains("\n200000\n")),
        "{ended:#?}"
    );
}

#[test]
fn without_workers_the_run_says_so_and_ends() {
    let project = Project::with("slow.casebook.yaml", slow_tests(3, "0"));
    let server = Server::start();
    let run = server
        .run(&project, "--no-worker-timeout 1 --record cluster .")
        .run()
        .exits(2);
    assert!(
        run.stderr
            .contains("no worker is connected; start one with `casebook worker --connect"),
        "{run:#?}"
    );
    assert!(
        run.stderr.contains("no worker was connected for 1 s"),
        "{run:#?}"
    );
    assert!(project.exists("cluster/run.json"));
}

/// A slot that is replaced waits for the server, and does not end its worker.
#[test]
fn a_slot_that_dies_without_a_server_is_replaced() {
    let project = Project::with("slow.casebook.yaml", slow_tests(3, "0"));
    let mut server = Server::start();
    let worker = server.worker(&project, 1);
    eventually("the slot runs", || !slots(&worker).is_empty());
    let slot = slots(&worker)[0];
    server.kill();
    rustix::process::kill_process(slot, Signal::KILL).unwrap();
    eventually("a new slot runs", || {
        slots(&worker).first().is_some_and(|new| *new != slot)
    });
    // It has tried to connect.
    thread::sleep(Duration::from_secs(1));
    server.restart();
    server.run(&project, "--record none .").run().exits(0);
}

#[test]
fn a_worker_may_come_later() {
    let project = Project::with("slow.casebook.yaml", slow_tests(3, "0"));
    let server = Server::start();
    let mut run = server.run(&project, "--record cluster .").start();
    run.wait_for_stderr("no worker is connected");
    let _worker = server.worker(&project, 1);
    run.finish().exits(0);
}

#[test]
fn without_a_server_the_run_ends_with_what_is_known() {
    let project = Project::with("slow.casebook.yaml", slow_tests(40, "0.1"));
    let mut server = Server::start();
    let _worker = server.worker(&project, 2);
    let mut run = server
        .run(&project, "--no-server-timeout 1 --record cluster .")
        .start();
    wait_for_passed(&project, 1);
    server.kill();
    run.wait_for_stderr("is lost; reconnecting");
    let ended = run.finish().exits(2);
    assert!(ended.stderr.contains("was lost for 1 s"), "{ended:#?}");
    let run = project.json("cluster/run.json");
    assert!(!run["examples"].as_object().unwrap().is_empty());
}

#[test]
fn the_chunk_of_a_worker_that_hangs_is_given_to_another() {
    let project = Project::with("slow.casebook.yaml", slow_tests(20, "0.2"));
    let server = Server::start();
    let hanging = server.worker(&project, 1);
    let mut run = server
        .run(&project, "--cluster-lease 1 --record cluster .")
        .start();
    wait_for_passed(&project, 1);
    for slot in slots(&hanging) {
        rustix::process::kill_process(slot, Signal::STOP).unwrap();
    }
    let _worker = server.worker(&project, 1);
    run.wait_for_stderr("was silent for 1 s");
    for slot in slots(&hanging) {
        rustix::process::kill_process(slot, Signal::CONT).unwrap();
    }
    let ended = run.finish().exits(0);
    assert!(ended.stdout.contains("20 tests: 20 passed"), "{ended:#?}");
}

#[test]
fn ctrl_c_stops_all_chunks_and_runs_their_teardowns() {
    let suite = "name: slow
teardown: touch torn-down
tests:
  - {name: sleeps, command: sleep 30}
  - {name: waits, command: 'true'}
";
    let project = Project::with("slow.casebook.yaml", suite);
    let server = Server::start();
    let _worker = server.worker(&project, 1);
    let run = server.run(&project, "--record cluster .").start();
    eventually("the test starts", || {
        project.exists("cluster/events.jsonl")
            && project
                .read("cluster/events.jsonl")
                .contains("ExampleStarted")
    });
    run.signal(Signal::INT);
    let ended = run.finish().exits(130);
    assert!(
        ended.stderr.contains("1 test interrupted, 1 test not run"),
        "{ended:#?}"
    );
    assert!(project.exists("torn-down"));
}

#[test]
fn a_run_that_ctrl_c_stopped_is_continued_at_once() {
    let project = Project::with("slow.casebook.yaml", slow_tests(20, "0.2"));
    let server = Server::start();
    let _worker = server.worker(&project, 2);
    // A chunk that no worker gets would be noticed only after a lease.
    let arguments = "--run-id build-9 --cluster-lease 5m --record cluster .";
    let run = server.run(&project, arguments).start();
    wait_for_passed(&project, 1);
    run.signal(Signal::INT);
    run.finish().exits(130);
    server.run(&project, arguments).run().exits(0);
    let examples = project.json("cluster/run.json")["examples"].clone();
    assert_eq!(examples.as_object().unwrap().len(), 20);
}

#[test]
fn a_controller_on_another_machine_continues_without_a_journal() {
    let project = Project::with("slow.casebook.yaml", slow_tests(20, "0.1"));
    let server = Server::start();
    let _worker = server.worker(&project, 2);
    let run = server
        .run(&project, "--run-id build-8 --record first .")
        .start();
    thread::sleep(Duration::from_millis(800));
    run.signal(Signal::KILL);
    drop(run);
    server
        .run(&project, "--run-id build-8 --record second .")
        .run()
        .exits(0);
    project.casebook("run --record local .").run().exits(0);
    assert_eq!(
        comparable(&project, "second"),
        comparable(&project, "local")
    );
}
