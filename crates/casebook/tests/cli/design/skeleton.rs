//! `design skeleton`: what it writes, and what it leaves unchanged.

use serde_json::Value;

use super::{CART, METADATA, project};
use crate::support::Project;

#[test]
fn a_lowercase_not_passes_all_steps_and_the_reviewer_reports_it() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    let review = |options: &str| {
        for step in [
            format!("skeleton {METADATA} {options}"),
            format!("architect {METADATA}"),
            format!("implement {METADATA}"),
        ] {
            project.casebook(&format!("design {step}")).run().exits(0);
        }
        let line = format!("design review {METADATA} --json");
        project.casebook(&line).run().exits(0).stdout
    };
    let loud = review("");
    let spec = project.read("spec/lib/cart_spec.rb");
    assert!(spec.contains("context 'but NOT express' do"), "{spec}");
    assert!(!loud.contains("lower-not"), "{loud}");
    let small = review("--small-not");
    let spec = project.read("spec/lib/cart_spec.rb");
    assert!(spec.contains("context 'but not express' do"), "{spec}");
    assert!(
        small.contains("'but not express' contains a lowercase not"),
        "{small}"
    );
    assert!(!small.contains("missing-state"), "{small}");
}

const GATE: &str = "\
class Gate
  def open(user)
    user.nil? ? :shut : :wide
  end

  def close(user)
    user.nil? ? :locked : :ajar
  end

  def self.kind(count)
    count > 3 ? :large : :small
  end
end

class Fence
  def paint(color)
    color == :red ? :loud : :plain
  end
end
";

/// A spec written by hand. Its document marks `#open` as modified and `.kind` as unchanged.
const BY_HAND: &str = "\
# frozen_string_literal: true

require 'json' # by hand

RSpec.describe Gate do
  let(:by_hand) { 1 }

  before { @ready = true }

  describe '.kind' do


    let(:service) { described_class.new }

    it 'was finished by hand' do
      text = <<~TEXT


        two empty lines
      TEXT
      expect([text, service, by_hand].size).to eq(3)
    end
  end # of kind

  describe '#open', :by_hand do # kept
    it 'is old' do
      expect(1).to eq(2)
    end
  end # of open

  context 'with something else' do
    it('is by hand') { expect(JSON.parse('[]')).to eq([]) }
  end
end

RSpec.describe 'By hand' do
  it('is there') { expect(true).to be(true) }
end
";

const SPEC: &str = "spec/lib/gate_spec.rb";
const PLUGIN: &str = "tmp/rspec_metadata/lib_gate.yml";

/// A project with a spec written by hand, and a document with these modes for its methods.
fn gate(modes: &[(&str, &str)]) -> Project {
    let project = Project::with("lib/gate.rb", GATE);
    project.write("Gemfile", "");
    project.write(".rspec", "-I lib -r gate\n");
    project.write(SPEC, BY_HAND);
    project.casebook("design analyze lib").run().exits(0);
    let mut document = project.read(PLUGIN);
    for (method, mode) in modes {
        let kinds = ["instance", "class"];
        for kind in kinds {
            let entry = |mode: &str| {
                format!("- name: {method}\n    type: {kind}\n    method_mode: {mode}\n")
            };
            document = document.replace(&entry("new"), &entry(mode));
        }
    }
    project.write(PLUGIN, document);
    project
}

const MODES: [(&str, &str); 2] = [("open", "modified"), ("kind", "unchanged")];

