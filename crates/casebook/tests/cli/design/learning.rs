//! `--learn`: examples from running the code in a sandbox.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::application::copy_of;
use super::project;
use crate::support::{Outcome, Project, not_tested};

/// A class whose results do not follow from the branches alone.
const CART: &str = "\
class Cart
  def label(name)
    text = name.to_s.strip
    if text.empty?
      ['no', 'name'].join(' ')
    else
      text.capitalize + '!'
    end
  end
end
";

/// `None`, with a note, if this system offers no isolation.
fn learned(project: &Project, arguments: &str) -> Option<Outcome> {
    isolated(project.casebook(arguments).run())
}

fn isolated(outcome: Outcome) -> Option<Outcome> {
    let problem = "code cannot be isolated on this system: ";
    let Some((_, reason)) = outcome.stderr.split_once(problem) else {
        return Some(outcome);
    };
    not_tested("learning", reason.lines().next().unwrap_or_default());
    None
}

#[test]
fn observed_examples_are_marked_counted_and_pass() {
    let project = project(CART);
    let Some(outcome) = learned(&project, "design pipeline lib/cart.rb#label --learn") else {
        return;
    };
    let answer: Value = serde_json::from_str(&outcome.exits(0).stdout).unwrap();
    assert_eq!(answer["examples"]["observed"], 2, "{answer}");
    assert_eq!(answer["examples"]["pending"], 0, "{answer}");
    let spec = project.read("spec/lib/cart_spec.rb");
    assert_eq!(
        spec.matches("# observed, not specified\n").count(),
        2,
        "{spec}"
    );
    assert!(spec.contains(".to eq('no name')"), "{spec}");
    let ran = project.bash("rspec").run().exits(0);
    assert!(
        ran.stdout.contains("2 examples, 0 failures\n"),
        "{}",
        ran.stdout
    );
}

/// The description is guessed from the end of the method, but another guard may end it before.
#[test]
fn a_guessed_result_that_was_not_observed_is_not_the_description() {
    let code = "\
class Cart
  def state(item)
    return :sold if item.sold?
    return :broken if item.broken?
    :fine
  end
end
";
    let project = project(code);
    let Some(outcome) = learned(&project, "design pipeline lib/cart.rb#state --learn") else {
        return;
    };
    outcome.exits(0);
    let spec = project.read("spec/lib/cart_spec.rb");
    let mut examples: Vec<_> = spec.lines().map(str::trim).collect();
    examples.retain(|line| line.starts_with("it ") || line.starts_with("expect("));
    assert_eq!(examples.len(), 8, "{spec}");
    for pair in examples.chunks(2) {
        let word = pair[0].trim_end_matches(" do").trim_end_matches('\'');
        let word = word.rsplit([' ', ':']).next().unwrap_or_default();
        assert!(pair[1].ends_with(&format!(".to eq(:{word})")), "{pair:?}");
    }
}

