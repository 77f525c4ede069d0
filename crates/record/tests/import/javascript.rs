//! Output written by node, mocha, vitest, tape and tap; see [`super::fixtures`].

use insta::assert_snapshot;

use super::fixtures::import_fixture;

#[test]
fn node_failing() {
    let imported = import_fixture("node-failing.tap");
    assert_snapshot!(imported.text(), @"
    + basket
    passed basket::starts empty
    + filled
    failed basket::filled::counts [AssertionError] at shop.test.js:7: Expected values to be strictly equal: /  / 2 !== 3 / expected: 3 /   actual: 2
    pending basket::filled::empties (later)
    - filled
    - basket
    + prices # with tax
    passed prices # with tax::rounds
    pending prices # with tax::adds tax (ask the accountant)
    - prices # with tax
    failed throws [RangeError] at shop.test.js:17: out of stock
    pending idea (no reason)
    pending skipped (no reason)
    ");
    let failure = imported.failed()[0];
    assert_eq!(
        failure.backtrace.as_ref().unwrap()[0],
        "TestContext.<anonymous> (shop.test.js:7:33)"
    );
    assert_eq!(
        failure.metadata.dig("yaml.operator"),
        Some(&"strictEqual".into())
    );
}

#[test]
fn node_junit() {
    let imported = import_fixture("node-junit-failing.xml");
    assert_snapshot!(imported.text(), @"
    + basket
    passed basket::test::starts empty
    + filled
    failed basket::filled::test::counts [testCodeFailure] at shop.test.js:7: Expected values to be strictly equal:2 !== 3
    pending basket::filled::test::empties (later)
    - filled
    - basket
    + prices # with tax
    passed prices # with tax::test::rounds
    pending prices # with tax::test::adds tax (ask the accountant)
    - prices # with tax
    failed test::throws [testCodeFailure] at shop.test.js:17: out of stock
    pending test::idea (no reason)
    pending test::skipped (no reason)
    ");
}

#[test]
fn node_passing() {
    let imported = import_fixture("node-passing.tap");
    assert_snapshot!(imported.text(), @"
    passed one
    + two
    passed two::inner
    - two
    ");
    let durations = imported.durations();
    assert!((durations[0] - 0.000_947_71).abs() < 1e-12, "{durations:?}");
}

#[test]
fn npm_tap_failing() {
    let imported = import_fixture("npm-tap-failing.tap");
    assert_snapshot!(imported.text(), @r#"
    + basket
    passed basket::adds up
    failed basket::counts [TAP::NotOk] at shop.test.js:4: --- expected / +++ actual / @@ -1,1 +1,1 @@ / -3 / +2
    + filled
    passed basket::filled::deep
    failed basket::filled::alike [TAP::NotOk] at shop.test.js:5: --- expected / +++ actual / @@ -1,3 +1,3 @@ /  Object { / -  "a": 2, / +  "a": 1, /  }
    - filled
    pending basket::later (ask)
    pending basket::idea (not yet)
    pending basket::off (no printer)
    - basket
    + broken
    failed broken::kaput [TAP::NotOk] at shop.test.js:10: not ok
    - broken
    "#);
}

#[test]
fn npm_tap_run_by_its_runner() {
    let imported = import_fixture("npm-tap-runner.tap");
    assert_snapshot!(imported.text(), @r#"
    + shop.test.js
    + basket
    passed shop.test.js::basket::adds up
    failed shop.test.js::basket::counts [TAP::NotOk] at shop.test.js:4: --- expected / +++ actual / @@ -1,1 +1,1 @@ / -3 / +2
    + filled
    passed shop.test.js::basket::filled::deep
    failed shop.test.js::basket::filled::alike [TAP::NotOk] at shop.test.js:5: --- expected / +++ actual / @@ -1,3 +1,3 @@ /  Object { / -  "a": 2, / +  "a": 1, /  }
    - filled
    pending shop.test.js::basket::later (ask)
    pending shop.test.js::basket::idea (not yet)
    pending shop.test.js::basket::off (no printer)
    - basket
    + broken
    failed shop.test.js::broken::kaput [TAP::NotOk] at shop.test.js:10: not ok
    - broken
    - shop.test.js
    "#);
}

#[test]
fn tape_failing() {
    let imported = import_fixture("tape-failing.tap");
    assert_snapshot!(imported.text(), @"
    + basket
    passed basket::adds up
    failed basket::holds what was put in [Error] at shop.js:4: expected: { a: [ 2 ] } /   actual: { a: [ 1 ] }
    pending basket::no printer (no reason)
    - basket
    + inner
    passed inner::deep
    - inner
    + later
    pending later::not yet (no reason)
    - later
    ");
}

#[test]
fn mocha_failing() {
    let imported = import_fixture("mocha-failing.tap");
    assert_snapshot!(imported.text(), @r#"
    passed basket starts empty
    failed basket counts [AssertionError] at shop.mocha.js:4: Expected values to be strictly equal: /  / 2 !== 3
    failed basket lists [AssertionError] at shop.mocha.js:5: Expected values to be strictly deep-equal: / + actual - expected /  /   { /     a: [ / +     1 / -     2 /     ] /   }
    pending basket later (no reason)
    pending basket off (no reason)
    failed basket filled throws [RangeError] at shop.mocha.js:9: out of stock / ok 2 - try again
    failed basket filled rejects hash [Error]: the string "a string" was thrown, throw an Error :)
    failed basket broken "before all" hook for "never runs" [Error] at shop.mocha.js:13: no database
    "#);
}

#[test]
fn mocha_tap13_failing() {
    let imported = import_fixture("mocha-tap13-failing.tap");
    assert_snapshot!(imported.text(), @r#"
    passed basket starts empty
    failed basket counts [AssertionError] at shop.mocha.js:4: Expected values to be strictly equal: /  / 2 !== 3
    failed basket lists [AssertionError] at shop.mocha.js:5: Expected values to be strictly deep-equal: / + actual - expected /  /   { /     a: [ / +     1 / -     2 /     ] /   }
    pending basket later (no reason)
    pending basket off (no reason)
    failed basket filled throws [RangeError] at shop.mocha.js:9: out of stock / ok 2 - try again
    failed basket filled rejects hash [Error]: the string "a string" was thrown, throw an Error :)
    failed basket broken "before all" hook for "never runs" [Error] at shop.mocha.js:13: no database
    "#);
}

#[test]
fn mocha_without_a_message() {
    let imported = import_fixture("mocha-no-message.tap");
    assert_snapshot!(imported.text(), @"
    passed basket starts empty
    failed basket has no message [TAP::NotOk]: not ok
    ");
}

#[test]
fn node_todo() {
    let imported = import_fixture("node-todo.tap");
    assert_snapshot!(imported.text(), @"
    pending idea (no reason)
    pending idea that fails (ask)
    pending idea without code (write it)
    pending off (no reason)
    pending short (no reason)
    ");
}

#[test]
fn node_junit_todo() {
    let imported = import_fixture("node-junit-todo.xml");
    assert_snapshot!(imported.text(), @"
    pending test::idea (no reason)
    pending test::idea that fails (ask)
    pending test::idea without code (write it)
    pending test::off (no reason)
    pending test::short (no reason)
    ");
}

#[test]
fn tape_with_comments() {
    let imported = import_fixture("tape-comments.tap");
    assert_snapshot!(imported.text(), @"
    + first
    passed first::one
    failed first::two [Error] at shop.tape2.js:2: expected: true /   actual: false
    - first
    + between
    passed between::three
    - between
    + second
    passed second::one
    - second
    ");
}

#[test]
fn tape_with_an_uncaught_error() {
    let imported = import_fixture("tape-uncaught.tap");
    assert_snapshot!(imported.text(), @"
    + basket
    passed basket::adds up
    failed basket::has its items [Error] at shop.tape.js:4: expected: { a: [ 2 ] } /   actual: { a: [ 1 ] }
    pending basket::no printer (no reason)
    - basket
    + filled
    passed filled::deep
    - filled
    + later
    pending later::not yet (no reason)
    - later
    failed (plan) [TAP::BadPlan]: no plan (`1..N`): the tests may have stopped early
    ! 32: no plan (`1..N`): the tests may have stopped early
    ");
}

#[test]
fn vitest_failing() {
    let imported = import_fixture("vitest-failing.tap");
    assert_snapshot!(imported.text(), @r#"
    + other.test.mjs
    passed other.test.mjs::passes
    failed other.test.mjs::fails [AssertionError] at other.test.mjs:3: expected 1 to be 2 // Object.is equality / expected: 2 /   actual: 1
    - other.test.mjs
    + shop.test.mjs
    + basket
    passed shop.test.mjs::basket::starts empty
    failed shop.test.mjs::basket::counts [AssertionError] at shop.test.mjs:4: expected 2 to be 3 // Object.is equality / expected: 3 /   actual: 2
    failed shop.test.mjs::basket::lists [AssertionError] at shop.test.mjs:5: expected { a: [ 1 ] } to deeply equal { a: [ 2 ] } / expected: { /   "a": [ /     2, /   ], / } /   actual: { /   "a": [ /     1, /   ], / }
    pending shop.test.mjs::basket::later (no reason)
    pending shop.test.mjs::basket::off (no reason)
    + filled
    failed shop.test.mjs::basket::filled::throws [RangeError] at shop.test.mjs:9: out of stock: "all" /   of it
    failed shop.test.mjs::basket::filled::string [TAP::NotOk]: a string
    - filled
    - basket
    passed shop.test.mjs::outside
    - shop.test.mjs
    + soft.test.mjs
    failed soft.test.mjs::checks twice [AssertionError] at soft.test.mjs:2: expected 1 to be 2 // Object.is equality / expected: 2 /   actual: 1 /  / also AssertionError: expected 'a\d' to be 'b' // Object.is equality / expected: b /   actual: a\d
    - soft.test.mjs
    "#);
}

#[test]
fn vitest_flat_failing() {
    let imported = import_fixture("vitest-flat-failing.tap");
    assert_snapshot!(imported.text(), @r#"
    passed other.test.mjs > passes
    failed other.test.mjs > fails [AssertionError] at other.test.mjs:3: expected 1 to be 2 // Object.is equality / expected: 2 /   actual: 1
    passed shop.test.mjs > basket > starts empty
    failed shop.test.mjs > basket > counts [AssertionError] at shop.test.mjs:4: expected 2 to be 3 // Object.is equality / expected: 3 /   actual: 2
    failed shop.test.mjs > basket > lists [AssertionError] at shop.test.mjs:5: expected { a: [ 1 ] } to deeply equal { a: [ 2 ] } / expected: { /   "a": [ /     2, /   ], / } /   actual: { /   "a": [ /     1, /   ], / }
    pending shop.test.mjs > basket > later (no reason)
    pending shop.test.mjs > basket > off (no reason)
    failed shop.test.mjs > basket > filled > throws [RangeError] at shop.test.mjs:9: out of stock: "all" /   of it
    failed shop.test.mjs > basket > filled > string [TAP::NotOk]: a string
    passed shop.test.mjs > outside
    failed soft.test.mjs > checks twice [AssertionError] at soft.test.mjs:2: expected 1 to be 2 // Object.is equality / expected: 2 /   actual: 1 /  / also AssertionError: expected 'a\d' to be 'b' // Object.is equality / expected: b /   actual: a\d
    "#);
}
