//! The files that other services read from this repository: the GitHub action and the pre-commit hook.

use serde_json::Value;

use crate::support::Project;

const SUITE: &str = "tests:\n  - name: hello\n    command: echo Hello\n    outputContains: Hello\n";

/// A YAML file of the repository, read by Ruby.
fn yaml(project: &Project, name: &str) -> Value {
    let file = format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"));
    let script =
        format!("ruby -ryaml -rjson -e 'puts JSON.generate(YAML.load_file(ARGV[0]))' {file}");
    let outcome = project.bash(&script).run().exits(0);
    serde_json::from_str(&outcome.stdout).unwrap()
}

/// The script of one step of the action.
fn step(action: &Value, name: &str) -> String {
    let steps = action["runs"]["steps"].as_array().unwrap();
    let found = steps.iter().find(|step| step["name"] == name);
    let script = found.unwrap_or_else(|| panic!("no step `{name}`"))["run"]
        .as_str()
        .unwrap();
    // As GitHub starts `shell: bash`.
    format!("casebook() {{ \"$CASEBOOK\" \"$@\"; }}; set -eo pipefail\n{script}")
}

#[test]
fn the_action_annotates_failures_and_keeps_the_record() {
    let project = Project::with(
        "tests/a.casebook.yaml",
        SUITE.replace("echo Hello", "echo Bye"),
    );
    project.write("more/b.casebook.yaml", SUITE);
    let script = step(&yaml(&project, "action.yml"), "run suites");
    let run = project
        .bash(&script)
        .env("PATHS", "tests\nmore\n")
        .env("ARGUMENTS", "--retries 1");
    let outcome = run
        .env("GITHUB_STEP_SUMMARY", project.at("summary.md"))
        .run()
        .exits(1);
    assert!(
        outcome
            .stdout
            .contains("::error file=tests/a.casebook.yaml,line=4"),
        "{}",
        outcome.stdout
    );
    assert_eq!(
        project.json("casebook-record/run.json")["examples"]
            .as_object()
            .unwrap()
            .len(),
        2
    );
    assert!(project.read("casebook.html").contains("<html"));
    assert!(project.read("summary.md").contains("hello"));
}

#[test]
fn the_action_compares_with_a_base() {
    let project = Project::with("a.casebook.yaml", SUITE);
    project.casebook("run --record base").run().exits(0);
    project.write("a.casebook.yaml", SUITE.replace("echo Hello", "echo Bye"));
    project
        .casebook("run --record casebook-record")
        .run()
        .exits(1);
    let script = step(&yaml(&project, "action.yml"), "compare");
    let compare = project.bash(&script).env("BASE", "base");
    compare
        .env("GITHUB_STEP_SUMMARY", project.at("summary.md"))
        .run()
        .exits(0);
    let comment = project.read("casebook-diff.md");
    assert!(comment.contains("hello"), "{comment}");
    assert_eq!(project.read("summary.md"), comment);
}

#[test]
fn every_input_of_the_action_is_used_and_documented() {
    let project = Project::new();
    let action = yaml(&project, "action.yml");
    let text = action["runs"].to_string();
    let page = include_str!("../../../../docs/integrations.md");
    for name in action["inputs"].as_object().unwrap().keys() {
        assert!(
            text.contains(&format!("inputs.{name}")),
            "{name} is not used"
        );
        assert!(
            page.contains(&format!("| `{name}` |")),
            "{name} is not in docs/integrations.md"
        );
    }
}

#[test]
fn the_pre_commit_hook_checks_the_suites_it_is_given() {
    let project = Project::with("a.casebook.yaml", "tests: [{name: hello, comand: echo}]\n");
    let hook = &yaml(&project, ".pre-commit-hooks.yaml")[0];
    let arguments = hook["entry"]
        .as_str()
        .unwrap()
        .strip_prefix("casebook ")
        .unwrap();
    let outcome = project
        .casebook(&format!("{arguments} a.casebook.yaml"))
        .run()
        .exits(2);
    assert!(outcome.stdout.contains("comand"), "{}", outcome.stdout);
    let pattern = hook["files"].as_str().unwrap();
    for (file, is_suite) in [
        ("x/a.casebook.yaml", true),
        ("a.bashi.yml", true),
        ("a.yaml", false),
        ("a.casebook.yaml.txt", false),
    ] {
        let matches = format!(
            "ruby -e 'exit ARGV[0].match?(Regexp.new(ARGV[1])) ? 0 : 1' {file} '{pattern}'"
        );
        assert_eq!(project.bash(&matches).run().code == 0, is_suite, "{file}");
    }
}
