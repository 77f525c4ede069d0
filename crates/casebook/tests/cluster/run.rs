//! A run on a cluster shows, records and exits like one on this machine.

use crate::record::comparable;
use crate::server::Server;
use crate::support::Project;

const TESTS: &str = "
name: shop
tests:
  - name: passes
    command: echo one
    outputContains: one
  - name: fails
    command: echo two; exit 3
    outputContains: three
  - name: is skipped
    command: echo three
    skip: later
  - name: is retried
    command: echo four; exit 1
    retries: 2
  - name: writes much
    command: seq 200000; exit 1
";

const HOOKS: &str = "
name: with hooks
setupFile: export PLACE=5
teardownFile: exit 4
tests:
  - name: uses the variable
    command: echo \"place $PLACE\"
    outputContains: place 5
  - name: second
    command: echo b
";

fn project() -> Project {
    let project = Project::with("shop.casebook.yaml", TESTS);
    project.write("hooks.casebook.yaml", HOOKS);
    project
}

#[test]
fn the_record_equals_that_of_one_machine() {
    let (server, project) = (Server::start(), project());
    let _worker = server.worker(&project, 2);
    let local = project.casebook("run --record local .").run().exits(1);
    let cluster = server.run(&project, "--record cluster .").run().exits(1);
    assert_eq!(
        comparable(&project, "cluster"),
        comparable(&project, "local")
    );
    assert_eq!(project.files("cluster"), project.files("local"));
    assert_eq!(
        project.files("cluster/output"),
        project.files("local/output")
    );
    for file in project.files("local/output") {
        let read = |dir: &str| project.read(&format!("{dir}/output/{file}"));
        assert!(read("cluster") == read("local"), "{file}");
    }
    let last = |text: &str| {
        let line = text.lines().last().unwrap_or_default();
        line.split(" in ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(last(&cluster.stdout), last(&local.stdout));
}

#[test]
fn after_a_failure_fail_fast_starts_no_more_tests() {
    let suite = crate::failures::slow_tests(40, "0.1");
    let suite = suite.replacen("echo 0", "echo 0; exit 1", 1);
    let project = Project::with("slow.casebook.yaml", suite);
    let server = Server::start();
    let _worker = server.worker(&project, 2);
    let arguments = "--fail-fast --record cluster .";
    let run = server.run(&project, arguments).run().exits(1);
    let recorded = project.json("cluster/run.json");
    let examples = recorded["examples"].as_object().unwrap();
    assert!(
        examples.len() < 30,
        "{} tests ran: {run:#?}",
        examples.len()
    );
}

#[test]
fn every_worker_runs_the_services_of_its_tests() {
    let test = |number: usize| {
        format!("  - {{name: t{number}, command: 'sleep 0.05; test -e up-$API_PORT'}}\n")
    };
    let tests: String = (0..12).map(test).collect();
    let suite = format!("include: [shared.yaml]\ntests:\n{tests}");
    let project = Project::with("a.casebook.yaml", suite);
    project.write(
        "shared.yaml",
        "services: {api: {command: 'touch up-$API_PORT; trap \"rm up-$API_PORT; exit\" TERM; sleep 600 & wait', ready: {file: \"up-{{services.api.port}}\"}}}\n",
    );
    let server = Server::start();
    let _workers = [1, 2].map(|_| server.worker(&project, 1));
    let outcome = server.run(&project, "--record none .").run().exits(0);
    assert!(
        outcome.stdout.contains("12 tests: 12 passed"),
        "{outcome:#?}"
    );
}
