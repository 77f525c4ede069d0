//! Generated specs, with real Ruby and RSpec: they load, and an example that fails is never reported as implemented.

use serde_json::{Value, json};

use crate::support::{Outcome, Project};

/// A gem whose helper is `spec/helper.rb`.
fn gem(source: &str) -> Project {
    let project = Project::with("lib/gate/door.rb", source);
    project.write("Gemfile", "");
    project.write("lib/gate.rb", "module Gate\nend\n");
    project.write("spec/helper.rb", "require \"gate\"\n");
    project.write("spec/gate_spec.rb", "require \"helper\"\n");
    project
}

fn pipeline(project: &Project, method: &str) -> (Value, Outcome) {
    let typed = format!("design pipeline lib/gate/door.rb#{method}");
    let outcome = project.casebook(&typed).run();
    let answer = serde_json::from_str(&outcome.stdout).unwrap_or_default();
    (answer, outcome)
}

const DOOR: &str = "\
module Gate
  class Door
    def open(names, *rest, key: nil, **options, &block)
      return :nobody if names.empty?
      return :extra unless rest.empty?
      return :locked if key.nil?

      options[:fast] ? :fast : :slow
    end

    # Redefined below, so its results are not those that the code shows.
    def close(name)
      return :none if name.nil?

      :closed
    end

    def knock = hidden
    private def hidden = 1
  end

  class Lock
    def open = true
  end
  private_constant :Lock
end

Gate::Door.define_method(:close) { |_| raise ArgumentError, 'it is {STUCK}' }
";

#[test]
fn a_spec_loads_and_its_examples_pass() {
    let project = gem(DOOR);
    let (answer, _) = pipeline(&project, "Gate::Door#open");
    let examples = &answer["examples"];
    assert!(examples["implemented"].as_u64() > Some(2), "{answer}");
    assert_eq!(examples["not_run"], 0, "{answer}");
    let spec = project.read("spec/lib/gate/door_spec.rb");
    let start = "# frozen_string_literal: true\n\nrequire \"helper\"\nrequire \"gate/door\"\n\nRSpec.describe Gate::Door do\n";
    assert!(spec.starts_with(start), "{spec}");
    let call = "service.open(names, *rest, key: key, **options, &block)";
    assert!(spec.contains(call), "{spec}");
    let ran = project.bash("rspec").run().exits(0);
    assert!(ran.stdout.contains(" 0 failures"), "{}", ran.stdout);
}

#[test]
fn an_example_that_fails_becomes_pending_with_its_error() {
    let project = gem(DOOR);
    let (answer, outcome) = pipeline(&project, "close");
    let expected = json!({ "implemented": 0, "pending": 2, "not_run": 0 });
    assert_eq!(answer["examples"], expected, "{outcome:#?}");
    assert_eq!(outcome.code, 2);
    let warning = "Warning: implement: 2 examples failed and are pending now\n";
    assert!(outcome.stderr.contains(warning), "{}", outcome.stderr);
    let spec = project.read("spec/lib/gate/door_spec.rb");
    let pending = "        # ArgumentError: it is { STUCK}\n        \
                   skip 'To be completed: it failed: ArgumentError: it is { STUCK}'\n";
    assert!(spec.contains(pending), "{spec}");
    let ran = project.bash("rspec").run().exits(0);
    let expected = "2 examples, 0 failures, 2 pending";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    project
        .casebook("design review lib/gate/door.rb")
        .run()
        .exits(0);
}

#[test]
fn examples_that_cannot_be_run_are_not_reported_as_implemented() {
    for (helper, rspec, reason) in [
        (
            "raise IOError, 'no disk'",
            None,
            "not run: IOError: no disk",
        ),
        ("", Some("exit 3"), "not run: rspec wrote no result"),
        ("", Some("echo no ruby; exit 127"), "not run: no ruby"),
    ] {
        let project = gem("module Gate\nclass Door\ndef open = 1\nend\nend\n");
        project.write("spec/helper.rb", helper);
        if let Some(script) = rspec {
            project.write("bin/rspec", format!("#!/bin/sh\n{script}\n"));
            project.bash("chmod +x bin/rspec").run().exits(0);
        }
        let call = project.casebook("design pipeline lib/gate/door.rb#open");
        let outcome = call.path_first(&project.at("bin")).run().exits(2);
        let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let expected = json!({ "implemented": 0, "pending": 0, "not_run": 1 });
        assert_eq!(answer["examples"], expected, "{reason}");
        let warning = format!("implement: {reason}; 1 example is written, but not verified");
        assert!(outcome.stderr.contains(&warning), "{}", outcome.stderr);
    }
}

#[test]
fn private_methods_and_classes_are_skipped_with_a_reason() {
    let project = gem(DOOR);
    for (method, reason) in [
        ("hidden", "the method is private"),
        ("Gate::Lock#open", "Gate::Lock is a private constant"),
    ] {
        let (_, outcome) = pipeline(&project, method);
        let expected =
            format!("Error: no spec is written: {reason}; test it through a public method\n");
        assert_eq!((outcome.code, outcome.stderr), (1, expected), "{method}");
        assert!(!project.exists("spec/lib/gate/door_spec.rb"));
    }
    let survey = project.casebook("design survey --json").run().exits(0);
    assert!(!survey.stdout.contains("Lock"), "{}", survey.stdout);
}

#[test]
fn an_instance_whose_creation_is_unknown_is_tried() {
    let wall = "module Gate\nclass Wall\ndef initialize(*args) = super()\nend\n";
    for (class, examples, kept) in [
        (
            "class Door < Wall\ndef open = :open\nend\nend\n",
            json!({ "implemented": 1, "pending": 0, "not_run": 0 }),
            "      expect(result).to eq(:open)\n",
        ),
        (
            "class Door < Wall\ndef self.new = raise(IOError, 'no disk')\ndef open = :open\nend\nend\n",
            json!({ "implemented": 0, "pending": 1, "not_run": 0 }),
            "      # IOError: no disk\n      skip 'To be completed: it is unknown how to create an instance'\n",
        ),
    ] {
        let project = gem(&format!("{wall}{class}"));
        let (answer, outcome) = pipeline(&project, "open");
        assert_eq!(answer["examples"], examples, "{outcome:#?}");
        assert!(!outcome.stderr.contains("failed"), "{}", outcome.stderr);
        let spec = project.read("spec/lib/gate/door_spec.rb");
        assert!(spec.contains(kept), "{spec}");
    }
}
