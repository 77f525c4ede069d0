//! RSpec in several processes.

use std::collections::BTreeSet;
use std::fs;

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::Value;

use super::{example, record, results, sample};
use crate::support::{Call, Project, eventually};

pub(super) fn workers(project: &Project, arguments: &str) -> Call {
    project.casebook(&format!("rspec --record par {arguments}"))
}

/// A run without times, run ids, worker numbers and stack frames of Ruby itself.
fn comparable(mut run: Value) -> Value {
    for field in ["run_id", "started_at", "finished_at", "seed", "metadata"] {
        run[field].take();
    }
    for example in run["examples"].as_object_mut().unwrap().values_mut() {
        for field in ["started_at", "finished_at", "duration_ms", "conversation"] {
            example[field].take();
        }
        for evaluation in example["evaluations"].as_array_mut().unwrap() {
            evaluation["timestamp"].take();
        }
        if let Some(metadata) = example["metadata"].as_object_mut() {
            metadata.remove("worker");
        }
    }
    run
}

#[test]
fn the_record_equals_that_of_one_process() {
    let project = sample();
    record(&project, "").run().exits(1);
    let alone = comparable(project.json("out/run.json"));
    for arguments in ["-w 1", "-w 3", "-w 2 --seed 7"] {
        let outcome = workers(&project, arguments).run().exits(1);
        assert_eq!(outcome.stderr.matches("the shelf is built").count(), 1);
        let shared = project.json("par/run.json");
        assert_eq!(comparable(shared), alone, "{arguments}");
        fs::remove_dir_all(project.at("par")).unwrap();
    }
}

/// Two examples that wait for each other: a single process would time out.
const MEETING: &str = r#"
RSpec.describe "Meeting" do
  %w[a b].permutation.each do |one, other|
    it "of #{one} with #{other}" do
      puts "number=#{ENV["TEST_ENV_NUMBER"]}"
      File.write(one, "")
      deadline = Time.now + 120
      sleep 0.01 until File.exist?(other) || Time.now > deadline
      expect(File).to exist(other)
    end
  end
end
"#;

#[test]
fn examples_are_distributed_over_numbered_processes() {
    let project = sample();
    project.write("spec/meeting_spec.rb", MEETING);
    let outcome = workers(&project, "-w 2 spec/meeting_spec.rb")
        .run()
        .exits(0);
    let run = project.json("par/run.json");
    let examples = run["examples"].as_object().unwrap().values();
    let shared: BTreeSet<_> = examples
        .map(|example| example["metadata"]["worker"].as_u64().unwrap())
        .collect();
    assert_eq!(shared, BTreeSet::from([1, 2]));
    assert_eq!(run["metadata"]["configuration"]["workers"], 2);
    assert!(run["metadata"]["versions"]["rspec"].is_string());
    for number in ["number=\n", "number=2\n"] {
        assert!(outcome.stderr.contains(number), "{outcome:#?}");
    }
}

#[test]
fn results_are_shown_as_one_run() {
    let project = sample();
    let outcome = workers(&project, "-w 2 spec/shop_spec.rb:20 spec/slow_spec.rb")
        .run()
        .exits(1);
    for shown in [
        "✗ Shop › prices › says what was wrong",
        "✗ spec/shop_spec.rb  1 failed",
        "✓ spec/slow_spec.rb  4 passed",
        "5 examples: 4 passed, 1 failed",
    ] {
        assert!(outcome.stdout.contains(shown), "{shown}: {outcome:#?}");
    }
    assert!(!outcome.stdout.contains("casebook_worker"), "{outcome:#?}");
}

#[test]
fn shared_examples_belong_to_the_file_that_includes_them() {
    let project = sample();
    project.write(
        "spec/shared.rb",
        "RSpec.shared_examples('shared') { it('is shared') {} }",
    );
    project.write(
        "spec/includes_spec.rb",
        "require_relative 'shared'\nRSpec.describe('Includes') { include_examples 'shared' }",
    );
    let outcome = workers(&project, "-w 1 spec/includes_spec.rb")
        .run()
        .exits(0);
    let line = outcome.stdout.lines().next().unwrap();
    assert!(line.starts_with("✓ spec/includes_spec.rb  1 passed"));
    let run = project.json("par/run.json");
    assert_eq!(example(&run, "is shared")["location"], "spec/shared.rb:1");
}

