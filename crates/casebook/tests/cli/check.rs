//! `check`, `explain` and `schema`.

use crate::support::Project;

const GOOD: &str = "tests:\n  - name: lists\n    command: ls\n";

#[test]
fn suites_without_problems_are_counted() {
    let project = Project::with("a.casebook.yaml", GOOD);
    project.write("deep/down/b.bashi.yml", GOOD);
    project.write("other.yaml", "not: a suite");
    let outcome = project.casebook("check").run().exits(0);
    assert_eq!(outcome.stdout, "");
    assert_eq!(outcome.stderr, "2 suites with 2 tests: no problems\n");
}

#[test]
fn all_problems_of_all_files_are_shown_with_line_and_caret() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests:\n  - nmae: lists\n    command: ls\n",
    );
    project.write("b.casebook.yaml", "- x\n");
    project.write("c.casebook.yaml", GOOD);
    let outcome = project.casebook("check").run().exits(2);
    insta::assert_snapshot!(outcome.stdout, @r"
    In the test at line 2:

    a.casebook.yaml:2:5: error: a test has no field `nmae` [unknown-field]
      |
    2 |   - nmae: lists
      |     ^^^^
      |
      = help: did you mean `name`?

    b.casebook.yaml:1:1: error: a suite must be a mapping with a field `tests`, not a list [not-a-suite]
      |
    1 | - x
      | ^^^
    ");
    assert_eq!(outcome.stderr, "3 suites: 2 problems\n");
}

#[test]
fn problems_of_a_test_are_shown_under_its_name() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests:\n  - {name: first, command: a, exitCode: x}\n",
    );
    let outcome = project.casebook("check a.casebook.yaml").run().exits(2);
    assert!(
        outcome
            .stdout
            .starts_with("In test `first`:\n\na.casebook.yaml:2:41: error: `exitCode` must be"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn bash_syntax_errors_are_found_with_their_line() {
    let project = Project::with(
        "a.casebook.yaml",
        "\
setup: |
  if true; then
    cd /tmp
tests:
  - name: first
    command: if true; then echo
  - name: second
    command: |
      echo a
      for x in 1 2; do
        echo {{x}}
      fi
      echo b
    exitCode: x
  - {name: third, command: 'echo \"'}
variables: {x: $x}
fragments:
  unused: {command: ls | | cat}
",
    );
    let outcome = project.casebook("check").run().exits(2);
    let found: Vec<_> = outcome
        .stdout
        .lines()
        .filter(|line| line.contains("error:") || line.starts_with("In "))
        .collect();
    assert_eq!(
        found,
        [
            "a.casebook.yaml:3:5: error: bash: syntax error: unexpected end of file [bash-syntax]",
            "In test `first`:",
            "a.casebook.yaml:6:14: error: bash: syntax error: unexpected end of file [bash-syntax]",
            "In test `second`:",
            "a.casebook.yaml:12:7: error: bash: syntax error near unexpected token `fi' [bash-syntax]",
            "a.casebook.yaml:14:15: error: `exitCode` must be a whole number from 0 to 255, a list of them, or nonzero, got 'x' [wrong-value]",
            "In test `third`:",
            "a.casebook.yaml:15:28: error: bash: unexpected EOF while looking for matching `\"' [bash-syntax]",
            "In fragment `unused`:",
            "a.casebook.yaml:18:21: error: bash: syntax error near unexpected token `|' [bash-syntax]",
        ]
    );
    for command in ["run", "compile a.casebook.yaml"] {
        let outcome = project.casebook(command).run().exits(2);
        assert!(
            outcome.stderr.contains("[bash-syntax]"),
            "{}",
            outcome.stderr
        );
    }
}

#[test]
fn bash_reads_the_code_without_running_it() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests:\n  - {name: a, command: 'if touch ran; then touch ran; fi; echo $(touch ran)'}\n  - {name: b, command: 'case a in a) touch ran;; esac'}\n",
    );
    project.write("env.sh", "touch ran");
    project
        .casebook("check")
        .env("BASH_ENV", "env.sh")
        .run()
        .exits(0);
    assert!(!project.at("ran").exists());
}

