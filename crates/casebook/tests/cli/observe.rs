//! `casebook coverage --observe` and `--prove`, with real RSpec.

use serde_json::Value;

use crate::support::{Outcome, Project};

const DOOR: &str = "\
class Door
  def enter(key, visitors = 0)
    return :closed unless key

    visitors > 3 ? :full : :open
  end

  def color(name)
    case name
    when :red then 'FF0000'
    when :blue then '0000FF'
    end
  end

  LIMIT = new.enter(nil)
end
";

const SPEC: &str = "\
require 'door'

RSpec.describe Door do
  it('opens') { expect(described_class.new.enter(1)).to eq :open }
  it('is weak') { expect(described_class.new.enter(1, 9)).to be_a Symbol }
  it('is red') { expect(described_class.new.color(:red)).to eq 'FF0000' }
  it('is another') { expect(described_class.new.color(:green)).to be_nil }
  it('fails') { expect(described_class.new.color(:blue)).to eq 1 }
  it('has a clean environment') { expect(ENV.values_at('RUBYOPT', 'SPEC_OPTS', 'CASEBOOK_PROBES')).to all(be_nil) }
end
";

fn project() -> Project {
    let project = Project::new();
    project.write("Rakefile", "");
    project.write(".git/HEAD", "ref: refs/heads/main\n");
    project.write("lib/door.rb", DOOR);
    project.write(
        "lib/unused.rb",
        "class Unused\n  def call(a)\n    a ? 1 : 2\n  end\nend\n",
    );
    project.write("spec/door_spec.rb", SPEC);
    project
}

/// The observed status of each state.
fn statuses(project: &Project) -> Vec<String> {
    let outcome = project.casebook("coverage --json").run();
    let json: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let mut found = Vec::new();
    for method in json["methods"].as_array().unwrap() {
        for one in method["characteristics"].as_array().unwrap() {
            for state in one["states"].as_array().unwrap() {
                found.push(format!(
                    "{} {}={}: {} by {}",
                    method["method"].as_str().unwrap(),
                    one["name"].as_str().unwrap(),
                    state["name"].as_str().unwrap(),
                    state["observed"]["status"].as_str().unwrap(),
                    state["observed"]["examples"].as_array().unwrap().len(),
                ));
            }
        }
    }
    found.sort();
    found
}

fn observe(project: &Project, arguments: &str) -> Outcome {
    project.casebook(&format!("coverage {arguments}")).run()
}

