//! Random kills: nothing is lost, nothing is recorded twice, and the record equals that of one machine.

use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::failures::slow_tests;
use crate::record::{comparable, without};
use crate::server::{Server, ThreeNodes};
use crate::support::{Live, Project, eventually};

const KILLS: usize = 30;

/// Suites with and without file hooks, failures, retries and long output.
fn project() -> Project {
    let project = Project::with("slow.casebook.yaml", slow_tests(120, "0.1"));
    let hooks = "name: hooks\nsetupFile: export PLACE=5\ntests:\n";
    let test = |number: usize| {
        format!(
            "  - name: hooked {number}\n    command: sleep 0.1; echo $PLACE\n    outputContains: \"5\"\n"
        )
    };
    let tests: String = (0..8).map(test).collect();
    project.write("hooks.casebook.yaml", format!("{hooks}{tests}"));
    project.write(
        "various.casebook.yaml",
        "name: various
tests:
  - {name: fails, command: sleep 0.2; echo no; exit 3}
  - {name: is retried, command: sleep 0.1; exit 1, retries: 2}
  - {name: is skipped, command: 'true', skip: later}
  - {name: writes much, command: seq 200000; exit 1}
",
    );
    project
}

/// Numbers that look random and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit
    }

    fn pause(&mut self, shortest: u64, longest: u64) {
        let millis = shortest + self.below(longest - shortest);
        thread::sleep(Duration::from_millis(millis));
    }
}

/// The processes in which a worker runs tests.
pub(crate) fn slots(worker: &Live) -> Vec<Pid> {
    let file = format!("/proc/{0}/task/{0}/children", worker.status("Pid"));
    let children = std::fs::read_to_string(file).unwrap_or_default();
    let pids = children
        .split_whitespace()
        .filter_map(|pid| pid.parse().ok());
    pids.filter_map(Pid::from_raw).collect()
}

/// Both records, without the attempts that were lost.
fn assert_equal(project: &Project) {
    let attempts = ["attempt", "attempts"];
    let [cluster, local] =
        ["cluster", "local"].map(|dir| without(comparable(project, dir), &attempts));
    let ids = |run: &Value| -> Vec<String> {
        let examples = run["examples"].as_object().unwrap();
        examples.keys().cloned().collect()
    };
    assert_eq!(ids(&cluster), ids(&local));
    assert_eq!(cluster, local);
}

#[test]
fn killed_workers_lose_nothing() {
    let (server, project, mut random) = (Server::start(), project(), Random(17));
    project.casebook("run --record local .").run().exits(1);
    let worker = server.worker(&project, 4);
    let run = server
        .run(
            &project,
            "--cluster-lease 1 --lost-retries 100 --record cluster .",
        )
        .start();
    let mut kills = 0;
    while kills < KILLS {
        random.pause(20, 250);
        for slot in slots(&worker) {
            if random.below(4) == 0 && kill_process(slot, Signal::KILL).is_ok() {
                kills += 1;
            }
        }
    }
    let ended = run.finish().exits(1);
    assert!(ended.stderr.contains("was silent for 1 s"), "{ended:#?}");
    assert_equal(&project);
}

#[test]
fn killed_controllers_lose_nothing() {
    let (server, project, mut random) = (Server::start(), project(), Random(18));
    project.casebook("run --record local .").run().exits(1);
    let _worker = server.worker(&project, 1);
    let arguments = "--run-id build-7 --cluster-lease 1 --record cluster .";
    let journal = project.at("cluster/events.jsonl");
    let length = || journal.metadata().map_or(0, |file| file.len());
    for _ in 0..KILLS {
        let before = length();
        let run = server.run(&project, arguments).start();
        // However slow the machine is, most of them are killed while they record results.
        let has_ended = || run.status("State").starts_with('Z');
        eventually("a new event or the end", || {
            length() != before || has_ended()
        });
        random.pause(1, 300);
        run.signal(Signal::KILL);
        drop(run);
    }
    server.run(&project, arguments).run().exits(1);
    let journal = project.journal("cluster/events.jsonl");
    let starts = journal
        .iter()
        .filter(|event| event["event_type"] == "SuiteStarted");
    assert!(
        starts.count() > KILLS / 2,
        "most controllers were killed during the run"
    );
    assert_equal(&project);
}

#[test]
fn killed_servers_lose_nothing() {
    let (mut server, project, mut random) = (Server::start(), project(), Random(19));
    project.casebook("run --record local .").run().exits(1);
    let _worker = server.worker(&project, 2);
    let run = server
        .run(&project, "--cluster-lease 2 --record cluster .")
        .start();
    for _ in 0..KILLS / 2 {
        random.pause(200, 1500);
        server.kill();
        random.pause(10, 200);
        server.restart();
    }
    run.finish().exits(1);
    assert_equal(&project);
}

#[test]
fn killed_nodes_lose_nothing() {
    let (mut nodes, project, mut random) = (ThreeNodes::start(), project(), Random(20));
    project.casebook("run --record local .").run().exits(1);
    let _worker = nodes.node(0).worker(&project, 2);
    let run = nodes
        .node(1)
        .run(&project, "--cluster-lease 10 --record cluster .")
        .start();
    for _ in 0..KILLS / 2 {
        random.pause(500, 2500);
        let number = [0, 1, 2].into_iter().find(|_| random.below(3) == 0);
        let node = nodes.node(number.unwrap_or(1));
        node.kill();
        random.pause(10, 500);
        node.restart();
    }
    run.finish().exits(1);
    assert_equal(&project);
}
