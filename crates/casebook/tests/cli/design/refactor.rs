//! `design refactor`: the old spec and the refactored one pass.

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
const BACKUP: &str = "tmp/rspec_claude_metadata/backups/spec/lib/cart_spec.rb.backup";

/// The spec without an example that runs.
const PENDING: &str = "describe Cart do\n  it 'labels'\nend\n";

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
fn conservative_mode_fixes_style_and_keeps_the_old_file() {
    let project = project(OLD);
    let (answer, _) = refactor(&project, "--mode conservative", 0);
    assert_eq!(
        answer["changes"].to_string(),
        r#"["1 assertion","1 description","frozen string literals added"]"#
    );
    assert_eq!(
        project.read(SPEC),
        "# frozen_string_literal: true\n\ndescribe Cart do\n  it 'labels' do\n    \
         expect(Cart.new.label(nil)).to eq('none')\n  end\nend\n"
    );
    assert_eq!(project.read(BACKUP), OLD);
    // A second call changes nothing and keeps the backup of the first.
    let (answer, _) = refactor(&project, "--mode conservative", 0);
    assert_eq!(answer["backup"], Value::Null);
    assert_eq!(project.read(BACKUP), OLD);
}

#[test]
fn full_mode_rewrites_a_spec_without_examples_that_run() {
    let project = project(PENDING);
    let (answer, _) = refactor(&project, "--mode full", 0);
    assert_eq!(
        answer["changes"].to_string(),
        r#"["rewritten from lib/cart.rb"]"#
    );
    assert!(project.read(SPEC).contains("describe '#label' do"));
    assert_eq!(project.read(BACKUP), PENDING);
}

#[test]
fn full_mode_keeps_handwritten_examples() {
    let project = project(OLD);
    let (answer, _) = refactor(&project, "--mode full", 0);
    assert_eq!(
        answer["changes"].to_string(),
        r#"["1 assertion","1 description","frozen string literals added","1 block written from lib/cart.rb"]"#
    );
    let spec = project.read(SPEC);
    assert!(
        spec.contains("    expect(Cart.new.label(nil)).to eq('none')\n"),
        "{spec}"
    );
    assert!(spec.contains("describe '#label' do"), "{spec}");
    assert_eq!(project.read(BACKUP), OLD);
    assert_eq!(project.files("spec/lib"), ["cart_spec.rb"]);
    let ran = project.bash("rspec").run().exits(0);
    assert!(ran.stdout.contains("3 examples, 0 failures\n"), "{ran:#?}");
}

