//! Which tests are run, and in which order.

use std::collections::BTreeSet;

use super::{RunResult, Suite};

const SUITE: &str = "
tags: [all]
tests:
  - {name: adds, command: 'true', tags: [quick]}
  - {name: subtracts, command: 'true', tags: [quick, net]}
  - {name: divides, command: 'true', skip: by zero}
  - name: multiplies
    command: 'true'
    tags: [slow]
    matrix: {by: [1, 2]}
";

fn names(ran: &RunResult) -> Vec<&str> {
    let tests = ran.record["examples"].as_object().into_iter().flatten();
    tests
        .map(|(_, test)| test["description"].as_str().unwrap())
        .collect()
}

#[test]
fn by_name_tag_and_line() {
    let suite = Suite::new(SUITE);
    for (arguments, expected) in [
        (
            "",
            "adds subtracts divides multiplies-[by=1] multiplies-[by=2]",
        ),
        ("--filter add", "adds"),
        ("--filter /s$/", "adds subtracts divides"),
        ("--tag quick", "adds subtracts"),
        ("--tag quick,!net", "adds"),
        (
            "--tag net --tag slow",
            "subtracts multiplies-[by=1] multiplies-[by=2]",
        ),
        ("--tag all,quick --filter sub", "subtracts"),
        ("a.casebook.yaml:4", "adds"),
        ("a.casebook.yaml:4 a.casebook.yaml:5", "adds subtracts"),
        ("a.casebook.yaml:9", "multiplies-[by=1] multiplies-[by=2]"),
        ("a.casebook.yaml:9 --filter by=2", "multiplies-[by=2]"),
    ] {
        let ran = suite.run(arguments).exits(0);
        let expected: Vec<_> = expected
            .split(' ')
            .map(|name| name.replace('-', " "))
            .collect();
        assert_eq!(names(&ran), expected, "{arguments}");
    }
    suite.run("--filter /(/").exits(2);
}

#[test]
fn what_leaves_nothing_is_an_error_that_says_so() {
    let suite = Suite::new(SUITE);
    suite.project.write("b.casebook.yaml", SUITE);
    for (arguments, said) in [
        (
            "--filter nothing-like-it",
            "no tests match --filter nothing-like-it; run `casebook run --list` to see all tests",
        ),
        (
            "--tag slwo --shard 1/2",
            "no tests match --tag slwo --shard 1/2; did you mean the tag `slow`?",
        ),
        (
            "--filter adds --shard 3/3",
            "shard 3/3 is empty: only 2 tests are selected; use at most 2 shards",
        ),
        (
            "a.casebook.yaml:1",
            "a.casebook.yaml:1: no test at this line; the closest starts at line 4",
        ),
        // Other tests would run, and nobody would notice that this one did not.
        (
            "a.casebook.yaml:99 b.casebook.yaml",
            "a.casebook.yaml:99: no test at this line; the closest starts at line 7",
        ),
    ] {
        let ran = suite.run(arguments).exits(2);
        let stderr = &ran.outcome.stderr;
        assert!(stderr.contains(said), "{arguments}: {stderr}");
    }
}

#[test]
fn a_list_runs_nothing() {
    let suite = Suite::new(SUITE);
    let ran = suite.run("--list --tag quick").exits(0);
    insta::assert_snapshot!(ran.outcome.stdout, @r"
    a.casebook.yaml:4  adds  [all, quick]
    a.casebook.yaml:5  subtracts  [all, quick, net]
    ");
    assert!(!suite.project.exists("out"));
}

#[test]
fn every_test_is_in_exactly_one_shard_and_tests_in_order_stay_together() {
    let suite = Suite::new(SUITE);
    let in_order = "parallel: false\ntests:\n  - {name: first, command: 'true'}\n  - {name: second, command: 'true'}\n  - {name: third, command: 'true'}\n";
    suite.project.write("b.casebook.yaml", in_order);
    for count in 1..=5 {
        let mut seen = BTreeSet::new();
        for part in 1..=count {
            let ran = suite.run(&format!("--shard {part}/{count}"));
            let names = names(&ran);
            let together = ["first", "second", "third"].map(|name| names.contains(&name));
            assert!(together == [true; 3] || together == [false; 3], "{names:?}");
            for name in names {
                assert!(seen.insert(name.to_owned()), "{name} twice of {count}");
            }
        }
        assert_eq!(seen.len(), 8, "{count}");
    }
    suite.run("--shard 3/2").exits(2);
}

#[test]
fn only_leaves_out_the_others_with_a_warning_and_not_at_all_in_ci() {
    let suite = Suite::new(
        "
tests:
  - {name: mine, command: 'true', only: true}
  - {name: others, command: 'false'}
",
    );
    let ran = suite.run("").exits(0);
    assert_eq!(names(&ran), ["mine"]);
    assert!(
        ran.outcome
            .stderr
            .contains("warning: running only tests marked `only`: a.casebook.yaml:3")
    );
    let ran = suite.run_as(suite.call("").env("CI", "1")).exits(2);
    assert!(
        ran.outcome
            .stderr
            .contains("error: `only` is not allowed in CI; remove it from"),
        "{ran:#?}"
    );
}

#[test]
fn a_skipped_test_is_told_with_its_reason() {
    let suite = Suite::new(SUITE);
    let ran = suite.run("--format tap --filter div").exits(0);
    assert!(ran.outcome.stdout.contains("# skip by zero"), "{ran:#?}");
    assert_eq!(ran.test("divides")["status"], "pending");
}

#[test]
fn the_first_failure_can_be_the_last_test() {
    let suite = Suite::new(
        "
teardownFile: echo torn >> log
tests:
  - {name: passes, command: 'true'}
  - {name: fails, command: 'false'}
  - {name: is not run, command: echo ran >> log}
",
    );
    let ran = suite.run("--fail-fast -j1").exits(1);
    assert_eq!(names(&ran), ["passes", "fails"]);
    assert_eq!(suite.project.read("log"), "torn\n");
}

#[test]
fn a_seed_gives_the_same_order_again_and_is_recorded() {
    let yaml = "
matrix: {n: [1, 2, 3, 4, 5, 6, 7, 8]}
tests:
  - {name: test, command: 'echo {{n}} >> order'}
";
    let order = |seed: &str| {
        let suite = Suite::new(yaml);
        let ran = suite.run(&format!("-j1 {seed}")).exits(0);
        let summary = names(&ran).join(" ");
        assert!(summary.starts_with("test [n=1] test [n=2]"), "{summary}");
        (
            suite.project.read("order").replace('\n', ""),
            ran.record["seed"].clone(),
        )
    };
    assert_eq!(order("").0, "12345678");
    let (shuffled, seed) = order("--seed 7");
    assert_eq!(seed, 7);
    assert_ne!(shuffled, "12345678");
    assert_eq!(order("--seed 7").0, shuffled);
    assert_ne!(order("--seed 8").0, shuffled);
}
