//! Parallel tests.

use std::fmt::Write as _;
use std::time::Duration;

use super::Suite;
use crate::support::timed;

/// Two tests, each of which waits for the other to start.
const RENDEZVOUS: &str = "
timeout: 120
tests:
  - {name: one, command: 'touch one; until [[ -e two ]]; do sleep 0.01; done'}
  - {name: two, command: 'touch two; until [[ -e one ]]; do sleep 0.01; done'}
";

#[test]
fn tests_run_in_parallel() {
    let suite = Suite::new(RENDEZVOUS);
    suite.run("-j2").exits(0);
}

#[test]
fn suites_run_in_parallel() {
    let suite = Suite::new(
        "parallel: false\ntests:\n  - {name: one, timeout: 120, command: 'touch one; until [[ -e two ]]; do sleep 0.01; done'}\n",
    );
    suite.project.write("b.casebook.yaml", "parallel: false\ntests:\n  - {name: two, timeout: 120, command: 'touch two; until [[ -e one ]]; do sleep 0.01; done'}\n");
    suite.run("-j2").exits(0);
}

#[test]
fn a_serial_test_is_run_again_with_the_tests_before_it() {
    let suite = Suite::new(
        "
parallel: false
tests:
  - {name: first, command: rm -f file}
  - {name: second, command: touch file}
  - {name: third, command: '[ ! -e file ]'}
  - {name: fourth, command: 'true'}
",
    );
    for arguments in ["", "--workers 2"] {
        let shown = suite.run(arguments).exits(1).outcome.stdout;
        let again = "run it again: casebook run a.casebook.yaml:4-6\n";
        assert!(shown.contains(again), "{shown}");
    }
    let again = suite.run("a.casebook.yaml:4-6").exits(1).outcome.stdout;
    assert!(again.contains("3 tests: 2 passed, 1 failed"), "{again}");
    std::fs::remove_file(suite.project.at("file")).unwrap();
    let alone = suite.run("a.casebook.yaml:6").exits(0).outcome.stdout;
    assert!(alone.contains("1 test: 1 passed"), "{alone}");
}

/// All tests of a matrix are at the same line, so that line selects those before it too.
#[test]
fn a_serial_test_of_a_matrix_is_run_again_with_those_before_it() {
    let suite = Suite::new(
        "
parallel: false
tests:
  - name: counts
    matrix: {n: [1, 2, 3]}
    command: echo x >> runs; [[ $(wc -l < runs) -lt 3 ]]
  - {name: last, matrix: {n: [1, 2]}, command: '[[ {{n}} -ne 2 ]]'}
",
    );
    let ran = suite.run("").exits(1);
    let rerun = |name: &str| ran.test(name)["metadata"]["rerun"].clone();
    assert_eq!(rerun("counts [n=3]"), "casebook run a.casebook.yaml:4");
    assert_eq!(rerun("last [n=2]"), "casebook run a.casebook.yaml:4-7");
    std::fs::remove_file(suite.project.at("runs")).unwrap();
    let again = suite.run("a.casebook.yaml:4").exits(1);
    let failed = "counts [n=3] failed: exit code 1 instead of 0";
    assert_eq!(again.verdicts()[2], failed);
}

#[test]
fn serial_tests_run_in_order() {
    let suite = Suite::new(
        "
parallel: false
matrix: {n: [1, 2, 3, 4, 5, 6]}
tests:
  - {name: test, command: 'echo begin {{n}} >> log; sleep 0.0$((6 - {{n}})); echo end {{n}} >> log'}
",
    );
    suite.run("-j8 --seed 3").exits(0);
    let mut expected = String::new();
    for n in 1..=6 {
        writeln!(
            expected,
            "begin {n}
end {n}"
        )
        .unwrap();
    }
    assert_eq!(suite.project.read("log"), expected);
}

#[test]
fn records_are_in_the_order_of_the_files() {
    let suite = Suite::new(
        "
matrix: {n: [1, 2, 3, 4, 5, 6, 7, 8]}
tests:
  - {name: test, command: 'sleep 0.0$((8 - {{n}}))'}
",
    );
    let ran = suite.run("-j8").exits(0);
    let expected: Vec<_> = (1..=8).map(|n| format!("test [n={n}] passed")).collect();
    assert_eq!(ran.verdicts(), expected);
}

#[test]
fn sixty_four_parallel_tests_have_separate_output() {
    let suite = Suite::new(
        "
matrix:
  a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
  b: [1, 2, 3, 4, 5, 6, 7, 8]
tests:
  - {name: shell, command: 'for i in 1 2 3; do echo {{a}}-{{b}}; done', outputEquals: \"{{a}}-{{b}}\\n{{a}}-{{b}}\\n{{a}}-{{b}}\"}
  - {name: no shell, command: '/bin/echo {{a}}-{{b}}', outputEquals: '{{a}}-{{b}}'}
",
    );
    suite.project.write(
        "b.casebook.yaml",
        "
matrix: {a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]}
setup: export A=${BATS_TEST_DESCRIPTION//[!0-9]/}
tests:
  - {name: hooked, command: 'cat; echo $A', stdin: 'x{{a}}-', outputEquals: 'x{{a}}-{{a}}'}
",
    );
    let ran = suite.run("-j64 --leaks fail").exits(0);
    assert_eq!(ran.verdicts().len(), 276);
}

#[test]
fn the_limit_of_open_files_limits_parallelism() {
    let suite = Suite::new(
        "
matrix: {a: [1, 2, 3, 4, 5, 6, 7, 8], b: [1, 2, 3, 4, 5, 6]}
setup: sleep 0.01
tests:
  - {name: apart, command: 'cat; echo x >&2', stdin: y, outputEquals: y, stderr: x}
",
    );
    let script = "ulimit -n 256; exec \"$CASEBOOK\" run -j100 --record none";
    let call = suite.project.bash(script);
    call.env("TMPDIR", suite.project.at("tmp")).run().exits(0);
    suite.assert_nothing_left();
}

/// Waiting for a test must not use CPU time.
#[test]
fn waiting_uses_no_cpu_time() {
    let suite = Suite::new(
        "
tests:
  - {name: sleeps, command: 'sleep 1.5; :'}
  - {name: sleeps too, command: sleep 1.5}
",
    );
    suite.project.write(
        "b.casebook.yaml",
        "setupFile: sleep 1\nsetup: sleep 0.5\ntests:\n  - {name: hooked, command: sleep 1}\n",
    );
    let call = suite
        .project
        .bash("time \"$CASEBOOK\" run -j3 --record none");
    let (outcome, took) = timed(|| {
        call.env("TMPDIR", suite.project.at("tmp"))
            .env("TIMEFORMAT", "cpu %U %S")
            .run()
            .exits(0)
    });
    let told = outcome
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("cpu "));
    let seconds: f64 = told
        .unwrap()
        .split(' ')
        .map(|part| part.parse::<f64>().unwrap())
        .sum();
    assert!(took > Duration::from_secs(2));
    assert!(seconds < took.as_secs_f64() / 2.0, "{seconds} of {took:?}");
}
