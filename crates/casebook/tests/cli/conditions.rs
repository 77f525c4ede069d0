//! Known failures (`fails`) and conditions (`requires`, `skipUnless`): the exit code of the run and what the reports say.

use crate::support::{Call, Outcome, Project};

const ENGINES: [&str; 2] = ["native", "bats"];

const KNOWN_FAILURES: &str = "
tests:
  - {name: broken, command: exit 1, fails: 'bug #12'}
  - name: broken later
    fails: the second step
    steps:
      - command: echo a
      - {command: echo b, outputEquals: c}
      - command: touch never
";

const CONDITIONS: &str = "
tests:
  - {name: program, command: echo a, requires: [no-such-program]}
  - {name: condition, command: echo a, skipUnless: exit 3}
";

fn run(project: &Project, arguments: &str) -> Outcome {
    call(project, arguments).run()
}

fn call(project: &Project, arguments: &str) -> Call {
    let call = project.casebook(&format!("run --record none {arguments} a.casebook.yaml"));
    call.env("CI", "")
}

#[test]
fn a_known_failure_is_todo_in_tap_and_skipped_in_junit() {
    let project = Project::with("a.casebook.yaml", KNOWN_FAILURES);
    for engine in ENGINES {
        let tap = run(&project, &format!("-j 1 --engine {engine} --format tap")).exits(0);
        for expected in [
            "not ok 1 broken # TODO bug #12\n",
            "not ok 2 broken later # TODO the second step\n",
        ] {
            assert!(tap.stdout.contains(expected), "{engine}\n{}", tap.stdout);
        }
        let junit = run(&project, &format!("--engine {engine} --format junit")).exits(0);
        for expected in [
            "failures=\"0\"",
            "skipped=\"2\"",
            "<skipped message=\"expected failure: bug #12\"",
        ] {
            assert!(
                junit.stdout.contains(expected),
                "{engine}\n{}",
                junit.stdout
            );
        }
        assert!(!project.exists("never"), "{engine}");
    }
    let shown = run(&project, "").exits(0);
    assert!(
        shown.stdout.contains("2 expected failures"),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_known_failure_that_passes_fails() {
    let suite = "tests:\n  - {name: fixed, command: echo a, fails: 'bug #12'}\n";
    let project = Project::with("a.casebook.yaml", suite);
    for engine in ENGINES {
        let tap = run(&project, &format!("--engine {engine} --format tap")).exits(1);
        assert!(tap.stdout.contains("not ok 1 fixed\n"), "{}", tap.stdout);
        assert!(tap.stdout.contains("remove the mark"), "{}", tap.stdout);
    }
}

#[test]
fn a_timeout_is_not_the_known_failure() {
    let suite = "tests:\n  - {name: slow, command: sleep 9, timeout: 200ms, fails: 'bug #12'}\n";
    let project = Project::with("a.casebook.yaml", suite);
    run(&project, "").exits(1);
}

#[test]
fn require_all_makes_unmet_conditions_failures() {
    let project = Project::with("a.casebook.yaml", CONDITIONS);
    let reasons = [
        "no-such-program is not installed",
        "skipUnless failed with exit code 3: exit 3",
    ];
    for engine in ENGINES {
        let skipped = run(&project, &format!("-j 1 --engine {engine} --format tap")).exits(0);
        for reason in reasons {
            let directive = format!(" # skip {reason}\n");
            assert!(skipped.stdout.contains(&directive), "{}", skipped.stdout);
        }
        let arguments = format!("-j 1 --engine {engine} --require-all --format tap");
        let failed = run(&project, &arguments).exits(1);
        assert!(
            failed.stdout.contains("not ok 2 condition\n"),
            "{}",
            failed.stdout
        );
        for reason in reasons {
            assert!(failed.stdout.contains(reason), "{}", failed.stdout);
        }
    }
}

#[test]
fn strict_requires_applies_only_in_ci() {
    let project = Project::with("a.casebook.yaml", CONDITIONS);
    project.write("casebook.toml", "[run]\nstrictRequires = true\n");
    run(&project, "").exits(0);
    call(&project, "").env("CI", "true").run().exits(1);
}

#[test]
fn a_repeated_test_whose_condition_is_not_met_is_skipped_once() {
    let project = Project::with("a.casebook.yaml", CONDITIONS);
    let tap = run(&project, "--repeat 3 --format tap").exits(0);
    let skipped = tap.stdout.matches(" # skip ").count();
    assert_eq!(skipped, 2, "{}", tap.stdout);
}