#[test]
fn an_example_that_exits_its_process_fails_alone() {
    for (how, reason) in [
        ("exit!", "exited while running this example: exit code 7"),
        ("exit", "exited while running this example: exit code 7"),
        ("KILL", "was killed by SIGKILL while running this example"),
    ] {
        let project = sample();
        workers(&project, "-w 2 crashing")
            .env("HOW", how)
            .run()
            .exits(1);
        let run = project.json("par/run.json");
        assert_eq!(
            results(&run),
            "passed Crash::comes before\n\
             failed Crash::ends the process Casebook::WorkerDied\n\
             passed Crash::comes after\n\
             passed Crash::comes last\n",
            "{how}"
        );
        let crashed = example(&run, "ends the process");
        let expected = format!("the RSpec process {reason}");
        assert_eq!(crashed["exception"]["message"], expected);
        let rerun = crashed["metadata"]["rerun"].as_str().unwrap();
        assert!(rerun.starts_with("rspec './crashing/"), "{rerun}");
    }
}

#[test]
fn errors_outside_of_examples_are_reported_once() {
    let project = sample();
    workers(&project, "-w 3 broken/load_spec.rb").run().exits(1);
    assert_eq!(
        results(&project.json("par/run.json")),
        "failed error while loading ./broken/load_spec.rb LoadError\n"
    );
    fs::remove_dir_all(project.at("par")).unwrap();
    let outcome = workers(&project, "-w 2 broken/suite_spec.rb")
        .run()
        .exits(1);
    assert!(outcome.stderr.contains("1 example not run"), "{outcome:#?}");
    assert_eq!(
        results(&project.json("par/run.json")),
        "failed error in a `before(:suite)` hook RuntimeError\n"
    );
    fs::remove_dir_all(project.at("par")).unwrap();

    // An error before the formatter is loaded.
    project.write("spec/spec_helper.rb", "raise 'no helper'");
    let outcome = workers(&project, "-w 2 spec/slow_spec.rb")
        .env("HOME", project.at("home"))
        .run()
        .exits(1);
    let message = "✗ error while loading ./spec/spec_helper\n   RuntimeError: no helper\n";
    assert!(outcome.stdout.starts_with(message), "{outcome:#?}");
}

