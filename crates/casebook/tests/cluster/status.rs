//! `casebook cluster status` shows runs and workers.

use rustix::process::Signal;

use crate::server::Server;
use crate::support::{Outcome, Project};

fn status(server: &Server, project: &Project, options: &str) -> Outcome {
    let command = format!("cluster status {} {options}", server.url());
    project.casebook(&command).run().exits(0)
}

#[test]
fn runs_and_workers() {
    let server = Server::start();
    let project = Project::with(
        "shop.casebook.yaml",
        "
name: shop
tests:
  - name: first
    command: touch begun; until [ -e go ]; do sleep 0.02; done
  - name: second
    command: 'true'
",
    );
    assert_eq!(
        status(&server, &project, "").stdout,
        "no runs\n\nno workers; start one with `casebook worker --connect URL`\n"
    );
    let _worker = server.worker(&project, 1);
    let run = server.run(&project, "--record run .").start();
    crate::support::eventually("the first test begins", || project.exists("begun"));
    let shown = status(&server, &project, "").stdout;
    let lines: Vec<Vec<_>> = shown
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        lines[0],
        ["RUN", "WAITING", "LEASED", "REDELIVERED", "FINISHED"]
    );
    let id = lines[1][0];
    assert_eq!(lines[1][1..], ["1", "1", "0", "0"], "{shown}");
    assert_eq!(lines[3], ["WORKER", "RUNS", "ANSWERED", "AFTER"]);
    assert_eq!(lines[4][1..4], ["c0", "of", id], "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&status(&server, &project, "--json").stdout).unwrap();
    assert_eq!(json["runs"][0]["id"], id);
    assert_eq!(json["workers"][0]["run"], id);
    assert_eq!(json["silent"], 0);
    project.write("go", "");
    run.wait().exits(0);
    let shown = status(&server, &project, "").stdout;
    assert!(shown.starts_with("no runs\n"), "{shown}");
}

#[test]
fn a_worker_that_does_not_answer() {
    let server = Server::start();
    let project = Project::with(
        "shop.casebook.yaml",
        "
name: shop
tests:
  - name: stops its worker
    command: echo $PPID > new; mv new pid; until [ -e go ]; do sleep 0.02; done
",
    );
    let _worker = server.worker(&project, 1);
    let run = server.run(&project, "--record run .").start();
    crate::support::eventually("the test begins", || project.exists("pid"));
    let pid: i32 = project.read("pid").trim().parse().unwrap();
    let slot = slot_of(pid);
    let send = |signal| rustix::process::kill_process(slot, signal).unwrap();
    send(Signal::STOP);
    let shown = status(&server, &project, "").stdout;
    send(Signal::CONT);
    assert!(
        shown.ends_with("1 chunk leased by workers that do not answer\n"),
        "{shown}"
    );
    project.write("go", "");
    run.wait().exits(0);
}

/// The process of a worker in which a test runs, found among the parents of the test.
fn slot_of(mut pid: i32) -> rustix::process::Pid {
    loop {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap();
        if read("cmdline").contains("--slot") {
            return rustix::process::Pid::from_raw(pid).unwrap();
        }
        let status = read("status");
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
        pid = parent.unwrap().trim().parse().unwrap();
    }
}
