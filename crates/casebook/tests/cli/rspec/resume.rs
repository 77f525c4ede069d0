//! `rspec --resume`: runs the remaining examples of a run.

use rustix::process::Signal;

use crate::support::{Project, eventually};

/// Examples that log their numbers; the fourth waits for a file.
const SPEC: &str = r##"
RSpec.describe "Row" do
  (1..6).each do |number|
    it "has #{number}", slow: number == 6 do
      sleep 0.01 until number != 4 || File.exist?("go")
      File.write("log", "#{number}\n", mode: "a")
      expect(number).not_to eq 2
    end
  end
end
"##;

fn project_with_killed_run() -> Project {
    let project = Project::with("spec/row_spec.rb", SPEC);
    let live = project
        .casebook("rspec -w 1 spec/row_spec.rb -- --tag ~slow --order defined")
        .start();
    let journal = ".casebook/runs/latest/events.jsonl";
    eventually("the fourth example runs", || {
        project.exists(journal) && has_started(&project, journal, "has 4")
    });
    live.signal(Signal::KILL);
    drop(live);
    project.write("go", "");
    project
}

/// Whether the example has started. The first line of the journal also contains the names of all planned examples.
fn has_started(project: &Project, journal: &str, name: &str) -> bool {
    let journal = project.read(journal);
    let mut started = journal
        .lines()
        .filter(|line| line.contains("\"ExampleStarted\""));
    started.any(|line| line.contains(name))
}

#[test]
fn only_unfinished_examples_run_with_the_specs_and_options_of_the_run() {
    let project = project_with_killed_run();
    project.write(
        "spec/other_spec.rb",
        "RSpec.describe(\"Other\") { it(\"is not part of the run\") {} }",
    );
    let logged = project.read("log");
    let outcome = project.casebook("rspec --resume -w 2").run().exits(1);
    assert!(outcome.stdout.contains("2 passed"), "{outcome:#?}");
    let message = "1 example failed before; run `casebook report .casebook/runs/";
    assert!(outcome.stderr.contains(message), "{outcome:#?}");
    let added = project.read("log")[logged.len()..].to_owned();
    let mut added: Vec<_> = added.lines().collect();
    added.sort_unstable();
    // The killed process may have seen the file before it ended.
    added.dedup();
    assert_eq!(added, ["4", "5"]);
    let run = project.json(".casebook/runs/latest/run.json");
    let statuses: Vec<_> = run["examples"]
        .as_object()
        .unwrap()
        .values()
        .map(|example| &example["status"])
        .collect();
    assert_eq!(statuses, ["passed", "failed", "passed", "passed", "passed"]);
}

#[test]
fn a_finished_run_is_not_run_again() {
    let project = project_with_killed_run();
    project.casebook("rspec --resume -w 1").run().exits(1);
    let (journal, log) = (
        project.read(".casebook/runs/latest/events.jsonl"),
        project.read("log"),
    );
    let outcome = project.casebook("rspec --resume -w 1").run().exits(1);
    assert!(
        outcome
            .stderr
            .contains("have finished; nothing was run\n1 example failed before"),
        "{outcome:#?}"
    );
    assert_eq!(project.read(".casebook/runs/latest/events.jsonl"), journal);
    assert_eq!(project.read("log"), log);
}

#[test]
fn an_interrupted_run_mentions_it() {
    let project = Project::with("spec/row_spec.rb", SPEC);
    let mut live = project.casebook("rspec -w 1 -- --order defined").start();
    let journal = ".casebook/runs/latest/events.jsonl";
    eventually("the fourth example runs", || {
        project.exists(journal) && has_started(&project, journal, "has 4")
    });
    live.signal(Signal::INT);
    live.wait_for_stderr("stopping after");
    project.write("go", "");
    let outcome = live.finish();
    assert!(
        outcome
            .stderr
            .contains("2 examples not run; to run the rest, use `casebook rspec --resume`"),
        "{outcome:#?}"
    );
    project.casebook("rspec --resume -w 1").run().exits(1);
    assert_eq!(project.read("log"), "1\n2\n3\n4\n5\n6\n");
}