#[test]
fn no_bash_is_started_for_simple_commands() {
    let project = Project::with(
        "a.casebook.yaml",
        "setup: cd /tmp && export A=1\ntests:\n  - {name: a, command: 'echo \"$(date)\" | cat >out 2>&1'}\n",
    );
    project.write("bin/bash", "#!/bin/sh\n>started\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(project.at("bin/bash"), executable).unwrap();
    let check = || {
        let call = project.casebook("check").path_first(&project.at("bin"));
        call.run().exits(0)
    };
    check();
    assert!(!project.exists("started"));
    project.write("b.casebook.yaml", "tests: [{name: a, command: (ls)}]\n");
    check();
    assert!(project.exists("started"), "the replacement is used");
}

#[test]
fn a_here_document_that_does_not_end_is_a_warning() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests:\n  - name: a\n    command: |\n      cat <<END\n      x\n       END\n",
    );
    let outcome = project.casebook("check").run().exits(0);
    assert!(
        outcome.stdout.contains(
            "a.casebook.yaml:6:8: warning: bash: here-document at line 1 delimited by end-of-file (wanted `END') [bash-syntax]"
        ),
        "{}",
        outcome.stdout
    );
}

#[test]
fn check_reads_the_project_file_as_run_does() {
    let project = Project::with("deep/a.casebook.yaml", GOOD);
    project.write("other/b.casebook.yaml", "- x\n");
    project.write("casebook.toml", "[run]\npaths = [\"deep\"]\n");
    let outcome = project.casebook("check").run().exits(0);
    assert!(outcome.stderr.starts_with("1 suite"), "{outcome:#?}");
    project.write(
        "casebook.toml",
        "[run]\npaths = [\"deep\", \"other\"]\njbos = 3\ntimeout = \"soon\"\nfail_fast = true\n",
    );
    let outcome = project.casebook("check").run().exits(2);
    let found: Vec<_> = outcome
        .stdout
        .lines()
        .filter(|line| line.contains("error:") || line.contains("help:"))
        .map(|line| line.replace(&format!("{}/", project.at("").display()), ""))
        .collect();
    assert_eq!(
        found,
        [
            "casebook.toml:3:1: error: `[run]` has no option `jbos` [project-file]",
            "  = help: did you mean `jobs`?",
            "casebook.toml:4:11: error: `timeout` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got 'soon' [project-file]",
            "casebook.toml:5:1: error: `[run]` has no option `fail_fast` [project-file]",
            "  = help: did you mean `fail-fast`?",
            "other/b.casebook.yaml:1:1: error: a suite must be a mapping with a field `tests`, not a list [not-a-suite]",
        ]
    );
    assert_eq!(outcome.stderr, "2 suites: 4 problems\n");
}

#[test]
fn no_suites_found_is_an_error_with_the_searched_names() {
    let project = Project::new();
    let outcome = project.casebook("check tests shop.yaml").run().exits(2);
    assert!(
        outcome.stderr.contains("tests") && outcome.stderr.contains("shop.yaml"),
        "{}",
        outcome.stderr
    );
    project.casebook("check").run().exits(2);
}

#[test]
fn invalid_utf_8_is_reported_with_its_position() {
    let project = Project::with("a.casebook.yaml", b"tests:\n  - name: \xff\n".as_slice());
    let outcome = project.casebook("check").run().exits(2);
    assert!(
        outcome
            .stdout
            .contains("a.casebook.yaml:2:11: error: the file is not valid UTF-8"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn a_code_is_explained_and_a_mistyped_one_gets_a_suggestion() {
    let project = Project::new();
    let page = project
        .casebook("explain unknown-field")
        .run()
        .exits(0)
        .stdout;
    for heading in [
        "# What it means",
        "# Why it matters",
        "# Example",
        "# Instead",
    ] {
        assert!(page.contains(heading), "{page}");
    }
    let outcome = project.casebook("explain unknown-feild").run().exits(2);
    assert_eq!(
        outcome.stderr,
        "error: unknown problem code `unknown-feild`: did you mean `unknown-field`?\n"
    );
    let all = project.casebook("explain").run().exits(0).stdout;
    assert!(
        all.lines().count() > 10 && all.contains("unknown-field"),
        "{all}"
    );
}

#[test]
fn the_schema_is_json() {
    let outcome = Project::new().casebook("schema").run().exits(0);
    let schema: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(schema["required"][0], "tests");
}
