//! `casebook coverage`: from analyzed code to recorded results, with real Ruby and RSpec.

use std::fs::File;
use std::time::Duration;

use serde_json::Value;

use crate::design::application::shop;
use crate::support::{Outcome, Project};

const GREET: &str = include_str!("../../../../docs/examples/coverage/greet.casebook.yaml");

/// A project with one metadata file.
fn designed() -> Project {
    let project = Project::with("Gemfile", "");
    project.write(
        "lib/router.rb",
        "class Router\n  def call(parcel)\n    raise 'no' unless parcel.packed?\n\n    case parcel.carrier\n    when :bike then 1\n    when :van then 2\n    end\n  end\nend\n",
    );
    project
        .casebook("design analyze lib/router.rb#call")
        .run()
        .exits(0);
    project
}

fn states(outcome: &Outcome) -> Value {
    let json: Value = serde_json::from_str(&outcome.stdout).unwrap();
    json["states"].clone()
}

/// The coverage of a state of the first method.
fn standing(outcome: &Outcome, name: &str, state: &str) -> String {
    let json: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let all = json["methods"][0]["characteristics"].as_array().unwrap();
    let found = all.iter().find(|one| one["name"] == name).unwrap();
    let states = found["states"].as_array().unwrap();
    let found = states.iter().find(|one| one["name"] == state).unwrap();
    found["standing"].as_str().unwrap().to_owned()
}

