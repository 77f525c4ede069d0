//! Messages about wrong input, and what an existing spec becomes.

use super::{CART, project};
use crate::support::Project;

#[test]
fn survey_rejects_a_path_that_does_not_exist() {
    let project = project(CART);
    let missing = project.casebook("design survey nope").run().exits(1);
    assert_eq!(missing.stdout, "");
    assert!(
        missing.stderr.starts_with("Error: ") && missing.stderr.contains("nope"),
        "{}",
        missing.stderr
    );
    project.write("docs/a.md", "");
    let empty = project.casebook("design survey docs").run().exits(2);
    assert!(
        empty.stderr.starts_with("Warning: no Ruby files in "),
        "{}",
        empty.stderr
    );
}

#[test]
fn survey_names_its_columns() {
    let survey = project(CART).casebook("design survey").run().exits(0);
    insta::assert_snapshot!(survey.stdout, @"
    METHOD      CHARACTERISTICS  CONTEXTS  SPEC  EXERCISED  METADATA  LOCATION
    Cart#total  3                5         no    -          none      lib/cart.rb:2
    ");
}

#[test]
fn a_second_skeleton_keeps_the_existing_spec_as_a_backup() {
    let project = project(CART);
    let skeleton = || {
        project
            .casebook("design skeleton lib/cart.rb")
            .run()
            .exits(0)
    };
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    assert_eq!(skeleton().stderr, "");
    let backup = project.at("tmp/rspec_claude_metadata/backups/spec/lib/cart_spec.rb.backup");
    assert_eq!(skeleton().stderr, "");
    assert!(!backup.exists(), "an unchanged skeleton needs no backup");
    let implemented = "RSpec.describe Cart do\n  it('is mine') { expect(1).to eq(1) }\nend\n";
    project.write("spec/lib/cart_spec.rb", implemented);
    let replaced = skeleton().stderr;
    assert!(
        replaced.contains("spec/lib/cart_spec.rb; the old file is ")
            && replaced.contains("tmp/rspec_claude_metadata/backups/spec/lib/cart_spec.rb.backup"),
        "{replaced}"
    );
    skeleton();
    assert_eq!(std::fs::read_to_string(backup).unwrap(), implemented);
}

#[test]
fn refactor_rejects_a_file_that_is_not_a_spec() {
    let project = project(CART);
    let refused = project
        .casebook("design refactor lib/cart.rb")
        .run()
        .exits(1);
    assert_eq!(
        refused.stderr,
        "Error: lib/cart.rb is not a spec: it contains no `describe`; name a file such as spec/models/cart_spec.rb\n"
    );
}

#[test]
fn update_outside_of_a_repository_says_what_failed() {
    let project = Project::with("app/models/till.rb", "class Till; end");
    project.write("Gemfile", "");
    let refused = project.casebook("design update").run().exits(1);
    assert!(
        refused
            .stderr
            .starts_with("Error: cannot list the changed files: git reports: "),
        "{}",
        refused.stderr
    );
    assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
}
