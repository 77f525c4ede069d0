//! `design refactor`: an old spec passes before, and passes afterwards.

use serde_json::Value;

use crate::support::Project;

const SOURCE: &str = "\
class Cart
  def label(n)
    n.nil? ? 'none' : 'some'
  end
end
";

const OLD: &str = "\
describe Cart do
  it 'should label' do
    Cart.new.label(nil).should == 'none'
  end
end
";

const SPEC: &str = "spec/lib/cart_spec.rb";
const BACKUP: &str = "spec/lib/cart_spec.rb.backup";

fn project(spec: &str) -> Project {
    let project = Project::with("lib/cart.rb", SOURCE);
    project.write("Gemfile", "");
    project.write(".rspec", "-I lib -r cart\n");
    project.write(SPEC, spec);
    project
}

fn refactor(project: &Project, options: &str, code: i32) -> (Value, String) {
    let typed = format!("design refactor {SPEC} {options}");
    let outcome = project.casebook(&typed).run().exits(code);
    let answer = serde_json::from_str(&outcome.stdout).unwrap_or_default();
    (answer, outcome.stderr)
}

#[test]
fn without_a_mode_nothing_is_changed() {
    let project = project(OLD);
    let (answer, _) = refactor(&project, "", 2);
    assert_eq!(answer["status"], "needs_decision");
    assert_eq!(answer["decisions"][0]["recommended_action"], "conservative");
    assert_eq!(project.read(SPEC), OLD);
    assert!(!project.exists(BACKUP));
}

#[test]
fn the_conservative_way_mends_style_and_keeps_the_old_file() {
    let project = project(OLD);
    let (answer, _) = refactor(&project, "--mode conservative", 0);
    assert_eq!(
        answer["changes"].to_string(),
        r#"["1 assertion","1 description","literals are frozen"]"#
    );
    assert_eq!(
        project.read(SPEC),
        "# frozen_string_literal: true\n\ndescribe Cart do\n  it 'labels' do\n    \
         expect(Cart.new.label(nil)).to eq('none')\n  end\nend\n"
    );
    assert_eq!(project.read(BACKUP), OLD);
    // A second time there is nothing to do, and what the first kept stays.
    let (answer, _) = refactor(&project, "--mode conservative", 0);
    assert_eq!(answer["backup"], Value::Null);
    assert_eq!(project.read(BACKUP), OLD);
}

#[test]
fn the_full_way_writes_the_spec_anew() {
    let project = project(OLD);
    let (answer, _) = refactor(&project, "--mode full", 0);
    assert_eq!(
        answer["changes"].to_string(),
        r#"["written anew from lib/cart.rb"]"#
    );
    assert!(project.read(SPEC).contains("describe '#label' do"));
    assert_eq!(project.read(BACKUP), OLD);
}

#[test]
fn what_would_be_lost_or_fail_is_left_alone() {
    let failing = OLD.replace("'none'", "'any'");
    let breaking = OLD.replace("'none'", "('no' << 'ne')");
    let by_hand = OLD.replace("  it", "  def cart = 1\n\n  it");
    for (spec, options, code, told) in [
        (
            &failing,
            "--mode conservative",
            1,
            "fails as it is: 1 example, 1 failure",
        ),
        (
            &breaking,
            "--mode conservative",
            1,
            "It was put back as it was.",
        ),
        (&by_hand, "--mode full", 2, "a decision is needed"),
    ] {
        let project = project(spec);
        let (_, stderr) = refactor(&project, options, code);
        assert!(stderr.contains(told), "{stderr}");
        assert_eq!(project.read(SPEC), **spec);
        assert!(!project.exists(BACKUP), "{options}");
    }
    let project = project(&by_hand);
    refactor(&project, "--mode full --discard-handwork", 0);
    assert_eq!(project.read(BACKUP), by_hand);
}