/// A rewritten spec used to have pending examples instead of those that passed.
#[test]
fn passing_examples_do_not_become_pending() {
    let by_hand = "describe Cart do\n  describe '#label' do\n    \
                   it('is none') { expect(Cart.new.label(nil)).to eq('none') }\n  end\nend\n";
    let project = project(by_hand);
    let helper = "class Cart\n  def sum(list)\n    list.any? ? list.sum : compute\n  end\n\n  def size(n)\n    n.nil? ? 0 : 1\n  end\n\n  def [](n) = n ? 1 : 2\nend\n";
    project.write("lib/cart.rb", format!("{SOURCE}{helper}"));
    let (_, stderr) = refactor(&project, "--mode full", 2);
    assert!(
        stderr.contains(
            "existing blocks that were kept, because examples would be lost: Cart#label\n"
        ),
        "{stderr}"
    );
    let spec = project.read(SPEC);
    assert!(
        spec.contains("it('is none') { expect(Cart.new.label(nil)).to eq('none') }"),
        "{spec}"
    );
    assert!(spec.contains("describe '#size' do"), "{spec}");
    // A block with only pending examples is not added.
    assert!(!spec.contains("describe '#sum' do"), "{spec}");
    assert!(
        stderr
            .contains("methods without a block, because all examples would be pending: Cart#sum;"),
        "{stderr}"
    );
    assert!(
        !spec.contains("pending") && !spec.contains("skip"),
        "{spec}"
    );
    // The metadata has all methods, but the steps are done only for those with a block.
    let status = project.casebook("design status").run().exits(0);
    insta::assert_snapshot!(status.stdout, @r"
    METHOD      DONE                                                           NEXT      METADATA
    Cart#[]     analyze validate skeleton architect implement optimize polish  -         metadata is fresh and completed
    Cart#label  analyze validate skeleton architect implement optimize polish  -         metadata is fresh and completed
    Cart#sum    analyze validate                                               skeleton  metadata is fresh and completed
    Cart#size   analyze validate skeleton architect implement optimize polish  -         metadata is fresh and completed
    ");
}

/// Such examples used to be replaced by pending ones: neither the outline of the spec nor the colored summary showed them.
#[test]
fn examples_that_a_method_of_the_project_defines_are_kept() {
    let defined = "describe Cart do\n  labels nil => 'none', 1 => 'some'\nend\n";
    let project = project(defined);
    project.write(
        ".rspec",
        "-I lib -r cart\n-r ./spec/labels\n--force-color\n",
    );
    let helper = "\
def (RSpec::Core::ExampleGroup).labels(table)
  table.each { |n, label| it(\"labels #{n.inspect}\") { expect(described_class.new.label(n)).to eq(label) } }
end
";
    project.write("spec/labels.rb", helper);
    let (answer, _) = refactor(&project, "--mode full", 0);
    assert_eq!(
        answer["changes"].to_string(),
        r#"["frozen string literals added","1 block written from lib/cart.rb"]"#
    );
    let spec = project.read(SPEC);
    assert!(
        spec.contains("  labels nil => 'none', 1 => 'some'\n"),
        "{spec}"
    );
    let ran = project.bash("rspec --no-color").run().exits(0);
    assert!(ran.stdout.contains("4 examples, 0 failures\n"), "{ran:#?}");
}

/// Bundler cannot start RSpec, so it is started without Bundler, as everywhere else.
#[test]
fn states_are_proven_without_the_gems_of_the_gemfile() {
    let project = project(WEAKENED);
    project.write(
        "Gemfile",
        "warn 'a line'\nwarn 'and another'\ngem 'no_such_gem'\n",
    );
    let source = "class Cart\n  def label(n)\n    n ? n.to_s * 2 : n.inspect\n  end\nend\n";
    project.write("lib/cart.rb", source);
    let (_, stderr) = refactor(&project, "--mode full", 1);
    assert!(stderr.contains("no longer checks these states"), "{stderr}");
    assert_eq!(project.read(SPEC), WEAKENED);
}

#[test]
fn a_spec_whose_states_cannot_be_proven_is_restored() {
    let project = project(OLD);
    // Nothing is loaded that reports outcomes.
    let rspec =
        "#!/bin/bash\nunset SPEC_OPTS RUBYOPT\nexec \"$(type -ap rspec | tail -n 1)\" \"$@\"\n";
    project.write("bin/rspec", rspec);
    project.bash("chmod +x bin/rspec").run().exits(0);
    let before = all_files(&project);
    let typed = format!("design refactor {SPEC} --mode full");
    let call = project.casebook(&typed).path_first(&project.at("bin"));
    let outcome = call.run().exits(1);
    assert!(
        outcome.stderr.starts_with(
            "Error: cannot check whether the refactored spec still proves the same states, so it was restored: \
             rspec reported nothing; use --mode conservative\n"
        ),
        "{}",
        outcome.stderr
    );
    assert_eq!(all_files(&project), before);
}

#[test]
fn a_refactoring_that_loses_passing_examples_is_undone() {
    let project = project(OLD);
    // The linter disables the example.
    project.write(".rubocop.yml", "");
    project.write(
        "bin/rubocop",
        "#!/bin/bash\nsed -i \"s/  it /  xit /\" \"$2\"\n",
    );
    project.bash("chmod +x bin/rubocop").run().exits(0);
    let typed = format!("design refactor {SPEC} --mode conservative");
    let call = project.casebook(&typed).path_first(&project.at("bin"));
    let outcome = call.run().exits(1);
    assert_eq!(
        outcome.stderr,
        "Error: spec/lib/cart_spec.rb has 0 passing examples after the refactoring instead of 1; it was restored\n"
    );
    assert_eq!(project.read(SPEC), OLD);
    assert!(!project.exists(BACKUP));
}

#[test]
fn wording_can_be_kept() {
    let old = OLD.replace("should label", "should not label");
    let project = project(&old);
    let (answer, _) = refactor(&project, "--mode conservative --keep-wording", 0);
    assert_eq!(
        answer["changes"].to_string(),
        r#"["1 assertion","frozen string literals added"]"#
    );
    assert!(project.read(SPEC).contains("  it 'should not label' do\n"));
}

#[test]
fn a_spec_that_would_lose_code_or_fail_is_not_changed() {
    let failing = OLD.replace("'none'", "'any'");
    let by_hand = PENDING.replace("  it", "  def cart = 1\n\n  it");
    for (spec, options, code, message) in [
        (
            &failing,
            "--mode conservative",
            1,
            "already fails: 1 example, 1 failure",
        ),
        (&by_hand, "--mode full", 2, "a decision is needed"),
    ] {
        let project = project(spec);
        let (_, stderr) = refactor(&project, options, code);
        assert!(stderr.contains(message), "{stderr}");
        assert_eq!(project.read(SPEC), **spec);
        assert!(!project.exists(BACKUP), "{options}");
    }
    let project = project(&by_hand);
    refactor(&project, "--mode full --discard-handwork", 0);
    assert_eq!(project.read(BACKUP), by_hand);
}

/// All files and directories, with the content of the files.
fn all_files(project: &Project) -> Vec<(String, String)> {
    let mut dirs = vec![String::new()];
    let mut all = Vec::new();
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(project.at(&dir)).unwrap() {
            let name = format!("{dir}{}", entry.unwrap().file_name().to_str().unwrap());
            if project.at(&name).is_dir() {
                all.push((name.clone(), String::new()));
                dirs.push(format!("{name}/"));
            } else {
                let text = project.read(&name);
                all.push((name, text));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn a_failed_full_refactoring_leaves_no_files() {
    let project = project(&OLD.replace("'none'", "'other'"));
    // The method is redefined, so its behavior differs from the analyzed source.
    let other = "Cart.define_method(:label) { |_| 'other' }\n";
    project.write("lib/cart.rb", format!("{SOURCE}{other}"));
    for analyzed in [false, true] {
        if analyzed {
            let typed = "design analyze lib/cart.rb#label";
            project.casebook(typed).run().exits(0);
        }
        let before = all_files(&project);
        let (_, stderr) = refactor(&project, "--mode full", 1);
        assert!(stderr.contains("; it was restored"), "{stderr}");
        assert_eq!(all_files(&project), before);
    }
    let status = project.casebook("design status").run().exits(0);
    assert!(!status.stdout.contains("polisher"), "{}", status.stdout);
}

#[test]
fn a_source_without_methods_changes_nothing() {
    let project = project("describe Cart do\n  it('is there') { expect(Cart).to be }\nend\n");
    project.write("lib/cart.rb", "class Cart\nend\n");
    let before = all_files(&project);
    let (_, stderr) = refactor(&project, "--mode full", 1);
    assert!(
        stderr.contains("lib/cart.rb has no public method"),
        "{stderr}"
    );
    assert_eq!(all_files(&project), before);
}

#[test]
fn full_mode_records_the_spec_and_leaves_no_draft() {
    let project = project(OLD);
    refactor(&project, "--mode full", 0);
    let metadata = project.read("tmp/rspec_claude_metadata/metadata_lib_cart.yml");
    assert!(
        metadata.contains(&format!("skeleton_file: {SPEC}")),
        "{metadata}"
    );
    let names: Vec<_> = all_files(&project)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert!(
        !names.iter().any(|name| name.contains(".casebook-")),
        "{names:?}"
    );
    let reports = names.iter().filter(|name| name.contains("review_report"));
    assert_eq!(reports.count(), 1, "{names:?}");
}

#[test]
fn nested_assertions_and_comments_still_pass() {
    let project = project(
        "describe Cart do\n  def run = yield('none')\n\n  it 'should == none' do\n    \
         Cart.new.label(nil).should == run { |v| v.should == 'none'; v }\n    \
         Cart.new.label(1)\n      # the label\n      .should == 'some'\n  end\nend\n",
    );
    refactor(&project, "--mode conservative", 0);
    assert_eq!(
        project.read(SPEC),
        "# frozen_string_literal: true\n\n\
         describe Cart do\n  def run = yield('none')\n\n  it 'should == none' do\n    \
         expect(Cart.new.label(nil)).to eq(run { |v| expect(v).to eq('none'); v })\n    \
         Cart.new.label(1)\n      # the label\n      .should == 'some'\n  end\nend\n"
    );
}

#[test]
fn a_killed_refactoring_leaves_the_old_spec_or_the_new_one() {
    // RSpec runs before and after the change, and with `full` once more before, to find out what the spec proves.
    for (mode, runs_before) in [("conservative", 1), ("full", 2)] {
        let whole = project(OLD);
        refactor(&whole, &format!("--mode {mode}"), 0);
        let new = whole.read(SPEC);
        for killing_run in 1..=4 {
            let is_changed = killing_run > runs_before;
            let expected = if is_changed { new.as_str() } else { OLD };
            let project = project(OLD);
            let rspec = format!(
                "#!/bin/bash\necho >> runs\n[[ $(wc -l < runs) -ne {killing_run} ]] || kill -9 $PPID\n"
            );
            project.write("bin/rspec", rspec);
            project.bash("chmod +x bin/rspec").run().exits(0);
            let call = project.casebook(&format!("design refactor {SPEC} --mode {mode}"));
            call.path_first(&project.at("bin")).run();
            assert_eq!(project.read(SPEC), expected, "{mode} {killing_run}");
            assert_eq!(project.exists(BACKUP), is_changed, "{mode} {killing_run}");
        }
    }
}

#[test]
fn the_linter_of_the_project_is_run() {
    let project = project(&OLD.replace("'none'", "\"none\""));
    project.write(
        ".rubocop.yml",
        "AllCops: {DisabledByDefault: true, SuggestExtensions: false}\nStyle/StringLiterals: {Enabled: true}\n",
    );
    let (answer, _) = refactor(&project, "--mode conservative", 0);
    assert_eq!(
        answer["changes"][3], "style corrected by rubocop",
        "{answer}"
    );
    assert!(project.read(SPEC).contains("to eq('none')"));
    assert_eq!(drafts(&project), Vec::<String>::new());
}

/// The hidden entries in the spec's directory.
fn drafts(project: &Project) -> Vec<String> {
    let names = all_files(project).into_iter().map(|(name, _)| name);
    names.filter(|name| name.contains(".casebook-")).collect()
}

#[test]
fn a_killed_linter_leaves_the_spec_and_the_next_run_removes_its_draft() {
    let project = project(OLD);
    project.write(".rubocop.yml", "");
    let rubocop =
        "#!/bin/bash\necho 'describe Cart do' > \"$2\"\n[[ -e spared ]] || kill -9 $PPID\n";
    project.write("bin/rubocop", rubocop);
    project.bash("chmod +x bin/rubocop").run().exits(0);
    let bin = project.at("bin");
    let typed = format!("design refactor {SPEC} --mode conservative");
    project.casebook(&typed).path_first(&bin).run();
    assert_eq!(project.read(SPEC), OLD);
    assert_eq!(drafts(&project).len(), 2, "a directory and the copy in it");
    project.write("spared", "");
    project.casebook(&typed).path_first(&bin).run().exits(0);
    assert!(project.read(SPEC).contains("expect("));
    assert_eq!(drafts(&project), Vec::<String>::new());
}

#[test]
fn full_mode_distinguishes_classes_and_methods_with_the_same_name() {
    let project = project(PENDING);
    let again = "class Cart\n  def label(n)\n    n.nil? ? 'none' : 'any'\n  end\nend\n";
    let other = "module Shop\n  class Cart\n    def label(n)\n      n.nil? ? 'no' : 'yes'\n    end\n  end\nend\n";
    project.write("lib/cart.rb", format!("{SOURCE}{other}{again}"));
    refactor(&project, "--mode full", 0);
    let spec = project.read(SPEC);
    for part in [
        "RSpec.describe Cart do",
        "RSpec.describe Shop::Cart do",
        "eq('any')",
        "eq('yes')",
    ] {
        assert_eq!(spec.matches(part).count(), 1, "{part}\n{spec}");
    }
    let ran = project.bash("rspec").run().exits(0);
    assert!(ran.stdout.contains("4 examples, 0 failures"), "{ran:#?}");
}

/// Its expectation disappears when the refactoring adds the comment, and nothing else notices that.
const WEAKENED: &str = "\
describe Cart do
  it 'labels' do
    label = Cart.new.label(1)
    expect(label).to eq('11') unless File.read(__FILE__).start_with?('# frozen')
    expect(label).to be_a(String)
  end
end
";

#[test]
fn a_spec_that_checks_less_is_restored() {
    let project = project(WEAKENED);
    let source = "class Cart\n  def label(n)\n    n ? n.to_s * 2 : n.inspect\n  end\nend\n";
    project.write("lib/cart.rb", source);
    let outcome = project
        .casebook(&format!("design refactor {SPEC} --mode full"))
        .run()
        .exits(1);
    assert_eq!(
        outcome.stderr,
        "Error: the refactored spec no longer checks these states, so it was restored:\n  Cart#label: n_present = present\n"
    );
    assert_eq!(project.read(SPEC), WEAKENED);
    assert!(!project.exists(BACKUP));
}

#[test]
fn a_spec_elsewhere_is_refactored_from_the_class_it_describes() {
    let project = project(PENDING);
    let spec = "spec/shop/all_carts_spec.rb";
    let full = format!("design refactor {spec} --mode full");
    project.write(spec, PENDING.replace("Cart", "'all carts'"));
    let refused = project.casebook(&full).run().exits(1);
    assert!(
        refused
            .stderr
            .contains("no single file in lib and app defines the class that it describes"),
        "{}",
        refused.stderr
    );
    project.write(spec, PENDING);
    project.casebook(&full).run().exits(0);
    assert!(project.read(spec).contains("describe '#label'"));
}

/// The code under test may change a string of the spec.
#[test]
fn literals_are_not_frozen_if_the_spec_then_fails() {
    let old = "\
describe Cart do
  it 'labels' do
    Cart.new.label(nil).should == 'none'
    expect('a' << 'b').to eq('ab')
  end
end
";
    let project = project(old);
    let (answer, _) = refactor(&project, "--mode conservative", 0);
    assert_eq!(answer["changes"].to_string(), r#"["1 assertion"]"#);
    let spec = project.read(SPEC);
    assert!(
        spec.starts_with("describe Cart do\n  it 'labels' do\n    expect("),
        "{spec}"
    );
}

/// `SimpleCov` ends a run with an error if it covers less than its minimum.
#[test]
fn an_error_after_the_examples_is_not_a_failed_example() {
    let project = project(OLD);
    project.write(
        ".rspec",
        "-I lib -r cart -r ./spec/spec_helper\n--format progress\n",
    );
    project.write("spec/spec_helper.rb", "at_exit { exit 2 }\n");
    let (answer, _) = refactor(&project, "--mode conservative", 0);
    assert_eq!(answer["changes"][0], "1 assertion");
}