#[test]
fn runs_that_cannot_start_are_reported() {
    let project = sample();
    let nothing = workers(&project, "spec/slow_spec.rb -- --tag nothing").run();
    assert_eq!(
        nothing.exits(2).stderr,
        "error: RSpec found no examples: these files contain none, or its options exclude all of them\n"
    );
    std::fs::remove_dir_all(project.at("par")).unwrap();
    let missing = workers(&project, "--command rspek").run();
    assert_snapshot!(missing.shown(), @"
    exit code 2
    --- stderr
    error: cannot start `rspek`: command not found
    ");
    project.write("not-rspec", "#!/bin/sh\necho no gems here >&2\nexit 4\n");
    let early = workers(&project, "-w 1 --command")
        .arg("sh not-rspec")
        .run();
    assert_snapshot!(early.shown(), @"
    exit code 2
    --- stderr
    no gems here
    error: RSpec exited before running any examples: exit code 4; see its output above
    ");
}

#[test]
fn the_first_failure_can_stop_the_run() {
    let project = sample();
    let outcome = workers(&project, "-w 2 --fail-fast").run().exits(1);
    assert!(outcome.stderr.contains("not run"), "{outcome:#?}");
    let run = project.json("par/run.json");
    assert!(run["examples"].as_object().unwrap().len() < 22);
    fs::remove_dir_all(project.at("par")).unwrap();
    // The project's own configuration applies too.
    project.write(".rspec", "--fail-fast\n");
    let outcome = workers(&project, "-w 1").run().exits(1);
    assert!(outcome.stderr.contains("not run"), "{outcome:#?}");
}

#[test]
fn the_longest_of_the_last_run_come_first() {
    let project = sample();
    project.write(
        "spec/long_spec.rb",
        "RSpec.describe('Long') { [0, 0, 1].each { |time| it(\"takes #{time}\") { sleep time } } }",
    );
    project
        .casebook("rspec -w 1 spec/long_spec.rb")
        .run()
        .exits(0);
    workers(&project, "-w 1 spec/long_spec.rb").run().exits(0);
    let events = project.journal("par/events.jsonl");
    let first = events
        .iter()
        .find(|event| event["event_type"] == "ExampleStarted")
        .unwrap();
    assert_eq!(first["payload"]["description"], "takes 1");
}

#[test]
fn ctrl_c_lets_running_examples_finish() {
    let project = sample();
    project.write(
        "spec/wait_spec.rb",
        "RSpec.describe('Wait') { 900.times { |i| it(\"waits #{i}\") { File.write('begun', ''); sleep 0.1 } } }",
    );
    let live = workers(&project, "-w 1 spec/wait_spec.rb").start();
    eventually("an example runs", || project.exists("begun"));
    live.signal(Signal::INT);
    let outcome = live.wait().exits(130);
    assert!(outcome.stderr.contains("examples not run"), "{outcome:#?}");
    let results = results(&project.json("par/run.json"));
    assert!(
        results
            .lines()
            .all(|line| line.starts_with("passed Wait::waits")),
        "{results}"
    );
}

#[test]
fn ctrl_c_twice_kills_them() {
    let project = sample();
    project.write(
        "spec/wait_spec.rb",
        "RSpec.describe('Wait') { it('waits') { File.write('begun', ''); sleep 600 } }",
    );
    let mut live = workers(&project, "-w 1 spec/wait_spec.rb").start();
    eventually("an example runs", || project.exists("begun"));
    live.signal(Signal::INT);
    live.wait_for_stderr("press Ctrl-C again to kill them\n");
    live.signal(Signal::INT);
    live.wait().exits(130);
    let run = project.json("par/run.json");
    assert_eq!(results(&run), "failed Wait::waits Casebook::Interrupted\n");
}

#[test]
fn a_configured_seed_is_kept() {
    let project = sample();
    let seed = |arguments: &str| {
        let call = workers(&project, &format!("-w 1 spec/slow_spec.rb {arguments}"));
        call.run().exits(0);
        let seed = project.json("par/run.json")["seed"].clone();
        fs::remove_dir_all(project.at("par")).unwrap();
        seed
    };
    assert_eq!(seed("--seed 7"), 7);
    assert_eq!(seed("-- --seed 77"), 77);
    project.write(".rspec", "--require spec_helper\n--order rand:777\n");
    assert_eq!(seed(""), 777);
}

/// Ids come from the first worker that has loaded the specs; another worker may not have them.
#[test]
fn examples_that_differ_between_loads_are_not_lost() {
    let project = sample();
    project.write(
        "spec/random_spec.rb",
        "RSpec.describe('Random') { 6.times { |i| it(\"is there #{i}\") { sleep 0.3 } if ENV['TEST_ENV_NUMBER'] == '' || i < 1 } }",
    );
    workers(&project, "-w 2 spec/random_spec.rb").run();
    let run = project.json("par/run.json");
    let examples = run["examples"].as_object().unwrap();
    assert!(examples.len() == 6 || examples.len() == 1, "{run:#}");
    for example in examples
        .values()
        .filter(|example| example["status"] == "failed")
    {
        assert_eq!(example["exception"]["class_name"], "Casebook::NotFound");
    }
}

#[test]
fn specs_may_use_libraries_that_rspec_loads() {
    let spec =
        r#"RSpec.describe("Text") { it("is read") { expect(StringIO.new("a").read).to eq "a" } }"#;
    let project = Project::with("spec/text_spec.rb", spec);
    workers(&project, "-w 1").run().exits(0);
}

/// Both examples run at the same time and fail on files in one directory.
const SANDBOX: &str = r#"
RSpec.describe "Sandbox" do
  %w[a b].permutation.each do |one, other|
    it "has no #{one}" do
      File.write(one, "")
      deadline = Time.now + 60
      sleep 0.01 until File.exist?(other) || Time.now > deadline
      File.read(File.join(Dir.pwd, "spec/sandbox", one))
    end
  end
end
"#;

#[test]
fn failures_on_files_that_workers_share_are_explained() {
    let project = Project::with("spec/sandbox_spec.rb", SANDBOX);
    let stderr = workers(&project, "-w 2").run().exits(1).stderr;
    let warning = "warning: 2 failed examples of several processes name files in spec/sandbox; if they pass with -w 1, ";
    assert!(stderr.contains(warning), "{stderr}");
    fs::remove_dir_all(project.at("par")).unwrap();
    let stderr = workers(&project, "-w 1").run().exits(1).stderr;
    assert!(!stderr.contains("several processes"), "{stderr}");
}
