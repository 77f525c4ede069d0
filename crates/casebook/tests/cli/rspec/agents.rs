//! The rspec-agents gem, imitated where it needs other gems: its failed expectations and its parallel mode.

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
const DISCOVERY: &str = r#"
def discover(paths)
  configure(paths)
  RSpec.configuration.load_spec_files
  RSpec.world.all_examples.map(&:id)
ensure
  RSpec.reset
end
"#;

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
    let spec = r##"RSpec.describe("Agent") { 4.times { |number| it("answers #{number}") {} } }"##;
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
