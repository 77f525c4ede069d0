//! The binary started as `bashi`.

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

/// A project with the `bashi` link and these suites.
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
fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn exit_code_is_0_if_all_passed_and_1_if_any_failed() {
    let project = project(&[("good.bashi.yaml", GOOD), ("mixed.bashi.yaml", MIXED)]);
    bashi(&project, "good.bashi.yaml").exits(0);
    bashi(&project, "good.bashi.yaml mixed.bashi.yaml").exits(1);
}

#[test]
fn output_to_a_pipe_is_tap() {
    let project = project(&[("mixed.bashi.yaml", MIXED)]);
    let outcome = bashi(&project, "mixed.bashi.yaml").exits(1);
    let points: Vec<_> = outcome
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
    assert_contains(
        &outcome.stdout,
        &["\n  file: \"mixed.bashi.yaml\"\n  line: 4\n"],
    );
    assert!(!project.exists(".casebook"));
}

#[test]
fn output_to_a_terminal_is_one_line_per_test_or_tap_on_request() {
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
    assert_contains(
        &pretty,
        &["✓ mixed › passes", "✗ mixed › fails", "○ mixed › waits"],
    );
    assert!(!pretty.contains("\u{1b}[3"), "{pretty:?}");
    assert_contains(&shown(""), &["\u{1b}[3"]);
    for option in ["-t", "--tap"] {
        assert_contains(&shown(option), &["TAP version 13", "not ok 2 fails"]);
    }
}

