//! `rspec --cluster` shows, records and exits like `rspec`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::record::comparable;
use crate::server::Server;
use crate::support::{Call, Project, eventually};

/// The sample project of the tests of `rspec`.
fn sample() -> Project {
    let project = Project::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rspec");
    for dir in ["spec", "broken", "crashing"] {
        for entry in fs::read_dir(sample.join(dir)).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            project.write(&format!("{dir}/{name}"), &text);
        }
    }
    project
}

fn rspec(server: &Server, project: &Project, arguments: &str) -> Call {
    project.casebook(&format!("rspec --cluster {} {arguments}", server.url()))
}

/// The record, without the number of processes and the time that they needed to load the specs.
fn record(project: &Project, dir: &str) -> Value {
    let mut run = comparable(project, dir);
    let without = |part: &mut Value, field: &str| {
        part.as_object_mut().and_then(|fields| fields.remove(field));
    };
    without(&mut run["metadata"], "load_time");
    without(&mut run["metadata"]["configuration"], "workers");
    run
}

/// The class of the failure of each example, or its status.
fn results(run: &Value) -> Vec<(String, String)> {
    let examples = run["examples"].as_object().unwrap().values();
    let mut results: Vec<_> = examples
        .map(|example| {
            let class = example["exception"]["class_name"].as_str();
            let result = class.or(example["status"].as_str()).unwrap();
            let name = example["description"].as_str().unwrap();
            (name.to_owned(), result.to_owned())
        })
        .collect();
    results.sort();
    results
}

