//! The sample application: every public method through all steps, with real Ruby, RSpec and FactoryBot.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::Project;

/// A copy of `examples/ruby`.
pub(crate) fn shop() -> Project {
    copy_of("../../examples/ruby")
}

/// A project with a copy of a directory, given by its path relative to this crate.
pub(super) fn copy_of(dir: &str) -> Project {
    let project = Project::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(dir);
    copy(&root, &root, &project);
    // Otherwise its metadata would be in /tmp.
    project.bash("git init --quiet").run().exits(0);
    project
}

fn copy(root: &Path, dir: &Path, project: &Project) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            copy(root, &path, project);
        } else {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            project.write(&name, fs::read(&path).unwrap());
        }
    }
}

pub(super) fn methods(project: &Project) -> Vec<String> {
    let survey = project.casebook("design survey --json").run().exits(0);
    let methods: Value = serde_json::from_str(&survey.stdout).unwrap();
    let methods = methods.as_array().unwrap();
    methods
        .iter()
        .map(|method| {
            format!(
                "{}#{}",
                method["file"].as_str().unwrap(),
                method["method"].as_str().unwrap()
            )
        })
        .collect()
}

#[test]
fn every_skeleton_is_valid_ruby_and_loads() {
    let project = shop();
    let methods = methods(&project);
    assert!(methods.len() >= 15, "{methods:?}");
    for method in &methods {
        let code = project
            .casebook(&format!("design analyze {method} --force"))
            .run()
            .code;
        assert_ne!(code, 1, "{method}");
        let file = method.split('#').next().unwrap();
        project
            .casebook(&format!("design skeleton {file} --comments --merge upsert"))
            .run()
            .exits(0);
    }
    project
        .bash("set -e; for spec in $(find spec -name '*_spec.rb'); do ruby -c $spec; done")
        .run()
        .exits(0);
    let outcome = project.bash("rspec --dry-run").run().exits(0);
    assert!(outcome.stdout.contains("0 failures"), "{}", outcome.stdout);
}

#[test]
fn implemented_specs_run_without_failures() {
    let project = shop();
    let (mut certain, mut pending) = (0, 0);
    for method in &methods(&project) {
        let outcome = project.casebook(&format!("design pipeline {method}")).run();
        assert_ne!(outcome.code, 1, "{method}: {}", outcome.stderr);
        let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
        certain += answer["examples"]["implemented"].as_u64().unwrap();
        pending += answer["examples"]["pending"].as_u64().unwrap();
    }
    let outcome = project.bash("rspec --format progress").run().exits(0);
    let summary = format!(
        "{} examples, 0 failures, {pending} pending",
        certain + pending
    );
    assert!(
        outcome.stdout.contains(&summary),
        "{summary}\n{}",
        outcome.stdout
    );
    assert!(
        pending * 4 <= certain + pending,
        "{certain} certain, {pending} pending"
    );
    for spec in project
        .bash("find spec -name '*_spec.rb'")
        .run()
        .stdout
        .lines()
    {
        let review = project
            .casebook(&format!("design review {spec} --json --guide strict"))
            .run();
        assert!(
            review.stdout.starts_with("{\"status\":\"excellent\""),
            "{spec}: {review:#?}"
        );
    }
    let survey = project.casebook("design survey --json").run().exits(0);
    assert!(
        !survey.stdout.contains("\"has_spec\":false"),
        "{}",
        survey.stdout
    );
    let again = project
        .casebook("design pipeline app/services/parcel_router.rb#ship")
        .run()
        .exits(2);
    assert!(again.stdout.contains("needs_decision"), "{again:#?}");
    project
        .casebook("design pipeline app/services/parcel_router.rb#ship --overwrite")
        .run();
    assert!(
        project
            .exists("tmp/rspec_claude_metadata/backups/spec/services/parcel_router_spec.rb.backup")
    );
}

#[test]
fn examples_implemented_as_certain_never_fail() {
    let project = Project::with(
        "lib/tricky.rb",
        include_str!("../../fixtures/design/tricky.rb"),
    );
    project.write("Gemfile", "");
    project.write(".rspec", "-I lib -r tricky\n");
    project.casebook("design analyze lib").run().exits(0);
    for step in [
        "skeleton lib/tricky.rb --level unit",
        "architect lib/tricky.rb",
    ] {
        let code = project.casebook(&format!("design {step}")).run().code;
        assert_ne!(code, 1, "{step}");
    }
    project
        .casebook("design implement lib/tricky.rb")
        .run()
        .exits(0);
    let ran = project.bash("rspec").run().exits(0);
    assert!(
        ran.stdout.contains("393 examples, 0 failures"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_script_gets_a_valid_suite() {
    let project = shop();
    project
        .casebook("design analyze bin/greet.rb.run")
        .run()
        .exits(0);
    let outcome = project
        .casebook("design skeleton bin/greet.rb --suite")
        .run()
        .exits(0);
    assert_eq!(outcome.stdout, "[project]/suites/greet.casebook.yaml\n");
    project.casebook("check suites").run().exits(0);
}
