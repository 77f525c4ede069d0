//! Tests that kill their workers.

use crate::server::Server;
use crate::support::Project;

#[test]
fn a_test_that_kills_its_worker_at_once_fails_alone() {
    let tests = [1, 2, 3, 4, 5, 6]
        .map(|number| format!("  - {{name: test {number}, command: echo {number}}}\n"))
        .concat();
    // The fourth field is the parent. A command that contains PPID would have a shell as its parent.
    let poison =
        "  - {name: poison, command: 'read -r _ _ _ parent _ < /proc/$$/stat; kill -9 $parent'}\n";
    let project = Project::with(
        "shop.casebook.yaml",
        format!("tests:\n{tests}{poison}{}", tests.replace("test", "later")),
    );
    let server = Server::start();
    let _worker = server.worker(&project, 2);
    let arguments = "--cluster-lease 1s --record cluster .";
    server.run(&project, arguments).run().exits(1);
    let run = project.json("cluster/run.json");
    let examples = run["examples"].as_object().unwrap();
    assert_eq!(examples.len(), 13);
    for example in examples.values() {
        let is_poison = example["description"] == "poison";
        let status = if is_poison { "failed" } else { "passed" };
        assert_eq!(example["status"], status, "{example}");
    }
}
