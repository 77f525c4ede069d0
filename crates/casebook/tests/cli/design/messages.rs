//! Messages about wrong input, and what an existing spec becomes.

use super::{CART, METADATA, project};
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

#[test]
fn validate_of_a_source_names_the_command_for_its_metadata() {
    let project = project(CART);
    let refused = |arguments: &str| project.casebook(arguments).run().exits(1).stderr;
    assert_eq!(
        refused("design validate lib/cart.rb"),
        "Error: lib/cart.rb is Ruby source, not metadata; run `casebook design analyze lib/cart.rb`, which creates and validates its metadata\n"
    );
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    assert_eq!(
        refused("design validate lib/cart.rb"),
        format!(
            "Error: lib/cart.rb is Ruby source, not metadata; run `casebook design validate [project]/{METADATA}`\n"
        )
    );
    assert_eq!(
        refused("design validate lib/no.rb"),
        "Error: cannot read lib/no.rb: no such file or directory\n"
    );
}

#[test]
fn a_path_that_is_not_ruby_says_what_it_is() {
    let project = project(CART);
    project.write("notes.md", "");
    for (path, reason) in [
        ("nope", "no such file"),
        ("lib", "it is a directory"),
        ("notes.md", "its name does not end in .rb"),
    ] {
        let refused = project
            .casebook(&format!("design path {path}"))
            .run()
            .exits(1);
        assert_eq!(
            refused.stderr,
            format!("Error: {path} is not a Ruby file: {reason}\n")
        );
    }
}

#[test]
fn several_methods_are_named_as_they_must_be_typed() {
    let refused = |ruby: &str, arguments: &str| {
        let project = project(ruby);
        let refused = project
            .casebook(&format!("design analyze {arguments}"))
            .run()
            .exits(1);
        refused.stderr.lines().next().unwrap_or_default().to_owned()
    };
    let class_methods = "class Cart; def self.a; end; def self.b; end; end\n";
    let all = "or analyze all with `casebook design analyze --all lib/cart.rb`";
    assert_eq!(
        refused(class_methods, "lib/cart.rb"),
        format!(
            "Error: lib/cart.rb: several public methods found; name one, as in `lib/cart.rb.a`, {all}"
        )
    );
    let classes = "class A; def m; end; end\nclass B; def m; end; end\n";
    assert_eq!(
        refused(classes, "lib/cart.rb#m"),
        "Error: lib/cart.rb: several methods are named `m`; name the class as well, as in `lib/cart.rb#A#m`"
    );
}

#[test]
fn a_suite_does_not_replace_the_recorded_spec() {
    let project = project(CART);
    let design = |arguments: &str| {
        project
            .casebook(&format!("design {arguments} lib/cart.rb"))
            .run()
            .exits(0)
    };
    design("analyze");
    design("skeleton --suite");
    assert!(!project.read(METADATA).contains("skeleton_"));
    design("skeleton");
    let recorded = project.read(METADATA);
    assert!(recorded.contains("skeleton_file: spec/lib/cart_spec.rb"));
    design("skeleton --suite");
    assert_eq!(project.read(METADATA), recorded);
    design("architect");
}

#[test]
fn status_names_steps_by_their_commands() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    let status = project.casebook("design status").run().exits(0);
    insta::assert_snapshot!(status.stdout, @"
    METHOD      DONE              NEXT      METADATA
    Cart#total  analyze validate  skeleton  metadata is fresh and completed
    ");
}

#[test]
fn missing_files_have_no_error_numbers_and_methods_have_suggestions() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    for (arguments, expected) in [
        ("survey nope", "cannot read nope: no such file or directory"),
        (
            "outline spec/x_spec.rb",
            "cannot read spec/x_spec.rb: no such file or directory",
        ),
        (
            "refactor spec/x_spec.rb",
            "cannot read spec/x_spec.rb: no such file or directory",
        ),
        (
            "analyze lib/cart.rb#totl",
            "method `totl` not found; did you mean `total`?",
        ),
        (
            "analyze lib/cart.rb.total",
            "is an instance method: write `FILE#total`",
        ),
        (
            "skeleton lib/cart.rb#totl",
            "does not describe `totl`; did you mean `total`?",
        ),
        (
            "validate lib/cart.rb#total",
            "lib/cart.rb#total is Ruby source, not metadata",
        ),
    ] {
        let outcome = project.casebook(&format!("design {arguments}")).run();
        let stderr = outcome.exits(1).stderr;
        assert!(stderr.contains(expected), "{arguments}: {stderr}");
    }
}

#[test]
fn a_pipeline_that_asks_keeps_the_progress() {
    let project = project(CART);
    let status = || project.casebook("design status").run().exits(0).stdout;
    project.casebook("design pipeline lib/cart.rb#total").run();
    let done = status();
    assert!(done.contains("implement"), "{done}");
    project
        .casebook("design pipeline lib/cart.rb#total")
        .run()
        .exits(2);
    assert_eq!(status(), done);
}

#[test]
fn every_replaced_spec_is_kept() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    let specs = ["# first\n", "# second\n", "# first\n"];
    for spec in specs {
        project.write("spec/lib/cart_spec.rb", spec);
        project
            .casebook("design skeleton lib/cart.rb")
            .run()
            .exits(0);
    }
    let backups = "tmp/rspec_claude_metadata/backups/spec/lib/cart_spec.rb.backup";
    assert_eq!(project.read(backups), "# first\n");
    assert_eq!(project.read(&format!("{backups}2")), "# second\n");
    assert!(!project.at(&format!("{backups}3")).exists());
}

#[test]
fn coverage_names_the_placeholders_of_a_new_skeleton() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    project
        .casebook("design skeleton lib/cart.rb")
        .run()
        .exits(0);
    let stderr = project.casebook("coverage").run().stderr;
    assert!(
        stderr.contains("skipped spec/lib/cart_spec.rb: line ")
            && stderr.contains(" still contains {COMMON_SETUP}; run `casebook design architect`"),
        "{stderr}"
    );
}
