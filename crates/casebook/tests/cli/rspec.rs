//! Real RSpec runs, recorded by the formatter that the binary contains.

mod agents;
mod bundler;
mod nested;
mod output;
mod resume;
mod timeouts;
mod workers;

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Call, Outcome, Project};

/// The sample project.
fn sample() -> Project {
    let project = Project::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rspec");
    copy(&sample, &project.at("."));
    project
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

fn record(project: &Project, arguments: &str) -> Call {
    project.casebook(&format!("record --record out -- rspec {arguments}"))
}

/// Title and status of each example, in order.
fn results(run: &Value) -> String {
    let examples = run["examples"].as_object().unwrap().values();
    let lines: Vec<_> = examples
        .map(|example| {
            let path = example["canonical_path"].as_str().unwrap();
            let status = example["status"].as_str().unwrap();
            let class = example["exception"]["class_name"].as_str();
            let class = class.map_or(String::new(), |class| format!(" {class}"));
            format!("{status} {path}{class}\n")
        })
        .collect();
    lines.concat()
}

fn example<'r>(run: &'r Value, description: &str) -> &'r Value {
    let mut examples = run["examples"].as_object().unwrap().values();
    examples
        .find(|example| example["description"] == description)
        .unwrap_or_else(|| panic!("no example `{description}` in {run:#}"))
}