#[test]
fn the_record_of_specs_equals_that_of_one_machine() {
    let (server, project) = (Server::start(), sample());
    let _worker = server.worker(&project, 2);
    let local = project.casebook("rspec -w 2 --record local").run().exits(1);
    let cluster = rspec(&server, &project, "--record cluster").run().exits(1);
    assert_eq!(record(&project, "cluster"), record(&project, "local"));
    let last = |text: &str| {
        let line = text.lines().last().unwrap_or_default();
        line.split(" in ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(last(&cluster.stdout), last(&local.stdout));
    assert!(
        cluster.stderr.contains("the shelf is built\n"),
        "{cluster:#?}"
    );
}

/// The second example kills its worker; `always` or the first time.
fn killing(always: bool) -> Project {
    let condition = if always { "true" } else { "count == 1" };
    Project::with(
        "spec/killing_spec.rb",
        format!(
            "RSpec.describe \"Killing\" do
  def count(name)
    File.write(name, \"x\", mode: \"a\")
    File.size(name)
  end

  it(\"comes before\") {{ count(\"before\") }}

  it \"kills its worker\" do
    count = count(\"kills\")
    if {condition}
      Process.kill(:KILL, Process.ppid)
      sleep 1
    end
  end

  it(\"comes after\") {{ count(\"after\") }}
end
"
        ),
    )
}

#[test]
fn after_the_death_of_a_worker_only_the_unfinished_examples_run_again() {
    let (server, project) = (Server::start(), killing(false));
    let _worker = server.worker(&project, 1);
    let arguments = "--seed 1 --cluster-lease 4 --record cluster -- --order defined";
    rspec(&server, &project, arguments).run().exits(0);
    let counts = ["before", "kills", "after"].map(|name| project.read(name).len());
    assert_eq!(counts, [1, 2, 1]);
    let run = project.json("cluster/run.json");
    let results = results(&run);
    assert!(
        results.iter().all(|(_, result)| result == "passed"),
        "{results:?}"
    );
}

#[test]
fn an_example_that_kills_every_worker_fails_alone() {
    let (server, project) = (Server::start(), killing(true));
    let _worker = server.worker(&project, 2);
    let arguments = "--cluster-lease 4 --record cluster -- --order defined";
    rspec(&server, &project, arguments).run().exits(1);
    let expected = [
        ("comes after", "passed"),
        ("comes before", "passed"),
        ("kills its worker", "Casebook::WorkerDied"),
    ];
    let expected = expected.map(|(name, result)| (name.to_owned(), result.to_owned()));
    assert_eq!(results(&project.json("cluster/run.json")), expected);
    // The start of the first attempt may be lost with its worker.
    assert!((2..=3).contains(&project.read("kills").len()));
}

/// The exit code and the record are the same as without a cluster.
fn same(arguments: &str, code: i32) -> Project {
    let (server, project) = (Server::start(), sample());
    let _worker = server.worker(&project, 1);
    let local = format!("rspec -w 1 --record local {arguments}");
    project
        .casebook(&local)
        .env("HOW", "exit!")
        .run()
        .exits(code);
    let arguments = format!("--record cluster {arguments}");
    rspec(&server, &project, &arguments)
        .env("HOW", "exit!")
        .run()
        .exits(code);
    assert_eq!(
        record(&project, "cluster"),
        record(&project, "local"),
        "{arguments}"
    );
    project
}

#[test]
fn errors_outside_of_examples_are_the_same_as_on_one_machine() {
    same("broken/load_spec.rb", 1);
    same("broken/suite_spec.rb", 1);
}

#[test]
fn filters_select_the_same_examples_as_on_one_machine() {
    same("spec/shop_spec.rb:12 spec/hooks_spec.rb[1:2]", 0);
    same("-- --tag fast", 0);
    same("spec/slow_spec.rb -- --example time", 0);
}

#[test]
fn no_example_is_the_same_error_as_on_one_machine() {
    let (server, project) = (Server::start(), sample());
    let local = project.casebook("rspec -- --tag missing").run().exits(2);
    let cluster = rspec(&server, &project, "-- --tag missing").run().exits(2);
    assert_eq!(cluster.stderr, local.stderr);
}

#[test]
fn after_a_failure_fail_fast_starts_no_more_examples() {
    let (server, project) = (Server::start(), sample());
    let _worker = server.worker(&project, 1);
    let outcome = rspec(&server, &project, "--fail-fast spec").run().exits(1);
    assert!(outcome.stderr.contains("not run"), "{outcome:#?}");
}

#[test]
fn a_worker_with_other_specs_refuses_them() {
    let (server, project, other) = (Server::start(), sample(), sample());
    other.write("spec/slow_spec.rb", "RSpec.describe(\"Other\") { it { } }");
    let _worker = server.worker(&other, 1);
    let outcome = rspec(&server, &project, "spec/slow_spec.rb").run().exits(2);
    assert!(outcome.stderr.contains("spec/slow_spec.rb"), "{outcome:#?}");
    assert!(
        outcome.stderr.contains("differs from the controller's"),
        "{outcome:#?}"
    );
}

#[test]
fn secrets_of_a_worker_do_not_leave_it() {
    let (server, project) = (Server::start(), Project::new());
    project.write(
        "spec/secret_spec.rb",
        "RSpec.describe(\"Secret\") { it(\"fails\") { puts ENV[\"API_TOKEN\"]; raise ENV[\"API_TOKEN\"] } }",
    );
    let call = format!("worker --connect {} --jobs 1", server.url());
    let mut worker = project
        .casebook(&call)
        .env("API_TOKEN", "tinker-bell-77")
        .start();
    worker.wait_for_stderr("press Ctrl-C to quit\n");
    let outcome = rspec(&server, &project, "--record cluster").run().exits(1);
    let shown = format!("{outcome:?}{}", project.read("cluster/run.json"));
    assert!(!shown.contains("tinker-bell-77"), "{shown}");
    assert!(
        project.read("cluster/run.json").contains("[redacted]"),
        "{shown}"
    );
}

#[test]
fn a_killed_controller_is_continued() {
    let (server, project) = (Server::start(), Project::new());
    for file in ["a", "b", "c"] {
        let examples = (0..6).map(|number| format!("  it(\"{number}\") {{ sleep 0.2 }}\n"));
        let examples: String = examples.collect();
        let spec = format!("RSpec.describe(\"{file}\") do\n{examples}end\n");
        project.write(&format!("spec/{file}_spec.rb"), spec);
    }
    let _worker = server.worker(&project, 2);
    let arguments = "--run-id build-9 --record cluster spec";
    let run = rspec(&server, &project, arguments).start();
    eventually("an example passes", || {
        project.exists("cluster/events.jsonl")
            && project
                .read("cluster/events.jsonl")
                .contains("ExamplePassed")
    });
    run.signal(rustix::process::Signal::KILL);
    drop(run);
    rspec(&server, &project, arguments).run().exits(0);
    project.casebook("rspec --record local spec").run().exits(0);
    let [cluster, local] = ["cluster", "local"].map(|dir| {
        let attempts = ["attempt", "attempts"];
        crate::record::without(record(&project, dir), &attempts)
    });
    assert_eq!(results(&cluster).len(), 18);
    assert_eq!(cluster["examples"], local["examples"]);
}