#[test]
fn every_state_has_one_of_five_statuses() {
    let project = project();
    let outcome = observe(&project, "--observe -- rspec").exits(1);
    assert!(
        outcome.stderr.contains("6 examples, 1 failure"),
        "{outcome:#?}"
    );
    assert!(
        outcome.stdout.contains("  ✓   key_present = present"),
        "{outcome:#?}"
    );
    insta::assert_snapshot!(statuses(&project).join("\n"), @r"
    Door#color name=blue: never by 0
    Door#color name=red: exercised by 1
    Door#enter key_present=absent: outside_examples by 0
    Door#enter key_present=present: exercised by 2
    Door#enter visitors=insufficient: exercised by 1
    Door#enter visitors=sufficient: exercised by 1
    Unused#call a_present=absent: not_loaded by 0
    Unused#call a_present=present: not_loaded by 0
    ");
}

#[test]
fn a_state_is_proven_if_an_example_notices_that_it_is_inverted() {
    let project = project();
    observe(&project, "--observe -- rspec").exits(1);
    let outcome = observe(&project, "--prove").exits(0);
    let message = "1 state exercised, but not checked:\n  lib/door.rb:5 Door#enter: visitors = sufficient (spec/door_spec.rb:5)\n";
    assert!(outcome.stderr.contains(message), "{outcome:#?}");
    insta::assert_snapshot!(statuses(&project).join("\n"), @r"
    Door#color name=blue: never by 0
    Door#color name=red: proven by 1
    Door#enter key_present=absent: outside_examples by 0
    Door#enter key_present=present: proven by 2
    Door#enter visitors=insufficient: proven by 1
    Door#enter visitors=sufficient: exercised by 1
    Unused#call a_present=absent: not_loaded by 0
    Unused#call a_present=present: not_loaded by 0
    ");
    // Nothing changed, so every result is known.
    let again = observe(&project, "--prove").exits(0);
    assert!(!again.stderr.contains("inverting"), "{again:#?}");
    let strong = SPEC.replace("to be_a Symbol", "to eq :full");
    project.write("spec/door_spec.rb", &strong);
    let outcome = observe(&project, "--observe --prove -- rspec").exits(1);
    assert!(!outcome.stderr.contains("not checked"), "{outcome:#?}");
}

#[test]
fn an_example_that_fails_in_a_forked_process_proves_nothing() {
    let project = project();
    let process = "$process = Process.pid\nRSpec.configure { |config| config.before { raise 'forked' if Process.pid != $process } }\n";
    project.write("spec/door_spec.rb", format!("{process}{SPEC}"));
    let outcome = observe(&project, "--observe --prove -- rspec").exits(1);
    let message = "4 states not proven, because their examples fail in a forked process even if nothing is inverted:\n";
    assert!(outcome.stderr.contains(message), "{outcome:#?}");
    let found = statuses(&project);
    assert!(
        !found.iter().any(|line| line.contains("proven")),
        "{found:#?}"
    );
}

#[test]
fn several_processes_are_observed_together() {
    let project = project();
    let casebook = "$CASEBOOK coverage --observe -- $CASEBOOK rspec -w 2 --record none";
    project.bash(casebook).run().exits(1);
    let found = statuses(&project);
    assert!(
        found.contains(&"Door#color name=red: exercised by 1".to_owned()),
        "{found:#?}"
    );
    assert!(
        found.contains(&"Door#enter key_present=present: exercised by 2".to_owned()),
        "{found:#?}"
    );
}

#[test]
fn changed_methods_are_not_shown() {
    let project = project();
    observe(&project, "--observe -- rspec").exits(1);
    project.write("lib/door.rb", DOOR.replace("visitors > 3", "visitors > 4"));
    let outcome = observe(&project, "").exits(0);
    let warning =
        "methods that changed since they were observed: 1; run `casebook coverage --observe` again";
    assert!(outcome.stderr.contains(warning), "{outcome:#?}");
    assert!(!outcome.stdout.contains("Door#enter"), "{outcome:#?}");
    assert!(outcome.stdout.contains("Door#color"), "{outcome:#?}");
}

#[test]
fn only_methods_that_changed_since_a_commit_are_proven() {
    let project = project();
    project.bash("rm -rf .git && git init -q && git add -A && git -c user.name=a -c user.email=a@b.c commit -qm first").run().exits(0);
    project.write("lib/door.rb", DOOR.replace("'FF0000'", "'F00'"));
    project.write("spec/door_spec.rb", SPEC.replace("'FF0000'", "'F00'"));
    observe(&project, "--observe -- rspec").exits(1);
    let outcome = observe(&project, "--prove --since HEAD").exits(0);
    assert!(outcome.stderr.contains("inverting 1 state"), "{outcome:#?}");
    let outcome = observe(&project, "--prove --since nothing").exits(2);
    assert!(
        outcome.stderr.contains("cannot compare with `nothing`"),
        "{outcome:#?}"
    );
}

#[test]
fn errors_say_what_to_do() {
    let project = project();
    for (arguments, message) in [
        ("--observe", "required arguments were not provided"),
        ("-- rspec", "add --observe or --prove"),
        ("--prove", "nothing was observed yet"),
        (
            "--observe -- true",
            "the command reported nothing; it must start RSpec",
        ),
        (
            "--observe -- nothing-like-this",
            "cannot start `nothing-like-this`",
        ),
        ("--observe spec -- rspec", "no public method in"),
        ("--observe nowhere -- rspec", "nowhere"),
    ] {
        let outcome = observe(&project, arguments).exits(2);
        assert!(
            outcome.stderr.contains(message),
            "{arguments}: {outcome:#?}"
        );
    }
    project.write(".casebook/observation.json", "{}");
    let outcome = observe(&project, "").exits(2);
    assert!(
        outcome.stderr.contains("not an observation"),
        "{outcome:#?}"
    );
}

#[test]
fn a_command_that_runs_no_example_replaces_nothing() {
    let project = project();
    observe(&project, "--observe -- rspec").exits(1);
    let before = project.read(".casebook/observation.json");
    let outcome = observe(&project, "--observe -- rspec spec/absent_spec.rb").exits(2);
    assert!(
        outcome
            .stderr
            .contains("the command ran no examples; what was observed before is kept"),
        "{outcome:#?}"
    );
    assert_eq!(project.read(".casebook/observation.json"), before);
}

/// A coding agent that writes an example for each missing state: with the value that the gap names for its variable, and
/// the result that the code gives.
const AGENT: &str = r#"
require 'json'
require_relative 'lib/door'
gaps = JSON.parse(File.read('gaps.json'))['methods'].find { |one| one['method'] == 'Door#enter' }
values = { 'key' => '1', 'visitors' => '0' }
examples = gaps['missing'].map do |gap|
  given = values.merge(gap['variable'] => gap['value'])
  call = gaps['parameters'].map { |parameter| given.fetch(parameter['name']) }.join(', ')
  result = eval("Door.new.enter(#{call})")
  "  it('#{gap['message'].delete("'`")}') { expect(described_class.new.enter(#{call})).to eq #{result.inspect} }"
end
File.write('spec/agent_spec.rb', "require 'door'\nRSpec.describe Door do\n#{examples.join("\n")}\nend\n")
"#;

#[test]
fn gaps_of_a_private_method_say_how_it_is_tested() {
    let project = project();
    let code = "class Lock\n  private\n\n  def turn(key)\n    key ? 1 : 2\n  end\nend\n";
    project.write("lib/lock.rb", code);
    observe(&project, "--observe -- rspec").exits(1);
    let outcome = project.casebook("design gaps lib/lock.rb#turn").run();
    let message = "lib/lock.rb#turn: only public methods with conditions have states; test a private method through the public";
    assert!(outcome.stderr.contains(message), "{outcome:#?}");
}

#[test]
fn gaps_name_what_is_missing_and_an_agent_can_fill_them() {
    let project = project();
    let outcome = project.casebook("design gaps").run().exits(1);
    assert!(
        outcome.stderr.contains("were not observed yet"),
        "{outcome:#?}"
    );
    // A single method can be shown by the names of its examples.
    let named = project.casebook("design gaps lib/door.rb#enter").run();
    let named = named.exits(2);
    assert!(
        named.stderr.contains("by the names of examples"),
        "{named:#?}"
    );
    insta::assert_snapshot!(named.stdout, @r"
    Door#enter  lib/door.rb:2
      line 3: not named when key present
      line 3: not named when key absent
      line 5: not named when visitors is sufficient
      line 5: not named when visitors is insufficient

    4 states of 1 method not tested
    ");
    observe(&project, "--observe --prove -- rspec").exits(1);
    let outcome = project.casebook("design gaps").run().exits(0);
    insta::assert_snapshot!(outcome.stdout, @r"
    Door#enter  lib/door.rb:2
      line 5: not checked when visitors is sufficient (spec/door_spec.rb:5)
    Door#color  lib/door.rb:8
      line 9: never called when name is blue
    Unused#call  lib/unused.rb:2
      not loaded by any spec: when a present
      not loaded by any spec: when a absent

    Not gaps:
      `Door#enter` is called when key absent only outside of examples, such as while files are loaded

    4 states of 3 methods not tested
    ");
    let outcome = project
        .casebook("design gaps lib/door.rb#entr")
        .run()
        .exits(1);
    assert_eq!(
        outcome.stderr.lines().next(),
        Some("Error: lib/door.rb: method `entr` not found; did you mean `enter`?")
    );
    project
        .bash("$CASEBOOK design gaps lib/door.rb#enter --json >gaps.json")
        .run()
        .exits(0);
    project.write("agent.rb", AGENT);
    project.bash("ruby agent.rb").run().exits(0);
    observe(&project, "--observe --prove -- rspec").exits(1);
    let found = statuses(&project);
    let filled = "Door#enter visitors=sufficient: proven by 2".to_owned();
    assert!(found.contains(&filled), "{found:#?}");
    let outcome = project
        .casebook("design gaps lib/door.rb#enter --markdown")
        .run()
        .exits(0);
    assert_eq!(outcome.stdout, "### States that are not tested\n\nNone.\n");
}
