//! The binary under the name `bashi`.

use std::os::unix::fs::symlink;

use crate::support::{Call, Outcome, Project};

const MIXED: &str = "\
name: mixed
tests:
  - {name: passes, command: echo fine, outputEquals: fine}
  - {name: fails, command: echo bad, outputEquals: good}
  - {name: waits, command: \"true\", skip: later}
";
const GOOD: &str = "tests: [{name: greets, command: echo hi, outputContains: hi}]\n";

/// A project with the link, and these suites.
fn project(files: &[(&str, &str)]) -> Project {
    let project = Project::new();
    symlink(env!("CARGO_BIN_EXE_casebook"), project.at("bashi")).unwrap();
    for (name, contents) in files {
        project.write(name, contents);
    }
    project
}

fn call(project: &Project, arguments: &str) -> Call {
    project.bash(&format!("./bashi {arguments}"))
}

fn bashi(project: &Project, arguments: &str) -> Outcome {
    call(project, arguments).run()
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn passed_is_0_and_failed_is_1() {
    let project = project(&[("good.bashi.yaml", GOOD), ("mixed.bashi.yaml", MIXED)]);
    bashi(&project, "good.bashi.yaml").exits(0);
    bashi(&project, "good.bashi.yaml mixed.bashi.yaml").exits(1);
}

#[test]
fn no_terminal_gets_tap() {
    let project = project(&[("mixed.bashi.yaml", MIXED)]);
    let told = bashi(&project, "mixed.bashi.yaml").exits(1);
    let points: Vec<_> = told
        .stdout
        .lines()
        .filter(|line| !line.starts_with(' '))
        .collect();
    assert_eq!(
        points,
        [
            "TAP version 13",
            "1..3",
            "# mixed.bashi.yaml",
            "ok 1 passes",
            "not ok 2 fails",
            "ok 3 waits # skip later",
        ]
    );
    assert_has(
        &told.stdout,
        &["\n  file: \"mixed.bashi.yaml\"\n  line: 4\n"],
    );
    assert!(!project.exists(".casebook"));
}

#[test]
fn a_terminal_gets_a_line_for_each_test_and_tap_when_asked() {
    let project = project(&[("mixed.bashi.yaml", MIXED)]);
    let shown = |options: &str| {
        let script = format!("script -qec './bashi mixed.bashi.yaml {options}' /dev/null");
        project
            .bash(&script)
            .env("TERM", "xterm")
            .run()
            .exits(1)
            .stdout
    };
    let pretty = shown("--no-color");
    assert_has(
        &pretty,
        &["✓ mixed › passes", "✗ mixed › fails", "○ mixed › waits"],
    );
    assert!(!pretty.contains("\u{1b}[3"), "{pretty:?}");
    assert_has(&shown(""), &["\u{1b}[3"]);
    for option in ["-t", "--tap"] {
        assert_has(&shown(option), &["TAP version 13", "not ok 2 fails"]);
    }
}

#[test]
fn options_may_follow_files() {
    let project = project(&[("good.bashi.yaml", GOOD)]);
    for option in ["-T", "--timing"] {
        let told = bashi(&project, &format!("good.bashi.yaml {option}")).exits(0);
        let point = told
            .stdout
            .lines()
            .find(|line| line.starts_with("ok 1"))
            .unwrap();
        let millis = point
            .strip_prefix("ok 1 greets in ")
            .and_then(|rest| rest.strip_suffix("ms"));
        assert!(
            millis.is_some_and(|millis| millis.parse::<u32>().is_ok()),
            "{point}"
        );
    }
}

#[test]
fn a_trace_has_commands_and_output() {
    let project = project(&[("good.bashi.yaml", GOOD)]);
    for option in ["-x", "--trace"] {
        let told = bashi(&project, &format!("{option} good.bashi.yaml")).exits(0);
        assert_has(&told.stdout, &["# Command: echo hi\n", "# Output:\n# hi\n"]);
    }
}

#[test]
fn verbose_says_what_is_done() {
    let project = project(&[("good.bashi.yaml", GOOD)]);
    for option in ["-v", "--verbose"] {
        let told = bashi(&project, &format!("{option} good.bashi.yaml")).exits(0);
        assert_has(&told.stderr, &["Validating YAML schema", "Executing tests"]);
    }
    assert_eq!(bashi(&project, "good.bashi.yaml").stderr, "");
}

#[test]
fn validation_alone_runs_nothing() {
    let suite = "tests: [{name: leaves a file, command: touch left}]\n";
    let project = project(&[("a.bashi.yaml", suite), ("b.bashi.yaml", suite)]);
    let told = bashi(&project, "--validate-only '*.bashi.yaml'").exits(0);
    assert_eq!(told.stdout, "✓ Schema validation passed for 2 file(s)\n");
    assert!(!project.exists("left"));
}

#[test]
fn an_invalid_suite_is_2_and_leaves_standard_output_to_results() {
    let suite = "tests: [{name: greets, comand: echo hi}]\n";
    let project = project(&[("a.bashi.yaml", suite)]);
    for options in ["", "--validate-only"] {
        let told = bashi(&project, &format!("{options} a.bashi.yaml")).exits(2);
        assert_eq!(told.stdout, "");
        assert_has(
            &told.stderr,
            &[
                "a.bashi.yaml:1:24: error:",
                "did you mean `command`?",
                "Error: Schema validation failed",
            ],
        );
    }
}

#[test]
fn init_writes_a_suite_once() {
    let project = project(&[]);
    let told = bashi(&project, "--init").exits(0);
    assert_eq!(
        told.stdout,
        "Created hello-world.bashi.yaml\nRun with: bashi hello-world.bashi.yaml\n"
    );
    bashi(&project, "hello-world.bashi.yaml").exits(0);
    project.write("hello-world.bashi.yaml", "mine");
    let told = bashi(&project, "--init").exits(1);
    assert_eq!(
        told.stderr,
        "Error: File already exists: hello-world.bashi.yaml\n"
    );
    assert_eq!(project.read("hello-world.bashi.yaml"), "mine");
    let told = bashi(&project, "--init --tap").exits(2);
    assert_has(
        &told.stderr,
        &["Error: --init cannot be combined with other options"],
    );
}

#[test]
fn version_and_help() {
    let project = project(&[]);
    let version = concat!("bashi version ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(bashi(&project, "--version").exits(0).stdout, version);
    for option in ["-h", "--help"] {
        let help = bashi(&project, option).exits(0).stdout;
        assert_has(
            &help,
            &["Usage: bashi [OPTIONS]", "OPTIONS:", "--validate-only"],
        );
    }
}

#[test]
fn wrong_usage_is_2_with_the_usage() {
    let project = project(&[]);
    for (arguments, first) in [
        ("", "Error: No test suite file or pattern specified"),
        ("--nonsense", "Error: Unknown option: --nonsense"),
        ("a.bashi.yaml -z", "Error: Unknown option: -z"),
    ] {
        let told = bashi(&project, arguments).exits(2);
        assert_eq!(told.stderr.lines().next(), Some(first));
        assert_has(&told.stderr, &["Usage:", "OPTIONS:"]);
        assert_eq!(told.stdout, "");
    }
    let told = bashi(&project, "--timeout").exits(2);
    assert_eq!(
        told.stderr,
        "Error: Option --timeout requires an argument\n"
    );
}

#[test]
fn nothing_found_is_2() {
    let project = project(&[("good.bashi.yaml", GOOD)]);
    for arguments in [
        "missing.bashi.yaml",
        "'none/**/*.bashi.yaml'",
        "'*.bashi.yml'",
    ] {
        let told = bashi(&project, arguments).exits(2);
        assert_has(&told.stderr, &["No test files found"]);
    }
    let told = bashi(&project, "missing.bashi.yaml good.bashi.yaml").exits(2);
    assert_has(
        &told.stderr,
        &["Error: File not found: missing.bashi.yaml: "],
    );
}

#[test]
fn a_pattern_without_files_is_passed_over_as_bashi_does() {
    let project = project(&[
        ("tests/deep/good.bashi.yaml", GOOD),
        ("tests/a.bashi.yaml", GOOD),
    ]);
    let told = bashi(&project, "'tests/**/*.bashi.yaml' 'docs/**/*.bashi.yaml'").exits(0);
    assert_has(&told.stdout, &["1..2", "# tests/a.bashi.yaml\nok 1"]);
    assert_has(&told.stderr, &["docs/**/*.bashi.yaml"]);
}

/// Two tests that wait for each other can pass only side by side.
const MEETING: &str = "\
setupFile: mkfifo \"$BATS_FILE_TMPDIR/door\"
tests:
  - {name: comes, command: 'echo hello >\"$BATS_FILE_TMPDIR/door\"', timeout: 5}
  - {name: waits, command: 'cat \"$BATS_FILE_TMPDIR/door\"', timeout: 5, outputEquals: hello}
";

#[test]
fn one_job_unless_told_otherwise() {
    let alone = MEETING.replace("timeout: 5", "timeout: 300ms");
    let project = project(&[
        ("alone.bashi.yaml", &alone),
        ("meeting.bashi.yaml", MEETING),
    ]);
    bashi(&project, "alone.bashi.yaml").exits(1);
    bashi(&project, "-j 2 meeting.bashi.yaml").exits(0);
    bashi(&project, "meeting.bashi.yaml --parallel 2").exits(0);
}

#[test]
fn the_timeout_is_that_of_tests_without_one() {
    let suite = "tests: [{name: sleeps, command: sleep 60}]\n";
    let project = project(&[("a.bashi.yaml", suite)]);
    let told = bashi(&project, "a.bashi.yaml --timeout 1").exits(1);
    assert_has(&told.stdout, &["timed out after 1 s"]);
}

#[test]
fn the_defaults_of_a_project_are_those_of_casebook_run() {
    let project = project(&[
        (
            "casebook.toml",
            "[run]\nfilter = \"nothing\"\nformat = \"json\"\n",
        ),
        ("good.bashi.yaml", GOOD),
    ]);
    assert_has(
        &bashi(&project, "good.bashi.yaml").exits(0).stdout,
        &["ok 1 greets"],
    );
}

#[test]
fn a_makefile_need_not_change() {
    let makefile = "\
test:
\t@for file in ./tests/*.bashi.yaml; do \\
\t\techo \"Running test: $$file\"; \\
\t\tbashi $(OPTS) \"$$file\" || exit 1; \\
\tdone
";
    let project = project(&[
        ("Makefile", makefile),
        ("tests/a.bashi.yaml", GOOD),
        ("tests/b.bashi.yaml", GOOD),
    ]);
    let make = |arguments: &str| {
        let script = format!("PATH=\"$PWD:$PATH\" make {arguments}");
        project.bash(&script).run()
    };
    let told = make("test OPTS='--tap --timing'").exits(0);
    assert_has(
        &told.stdout,
        &[
            "Running test: ./tests/a.bashi.yaml",
            "Running test: ./tests/b.bashi.yaml",
            "ok 1 greets in ",
        ],
    );
    project.write("tests/a.bashi.yaml", MIXED);
    let told = make("test").exits(2);
    assert_has(&told.stdout, &["not ok 2 fails"]);
    assert!(!told.stdout.contains("b.bashi.yaml"), "{}", told.stdout);
    assert_has(&told.stderr, &["make: *** [Makefile:2: test] Error 1"]);
}