#[test]
fn a_run_is_recorded_completely() {
    let project = sample();
    let outcome = record(&project, "").run().exits(1);
    assert!(
        outcome.stderr.ends_with("recorded in out\n"),
        "{outcome:#?}"
    );
    let run = project.json("out/run.json");
    assert_snapshot!(results(&run), @"
    passed Shelf::holds books
    passed Shelf::has an order
    passed Shelf::when it is full::still holds books
    failed Cellar::is dark RuntimeError
    failed Cellar::is cold RuntimeError
    passed Shop::prices::adds up
    passed Shop::prices::has a name made by its matcher
    passed Shop::prices::(anonymous)
    passed Shop::prices::is positive
    failed Shop::prices::says what was wrong RSpec::Expectations::ExpectationNotMetError
    failed Shop::prices::tells all that was wrong RSpec::Expectations::MultipleExpectationsNotMetError
    failed Shop::prices::keeps the cause ArgumentError
    failed Shop::prices::survives bytes that are no text RuntimeError
    pending Shop::later::is not written yet
    pending Shop::later::waits for a decision
    pending Shop::later::is skipped
    passed Shop::twins::look the same
    passed Shop::twins::look the same
    passed Slow::takes its time 0
    passed Slow::takes its time 1
    passed Slow::takes its time 2
    passed Slow::takes its time 3
    ");
    assert!(run["seed"].is_number() && run["metadata"]["versions"]["rspec"].is_string());
}

#[test]
fn the_data_of_an_example_is_recorded() {
    let project = sample();
    record(&project, "spec/shop_spec.rb").run().exits(1);
    let run = project.json("out/run.json");

    let adds = example(&run, "adds up");
    assert_eq!(adds["id"], "./spec/shop_spec.rb[1:1:1]");
    assert_eq!(adds["location"], "spec/shop_spec.rb:11");
    assert_eq!(
        adds["metadata"],
        json!({"tags": ["fast", "type:model"], "covers": ["total"]})
    );
    let unnamed = example(&run, "is expected to be empty");
    assert_eq!(unnamed["canonical_path"], "Shop::prices::(anonymous)");
    let shared = &example(&run, "is positive")["metadata"]["shared_examples"][0];
    assert_eq!(
        *shared,
        json!({"name": "a price", "included_at": "spec/shop_spec.rb:18"})
    );
    let skipped = &example(&run, "is skipped")["metadata"]["pending_message"];
    assert_eq!(skipped, "no network");

    let wrong = example(&run, "says what was wrong");
    let exception = &wrong["exception"];
    assert_eq!(exception["location"], "spec/shop_spec.rb:22");
    assert_eq!(
        exception["message"],
        "expected: 4\n     got: 3\n\n(compared using ==)"
    );
    assert_eq!(
        wrong["evaluations"][0]["description"],
        "expect(total).to eq 4"
    );
    assert_eq!(
        wrong["metadata"]["rerun"],
        "rspec './spec/shop_spec.rb[1:1:5]'"
    );

    let all = example(&run, "tells all that was wrong");
    let told: Vec<_> = all["evaluations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|evaluation| evaluation["description"].as_str().unwrap())
        .collect();
    assert_eq!(told, ["expect(1).to eq 2", r#"expect("a").to eq "b""#]);

    let cause = &example(&run, "keeps the cause")["metadata"]["cause"];
    assert_eq!(cause["class_name"], "KeyError");
    let bytes = &example(&run, "survives bytes that are no text")["exception"]["message"];
    assert_eq!(bytes, "broken \u{fffd} bytes");

    let ids: Vec<_> = run["examples"]
        .as_object()
        .unwrap()
        .values()
        .map(|example| example["stable_id"].as_str().unwrap())
        .collect();
    assert!(ids.contains(&"example:fefad0122a2c") && ids.contains(&"example:fefad0122a2c#2"));
}

/// The output of RSpec without the parts that differ between runs.
fn steady(outcome: &Outcome) -> String {
    let lines = outcome.stdout.lines();
    let steady: Vec<_> = lines
        .filter(|line| !line.starts_with("Finished in"))
        .collect();
    steady.join("\n")
}

#[test]
fn formatters_and_output_are_unchanged() {
    let project = sample();
    for arguments in [
        "",
        "--format documentation",
        "--format json --out results.json --format progress",
    ] {
        let mut plain = project.bash(&format!("rspec {arguments}")).run();
        let recorded = record(&project, arguments).run().exits(plain.code);
        plain.stderr = recorded.stderr.clone();
        assert_eq!(steady(&recorded), steady(&plain), "{arguments}");
        fs::remove_dir_all(project.at("out")).unwrap();
    }
    let outcome = record(&project, "spec/slow_spec.rb")
        .env("SPEC_OPTS", "--format documentation")
        .run()
        .exits(0);
    assert!(outcome.stdout.contains("takes its time 3"), "{outcome:#?}");
}

#[test]
fn finished_examples_survive_an_early_exit() {
    for (how, code, reason) in [
        ("exit!", 7, "exit code 7"),
        ("exit", 7, "exit code 7"),
        ("KILL", 137, "SIGKILL"),
    ] {
        let project = sample();
        record(&project, "crashing")
            .env("HOW", how)
            .run()
            .exits(code);
        let run = project.json("out/run.json");
        assert_eq!(
            results(&run),
            "passed Crash::comes before\nfailed Crash::ends the process Casebook::Interrupted\n",
            "{how}"
        );
        let message = &example(&run, "ends the process")["exception"]["message"];
        let expected = format!("the process ended before this example did: {reason}");
        assert_eq!(*message, expected);
    }
}

#[test]
fn errors_outside_examples_are_failures() {
    let project = sample();
    record(&project, "broken/load_spec.rb").run().exits(1);
    let run = project.json("out/run.json");
    assert_eq!(
        results(&run),
        "failed error while loading ./broken/load_spec.rb LoadError\n"
    );
    fs::remove_dir_all(project.at("out")).unwrap();

    record(&project, "broken/suite_spec.rb").run().exits(1);
    let run = project.json("out/run.json");
    assert_eq!(
        results(&run),
        "failed error in a `before(:suite)` hook RuntimeError\n"
    );
    fs::remove_dir_all(project.at("out")).unwrap();

    project.write("spec/spec_helper.rb", "raise 'no helper'");
    // RSpec would take the options of the project for those of the user as well.
    let elsewhere = project.at("home");
    record(&project, "spec/slow_spec.rb")
        .env("HOME", elsewhere)
        .run()
        .exits(1);
    let run = project.json("out/run.json");
    assert_eq!(
        results(&run),
        "failed error while loading ./spec/spec_helper RuntimeError\n"
    );
    let errors = run["examples"].as_object().unwrap();
    let exception = &errors.values().next().unwrap()["exception"];
    assert_eq!(exception["message"], "no helper");
}

#[test]
fn child_processes_are_not_part_of_the_run() {
    let project = sample();
    project.write(
        "spec/nested_spec.rb",
        r#"
        RSpec.describe "Nested" do
          it("forks") { Process.wait(fork { RSpec.configuration.reporter.example_started(RSpec.current_example) }) }
          it("runs another RSpec") { expect(system("rspec spec/slow_spec.rb", out: File::NULL)).to be true }
          it("has a clean environment") { expect(ENV.values_at("CASEBOOK_EVENTS", "SPEC_OPTS")).to eq [nil, nil] }
        end
        "#,
    );
    record(&project, "spec/nested_spec.rb").run().exits(0);
    assert_eq!(
        results(&project.json("out/run.json")),
        "passed Nested::forks\npassed Nested::runs another RSpec\npassed Nested::has a clean environment\n"
    );
    assert!(!project.read("out/run.json").contains("attempts"));
}

#[test]
fn a_frozen_clock_and_stubbed_libraries_are_supported() {
    let project = sample();
    project.write(
        "spec/stubs_spec.rb",
        r#"
        RSpec.describe "Stubs" do
          it "stubs what the formatter uses" do
            allow(Time).to receive(:now).and_return(Time.at(0))
            allow(JSON).to receive(:generate).and_raise("no JSON")
            allow(UNIXSocket).to receive(:new).and_raise("no socket")
          end
        end
        "#,
    );
    let outcome = record(&project, "spec/stubs_spec.rb").run().exits(0);
    assert!(!outcome.stderr.contains("casebook:"), "{outcome:#?}");
    let run = project.json("out/run.json");
    let started = example(&run, "stubs what the formatter uses")["started_at"].clone();
    assert!(!started.as_str().unwrap().starts_with("1970"));
}

#[test]
fn a_dry_run_is_not_recorded() {
    let project = sample();
    let outcome = record(&project, "--dry-run spec/slow_spec.rb")
        .run()
        .exits(0);
    assert!(outcome.stderr.contains("sent no events"), "{outcome:#?}");
}

#[test]
fn without_a_socket_the_formatter_does_nothing() {
    let project = sample();
    let formatter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ruby/casebook_formatter.rb");
    let rspec = format!(
        "rspec --require '{}' --format Casebook::Formatter --format progress spec/slow_spec.rb",
        formatter.display()
    );
    let outcome = project.bash(&rspec).run().exits(0);
    assert!(
        outcome.stdout.starts_with("....") && outcome.stderr.is_empty(),
        "{outcome:#?}"
    );
    let unreachable = project
        .bash(&rspec)
        .env("CASEBOOK_EVENTS", "/nowhere/events")
        .run()
        .exits(0);
    assert_eq!(unreachable.stderr.lines().count(), 1, "{unreachable:#?}");
}

/// A fake gem with either kind of bus and the gem's events.
const AGENTS: &str = r#"
module RSpec::Agents
  module Events
    UserMessage = Struct.new(:example_id, :turn_number, :text, :source, :time, keyword_init: true)
    AgentResponse = Struct.new(:example_id, :turn_number, :text, :tool_calls, :metadata, :time, keyword_init: true)
    ExampleStarted = Struct.new(:example_id, :time, keyword_init: true)
  end
  ToolCall = Struct.new(:name, :arguments, :result, keyword_init: true)

  class EventBus
    def subscribe(&handler) = (@handlers ||= []) << handler
    def publish(event) = (@handlers || []).each { |handler| handler.call(event) }
    KIND
  end
end

RSpec.describe "Agent" do
  it "answers", rspec_agents_scenario: { name: "corporate event", goal: "Find a venue for 50 people" } do
    bus = RSpec::Agents::EventBus.BUS
    id = Thread.current[:rspec_agents_example_id]
    events = RSpec::Agents::Events
    bus.publish(events::ExampleStarted.new(example_id: id, time: Time.now))
    bus.publish(events::UserMessage.new(example_id: "other", turn_number: 1, text: "Hi", source: :script, time: Time.now))
    call = RSpec::Agents::ToolCall.new(name: :search, arguments: { q: 1 }, result: false)
    bus.publish(events::AgentResponse.new(example_id: id, turn_number: 1, text: "Hello", tool_calls: [call],
                                          metadata: { tokens: 3 }, time: Time.now))
  end
end
"#;

#[test]
fn events_of_the_agents_bus_belong_to_the_running_example() {
    let current =
        "class << self; attr_accessor :current; end\n    def self.current? = !current.nil?";
    for (kind, bus) in [
        (current, "current"),
        ("def self.instance = @instance ||= new", "instance"),
    ] {
        let project = sample();
        let spec = AGENTS.replace("KIND", kind).replace("BUS", bus);
        project.write("spec/agent_spec.rb", spec);
        record(&project, "spec/agent_spec.rb").run().exits(0);
        let run = project.json("out/run.json");
        let example = example(&run, "answers");
        assert_eq!(example["scenario_id"], "scenario_b5e60561");
        assert_eq!(example["metadata"].get("attempts"), None);
        let turn = &example["conversation"]["turns"][0];
        assert_eq!(turn["user_message"]["content"], "Hi");
        assert_eq!(turn["agent_response"]["metadata"]["tokens"], 3);
        let call = &turn["tool_calls"][0];
        assert_eq!(
            (&call["name"], &call["result"]),
            (&json!("search"), &json!(false))
        );
    }
}