#[test]
fn each_method_is_inserted_replaced_or_kept() {
    let project = gate(&MODES);
    let written = project
        .casebook("design skeleton lib/gate.rb")
        .run()
        .exits(0);
    assert!(written.stdout.ends_with("spec/lib/gate_spec.rb\n"));
    let notes: Vec<_> = written.stderr.lines().collect();
    assert_eq!(notes[0], "inserted: Gate#close, Fence#paint");
    assert_eq!(notes[1], "replaced: Gate#open");
    assert_eq!(notes[2], "kept: Gate.kind");
    assert!(
        notes[3].starts_with("backup of the old spec: "),
        "{notes:?}"
    );
    assert_eq!(
        project.read("tmp/rspec_claude_metadata/backups/spec/lib/gate_spec.rb.backup"),
        BY_HAND
    );
    for step in ["architect", "implement"] {
        let line = format!("design {step} lib/gate.rb");
        project.casebook(&line).run().exits(0);
    }
    let spec = project.read(SPEC);
    let (before, rest) = BY_HAND.split_once("    it 'is old' do").unwrap();
    assert!(spec.starts_with(before), "{spec}");
    let (_, after) = rest.split_once("  end # of open\n").unwrap();
    let (inside, last) = after.split_once("end\n\nRSpec").unwrap();
    assert!(
        spec.contains("  end # of open\n\n  describe '#close' do"),
        "{spec}"
    );
    assert!(
        spec.contains(&format!("{inside}end\n\nRSpec{last}")),
        "{spec}"
    );
    assert!(!spec.contains("is old"), "{spec}");
    let ran = project
        .bash("ruby -c spec/lib/gate_spec.rb && rspec")
        .run()
        .exits(0);
    assert!(ran.stdout.contains("9 examples, 0 failures"), "{ran:#?}");
}

#[test]
fn a_spec_that_is_not_ruby_is_reported_with_its_line() {
    let project = gate(&MODES);
    project
        .casebook("design skeleton lib/gate.rb")
        .run()
        .exits(0);
    let broken = project
        .read(SPEC)
        .replace("describe '.kind' do", "describe '.kind' do (");
    project.write(SPEC, &broken);
    for step in ["skeleton", "architect"] {
        let line = format!("design {step} lib/gate.rb");
        let failed = project.casebook(&line).run().exits(1);
        assert!(
            failed.stderr.contains("gate_spec.rb: line 23: "),
            "{failed:#?}"
        );
        assert_eq!(project.read(SPEC), broken);
    }
}

#[test]
fn an_existing_block_for_a_new_method_requires_a_decision() {
    let project = gate(&[("kind", "modified")]);
    let outcome = project
        .casebook("design skeleton lib/gate.rb")
        .run()
        .exits(2);
    let decision: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let question = &decision["decisions"][0];
    assert!(
        question["title"] == "#open already has a block",
        "{outcome:#?}"
    );
    assert_eq!(question["choices"][1]["flag"], "--conflict skip");
    assert_eq!(project.read(SPEC), BY_HAND);
    let skip = "design skeleton lib/gate.rb --conflict skip";
    let skipped = project.casebook(skip).run().exits(0);
    assert!(skipped.stderr.contains("kept: Gate#open\n"), "{skipped:#?}");
    assert!(
        skipped.stderr.contains("replaced: Gate.kind\n"),
        "{skipped:#?}"
    );
    assert!(project.read(SPEC).contains("is old"));
    let overwrite = "design skeleton lib/gate.rb --conflict overwrite";
    project.casebook(overwrite).run().exits(0);
    assert!(!project.read(SPEC).contains("is old"));
    assert!(
        project
            .read("tmp/rspec_claude_metadata/backups/spec/lib/gate_spec.rb.backup")
            .contains("is old")
    );
}

#[test]
fn manual_code_in_a_modified_block_requires_a_decision() {
    let project = gate(&MODES);
    let spec = BY_HAND.replace("    it 'is old' do", "    # CUSTOM\n    it 'is old' do");
    project.write(SPEC, &spec);
    let outcome = project
        .casebook("design skeleton lib/gate.rb")
        .run()
        .exits(2);
    let reason = "has a block for #open, which contains CUSTOM or MANUAL comments";
    assert!(outcome.stdout.contains(reason), "{outcome:#?}");
    assert_eq!(project.read(SPEC), spec);
}

