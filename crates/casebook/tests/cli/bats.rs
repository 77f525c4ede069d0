//! `compile`, and the results of the compiled code in Bats: those that the conformance suites expect.
//!
//! The native engine runs the same suites; their README explains the tags.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use casebook_source::SourceFile;
use casebook_suite::bats::{Compiled, SuiteLocation, compile};
use casebook_suite::model::Test;
use casebook_suite::{CheckContext, Suite, check, stem};

use crate::support::Project;

/// One test per suite, so that the suites run in parallel.
macro_rules! conformance {
    ($($name:ident)*) => {
        $(#[test] fn $name() { conforms(stringify!($name)); })*

        #[test]
        fn every_conformance_suite_is_run() {
            let listed = [$(stringify!($name).replace('_', "-")),*];
            let existing: BTreeSet<_> = suites_in("crates/run/tests/conformance").iter().map(|path| stem(path)).collect();
            assert_eq!(existing, BTreeSet::from(listed));
        }
    };
}

conformance! {
    assertions
    conditions
    declared_services
    environment
    exit_codes
    expected_files
    files
    hooks
    hooks_order
    how_commands_end
    ignore_case
    include
    json_conditions
    leaks
    lines
    names
    new_workdir
    normalize
    only
    retries
    services
    setup_file_exits
    setup_file_fails
    setup_file_is_no_bash
    skips
    snapshots
    steps
    streams
    teardown_file_exits
    teardown_file_fails
    teardown_file_recovers
    timeout_in_setup
    timeouts
    trees_that_do_not_end
    variables
    workdir
}

#[track_caller]
fn conforms(name: &str) {
    let file = format!(
        "crates/run/tests/conformance/{}.casebook.yaml",
        name.replace('_', "-")
    );
    let suite = read(Path::new(&file));
    if suite.tests.iter().all(|test| has(test, "native-only")) {
        return;
    }
    let run = run(&file, &suite);
    let mut problems: Vec<_> = (run.compiled.tests.iter().enumerate())
        .filter_map(|(index, case)| run.problem(index + 1, &suite.tests[case.index]))
        .collect();
    problems.extend(run.problem_of_the_suite(&suite));
    assert!(problems.is_empty(), "{}\n{}", problems.join("\n"), run.tap);
}

/// The result of a suite in Bats.
struct Run {
    compiled: Compiled,
    tap: String,
    passed: bool,
    results: Project,
}

/// Compiles a suite with the binary and runs it, in the root of the repository.
fn run(file: &str, suite: &Suite) -> Run {
    let project = Project::new();
    let code = project.at("suite.bats");
    let output = Command::new(env!("CARGO_BIN_EXE_casebook"))
        .current_dir(root())
        .args(["compile", file, "-o"])
        .arg(&code)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_clean(&code);
    // A file instead of a pipe, because processes left by a test may keep a pipe open.
    let tap = fs::File::create(project.at("tap")).unwrap();
    let status = Command::new("bats")
        .current_dir(root())
        .arg("--tap")
        .arg(&code)
        .env("CASEBOOK_BATS_RESULTS", project.at("results"))
        .env_remove("CI")
        .stdin(Stdio::null())
        .stdout(tap)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    Run {
        compiled: compile(suite, SuiteLocation::At(&root().join(file))),
        tap: String::from_utf8_lossy(&fs::read(project.at("tap")).unwrap()).into_owned(),
        passed: status.success(),
        results: project,
    }
}

impl Run {
    /// Describes a difference between the result and the test's tags.
    fn problem(&self, number: usize, test: &Test) -> Option<String> {
        let expected = expected(test);
        let got = self.verdict(number);
        (got != expected).then(|| format!("{number} {}: {expected:?}, but {got:?}", test.name))
    }

    fn problem_of_the_suite(&self, suite: &Suite) -> Option<String> {
        let any = |tag| suite.tests.iter().any(|test| has(test, tag));
        let expected = match (any("fails-setup-file"), any("fails-teardown-file")) {
            (true, _) => "setupFile",
            (_, true) => "teardownFile",
            _ => "",
        };
        let phase = fs::read_to_string(self.results.at("results/phase")).unwrap_or_default();
        let passes = expected.is_empty() && suite.tests.iter().all(expected_to_pass);
        if phase != expected {
            return Some(format!(
                "the suite failed in `{phase}`, not in `{expected}`"
            ));
        }
        (self.passed != passes).then(|| format!("the run passed: {}", self.passed))
    }

    fn verdict(&self, number: usize) -> Verdict {
        let (ok, not_ok) = (format!("ok {number} "), format!("not ok {number} "));
        let line = self
            .tap
            .lines()
            .find(|line| line.starts_with(&ok) || line.starts_with(&not_ok));
        let dir = self.results.at("results").join(number.to_string());
        let attempts = fs::read_dir(&dir).map_or(0, Iterator::count);
        let last = dir.join(attempts.to_string());
        let phase = fs::read_to_string(last.join("phase")).unwrap_or_default();
        match line {
            Some(line) if line.contains(" # skip") => Verdict::Skipped,
            Some(line) if line.starts_with("ok ") && phase.is_empty() => Verdict::Passed {
                flaky: attempts > 1,
                leaky: last.join("leaky").exists(),
            },
            Some(line) if line.starts_with("not ok ") && attempts > 0 => Verdict::Failed(phase),
            // Bats reports nothing for a test whose teardown calls `exit` after a failure.
            None if !phase.is_empty() => Verdict::Failed(phase),
            _ if attempts == 0 => Verdict::NotRun,
            _ => Verdict::Unclear(phase),
        }
    }
}

#[derive(Debug, PartialEq)]
enum Verdict {
    Passed { flaky: bool, leaky: bool },
    Failed(String),
    Skipped,
    NotRun,
    Unclear(String),
}

fn expected(test: &Test) -> Verdict {
    let failing = [
        ("fails", "command"),
        ("fails-setup", "setup"),
        ("fails-teardown", "teardown"),
    ];
    if let Some((_, phase)) = failing.into_iter().find(|(tag, _)| has(test, tag)) {
        Verdict::Failed(phase.to_owned())
    } else if has(test, "fails-setup-file") {
        Verdict::NotRun
    } else if has(test, "skipped") {
        Verdict::Skipped
    } else {
        Verdict::Passed {
            flaky: has(test, "flaky"),
            leaky: has(test, "leaky"),
        }
    }
}

fn expected_to_pass(test: &Test) -> bool {
    has(test, "not-run") || matches!(expected(test), Verdict::Passed { .. } | Verdict::Skipped)
}

fn has(test: &Test, tag: &str) -> bool {
    test.tags.iter().any(|other| other == tag)
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

fn read(file: &Path) -> Suite {
    let text = fs::read_to_string(root().join(file)).unwrap();
    // Variables used by the suites of the repository; `CASEBOOK` is the binary that those in suites/ test.
    let environment = ["CASEBOOK", "HOME", "PATH"].map(|name| (name.to_owned(), "/x".to_owned()));
    let environment = BTreeMap::from(environment);
    let surroundings = CheckContext {
        environment: &environment,
        stem: &stem(file),
        read: &|path: &str| {
            let path = root().join(file).with_file_name(path);
            fs::read_to_string(path).map_err(|error| error.to_string())
        },
    };
    let checked = check(SourceFile::new(file.to_str().unwrap(), text), &surroundings);
    checked
        .suite
        .unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

fn suites_in(dir: &str) -> Vec<PathBuf> {
    let found = casebook_suite::discover(&[dir.to_owned()], &root());
    found.files.into_iter().map(|found| found.path).collect()
}

#[track_caller]
fn assert_clean(code: &Path) {
    let shellcheck = Command::new("shellcheck").arg(code).output().unwrap();
    let complaints = String::from_utf8_lossy(&shellcheck.stdout);
    assert!(shellcheck.status.success(), "{complaints}");
}

#[test]
fn the_code_of_every_suite_in_the_repository_is_clean() {
    let project = Project::new();
    for (number, path) in suites_in(".").iter().enumerate() {
        let suite = read(path);
        if suite.tests.iter().any(|test| test.conversation().is_some()) {
            continue;
        }
        let code = compile(&suite, SuiteLocation::At(&root().join(path))).code;
        project.write(&format!("{number}.bats"), code);
        assert_clean(&project.at(&format!("{number}.bats")));
    }
}

/// Fields of a test that add code of their own.
const FIELDS: [&str; 26] = [
    "isolate: true",
    "unset: [A]",
    "workdir: {empty: true}",
    "workdir: {copy: .}",
    "outputLines: {min: 1}",
    "outputLine: {-1: a}",
    "outputJson: {/a: 1}",
    "outputJsonMatches: {/a: {absent: true}}",
    "stderrEqualsFile: a.casebook.yaml",
    "files: {a: {equalsFolder: .}}",
    "files: {a: {json: {/a: 1}, mode: '0644'}}",
    "normalize: [times, workdir], outputEquals: a",
    "normalize: [{matches: a, with: '<&|/>'}], snapshot: true",
    "ignoreCase: true, outputMatches: a",
    "maxDuration: 1s",
    "exitCode: [1, 2]",
    "signal: TERM",
    "fails: later",
    "requires: [jq]",
    "skipUnless: 'true'",
    "retries: 2",
    "timeout: 2s",
    "eventually: {within: 1s}",
    "locks: [db]",
    "skip: true",
    "stdin: hi, env: {A: b}",
];

/// Steps that capture a value from each source.
const SOURCES: [&str; 7] = [
    "/a",
    "{matches: 'a(b)', stream: stderr}",
    "{line: -1}",
    "{file: x}",
    "output",
    "exitCode",
    "{json: /a, secret: true}",
];

/// When a service is ready.
const READY: [&str; 5] = [
    "{port: 80}",
    "{http: 'http://127.0.0.1/'}",
    "{log: up}",
    "{file: up}",
    "{command: 'true'}",
];

/// Functions are in the code only if they are needed, so shellcheck could complain about one that no other field uses.
#[test]
fn the_code_of_every_field_alone_is_clean() {
    let fields = FIELDS.map(|field| format!("tests: [{{name: t, command: x, {field}}}]"));
    let sources = SOURCES.map(|source| {
        format!("tests: [{{name: t, steps: [{{command: x, capture: {{v: {source}}}}}, {{command: 'echo {{{{v|sh}}}}'}}]}}]")
    });
    let ready = READY.map(|ready| {
        format!("services: {{a: {{command: x, ready: {ready}}}}}\ntests: [{{name: t, command: x}}]")
    });
    let hooks = ["setup", "teardown", "setupFile", "teardownFile"]
        .map(|hook| format!("{hook}: x\ntests: [{{name: t, command: x}}]"));
    let project = Project::new();
    let all = fields.into_iter().chain(sources).chain(ready).chain(hooks);
    for (number, suite) in all.enumerate() {
        let name = format!("s{number}.casebook.yaml");
        project.write(&name, suite);
        let compile = format!("compile {name} -o s{number}.bats");
        project.casebook(&compile).run().exits(0);
    }
    let checked = project.bash("shellcheck *.bats").run();
    assert_eq!(checked.code, 0, "{}", checked.stdout);
}

#[test]
fn a_missing_workdir_is_reported_as_in_the_native_engine() {
    let suite = "\
tests:
  - name: nowhere
    command: 'true'
    workdir: missing
  - name: later
    steps:
      - command: 'true'
      - command: 'true'
        workdir: gone
";
    let project = Project::with("a.casebook.yaml", suite);
    for engine in ["native", "bats"] {
        let run = format!("run --engine {engine} a.casebook.yaml");
        let shown = project.casebook(&run).run().exits(1).stdout;
        for text in [
            "✗ working directory not found: ",
            "4 │ workdir: missing",
            "9 │ workdir: gone",
            "step 2 of 2: working directory not found: ",
        ] {
            assert!(shown.contains(text), "{text}\n{shown}");
        }
        assert!(!shown.contains("timed out"), "{shown}");
    }
}

const GREETING: &str = "\
setup: cd \"$TEST_TEMP_DIR\"
tests:
  - name: greets
    command: echo hello; pwd
    workdir: data
    outputContains: [hello, deep/data]
  - name: knows where it is
    command: ls \"$BATS_TEST_DIRNAME\"; test -f \"$BATS_TEST_FILENAME\"
    outputContains: greet.casebook.yaml
";

fn bats(project: &Project, file: &str) -> crate::support::Outcome {
    project.bash(&format!("bats --tap {file}")).run()
}

#[test]
fn code_on_standard_output_works_in_any_directory() {
    let project = Project::with("deep/greet.casebook.yaml", GREETING);
    project.write("deep/data/x", "");
    let outcome = project
        .casebook("compile deep/greet.casebook.yaml")
        .run()
        .exits(0);
    assert_eq!(outcome.stderr, "");
    project.write(
        "elsewhere/a.bats",
        outcome
            .stdout
            .replace("[project]", project.at("").to_str().unwrap()),
    );
    bats(&project, "elsewhere/a.bats").exits(0);
}

#[test]
fn code_in_a_file_can_be_moved_with_its_suite() {
    let project = Project::with("one/deep/greet.casebook.yaml", GREETING);
    project.write("one/deep/data/x", "");
    project.write("one/bats/x", "");
    let outcome = project
        .casebook("compile one/deep/greet.casebook.yaml -o one/bats/greet.bats")
        .run()
        .exits(0);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""));
    bats(&project, "one/bats/greet.bats").exits(0);
    project
        .bash("mv one two && ./two/bats/greet.bats && rmdir two/none || ls -A two/bats")
        .run();
    assert_eq!(project.files("two/bats"), ["greet.bats", "x"]);
    bats(&project, "two/bats/greet.bats").exits(0);
}

#[test]
fn problems_are_those_of_check_and_nothing_is_written() {
    let project = Project::with("a.casebook.yaml", "tests: [{name: a, comand: b}]\n");
    let checked = project.casebook("check a.casebook.yaml").run().exits(2);
    let outcome = project
        .casebook("compile a.casebook.yaml -o a.bats")
        .run()
        .exits(2);
    assert_eq!(outcome.stdout, "");
    assert_eq!(outcome.stderr.trim_end(), checked.stdout.trim_end());
    assert!(!project.exists("a.bats"));
    let outcome = project.casebook("compile b.casebook.yaml").run().exits(2);
    assert_eq!(
        outcome.stderr,
        "error: cannot read b.casebook.yaml: no such file or directory\n"
    );
}

#[test]
fn a_suite_is_never_replaced_by_its_code() {
    let project = Project::with("a.casebook.yaml", "tests: [{name: a, command: b}]\n");
    let outcome = project
        .casebook("compile a.casebook.yaml -o ./a.casebook.yaml")
        .run()
        .exits(2);
    assert_eq!(
        outcome.stderr,
        "error: ./a.casebook.yaml is the suite itself; name another file\n"
    );
    let outcome = project
        .casebook("compile a.casebook.yaml -o no/such/directory.bats")
        .run()
        .exits(2);
    assert!(
        outcome
            .stderr
            .starts_with("error: cannot write no/such/directory.bats: "),
        "{outcome:?}"
    );
    project.write("a.bats", "old");
    project
        .casebook("compile a.casebook.yaml -o a.bats")
        .run()
        .exits(0);
    assert!(project.read("a.bats").starts_with("#!/usr/bin/env bats\n"));
    let outcome = project
        .casebook("compile a.casebook.yaml -o /dev/stdout")
        .run()
        .exits(0);
    assert!(outcome.stdout.starts_with("#!/usr/bin/env bats\n"));
}

#[test]
fn skipped_tests_are_reported() {
    let suite = "tests: [{name: a, command: b}, {name: c, command: d, only: true}]\n";
    let project = Project::with("a.casebook.yaml", suite);
    let outcome = project.casebook("compile a.casebook.yaml").run().exits(0);
    assert_eq!(
        outcome.stderr,
        "warning: skipped 1 test: others are marked `only`\n"
    );
    assert!(!outcome.stdout.contains("@test \"a\""));
}

#[test]
fn a_missing_snapshot_is_written_once_and_never_in_ci() {
    let suite = "tests: [{name: Lists all, command: printf 'a\\n\\n', snapshot: true}]\n";
    let project = Project::with("a.casebook.yaml", suite);
    project
        .casebook("compile a.casebook.yaml -o a.bats")
        .run()
        .exits(0);
    let snapshot = "__snapshots__/a/lists-all.snap";
    project.bash("CI=true bats a.bats").run().exits(1);
    assert!(!project.exists(snapshot));
    bats(&project, "a.bats").exits(0);
    assert_eq!(project.read(snapshot), "a\n");
    project.write(snapshot, "b");
    bats(&project, "a.bats").exits(1);
    project.bash("CASEBOOK_UPDATE=1 bats a.bats").run().exits(0);
    assert_eq!(project.read(snapshot), "a\n");
}

#[test]
fn a_failure_contains_the_line_in_the_suite() {
    let suite = "\
tests:
  - name: fails
    command: echo hello; exit 3
    outputContains:
      - hello
      - bye
    outputMatches: ^bye
";
    let project = Project::with("a.casebook.yaml", suite);
    project
        .casebook("compile a.casebook.yaml -o a.bats")
        .run()
        .exits(0);
    let tap = bats(&project, "a.bats").exits(1).stdout;
    let failures: Vec<_> = tap.lines().skip(5).collect();
    assert_eq!(
        failures,
        [
            "# a.casebook.yaml:2: exitCode failed: 0",
            "# a.casebook.yaml:6: outputContains failed: bye",
            "# a.casebook.yaml:7: outputMatches failed: ^bye",
            "# exit code: 3",
            "# output: hello",
        ]
    );
}

#[test]
fn a_suite_that_requires_jq_reports_that_it_is_missing() {
    let suite = "tests: [{name: a, command: 'echo 1', outputJson: {'': 1}}]\n";
    let project = Project::with("a.casebook.yaml", suite);
    project
        .casebook("compile a.casebook.yaml -o a.bats")
        .run()
        .exits(0);
    assert!(
        project
            .read("a.bats")
            .contains("# Requires Bats 1.8 or newer and jq.\n")
    );
    let script = "mkdir bin && for tool in $(compgen -c); do
      path=$(type -P \"$tool\") && [[ $tool != jq ]] && ln -sf \"$path\" bin/; done; PATH=$PWD/bin bats --tap a.bats";
    let outcome = project.bash(script).run().exits(1);
    assert!(
        outcome.stdout.contains("jq: command not found"),
        "{outcome:?}"
    );
}

const TOKEN: &str = "s3cr3t' \"$(touch broken)`x` \\ $HOME *\nsecond {{line}}\n\n";

const WITH_ENVIRONMENT: &str = r#"
variables: {auth: "Bearer {{env.API_TOKEN}}!"}
env: {FROM_SUITE: "<{{env.API_TOKEN}}>"}
setupFile: |
  export API_TOKEN=changed
  cat >"$BATS_FILE_TMPDIR/token" <<'END'
  {{env.API_TOKEN}}
  END
setup: |
  cd "$TEST_TEMP_DIR"
  cat >setup <<'END'
  {{auth}}
  END
tests:
  - name: in commands and hooks
    command: |
      cat setup - <<'END'
      {{auth}}
      END
    outputEquals: "{{auth}}\n{{auth}}"
  - name: in input, values and patterns
    command: 'cat; echo "$FROM_SUITE$OWN"'
    stdin: "{{env.API_TOKEN}}"
    env: {OWN: "{{env.API_TOKEN}}"}
    outputContains: ["{{env.API_TOKEN}}", "<{{env.API_TOKEN}}>"]
    outputNotContains: "{{env.API_TOKEN}}x"
    outputMatches: "^{{env.WORD}}"
  - name: ends with it
    command: 'printf "%s" "$OWN"'
    env: {OWN: "{{env.API_TOKEN}}"}
    outputEquals: "{{env.API_TOKEN}}"
  - name: in files
    command: cp setup "file {{env.WORD}}"
    files:
      "file {{env.WORD}}": {equals: "{{auth}}"}
  - name: in JSON
    command: jq -n --arg x "$OWN" '{a:[$x],n:12}'
    env: {OWN: "x{{env.API_TOKEN}}y"}
    outputJson:
      /a/0: "x{{env.API_TOKEN}}y"
      /a: ["x{{env.API_TOKEN}}y"]
      /n: 1{{env.DIGIT}}
  - name: where a number is required
    command: exit 2
    exitCode: "{{env.DIGIT}}"
  - name: the variable itself is what setupFile exports
    command: echo "$API_TOKEN"; compgen -e | grep CASEBOOK_ENV || true
    outputEquals: changed
  - name: fails
    command: echo other
    outputEquals: "{{auth}}"
"#;

#[test]
fn compiled_code_reads_the_environment_when_it_runs() {
    let project = Project::with("a.casebook.yaml", WITH_ENVIRONMENT);
    let with = |call: crate::support::Call, token: &str| {
        let call = call.env("API_TOKEN", token).env("WORD", "s3cr");
        call.env("DIGIT", "2")
    };
    let compile = project.casebook("compile a.casebook.yaml -o a.bats");
    with(compile, TOKEN).run().exits(0);
    let code = project.read("a.bats");
    assert!(!code.contains("s3cr"), "{code}");
    assert_clean(&project.at("a.bats"));
    for token in [TOKEN, "s3cr3t-value", "s3cr\n\n", "s3cr3t\\"] {
        for engine in ["native", "bats"] {
            let command = format!("run --format tap --record none --engine {engine}");
            let outcome = with(project.casebook(&command), token).run().exits(1);
            let tap = &outcome.stdout;
            assert_eq!(passed(tap), "1234567", "{engine}, {token:?}: {tap}");
        }
        let outcome = with(project.bash("bats --tap a.bats"), token)
            .run()
            .exits(1);
        let tap = &outcome.stdout;
        assert_eq!(passed(tap), "1234567", "{token:?}: {tap}");
        assert!(!project.exists("broken"));
    }
    let outcome = project
        .bash("unset API_TOKEN; WORD=s3cr DIGIT=2 bats --tap a.bats")
        .run();
    assert_ne!(outcome.code, 0, "{outcome:?}");
    let shown = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(
        shown.contains("API_TOKEN: the suite uses it, so set it in the environment"),
        "{shown}"
    );
}

/// The numbers of the tests that passed.
fn passed(tap: &str) -> String {
    let passed = tap.lines().filter_map(|line| line.strip_prefix("ok "));
    passed.filter_map(|line| line.split(' ').next()).collect()
}

#[test]
fn compiled_code_has_no_secrets_in_names_and_snapshots() {
    let suite = "\
redact: [LICENSE]
tests:
  - name: as {{env.API_TOKEN}}
    command: echo \"it is $API_TOKEN and $LICENSE\"
    snapshot: named
";
    let project = Project::with("a.casebook.yaml", suite);
    let with = |call: crate::support::Call, token: &str| {
        call.env("API_TOKEN", token).env("LICENSE", "license-*")
    };
    let compile = project.casebook("compile a.casebook.yaml -o a.bats");
    with(compile, "s3cr3t-value").run().exits(0);
    let code = project.read("a.bats");
    assert!(code.contains("@test \"as [redacted]\""), "{code}");
    assert!(!code.contains("s3cr3t"), "{code}");
    let bats = || project.bash("bats --tap a.bats");
    with(bats(), "s3cr3t-value").run().exits(0);
    let file = "__snapshots__/a/named.snap";
    assert_eq!(project.read(file), "it is [redacted] and [redacted]\n");
    with(bats(), "another-value").run().exits(0);
    let native = project.casebook("run --record none");
    with(native, "another-value").run().exits(0);
    project.write(file, "it was [redacted] and [redacted]\n");
    with(bats(), "another-value").run().exits(1);
}