#[test]
fn a_suite_covers_states_after_it_has_run() {
    let project = shop();
    project
        .casebook("design analyze bin/greet.rb")
        .run()
        .exits(0);
    let designed = project.casebook("coverage").run().exits(0);
    insta::assert_snapshot!(designed.shown(), @r"
    exit code 0
    --- stdout
    Greeter.run · bin/greet.rb · 0 of 4 states passed
      · name_present = present
      · name_present = absent
      · loud = loud
      · loud = not_loud
      combinations
      · name_present = present → loud = loud
      · name_present = present → loud = not_loud

    ✓ passed   ✗ failed   ○ not run   · not covered
    No recorded runs found; all tests count as not run.

    2 combinations designed, 0 (0%) covered, 0 run, 0 (0%) passed
    4 states designed, 0 (0%) covered, 0 run, 0 (0%) passed
    ");

    project.write("suites/greet.casebook.yaml", GREET);
    let covered = project.casebook("coverage --json").run().exits(0);
    assert_eq!(states(&covered)["covered"], 3);
    assert_eq!(states(&covered)["passed"], 0);

    project.casebook("run --record out").run().exits(0);
    let proved = project.casebook("coverage --run out").run().exits(0);
    insta::assert_snapshot!(proved.shown(), @r"
    exit code 0
    --- stdout
    Greeter.run · bin/greet.rb · 3 of 4 states passed
      · name_present = absent
      ✓ name_present = present  suites/greet.casebook.yaml:8 greets a person loudly and 1 more
      ✓ loud = loud             suites/greet.casebook.yaml:8 greets a person loudly
      ✓ loud = not_loud         suites/greet.casebook.yaml:13 greets a person
      combinations
      ✓ name_present = present → loud = loud      suites/greet.casebook.yaml:8 greets a person loudly
      ✓ name_present = present → loud = not_loud  suites/greet.casebook.yaml:13 greets a person

    ✓ passed   ✗ failed   ○ not run   · not covered
    Results of out

    2 combinations designed, 2 (100%) covered, 2 run, 2 (100%) passed
    4 states designed, 3 (75%) covered, 3 run, 3 (75%) passed
    ");
}

#[test]
fn a_spec_covers_the_states_that_its_contexts_name() {
    let project = shop();
    let method = "lib/shop/access.rb#enter";
    for step in ["analyze", "skeleton", "architect", "implement"] {
        let code = project
            .casebook(&format!("design {step} {method}"))
            .run()
            .code;
        assert_ne!(code, 1, "{step}");
    }
    project
        .casebook("rspec -w 1 --record passing")
        .run()
        .exits(0);
    // The number of examples that `implement` completes is not tested here; the others are skipped.
    let passing = project
        .casebook("coverage --run passing --json")
        .run()
        .exits(0);
    let counts = states(&passing);
    assert_eq!(
        (&counts["designed"], &counts["covered"]),
        (&8.into(), &8.into())
    );
    assert!(counts["passed"].as_u64().unwrap() >= 6, "{counts}");
    for (name, state) in [
        ("user_present", "absent"),
        ("user_vip", "vip"),
        ("open_present", "absent"),
    ] {
        assert_eq!(standing(&passing, name, state), "passed", "{name} {state}");
    }

    let source = project.read("lib/shop/access.rb");
    project.write("lib/shop/access.rb", source.replace(":lounge", ":lobby"));
    // Metadata has a resolution of one second, and this test may take less.
    let file = File::options()
        .append(true)
        .open(project.at("lib/shop/access.rb"))
        .unwrap();
    let changed = file.metadata().unwrap().modified().unwrap();
    file.set_modified(changed + Duration::from_secs(60))
        .unwrap();
    project
        .casebook("rspec -w 1 --record failing")
        .run()
        .exits(1);
    let failing = project
        .casebook("coverage --run passing --run failing --json --min 70")
        .run()
        .exits(1);
    for (name, state, expected) in [
        ("user_vip", "vip", "failed"),
        ("user_active", "active", "failed"),
        ("user_present", "present", "failed"),
        ("user_present", "absent", "passed"),
        ("user_active", "not_active", "passed"),
    ] {
        assert_eq!(standing(&failing, name, state), expected, "{name} {state}");
    }
    let message = "warning: changed since it was analyzed: lib/shop/access.rb; run `casebook design analyze` again\nerror: ";
    assert!(failing.stderr.starts_with(message), "{}", failing.stderr);
}

#[test]
fn results_of_several_runs_are_merged_and_the_newest_is_used() {
    let project = designed();
    let suite = |exit: &str| {
        format!(
            "tests:\n  - {{name: a, command: 'exit {exit}', covers: {{parcel_carrier: van}}}}\n  - {{name: b, command: 'exit 0', tags: [b], covers: {{parcel_carrier: bike}}}}\n"
        )
    };
    project.write("r.casebook.yaml", suite("1"));
    project.casebook("run --record first").run().exits(1);
    project.write("r.casebook.yaml", suite("0"));
    project
        .casebook("run --filter a --record second")
        .run()
        .exits(0);
    let changed = "warning: changed since the run: r.casebook.yaml; run it again\n";
    for (runs, passed, run, message) in [
        ("--run first", 1, 3, changed),
        ("--run second", 2, 2, ""),
        // In any order, the newest result is used. The parent's state has both tests.
        ("--run second --run first", 3, 3, ""),
    ] {
        let outcome = project
            .casebook(&format!("coverage --json {runs}"))
            .run()
            .exits(0);
        let counted = states(&outcome);
        assert_eq!(
            (&counted["passed"], &counted["run"]),
            (&passed.into(), &run.into()),
            "{runs}"
        );
        assert_eq!(outcome.stderr, message);
    }
}

/// They are run by different commands, so the newest record never has both.
#[test]
fn results_of_specs_count_after_suites_were_run() {
    let project = designed();
    project.write(
        "spec/lib/router_spec.rb",
        "RSpec.describe 'Router' do
  it('says so itself', covers: { parcel_carrier: :bike }) {}
end
",
    );
    project.write(
        "r.casebook.yaml",
        "tests:\n  - {name: a, command: 'exit 0', covers: {parcel_carrier: van}}\n",
    );
    for commands in [["record -- rspec", "run"], ["run", "record -- rspec"]] {
        for command in commands {
            project.bash(&format!("$CASEBOOK {command}")).run().exits(0);
        }
        let outcome = project.casebook("coverage --json").run().exits(0);
        for state in ["bike", "van"] {
            assert_eq!(standing(&outcome, "parcel_carrier", state), "passed");
        }
        let json: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(json["runs"].as_array().unwrap().len(), 2, "{commands:?}");
    }
}

#[test]
fn unknown_names_in_covers_are_reported() {
    let project = designed();
    project.write(
        "r.casebook.yaml",
        "tests:\n  - {name: a, command: ls, covers: {parcel_carier: van}}\n  - {name: b, command: ls, covers: {parcel_carrier: plane}}\n",
    );
    project.write("broken.casebook.yaml", "tests: [{nam: a}]");
    let outcome = project.casebook("coverage").run().exits(0);
    insta::assert_snapshot!(outcome.stderr, @r"
    warning: skipped broken.casebook.yaml: it has problems; run `casebook check broken.casebook.yaml` to see them
    warning: r.casebook.yaml:2: covers unknown characteristic `parcel_carier`: did you mean `parcel_carrier`?
    warning: r.casebook.yaml:3: covers unknown state `parcel_carrier: plane` of Router#call: its states are bike, van
    ");
}

#[test]
fn min_passes_or_fails_the_command() {
    let project = designed();
    project.write(
        "r.casebook.yaml",
        "tests:\n  - {name: a, command: ls, covers: {parcel_carrier: van}}\n",
    );
    project.casebook("run").run().exits(0);
    project.casebook("coverage --min 50").run().exits(0);
    project.casebook("coverage --min 50%").run().exits(0);
    let missed = project.casebook("coverage --min 50.5").run().exits(1);
    assert_eq!(
        missed.stderr,
        "error: 2 of 4 states passed, 50%: --min requires 50.5%\n"
    );
    let wrong = project.casebook("coverage --min 101").run().exits(2);
    assert!(wrong.stderr.contains("must be a number from 0 to 100"));
}

#[test]
fn min_fails_if_a_metadata_file_cannot_be_read() {
    let project = designed();
    project.write("tmp/rspec_claude_metadata/metadata_b.yml", "- no mapping");
    let shown = project.casebook("coverage").run().exits(0);
    let warning = "warning: tmp/rspec_claude_metadata/metadata_b.yml: the top level is a list, not a mapping\n";
    assert_eq!(shown.stderr, warning);
    let outcome = project.casebook("coverage --min 0").run().exits(2);
    let error = "error: cannot read 1 metadata file, so --min cannot be checked\n";
    assert_eq!(outcome.stderr, format!("{warning}{error}"));
    project.casebook("coverage --min 1").run().exits(1);
}

#[test]
fn a_project_whose_metadata_is_broken_is_not_called_undesigned() {
    let project = Project::with("Gemfile", "");
    project.write("tmp/rspec_claude_metadata/metadata_b.yml", "- no mapping");
    let shown = project.casebook("coverage").run().exits(2);
    assert!(
        shown.stderr.ends_with("error: no readable test design found; fix the files above or run `casebook design analyze FILE` again\n"),
        "{}",
        shown.stderr
    );
}

#[test]
fn invalid_arguments_exit_with_2() {
    let empty = Project::with("Gemfile", "");
    let designed = designed();
    designed.write(
        "lib/other.rb",
        "class Other\n  def a(b)\n    1 if b\n  end\nend\n",
    );
    for (project, arguments, message) in [
        (
            &empty,
            "",
            "no test design found; run `casebook design analyze FILE`, or `casebook coverage --observe -- rspec` for specs without one",
        ),
        (
            &designed,
            "lib/other.rb",
            "lib/other.rb was not analyzed; run `casebook design analyze lib/other.rb` first",
        ),
        (
            &designed,
            "lib/nowhere.rb",
            "cannot read lib/nowhere.rb: no such file or directory",
        ),
        (
            &designed,
            "--run nowhere",
            "run not found: `nowhere` is neither a path nor a run in [project]/.casebook/runs",
        ),
        (
            &designed,
            "--suite nowhere.yaml",
            "cannot read nowhere.yaml: no such file or directory",
        ),
        (
            &designed,
            "--html no/such/directory.html",
            "cannot write no/such/directory.html: no such file or directory",
        ),
    ] {
        let outcome = project
            .casebook(&format!("coverage {arguments}"))
            .run()
            .exits(2);
        assert!(
            outcome.stderr.starts_with(&format!("error: {message}")),
            "{}",
            outcome.stderr
        );
        assert_eq!(outcome.stdout, "");
    }
}

#[test]
fn only_the_given_paths_are_shown() {
    let project = designed();
    project.write(
        "lib/deep/other.rb",
        "class Other\n  def a(b)\n    b ? 1 : 2\n  end\n\n  def c(d)\n    d ? 1 : 2\n  end\nend\n",
    );
    project
        .casebook("design analyze lib/deep/other.rb --format plugin")
        .run()
        .exits(0);
    for (paths, methods) in [
        ("", vec!["Router#call", "Other#a", "Other#c"]),
        ("lib/deep", vec!["Other#a", "Other#c"]),
        ("lib/deep/other.rb#c", vec!["Other#c"]),
        (
            "lib/router.rb lib/deep/other.rb#Other#a",
            vec!["Router#call", "Other#a"],
        ),
        ("tmp/rspec_metadata/lib_deep_other.yml#a", vec!["Other#a"]),
        ("tmp/rspec_claude_metadata", vec!["Router#call"]),
    ] {
        let outcome = project
            .casebook(&format!("coverage --json {paths}"))
            .run()
            .exits(0);
        let json: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let shown: Vec<_> = json["methods"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["method"].as_str().unwrap())
            .collect();
        assert_eq!(shown, methods, "{paths}");
        assert_eq!(outcome.stderr, "");
    }
}

#[test]
fn skeletons_cover_nothing() {
    let project = designed();
    project.write("spec/spec_helper.rb", "require_relative '../lib/router'\n");
    project
        .casebook("design skeleton lib/router.rb --comments")
        .run()
        .exits(0);
    project
        .bash("RUBYOPT=-r./spec/spec_helper.rb $CASEBOOK record --record out -- rspec spec/lib/router_spec.rb")
        .run()
        .exits(0);
    assert_eq!(
        project.json("out/run.json")["examples"]
            .as_object()
            .unwrap()
            .len(),
        3
    );
    let outcome = project.casebook("coverage --json --run out").run().exits(0);
    assert_eq!(states(&outcome)["covered"], 0, "{}", outcome.stdout);
}

#[test]
fn examples_that_are_only_in_the_record_are_counted() {
    let project = designed();
    project.write(
        "spec/lib/router_spec.rb",
        "require_relative '../../lib/router'
RSpec.shared_examples('free') { it('is free') {} }
RSpec.describe Router do
  describe '#call' do
    context 'when parcel is packed' do
      %w[bike van].each do |carrier|
        context(\"and parcel carrier is #{carrier}\") { it('works') {} }
      end
    end
    context('when parcel NOT packed') { it_behaves_like 'free' }
  end
  it('says so itself', covers: { parcel_carrier: :van }) { raise 'no' }
end
",
    );
    project
        .bash("$CASEBOOK record --record out -- rspec")
        .run()
        .exits(1);
    let outcome = project.casebook("coverage --run out").run().exits(0);
    insta::assert_snapshot!(outcome.stdout, @r"
    Router#call · lib/router.rb · 2 of 4 states passed
      ✗ parcel_packed = packed      spec/lib/router_spec.rb:12 says so itself and 3 more
      ✗ parcel_carrier = van        spec/lib/router_spec.rb:12 says so itself and 1 more
      ✓ parcel_packed = not_packed  spec/lib/router_spec.rb:10 behaves like free
      ✓ parcel_carrier = bike       spec/lib/router_spec.rb:7 works
      combinations
      ✗ parcel_packed = packed → parcel_carrier = van   spec/lib/router_spec.rb:12 says so itself and 1
          more
      ✓ parcel_packed = packed → parcel_carrier = bike  spec/lib/router_spec.rb:7 works

    ✓ passed   ✗ failed   ○ not run   · not covered
    Results of out

    2 combinations designed, 2 (100%) covered, 2 run, 1 (50%) passed
    4 states designed, 4 (100%) covered, 4 run, 2 (50%) passed
    ");
}

#[test]
fn coverage_is_written_as_html() {
    let project = designed();
    project.casebook("coverage --html page.html").run().exits(0);
    let page = project.read("page.html");
    assert!(page.contains("<h2>Router#call</h2>"), "{page}");
    assert!(page.ends_with("</html>\n") || page.ends_with("</html>"));
    let printed = project.casebook("coverage --html -").run().exits(0);
    assert_eq!(printed.stdout, page);
}
