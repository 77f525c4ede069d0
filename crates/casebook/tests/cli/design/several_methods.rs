//! Several methods of one source in one metadata document.

use serde_json::Value;

use super::{METADATA, project};
use crate::support::Project;

const TILL: &str = "\
class Till
  def open(key)
    key.nil? ? :closed : :open
  end

  def close(key)
    key.nil? ? :odd : :closed
  end

  def self.close(key)
    key.nil? ? 1 : 2
  end
end
";

const SPEC: &str = "spec/lib/cart_spec.rb";

fn till() -> Project {
    project(TILL)
}

fn pipeline(project: &Project, method: &str) {
    let typed = format!("design pipeline lib/cart.rb{method}");
    let outcome = project.casebook(&typed).run();
    assert!(matches!(outcome.code, 0 | 2), "{outcome:#?}");
}

fn methods(project: &Project, command: &str) -> Vec<String> {
    let outcome = project.casebook(command).run();
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let list = answer.get("methods").unwrap_or(&answer).as_array().unwrap();
    let name = |one: &Value| one["method"].as_str().unwrap().to_owned();
    let mut names: Vec<_> = list.iter().map(name).collect();
    names.sort();
    names
}

#[test]
fn a_second_pipeline_keeps_the_methods_of_the_first() {
    let project = till();
    for method in ["#open", "#close", ".close"] {
        pipeline(&project, method);
    }
    let all = ["Till#close", "Till#open", "Till.close"];
    assert_eq!(methods(&project, "design status --json"), all);
    assert_eq!(methods(&project, "coverage --json"), all);
    let spec = project.read(SPEC);
    for block in ["describe '#open'", "describe '#close'", "describe '.close'"] {
        assert_eq!(spec.matches(block).count(), 1, "{spec}");
    }
    let status = project.casebook("design status --json").run().exits(0);
    let status: Value = serde_json::from_str(&status.stdout).unwrap();
    for one in status.as_array().unwrap() {
        assert_eq!(one["next"], Value::Null, "{one}");
        assert_eq!(one["reason"], "metadata is fresh and completed");
    }
    project
        .casebook(&format!("design validate {METADATA}"))
        .run()
        .exits(0);
}

#[test]
fn the_method_analyzed_last_is_at_the_top_level() {
    let project = till();
    let analyze = |method: &str| {
        let typed = format!("design analyze lib/cart.rb{method}");
        project.casebook(&typed).run().exits(0);
        let text = project.read(METADATA);
        let top = text.lines().find(|line| line.starts_with("  method: "));
        top.unwrap().to_owned()
    };
    assert_eq!(analyze("#open"), "  method: open");
    assert_eq!(analyze("#close"), "  method: close");
    // Up-to-date metadata is moved and not analyzed again.
    project
        .casebook("design skeleton lib/cart.rb#open --comments")
        .run()
        .exits(0);
    assert_eq!(analyze("#open"), "  method: open");
    assert!(
        project
            .read(METADATA)
            .contains("\n  skeleton_generated: true")
    );
}

#[test]
fn steps_work_on_the_method_that_is_named() {
    let project = till();
    for method in ["#open", "#close"] {
        let typed = format!("design analyze lib/cart.rb{method}");
        project.casebook(&typed).run().exits(0);
    }
    let run = |typed: &str| project.casebook(&format!("design {typed}")).run().exits(0);
    run("skeleton lib/cart.rb#open");
    run("architect lib/cart.rb#open");
    // The block of the other method is kept, although the command without a method rewrites the spec.
    run("skeleton lib/cart.rb");
    let spec = project.read(SPEC);
    assert!(
        spec.contains("describe '#open'") && spec.contains("describe '#close'"),
        "{spec}"
    );
    let status = project.casebook("design status").run().exits(0);
    insta::assert_snapshot!(status.stdout, @r"
    METHOD      DONE                                 NEXT       METADATA
    Till#close  analyze validate skeleton            architect  metadata is fresh and completed
    Till#open   analyze validate skeleton architect  implement  metadata is fresh and completed
    ");
    let unknown = project.casebook("design architect lib/cart.rb#sum").run();
    assert!(unknown.exits(1).stderr.contains("does not describe `sum`"),);
}

#[test]
fn a_method_that_no_longer_exists_is_removed() {
    let project = till();
    for method in ["#open", "#close"] {
        let typed = format!("design analyze lib/cart.rb{method}");
        project.casebook(&typed).run().exits(0);
    }
    project.write("lib/cart.rb", TILL.replace("def open", "def lock"));
    let outcome = project
        .casebook("design analyze lib/cart.rb#close --force")
        .run()
        .exits(2);
    assert_eq!(
        outcome.stderr,
        "Warning: the source no longer defines Till#open; its metadata was removed\n"
    );
    assert_eq!(methods(&project, "design status --json"), ["Till#close"]);
}

#[test]
fn an_invalid_method_does_not_stop_the_others() {
    let project = till();
    for method in ["#open", "#close"] {
        let typed = format!("design analyze lib/cart.rb{method}");
        project.casebook(&typed).run().exits(0);
    }
    let (top, other) = {
        let text = project.read(METADATA);
        let at = text.find("other_methods").unwrap();
        (text[..at].to_owned(), text[at..].to_owned())
    };
    project.write(METADATA, top + &other.replace("level: 1", "level: 3"));
    let outcome = project
        .casebook(&format!("design validate {METADATA}"))
        .run()
        .exits(1);
    assert!(
        outcome
            .stderr
            .contains("other_methods[0].characteristics[0].level must be 1, got: 3"),
        "{outcome:#?}"
    );
    project
        .casebook("design skeleton lib/cart.rb#close")
        .run()
        .exits(0);
    let refused = project.casebook("design skeleton lib/cart.rb#open").run();
    let refused = refused.exits(1).stderr;
    assert!(
        refused.contains("  - characteristics[0].level must be 1, got: 3\n"),
        "{refused}"
    );
}

/// A spec that was written by hand may break rules; the pipeline reports only its own block.
#[test]
fn the_pipeline_reports_only_violations_in_its_block() {
    let project = till();
    project.write(
        SPEC,
        "RSpec.describe Till do\n  context 'if open' do\n    before { allow_any_instance_of(Till).to receive(:open) }\n\n    it('opens') { expect(1).to eq(1) }\n  end\nend\n",
    );
    let outcome = project.casebook("design pipeline lib/cart.rb#open").run();
    assert!(outcome.stdout.contains("\"violations\":0"), "{outcome:#?}");
    assert!(!outcome.stderr.contains("any_instance"), "{outcome:#?}");
}