#[test]
fn options_may_follow_files() {
    let project = project(&[("good.bashi.yaml", GOOD)]);
    for option in ["-T", "--timing"] {
        let outcome = bashi(&project, &format!("good.bashi.yaml {option}")).exits(0);
        let point = outcome
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
fn trace_shows_commands_and_output() {
    let project = project(&[("good.bashi.yaml", GOOD)]);
    for option in ["-x", "--trace"] {
        let outcome = bashi(&project, &format!("{option} good.bashi.yaml")).exits(0);
        assert_contains(
            &outcome.stdout,
            &["# Command: echo hi\n", "# Output:\n# hi\n"],
        );
    }
}

#[test]
fn verbose_reports_each_step() {
    let project = project(&[("good.bashi.yaml", GOOD)]);
    for option in ["-v", "--verbose"] {
        let outcome = bashi(&project, &format!("{option} good.bashi.yaml")).exits(0);
        assert_contains(
            &outcome.stderr,
            &["Validating YAML schema", "Executing tests"],
        );
    }
    assert_eq!(bashi(&project, "good.bashi.yaml").stderr, "");
}

#[test]
fn validate_only_runs_nothing() {
    let suite = "tests: [{name: leaves a file, command: touch left}]\n";
    let project = project(&[("a.bashi.yaml", suite), ("b.bashi.yaml", suite)]);
    let outcome = bashi(&project, "--validate-only '*.bashi.yaml'").exits(0);
    assert_eq!(outcome.stdout, "✓ Schema validation passed for 2 file(s)\n");
    assert!(!project.exists("left"));
}

#[test]
fn an_invalid_suite_exits_with_2_and_an_empty_standard_output() {
    let suite = "tests: [{name: greets, comand: echo hi}]\n";
    let project = project(&[("a.bashi.yaml", suite)]);
    for options in ["", "--validate-only"] {
        let outcome = bashi(&project, &format!("{options} a.bashi.yaml")).exits(2);
        assert_eq!(outcome.stdout, "");
        assert_contains(
            &outcome.stderr,
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
    let outcome = bashi(&project, "--init").exits(0);
    assert_eq!(
        outcome.stdout,
        "Created hello-world.bashi.yaml\nRun with: bashi hello-world.bashi.yaml\n"
    );
    bashi(&project, "hello-world.bashi.yaml").exits(0);
    project.write("hello-world.bashi.yaml", "mine");
    let outcome = bashi(&project, "--init").exits(1);
    assert_eq!(
        outcome.stderr,
        "Error: File already exists: hello-world.bashi.yaml\n"
    );
    assert_eq!(project.read("hello-world.bashi.yaml"), "mine");
    let outcome = bashi(&project, "--init --tap").exits(2);
    assert_contains(
        &outcome.stderr,
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
        assert_contains(
            &help,
            &["Usage: bashi [OPTIONS]", "OPTIONS:", "--validate-only"],
        );
    }
}

#[test]
fn wrong_usage_exits_with_2_and_shows_the_usage() {
    let project = project(&[]);
    for (arguments, first) in [
        ("", "Error: No test suite file or pattern specified"),
        ("--nonsense", "Error: Unknown option: --nonsense"),
        ("a.bashi.yaml -z", "Error: Unknown option: -z"),
    ] {
        let outcome = bashi(&project, arguments).exits(2);
        assert_eq!(outcome.stderr.lines().next(), Some(first));
        assert_contains(&outcome.stderr, &["Usage:", "OPTIONS:"]);
        assert_eq!(outcome.stdout, "");
    }
    let outcome = bashi(&project, "--timeout").exits(2);
    assert_eq!(
        outcome.stderr,
        "Error: Option --timeout requires an argument\n"
    );
}

#[test]
fn no_matching_files_exits_with_2() {
    let project = project(&[("good.bashi.yaml", GOOD)]);
    for arguments in [
        "missing.bashi.yaml",
        "'none/**/*.bashi.yaml'",
        "'*.bashi.yml'",
    ] {
        let outcome = bashi(&project, arguments).exits(2);
        assert_contains(&outcome.stderr, &["No test files found"]);
    }
    let outcome = bashi(&project, "missing.bashi.yaml good.bashi.yaml").exits(2);
    assert_contains(
        &outcome.stderr,
        &["Error: File not found: missing.bashi.yaml: "],
    );
}

#[test]
fn a_pattern_without_files_is_skipped_like_in_bashi() {
    let project = project(&[
        ("tests/deep/good.bashi.yaml", GOOD),
        ("tests/a.bashi.yaml", GOOD),
    ]);
    let outcome = bashi(&project, "'tests/**/*.bashi.yaml' 'docs/**/*.bashi.yaml'").exits(0);
    assert_contains(&outcome.stdout, &["1..2", "# tests/a.bashi.yaml\nok 1"]);
    assert_contains(&outcome.stderr, &["docs/**/*.bashi.yaml"]);
}

/// Two tests that wait for each other, so they pass only if they run in parallel.
const MEETING: &str = "\
setupFile: mkfifo \"$BATS_FILE_TMPDIR/door\"
tests:
  - {name: comes, command: 'echo hello >\"$BATS_FILE_TMPDIR/door\"', timeout: 50}
  - {name: waits, command: 'cat \"$BATS_FILE_TMPDIR/door\"', timeout: 50, outputEquals: hello}
";

#[test]
fn one_job_is_the_default() {
    let alone = MEETING.replace("timeout: 50", "timeout: 300ms");
    let project = project(&[
        ("alone.bashi.yaml", &alone),
        ("meeting.bashi.yaml", MEETING),
    ]);
    bashi(&project, "alone.bashi.yaml").exits(1);
    bashi(&project, "-j 2 meeting.bashi.yaml").exits(0);
    bashi(&project, "meeting.bashi.yaml --parallel 2").exits(0);
}

#[test]
fn the_timeout_option_applies_to_tests_without_a_timeout() {
    let suite = "tests: [{name: sleeps, command: sleep 60}]\n";
    let project = project(&[("a.bashi.yaml", suite)]);
    let outcome = bashi(&project, "a.bashi.yaml --timeout 1").exits(1);
    assert_contains(&outcome.stdout, &["timed out after 1 s"]);
}

#[test]
fn defaults_of_casebook_run_in_a_project_are_ignored() {
    let project = project(&[
        (
            "casebook.toml",
            "[run]\nfilter = \"nothing\"\nformat = \"json\"\n",
        ),
        ("good.bashi.yaml", GOOD),
    ]);
    assert_contains(
        &bashi(&project, "good.bashi.yaml").exits(0).stdout,
        &["ok 1 greets"],
    );
}

#[test]
fn an_existing_makefile_works_unchanged() {
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
    let outcome = make("test OPTS='--tap --timing'").exits(0);
    assert_contains(
        &outcome.stdout,
        &[
            "Running test: ./tests/a.bashi.yaml",
            "Running test: ./tests/b.bashi.yaml",
            "ok 1 greets in ",
        ],
    );
    project.write("tests/a.bashi.yaml", MIXED);
    let outcome = make("test").exits(2);
    assert_contains(&outcome.stdout, &["not ok 2 fails"]);
    assert!(
        !outcome.stdout.contains("b.bashi.yaml"),
        "{}",
        outcome.stdout
    );
    assert_contains(&outcome.stderr, &["make: *** [Makefile:2: test] Error 1"]);
}

#[test]
fn suites_that_are_not_parallel_run_alone_after_the_others() {
    let serial = "parallel: false\ntests:\n  - {name: alone, command: 'echo begin >> log; sleep 0.3; echo end >> log'}\n";
    let parallel = "matrix: {n: [1, 2, 3]}\ntests:\n  - {name: test, command: 'sleep 0.1; echo parallel >> log'}\n";
    let project = project(&[
        ("a.bashi.yaml", serial),
        ("b.bashi.yaml", parallel),
        ("c.bashi.yaml", serial),
        ("d.bashi.yaml", parallel),
    ]);
    for jobs in ["-j 8", ""] {
        let outcome = bashi(&project, &format!("{jobs} '*.bashi.yaml'")).exits(0);
        let files: Vec<_> = outcome
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix("# "))
            .collect();
        let order = [
            "b.bashi.yaml",
            "d.bashi.yaml",
            "a.bashi.yaml",
            "c.bashi.yaml",
        ];
        assert_eq!(files, order, "{jobs}");
        let expected = "parallel\n".repeat(6) + &"begin\nend\n".repeat(2);
        assert_eq!(project.read("log"), expected, "{jobs}");
        project.write("log", "");
    }
}

#[test]
fn help_has_the_words_of_bashi() {
    let help = bashi(&project(&[]), "--help").exits(0).stdout;
    assert_contains(&help, &["--parallel", "Run tests in parallel"]);
}
