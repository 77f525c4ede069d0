//! The rspec-agents gem, imitated where it needs other gems: its failed expectations and its parallel mode.

use serde_json::{Value, json};

use super::{example, record, results};
use crate::support::Project;

/// As in the gem: a failed expectation is published, then raised.
const EXPECTATION: &str = r#"
module RSpec::Agents
  module Events
    EvaluationRecorded = Struct.new(:example_id, :turn_number, :mode, :type, :description, :passed, :failure_message,
                                    :metadata, :time, keyword_init: true)
  end

  class EventBus
    class << self; attr_accessor :current; end
    def self.current? = !current.nil?
    def subscribe(&handler) = (@handlers ||= []) << handler
    def publish(event) = (@handlers || []).each { |handler| handler.call(event) }
  end
end

def agent_expectation(message)
  RSpec::Agents::EventBus.current.publish(RSpec::Agents::Events::EvaluationRecorded.new(
    example_id: "x", turn_number: 1, mode: :hard, type: :quality, description: "to be polite", passed: false,
    failure_message: message, metadata: {}, time: Time.now
  ))
  raise RSpec::Expectations::ExpectationNotMetError, message
end

RSpec.describe "Agent" do
  it("is polite") { agent_expectation("expected a greeting\n") }
  it("adds") { expect(1 + 1).to eq 3 }
end
"#;

#[test]
fn a_failed_expectation_is_recorded_once() {
    let project = Project::with("spec/agent_spec.rb", EXPECTATION);
    record(&project, "").run().exits(1);
    let run = project.json("out/run.json");
    for (description, expectation) in [
        ("is polite", "to be polite"),
        ("adds", r#"it("adds") { expect(1 + 1).to eq 3 }"#),
    ] {
        let evaluations = example(&run, description)["evaluations"]
            .as_array()
            .unwrap();
        assert_eq!(evaluations.len(), 1, "{evaluations:#?}");
        assert_eq!(evaluations[0]["description"], expectation);
    }
}

/// As in the gem: the controller lists the examples in its own process, then starts workers.
const DISCOVERY: &str = r"
def discover(paths)
  configure(paths)
  RSpec.configuration.load_spec_files
  RSpec.world.all_examples.map(&:id)
ensure
  RSpec.reset
end
";

const CONTROLLER: &str = r#"
require "rspec/core"
require "stringio"
def configure(paths)
  RSpec.reset
  RSpec.configuration.reset
  options = RSpec::Core::ConfigurationOptions.new(paths)
  options.configure(RSpec.configuration)
  RSpec.configuration.output_stream = StringIO.new
  RSpec.configuration.formatters.clear
  options
end

require_relative "lib/rspec/agents/parallel/example_discovery"
if ARGV.first == "worker"
  exit RSpec::Core::Runner.new(configure(ARGV.drop(1))).run($stderr, StringIO.new)
end
halves = discover(["spec"]).each_slice(2)
workers = halves.map { |ids| spawn(RbConfig.ruby, __FILE__, "worker", *ids) }
exit workers.map { |pid| Process.wait2(pid).last.success? }.all?
"#;

#[test]
fn workers_of_the_parallel_mode_send_events() {
    let spec = r#"RSpec.describe("Agent") { 4.times { |number| it("answers #{number}") {} } }"#;
    let project = Project::with("spec/agent_spec.rb", spec);
    project.write("lib/rspec/agents/parallel/example_discovery.rb", DISCOVERY);
    project.write("agents.rb", CONTROLLER);
    let outcome = project
        .casebook("record --record out -- ruby agents.rb")
        .run()
        .exits(0);
    assert!(!outcome.stderr.contains("warning"), "{outcome:#?}");
    let run = project.json("out/run.json");
    assert_eq!(
        results(&run).matches("passed Agent::answers").count(),
        4,
        "{}",
        results(&run)
    );
}

/// A `run.json` as the gem writes it.
fn run_file(id: &str, status: &str) -> Value {
    let time = |second: u64| format!("2026-11-15T08:40:{second}.000+01:00");
    let message = |role: &str, text: &str| json!({"role": role, "content": text, "timestamp": time(52), "source": null, "metadata": {}});
    let exception = json!({"class_name": "E", "message": "impolite", "backtrace": ["a.rb:1"]});
    let turn = json!({"number": 1, "user_message": message("user", "Hi"), "agent_response": message("agent", "Hello"),
        "tool_calls": [{"name": "search", "arguments": {"q": 1}, "result": [2], "error": null, "timestamp": time(52), "metadata": {}}],
        "topic": "greeting", "metadata": {}});
    let example = json!({"id": id, "stable_id": format!("example:{id}"), "canonical_path": format!("Agent::{id}"),
        "scenario_id": null, "file": "./spec/a_spec.rb", "description": id, "location": "./spec/a_spec.rb:3", "status": status,
        "started_at": time(51), "finished_at": time(53), "duration_ms": 2000,
        "exception": if status == "failed" { exception } else { Value::Null },
        "conversation": {"started_at": time(51), "ended_at": time(53), "turns": [turn], "final_topic": "greeting", "metadata": {}},
        "evaluations": [{"name": "polite", "description": "polite", "passed": status == "passed", "reasoning": null,
            "timestamp": time(52), "mode": "hard", "type": "quality", "failure_message": null, "metadata": {}}],
        "metadata": {"kept": true}, "rendered_extensions": {"version": 1, "nodes": []}});
    json!({"run_id": format!("run-{id}"), "started_at": time(51), "finished_at": time(54), "seed": 7, "git_commit": null,
        "scenarios": {}, "examples": {id: example}})
}

#[test]
fn run_files_of_the_gem_are_merged() {
    let project = Project::with("one.json", run_file("asks", "passed").to_string());
    project.write("two.json", run_file("answers", "failed").to_string());
    project
        .casebook("merge one.json two.json --record all")
        .run()
        .exits(1);
    let run = project.json("all/run.json");
    assert_eq!(
        results(&run),
        "passed Agent::asks\nfailed Agent::answers E\n"
    );
    for id in ["asks", "answers"] {
        let example = &run["examples"][id];
        assert_eq!(example["duration_ms"], 2000);
        assert_eq!(example["metadata"]["kept"], true);
        assert_eq!(example["evaluations"][0]["description"], "polite");
        let turn = &example["conversation"]["turns"][0];
        assert_eq!(turn["agent_response"]["content"], "Hello");
        assert_eq!(
            (&turn["topic"], &turn["tool_calls"][0]["result"]),
            (&json!("greeting"), &json!([2]))
        );
    }
    assert_eq!(
        run["examples"]["answers"]["exception"]["message"],
        "impolite"
    );
}