/// Setup inside an example would be a violation of our own review.
#[test]
fn the_receiver_of_a_change_is_defined_outside_of_the_example() {
    let code = "\
class Cart
  attr_reader :count

  def initialize
    @count = 0
  end

  def add(item)
    @count += 1 if item
    self
  end
end
";
    let project = project(code);
    let Some(outcome) = learned(&project, "design pipeline lib/cart.rb#add --learn") else {
        return;
    };
    let answer: Value = serde_json::from_str(&outcome.exits(0).stdout).unwrap();
    assert_eq!(answer["violations"], 0, "{answer}");
    let spec = project.read("spec/lib/cart_spec.rb");
    let example = "\
      let(:receiver) { described_class.new }

      it 'changes count' do
        # observed, not specified
        expect { receiver.add(";
    assert!(spec.contains(example), "{spec}");
}

#[test]
fn a_leaf_that_was_not_learned_is_pending_with_a_code() {
    let code = "class Cart\n  def pick(flag)\n    if flag\n      rand\n    else\n      [rand, 1].last\n    end\n  end\nend\n";
    let project = project(code);
    let Some(outcome) = learned(&project, "design pipeline lib/cart.rb#pick --learn") else {
        return;
    };
    outcome.exits(0);
    let spec = project.read("spec/lib/cart_spec.rb");
    assert!(spec.contains("(not learned: not_repeatable)"), "{spec}");
}

#[test]
fn a_spec_that_cannot_be_run_is_a_warning() {
    let project = project(CART);
    project.write(
        "spec/lib/cart_spec.rb",
        "require 'no_such_helper'\n\nRSpec.describe Cart do\nend\n",
    );
    let Some(outcome) = learned(&project, "design pipeline lib/cart.rb#label --learn") else {
        return;
    };
    let warned = outcome.exits(2);
    assert!(
        warned.stderr.contains(
            "Warning: implement: not run: LoadError: cannot load such file -- no_such_helper; \
             2 examples are pending because of that\n"
        ),
        "{}",
        warned.stderr
    );
    let spec = project.read("spec/lib/cart_spec.rb");
    assert!(!spec.contains("# observed"), "{spec}");
}

/// Only variables with which Ruby finds code are passed to the sandbox.
#[test]
fn libraries_in_rubylib_are_found() {
    let project = project(&format!("require 'outside_of_the_project'\n{CART}"));
    let readable = std::fs::Permissions::from_mode(0o755);
    let elsewhere = tempfile::Builder::new()
        .permissions(readable)
        .tempdir()
        .unwrap();
    std::fs::write(elsewhere.path().join("outside_of_the_project.rb"), "").unwrap();
    let command = "design pipeline lib/cart.rb#label --learn";
    let outcome = project
        .casebook(command)
        .env("RUBYLIB", elsewhere.path())
        .run();
    let Some(outcome) = isolated(outcome) else {
        return;
    };
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(answer["examples"]["observed"], 2, "{answer}");
}

#[test]
fn without_isolation_nothing_is_run_unless_the_user_insists() {
    let project = project(CART);
    // Only what is needed to start Ruby.
    project
        .bash(
            "mkdir bin; for name in ruby rspec bundle; do ln -s \"$(command -v $name)\" bin/; done",
        )
        .run()
        .exits(0);
    let command = "design pipeline lib/cart.rb#label --learn";
    let refused = project
        .casebook(command)
        .env("PATH", project.at("bin"))
        .run()
        .exits(1);
    assert!(
        refused
            .stderr
            .contains("Error: code cannot be isolated on this system: unshare is not installed\n")
            && refused.stderr.contains("--unsafe-no-sandbox"),
        "{}",
        refused.stderr
    );
    assert!(!project.exists("spec"));
    let insisted = project
        .casebook(&format!("{command} --unsafe-no-sandbox"))
        .env("PATH", project.at("bin"))
        .run();
    let answer: Value = serde_json::from_str(&insisted.stdout).unwrap();
    assert_eq!(answer["examples"]["observed"], 2, "{}", insisted.stderr);
}

/// An application with a database in memory: its methods need records in certain states.
#[test]
fn records_are_created_with_factories_and_columns() {
    let project = copy_of("tests/fixtures/design/store");
    let mut observed = 0;
    for method in [
        "app/models/customer.rb#level",
        "app/models/order.rb#shipping",
        "app/models/order.rb#finish!",
        "app/services/loyalty.rb#greeting",
        "app/services/loyalty.rb#points",
        "app/services/shipment.rb#speed",
    ] {
        let command = format!("design pipeline {method} --learn");
        let Some(outcome) = learned(&project, &command) else {
            return;
        };
        let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
        observed += answer["examples"]["observed"].as_u64().unwrap();
    }
    assert!(observed >= 11, "{observed}");
    let spec = project.read("spec/models/customer_spec.rb");
    assert!(spec.contains("build(:customer, :vip)"), "{spec}");
    // A list of records, and a record of the object's own record.
    let spec = project.read("spec/services/loyalty_spec.rb");
    assert!(
        spec.contains("orders: build_list(:order, 2, :paid)"),
        "{spec}"
    );
    let spec = project.read("spec/services/shipment_spec.rb");
    assert!(
        spec.contains("build(:order, customer: build(:customer, :vip))"),
        "{spec}"
    );
    let ran = project.bash("rspec").run().exits(0);
    assert!(ran.stdout.contains(" 0 failures"), "{}", ran.stdout);
}

/// The sandbox works on a copy of a database in a file. Without it, the project could not even be loaded.
#[test]
fn a_database_in_a_file_is_used_and_stays_as_it_is() {
    let project = copy_of("tests/fixtures/design/store");
    let helper = project.read("spec/spec_helper.rb");
    let in_file = "File.expand_path(\"../db/test.sqlite3\", __dir__)";
    project.write(
        "spec/spec_helper.rb",
        helper.replace("\":memory:\"", in_file),
    );
    project.bash("rspec").run().exits(0);
    let before = project.bash("sha256sum db/*").run().exits(0).stdout;
    let command = "design pipeline app/models/order.rb#finish! --learn";
    let Some(outcome) = learned(&project, command) else {
        return;
    };
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let examples = &answer["examples"];
    // The other example needs no database, so it is not learned.
    let counts = (&examples["observed"], &examples["implemented"]);
    assert_eq!(counts, (&1.into(), &1.into()), "{}", outcome.stderr);
    assert_eq!(project.bash("sha256sum db/*").run().stdout, before);
}
