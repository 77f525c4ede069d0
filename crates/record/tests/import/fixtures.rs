//! Output written by the real tools, with machine-specific paths and names removed.
//!
//! bats 1.8.2, Perl 5.36 with `Test::More` 1.302190, node 20.20, npm's tape 5, tap 18, mocha 12 and vitest 4, pytest
//! 7.2.1, cargo-nextest 0.9.143, Maven Surefire 2.22.3 with JUnit 4.13.

use std::fs;
use std::path::Path;

use casebook_record::Event;
use insta::assert_snapshot;

use super::imported::{Imported, junit, tap};

pub(crate) fn import_fixture(name: &str) -> Imported {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import");
    let input = fs::read(dir.join(name)).unwrap();
    if Path::new(name)
        .extension()
        .is_some_and(|ending| ending == "tap")
    {
        tap(input)
    } else {
        junit(input)
    }
}

#[test]
fn bats_failing() {
    let imported = import_fixture("bats-failing.tap");
    assert_snapshot!(imported.text(), @"
    passed adds up
    failed says why # and where [TAP::NotOk] at shop.bats:9: (in test file shop.bats, line 9) /   `[ $((1 + 2)) -eq 4 ]' failed / expected 4
    pending not on this machine (needs a printer)
    pending no reason (no reason)
    ");
}

#[test]
fn bats_junit() {
    let imported = import_fixture("bats-junit-failing.xml");
    assert_snapshot!(imported.text(), @"
    + shop.bats
    passed shop.bats::adds up
    failed shop.bats::says why # and where [failure] at shop.bats:9: (in test file shop.bats, line 9)
    pending shop.bats::not on this machine (needs a printer)
    pending shop.bats::no reason (no reason)
    - shop.bats
    ");
}

#[test]
fn bats_passing() {
    let imported = import_fixture("bats-passing.tap");
    assert_snapshot!(imported.text(), @"
    passed first
    passed second
    ");
}

#[test]
fn bats_with_a_failing_setup_file() {
    let imported = import_fixture("bats-setup-file-failing.tap");
    assert_snapshot!(imported.text(), @"
    failed setup_file failed [TAP::NotOk] at setupfail.bats:1: (from function `setup_file' in test file setupfail.bats, line 1) /   `setup_file() { echo broken; false; }' failed / broken / bats warning: Executed 1 instead of expected 2 tests
    failed (plan) [TAP::BadPlan]: planned 2 tests, 1 ran
    ! 6: planned 2 tests, 1 ran
    ");
}

#[test]
fn bats_tap13_with_times() {
    let imported = import_fixture("bats-tap13-timing.tap");
    assert_snapshot!(imported.text(), @"
    passed adds up
    failed says why # and where [TAP::NotOk] at shop.bats:9: (in test file shop.bats, line 9) /   `[ $((1 + 2)) -eq 4 ]' failed / expected 4
    pending not on this machine (needs a printer)
    pending no reason (no reason)
    ");
    assert_eq!(imported.durations(), [0.012, 0.007]);
}

#[test]
fn bats_tap13() {
    let imported = import_fixture("bats-tap13.tap");
    assert_snapshot!(imported.text(), @"
    passed adds up
    failed says why # and where [TAP::NotOk] at shop.bats:9: (in test file shop.bats, line 9) /   `[ $((1 + 2)) -eq 4 ]' failed / expected 4
    pending not on this machine (needs a printer)
    pending no reason (no reason)
    ");
}

#[test]
fn bats_with_times() {
    let imported = import_fixture("bats-timing.tap");
    assert_snapshot!(imported.text(), @"
    passed adds up
    failed says why # and where [TAP::NotOk] at shop.bats:9: (in test file shop.bats, line 9) /   `[ $((1 + 2)) -eq 4 ]' failed / expected 4
    pending not on this machine (needs a printer)
    pending no reason (no reason)
    ");
    assert_eq!(imported.durations(), [0.006, 0.004]);
}

#[test]
fn nextest_with_retries() {
    let imported = import_fixture("nextest-retries.xml");
    assert_snapshot!(imported.text(), @"
    + shop
    passed shop::tests::adds_up
    failed shop::tests::is_flaky [test failure with exit code 101] at src/lib.rs:18: thread 'tests::is_flaky' (12091) panicked at src/lib.rs:18:13
    passed shop::tests::is_flaky
    failed shop::tests::counts [test failure with exit code 101] at src/lib.rs:11: thread 'tests::counts' (12088) panicked at src/lib.rs:11:9
    failed shop::tests::counts [test failure with exit code 101] at src/lib.rs:11: thread 'tests::counts' (12095) panicked at src/lib.rs:11:9
    failed shop::tests::counts [test failure with exit code 101] at src/lib.rs:11: thread 'tests::counts' (12097) panicked at src/lib.rs:11:9
    - shop
    ");
    assert_eq!(
        imported.durations(),
        [0.012, 0.095, 0.011, 0.149, 0.084, 0.076]
    );
    let ids: Vec<_> = imported
        .started()
        .iter()
        .map(|started| &started.example_id)
        .collect();
    assert_eq!(ids[1], ids[2], "a retry is an attempt of the same example");
    let times: Vec<_> = imported
        .started()
        .iter()
        .map(|started| started.time.to_string())
        .collect();
    assert_eq!(times[1], "2026-11-15T17:55:16.712+00:00");
    assert_eq!(times[2], "2026-11-15T17:55:16.813+00:00");
    let metadata = imported.metadata();
    let stderr = metadata[2]["command"]["stderr"].as_str().unwrap();
    assert!(stderr.starts_with("about to count\n"), "{stderr}");
    assert_eq!(metadata[1]["command"]["flaky"], true);
}

#[test]
fn perl_with_an_unmet_plan() {
    let imported = import_fixture("perl-bad-plan.tap");
    assert_snapshot!(imported.text(), @"
    passed one
    passed two
    failed (plan) [TAP::BadPlan]: planned 4 tests, 2 ran
    ! 4: planned 4 tests, 2 ran
    ");
}

#[test]
fn perl_bailing_out() {
    let imported = import_fixture("perl-bail-out.tap");
    assert_snapshot!(imported.text(), @"
    passed connects
    failed (bail out) [TAP::BailOut]: the database is gone
    ");
}

#[test]
fn perl_with_buffered_subtests() {
    let imported = import_fixture("perl-buffered-failing.tap");
    assert_snapshot!(imported.text(), @"
    + basket
    passed basket::adds up
    failed basket::counts [TAP::NotOk]: not ok
    - basket
    ");
}

#[test]
fn perl_without_its_diagnostics() {
    let imported = import_fixture("perl-failing-stdout-only.tap");
    assert_snapshot!(imported.text(), @"
    passed first # of all
    failed numbers agree [TAP::NotOk]: not ok
    + a basket
    passed a basket::starts empty
    + filled
    passed a basket::filled::has one
    failed a basket::filled::holds what was put in [TAP::NotOk]: not ok
    - filled
    - a basket
    pending exports (not written yet)
    pending imports (not written yet)
    pending test 6 (no network)
    pending test 7 (no network)
    + nothing here
    pending nothing here::(all skipped) (not today)
    - nothing here
    passed test 9
    ");
}

#[test]
fn perl_failing() {
    let imported = import_fixture("perl-failing.tap");
    assert_snapshot!(imported.text(), @"
    passed first # of all
    failed numbers agree [TAP::NotOk] at t/mixed.t:3:   Failed test 'numbers agree' /   at t/mixed.t line 3. /          got: '2' /     expected: '3'
    + a basket
    passed a basket::starts empty
    + filled
    passed a basket::filled::has one
    failed a basket::filled::holds what was put in [TAP::NotOk] at t/mixed.t:9:   Failed test 'holds what was put in' /   at t/mixed.t line 9. /     Structures begin differing at: /          $got->[1] = '2' /     $expected->[1] = '3'
    - filled
    - a basket
    pending exports (not written yet)
    pending imports (not written yet)
    pending test 6 (no network)
    pending test 7 (no network)
    + nothing here
    pending nothing here::(all skipped) (not today)
    - nothing here
    passed test 9
    ");
}

#[test]
fn perl_passing() {
    let imported = import_fixture("perl-passing.tap");
    assert_snapshot!(imported.text(), @"
    passed one
    + two
    passed two::inner
    - two
    ");
}

#[test]
fn perl_skipping_all() {
    let imported = import_fixture("perl-skip-all.tap");
    assert_snapshot!(imported.text(), @"pending (all skipped) (only on Windows)");
}

#[test]
fn prove_with_several_files() {
    let imported = import_fixture("prove-several-files.tap");
    assert_snapshot!(imported.text(), @"
    + t/green.t
    passed t/green.t::one
    + two
    passed t/green.t::two::inner
    - two
    - t/green.t
    + t/skipall.t
    pending t/skipall.t::(all skipped) (only on Windows)
    - t/skipall.t
    + t/badplan.t
    passed t/badplan.t::one
    passed t/badplan.t::two
    failed t/badplan.t::(plan) [TAP::BadPlan]: planned 4 tests, 2 ran
    - t/badplan.t
    ! 24: planned 4 tests, 2 ran
    ");
}

#[test]
fn pytest_with_a_collection_error() {
    let imported = import_fixture("pytest-collection-error.xml");
    assert_snapshot!(imported.text(), @"
    + pytest
    failed pytest::test_broken [JUnit::Error] at test_broken.py:1: collection failure
    - pytest
    ");
}

#[test]
fn pytest_failing() {
    let imported = import_fixture("pytest-failing.xml");
    assert_snapshot!(imported.text(), @r#"
    + pytest
    passed pytest::test_shop::test_adds_up
    failed pytest::test_shop.TestBasket::test_counts [AssertionError] at test_shop.py:15: AssertionError: two & not three / assert 2 == 3 /  +  where 2 = len([1, 2])
    passed pytest::test_shop.TestBasket::test_sizes[1]
    passed pytest::test_shop.TestBasket::test_sizes[2]
    failed pytest::test_shop::test_with_fixture [RuntimeError] at test_shop.py:24: failed on setup with "RuntimeError: no database"
    pending pytest::test_shop::test_prints (no printer)
    pending pytest::test_shop::test_known (known bug)
    failed pytest::test_shop::test_unexpected [JUnit::Failure]: [XPASS(strict)] should fail
    failed pytest::test_shop::test_teardown [AssertionError] at test_shop.py:53: AssertionError: body fails too / assert 0
    failed pytest::test_shop::test_teardown #2 [OSError] at test_shop.py:49: failed on teardown with "OSError: cannot clean up"
    - pytest
    "#);
}

#[test]
fn pytest_passing() {
    let imported = import_fixture("pytest-passing.xml");
    assert_snapshot!(imported.text(), @"
    + pytest
    passed pytest::test_green::test_one
    - pytest
    ");
}

#[test]
fn pytest_in_its_older_dialect() {
    let imported = import_fixture("pytest-xunit1.xml");
    assert_snapshot!(imported.text(), @r#"
    + pytest
    passed pytest::test_shop::test_adds_up
    failed pytest::test_shop.TestBasket::test_counts [AssertionError] at test_shop.py:15: AssertionError: two & not three / assert 2 == 3 /  +  where 2 = len([1, 2])
    passed pytest::test_shop.TestBasket::test_sizes[1]
    passed pytest::test_shop.TestBasket::test_sizes[2]
    failed pytest::test_shop::test_with_fixture [RuntimeError] at test_shop.py:24: failed on setup with "RuntimeError: no database"
    pending pytest::test_shop::test_prints (no printer)
    pending pytest::test_shop::test_known (known bug)
    failed pytest::test_shop::test_unexpected [JUnit::Failure] at test_shop.py:41: [XPASS(strict)] should fail
    failed pytest::test_shop::test_teardown [AssertionError] at test_shop.py:53: AssertionError: body fails too / assert 0
    failed pytest::test_shop::test_teardown #2 [OSError] at test_shop.py:49: failed on teardown with "OSError: cannot clean up"
    - pytest
    "#);
    assert_eq!(imported.started()[0].location, "test_shop.py:5");
    let stdout = &imported.metadata()[0]["command"]["stdout"];
    assert!(stdout.as_str().unwrap().contains("adding\n"), "{stdout}");
}

#[test]
fn surefire_with_reruns() {
    let imported = import_fixture("surefire-rerun.xml");
    assert_snapshot!(imported.text(), @"
    + shop.BasketTest
    passed shop.BasketTest::addsUp
    failed shop.BasketTest::breaks [java.lang.IllegalStateException] at BasketTest.java:25: no database
    failed shop.BasketTest::breaks [java.lang.IllegalStateException] at BasketTest.java:25: no database
    failed shop.BasketTest::counts [java.lang.AssertionError] at BasketTest.java:20: two <things> & not three expected:<3> but was:<2>
    failed shop.BasketTest::counts [java.lang.AssertionError] at BasketTest.java:20: two <things> & not three expected:<3> but was:<2>
    pending shop.BasketTest::prints (no printer)
    failed shop.BasketTest::isFlaky [java.lang.RuntimeException] at BasketTest.java:34: first try
    passed shop.BasketTest::isFlaky
    - shop.BasketTest
    ");
    assert_eq!(
        imported.durations(),
        [0.01, 0.011, 0.0, 0.001, 0.0, 0.0, 0.0]
    );
    let Event::SuiteStarted(started) = &imported.events[0] else {
        panic!("{:?}", imported.events[0]);
    };
    assert_eq!(started.example_count, 5);
    let java = started
        .metadata
        .dig("suites.0.properties.java.specification.version");
    assert_eq!(java, None, "dots in a key have no special meaning");
    let properties = started.metadata.dig("suites.0.properties").unwrap();
    assert_eq!(properties["java.specification.version"], "17");
    assert_eq!(
        imported.metadata()[0]["command"]["stderr"],
        "about to count\n"
    );
}

#[test]
fn prove_with_failing_files() {
    let imported = import_fixture("prove-failing.tap");
    assert_snapshot!(imported.text(), @"
    + t/a.t
    passed t/a.t::one
    failed t/a.t::two [TAP::NotOk]: not ok
    + inner
    passed t/a.t::inner::deep
    - inner
    - t/a.t
    + t/b.t
    pending t/b.t::(all skipped) (only on Windows)
    - t/b.t
    + t/c.t
    passed t/c.t::one
    pending t/c.t::two (later)
    - t/c.t
    + t/d.t
    failed t/d.t::(plan) [TAP::BadPlan]: no TAP found: neither a plan (`1..N`) nor a test (`ok`, `not ok`)
    - t/d.t
    + t/e.t
    passed t/e.t::one
    failed t/e.t::(exit status) [TAP::ExitStatus]: test returned 3 (wstat 768, 0x300)
    - t/e.t
    ! 22: no TAP found: neither a plan (`1..N`) nor a test (`ok`, `not ok`)
    ");
}