#[test]
fn merge_options_override_the_document() {
    let project = gate(&MODES);
    let line = "design skeleton lib/gate.rb --merge missing";
    let written = project.casebook(line).run().exits(0);
    assert_eq!(written.stderr, "");
    assert!(project.read(SPEC).contains("is old"));
    assert!(!project.exists("tmp/rspec_claude_metadata/backups/spec/lib/gate_spec.rb.backup"));
    project.write(SPEC, "");
    let line = "design skeleton lib/gate.rb";
    let rewritten = project.casebook(line).run().exits(0);
    assert_eq!(rewritten.stderr, "");
    assert!(project.read(SPEC).contains("describe '.kind' do"));
    let both = "design skeleton lib/gate.rb --merge missing --conflict skip";
    assert_ne!(project.casebook(both).run().code, 0);
}

/// The modes of all methods in the document.
fn modes(project: &Project) -> String {
    let document = project.read(PLUGIN);
    let (_, methods) = document.split_once("\nmethods:\n").unwrap();
    let mut lines = methods.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("  - name: ") {
            let mode = lines.find_map(|line| line.strip_prefix("    method_mode: "));
            found.push(format!("{name} {}", mode.unwrap()));
        }
    }
    found.join(", ")
}

#[test]
fn a_change_of_the_code_updates_the_spec() {
    let project = gate(&[]);
    project.bash(&format!("rm {SPEC}")).run().exits(0);
    let analyze = |code: &str| {
        project.write("lib/gate.rb", code);
        // Without `--force`, the metadata would count as fresh: timestamps are compared by whole seconds.
        let line = "design analyze lib --force";
        project.casebook(line).run().exits(0);
        modes(&project)
    };
    let all_new = "open new, close new, kind new, paint new";
    assert_eq!(analyze(GATE), all_new);
    for step in ["skeleton", "architect", "implement"] {
        let line = format!("design {step} lib/gate.rb");
        project.casebook(&line).run().exits(0);
    }
    let unchanged = all_new.replace("new", "unchanged");
    assert_eq!(analyze(GATE), unchanged);
    let moved = format!("# moved\n{}", GATE.replace("\n  ", "\n    "));
    assert_eq!(analyze(&moved), unchanged);
    let spec = project.read(SPEC);
    let by_hand = spec.replace("it 'returns :small'", "it 'is small, by hand'");
    project.write(SPEC, &by_hand);
    let changed = GATE.replace(":wide", ":broad").replace(
        "  def close",
        "  def lock(key)\n    key == 1 ? :a : :b\n  end\n\n  def close",
    );
    let expected = "open modified, lock new, close unchanged, kind unchanged, paint unchanged";
    assert_eq!(analyze(&changed), expected);
    assert_eq!(analyze(&changed), expected, "nothing was written yet");
    let line = "design skeleton lib/gate.rb";
    let written = project.casebook(line).run().exits(0);
    assert!(
        written
            .stderr
            .starts_with("inserted: Gate#lock\nreplaced: Gate#open\n")
    );
    for step in ["architect", "implement"] {
        let line = format!("design {step} lib/gate.rb");
        project.casebook(&line).run().exits(0);
    }
    let spec = project.read(SPEC);
    assert!(spec.contains("it 'is small, by hand' do"), "{spec}");
    assert!(spec.contains("it 'returns :broad' do"), "{spec}");
    let ran = project.bash("rspec").run().exits(0);
    assert!(ran.stdout.contains("10 examples, 0 failures"), "{ran:#?}");
}

#[test]
fn later_steps_keep_the_line_ends_of_a_spec() {
    let project = project(CART);
    let step = |name: &str| {
        let line = format!("design {name} lib/cart.rb");
        project.casebook(&line).run().exits(0);
    };
    step("analyze");
    step("skeleton");
    let spec = "spec/lib/cart_spec.rb";
    project.write(spec, project.read(spec).replace('\n', "\r\n"));
    for name in ["architect", "implement"] {
        step(name);
        let text = project.read(spec);
        let (all, windows) = (text.matches('\n').count(), text.matches("\r\n").count());
        assert!(all > 0 && all == windows, "{name}: {text:?}");
    }
}
