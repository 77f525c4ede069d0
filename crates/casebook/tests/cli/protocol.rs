//! The examples in the docs: other runners that use the protocol.

use std::path::Path;

use serde_json::Value;

use crate::support::{Outcome, Project};

/// Records a run of an example of the docs with these tests.
fn record(example: &str, project: &Project, tests: &str) -> (Outcome, Value) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/protocol");
    let script = format!("\"$CASEBOOK\" record --record out -- \"$RUNNER\" {tests}");
    let call = project.bash(&script).env("RUNNER", dir.join(example));
    let outcome = call.run();
    (outcome, project.json("out/run.json"))
}

fn statuses(run: &Value) -> Vec<(&str, &str)> {
    let examples = run["examples"].as_object().unwrap().values();
    examples
        .map(|example| {
            let text = |field: &str| example[field].as_str().unwrap();
            (text("description"), text("status"))
        })
        .collect()
}

#[test]
fn the_runner_in_shell() {
    let project = Project::with("good.sh", "exit 0");
    project.write("bad.sh", "echo 'a \"quoted\" reason'; exit 3");
    let (outcome, run) = record("runner.sh", &project, "good.sh bad.sh");
    assert_eq!(outcome.code, 1, "{outcome:#?}");
    assert_eq!(outcome.stdout, "ok good.sh\nnot ok bad.sh\n");
    assert!(
        outcome.stderr.ends_with("recorded in out\n") && !outcome.stderr.contains("warning"),
        "{outcome:#?}"
    );
    assert_eq!(
        statuses(&run),
        [("good.sh", "passed"), ("bad.sh", "failed")]
    );
    let message = &run["examples"]["bad.sh"]["exception"]["message"];
    assert_eq!(message, "exit code 3: a \"quoted\" reason");
}

#[test]
fn the_runner_in_python() {
    let tests =
        "def test_adds():\n    assert 1 + 1 == 2\n\ndef test_fails():\n    raise KeyError('tax')\n";
    let project = Project::with("sums.py", tests);
    let (outcome, run) = record("runner.py", &project, "sums.py");
    assert_eq!(outcome.code, 1, "{outcome:#?}");
    assert!(!outcome.stderr.contains("warning"), "{outcome:#?}");
    assert_eq!(
        statuses(&run),
        [("test_adds", "passed"), ("test_fails", "failed")]
    );
    let failed = &run["examples"]["sums.py::test_fails"];
    assert_eq!(failed["exception"]["class_name"], "KeyError");
    assert_eq!(failed["location"], "sums.py:4");
}

#[test]
fn the_runners_work_without_casebook() {
    let project = Project::with("good.sh", "exit 0");
    project.write("good.py", "def test_adds():\n    assert True\n");
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/protocol");
    let call = project.bash("\"$FOLDER/runner.sh\" good.sh && \"$FOLDER/runner.py\" good.py");
    let outcome = call.env("FOLDER", dir).run().exits(0);
    assert_eq!(outcome.stdout, "ok good.sh\nok good.py test_adds\n");
}
