//! The location and freshness of metadata: rules M1 to M3.

use super::{CART, METADATA, project};
use crate::support::Project;

#[test]
fn path_and_dir_print_one_line() {
    let project = project(CART);
    let path = format!("[project]/{METADATA}\n");
    for file in ["lib/cart.rb", "./lib/cart.rb"] {
        let outcome = project
            .casebook(&format!("design path {file}"))
            .run()
            .exits(0);
        assert_eq!(
            (outcome.stdout.as_str(), outcome.stderr.as_str()),
            (path.as_str(), "")
        );
    }
    assert!(project.exists("tmp/rspec_claude_metadata"));
    let outcome = project.casebook("design dir").run().exits(0);
    assert_eq!(outcome.stdout, "[project]/tmp/rspec_claude_metadata\n");
}

#[test]
fn creating_the_directory_is_reported_only_on_request() {
    let project = project(CART);
    let outcome = project
        .casebook("design path lib/cart.rb")
        .env("VERBOSE", "1")
        .run()
        .exits(0);
    assert_eq!(
        outcome.stderr,
        "created [project]/tmp/rspec_claude_metadata\n"
    );
}

#[test]
fn a_missing_project_is_a_warning() {
    let project = Project::new();
    let outcome = project.casebook("design dir").run();
    if outcome.code == 2 {
        assert!(
            outcome.stdout.ends_with("_rspec_claude_metadata\n"),
            "{outcome:#?}"
        );
        assert!(
            outcome.stderr.starts_with("Warning: no project was found"),
            "{outcome:#?}"
        );
        assert_eq!(outcome.stderr.lines().count(), 2);
    }
}

#[test]
fn invalid_input_exits_with_1() {
    let project = project(CART);
    for (arguments, message) in [
        ("design path notes.md", "Error: notes.md is not a Ruby file"),
        (
            "design path lib/no.rb",
            "Error: cannot read lib/no.rb: no such file or directory",
        ),
        (
            "design cache lib/no.rb",
            "Error: cannot read lib/no.rb: no such file or directory",
        ),
        ("design path", "Error: the following required arguments"),
        ("design nonsense", "Error: unrecognized subcommand"),
        (
            "design validate no.yml",
            "Error: metadata file not found: [project]/no.yml; run `casebook design analyze` first",
        ),
        (
            "design analyze lib/cart.rb#nothing",
            "Error: lib/cart.rb: method `nothing` not found\nMethods found:\n  Cart#total",
        ),
        (
            "design skeleton lib/cart.rb",
            "Error: metadata file not found",
        ),
        (
            "design outline lib/cart.rb",
            "Error: lib/cart.rb contains no RSpec groups",
        ),
    ] {
        let outcome = project.casebook(arguments).run().exits(1);
        assert_eq!(outcome.stdout, "", "{arguments}");
        assert!(
            outcome.stderr.starts_with(message),
            "{arguments}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn every_reason_of_the_cache() {
    let project = project(CART);
    let reason = |subject: &str| {
        let outcome = project
            .casebook(&format!("design cache {subject}"))
            .run()
            .exits(0);
        assert!(
            outcome.stdout.starts_with("{\"valid\":"),
            "{}",
            outcome.stdout
        );
        let answer: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        let keys: Vec<_> = answer.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["valid", "metadata_path", "reason"]);
        answer["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(reason("lib/cart.rb"), "metadata not found");
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    assert_eq!(reason("lib/cart.rb"), "metadata is fresh and completed");
    assert_eq!(
        reason("lib/cart.rb#total"),
        "metadata is fresh and completed"
    );
    assert_eq!(reason("lib/cart.rb#other"), "different method");
    let good = project.read(METADATA);
    for (from, to, expected) in [
        ("analyzer:", "analyzer: [", "metadata corrupted"),
        (
            "completed: true",
            "completed: 'true'",
            "analysis incomplete",
        ),
        (
            "validation:\n  completed: true",
            "validation:\n  completed: false",
            "validation failed",
        ),
        ("errors: []", "errors: [x]", "validation failed"),
        (
            "file: lib/cart.rb",
            "file: lib_cart.rb",
            "different source file",
        ),
        (
            "source_file_mtime: ",
            "other: ",
            "missing source_file_mtime in metadata",
        ),
        (
            "source_file_mtime: ",
            "source_file_mtime: 9",
            "source file modified",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        project.write(METADATA, good.replacen(from, to, 1));
        assert_eq!(reason("lib/cart.rb"), expected, "{to}");
    }
    for nothing in ["- a list\n", "", "# a comment\n", "---\n"] {
        project.write(METADATA, nothing);
        assert_eq!(reason("lib/cart.rb"), "metadata corrupted", "{nothing}");
    }
}

#[test]
fn steps_reject_metadata_of_another_method() {
    let project = project(&CART.replace("class Cart\n", "class Cart\n  def other = 1\n\n"));
    project
        .casebook("design analyze lib/cart.rb#total")
        .run()
        .exits(0);
    for step in ["skeleton", "mark skeleton"] {
        let refused = project
            .casebook(&format!("design {step} lib/cart.rb#other"))
            .run()
            .exits(1);
        assert!(
            refused
                .stderr
                .contains("the metadata does not describe `other`"),
            "{refused:#?}"
        );
    }
    assert!(!project.exists("spec/lib/cart_spec.rb"));
}

#[test]
fn profiling_forbids_fallbacks_and_reports_failures() {
    let project = project(CART);
    let failed = project
        .casebook("design skeleton lib/cart.rb")
        .env("RSPEC_AUTOMATION_PROFILE", "1")
        .run()
        .exits(1);
    assert!(failed.stderr.starts_with("Error: "), "{failed:#?}");
    let report = project.bash("cat tmp/rspec_profiling/report_*_skeleton.yml");
    let report = report.run().exits(0).stdout;
    for part in ["component: skeleton", "severity: error", "design analyze"] {
        assert!(report.contains(part), "{report}");
    }
    let outside = Project::with("lib/cart.rb", CART);
    let dir = outside.casebook("design dir").run();
    if dir.code == 2 {
        for typed in [
            "dir",
            "path lib/cart.rb",
            "cache lib/cart.rb",
            "analyze lib/cart.rb",
        ] {
            let refused = outside
                .casebook(&format!("design {typed}"))
                .env("RSPEC_AUTOMATION_PROFILE", "1")
                .run()
                .exits(1);
            assert!(
                refused
                    .stderr
                    .contains("with RSPEC_AUTOMATION_PROFILE=1 metadata is not stored"),
                "{refused:#?}"
            );
            assert!(!std::path::Path::new(dir.stdout.trim()).exists(), "{typed}");
        }
    }
}

#[test]
fn decisions_are_printed_as_json() {
    let project = project(CART);
    let outcome = project
        .casebook("design analyze lib/cart.rb --print --format json")
        .run()
        .exits(0);
    let document: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    let condition = &document["characteristics"][0]["decisions"][0]["conditions"][0];
    let offset = |key: &str| usize::try_from(condition[key].as_u64().unwrap()).unwrap();
    let source = project.read("lib/cart.rb");
    assert_eq!(&source[offset("start")..offset("end")], "user.nil?");
    let outcome = project
        .casebook("design analyze lib/cart.rb --format json")
        .run()
        .exits(1);
    assert!(outcome.stderr.contains("--print"), "{outcome:#?}");
}
