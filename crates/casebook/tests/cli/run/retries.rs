//! Retries of failed tests.

use super::Suite;

/// A test that fails a given number of times before it passes.
const FLAKY: &str = r#"
teardown: echo "torn $BATS_TEST_DESCRIPTION" >> torn
tests:
  - name: flaky
    retries: 3
    command: echo x >> tries; echo "try $(wc -l < tries)"; [[ $(wc -l < tries) -ge 3 ]]
  - {name: never, retries: 1, command: echo y >> never; false}
  - {name: once, command: echo z >> once; false}
"#;

#[test]
fn a_pass_on_a_retry_is_flaky_and_all_attempts_are_recorded() {
    let suite = Suite::new(FLAKY);
    let ran = suite.run("").exits(1);
    assert_eq!(
        ran.verdicts(),
        [
            "flaky passed",
            "never failed: exit code 1 instead of 0",
            "once failed: exit code 1 instead of 0"
        ]
    );
    assert_eq!(ran.command("flaky")["flaky"], true);
    assert_eq!(ran.output("flaky"), "try 3\n");
    let attempts = ran.test("flaky")["metadata"]["attempts"]
        .as_array()
        .unwrap();
    let outputs: Vec<_> = attempts
        .iter()
        .map(|attempt| attempt["metadata"]["command"]["output"].as_str().unwrap())
        .collect();
    assert_eq!(outputs, ["try 1\n", "try 2\n"]);
    assert_eq!(suite.project.read("never"), "y\ny\n");
    assert_eq!(suite.project.read("once"), "z\n");
    assert_eq!(suite.project.read("torn").matches("flaky").count(), 3);
}

#[test]
fn retries_can_be_set_on_the_command_line() {
    let suite = Suite::new(FLAKY);
    suite.run("--retries 2 --filter once").exits(1);
    assert_eq!(suite.project.read("once"), "z\nz\nz\n");
}
