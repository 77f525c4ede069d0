//! `design update`: which specs a change affects.

use crate::support::Project;

const BEFORE: &str = "\
class Till
  def open(user)
    user.admin? ? 1 : 2
  end

  def close(user)
    user.admin? ? 1 : 2
  end

  def same
    1
  end
end
";

fn project() -> Project {
    let project = Project::with("app/models/till.rb", BEFORE);
    project.write("lib/other.rb", "class Other; def x = 1; end");
    project
        .bash("git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm first")
        .run()
        .exits(0);
    project
}

#[test]
fn changed_methods_are_listed_with_the_kind_of_change() {
    let project = project();
    let after =
        BEFORE
            .replacen("? 1 : 2", "? 3 : 4", 1)
            .replacen("user.admin? ? 1", "user.owner? ? 1", 1);
    project.write("app/models/till.rb", after);
    project.write("app/models/new.rb", "class New; def x(y) = y > 1; end");
    project.write("lib/other.rb", "class Other; def x = 2; end");
    let outcome = project.casebook("design update").run().exits(0);
    insta::assert_snapshot!(outcome.stdout, @r"
    METHOD      CHANGE        SPEC  FILE
    New#x       new           -     app/models/new.rb
    Till#open   expectations  -     app/models/till.rb
    Till#close  varies        -     app/models/till.rb
    Other#x     expectations  -     lib/other.rb
    ");
    project.write(
        "spec/models/till_spec.rb",
        "RSpec.describe Till do\n  # MANUAL: keep\n  def helper; end\nend\n",
    );
    let outcome = project.casebook("design update --json").run().exits(2);
    assert!(
        outcome.stderr.contains(
            "Till#close: spec/models/till_spec.rb contains CUSTOM or MANUAL comments, helper methods"
        ),
        "{outcome:#?}"
    );
    assert!(
        outcome.stdout.contains("\"change\":\"varies\""),
        "{outcome:#?}"
    );
}

#[test]
fn an_unknown_commit_is_an_error() {
    let project = project();
    let outcome = project.casebook("design update --base nope").run().exits(1);
    assert_eq!(
        outcome.stderr,
        "Error: cannot list the changed files: git reports: fatal: bad revision 'nope'\n"
    );
}

#[test]
fn gems_and_engines_have_their_own_sources_and_specs() {
    let project = project();
    for (file, text) in [
        ("gems/a/a.gemspec", ""),
        ("gems/a/lib/x.rb", "class X; def y(z) = z ? 1 : 2; end"),
        ("gems/a/spec/x_spec.rb", "RSpec.describe(X) { }"),
        ("api/lib/shop/api/engine.rb", "module Shop; end"),
        (
            "api/app/models/card.rb",
            "class Card; def pay(z) = z ? 1 : 2; end",
        ),
        ("api/spec/models/card_spec.rb", "RSpec.describe(Card) { }"),
        (
            "packs/pay/app/public/pay.rb",
            "class Pay; def now(z) = z ? 1 : 2; end",
        ),
        (
            "packs/pay/spec/public/pay_spec.rb",
            "RSpec.describe(Pay) { }",
        ),
        ("config/routes.rb", "class Routes; def draw = 1; end"),
        ("spec/support/helper.rb", "class Helper; def help = 1; end"),
    ] {
        project.write(file, text);
    }
    let outcome = project.casebook("design update").run().exits(0);
    insta::assert_snapshot!(outcome.stdout, @r"
    METHOD    CHANGE  SPEC                               FILE
    Card#pay  new     api/spec/models/card_spec.rb       api/app/models/card.rb
    X#y       new     gems/a/spec/x_spec.rb              gems/a/lib/x.rb
    Pay#now   new     packs/pay/spec/public/pay_spec.rb  packs/pay/app/public/pay.rb
    ");
    let survey = project.casebook("design survey").run().exits(0);
    assert!(!survey.stdout.contains("Routes"), "{survey:#?}");
    // A new block is added to the spec beside the source.
    let typed = "design pipeline gems/a/lib/x.rb#y --keep-going";
    let outcome = project.casebook(typed).run();
    assert!(
        outcome.stdout.contains("/gems/a/spec/x_spec.rb\""),
        "{outcome:#?}"
    );
    let spec = project.read("gems/a/spec/x_spec.rb");
    assert!(spec.contains("describe '#y' do"), "{spec}");
}
