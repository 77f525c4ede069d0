//! Tests that use the terminal.

use super::Suite;

#[test]
fn a_test_that_uses_the_terminal_does_not_hang_the_run() {
    let suite = Suite::new(
        "
tests:
  - {name: reads, command: cat /dev/tty; echo after}
  - {name: reads without a shell, command: cat /dev/tty}
  - {name: passes, command: 'true'}
",
    );
    suite.project.write(
        "b.casebook.yaml",
        "
setup: if [[ $BATS_TEST_DESCRIPTION == setup ]]; then read -r x < /dev/tty; fi
teardown: |
  echo $BATS_TEST_DESCRIPTION >> torn
  if [[ $BATS_TEST_DESCRIPTION == teardown ]]; then read -r x < /dev/tty; fi
tests:
  - {name: setup, command: 'true'}
  - {name: hooked, command: cat /dev/tty; echo after}
  - {name: teardown, command: 'true'}
",
    );
    let script = "script -qec '\"$CASEBOOK\" run -j6 --record out/tty --format junit=r.xml --format tap=r.tap' /dev/null </dev/null";
    let call = suite.project.bash(script);
    let outcome = call
        .env("TMPDIR", suite.project.at("tmp"))
        .env("TERM", "xterm")
        .run()
        .exits(1);
    suite.assert_nothing_left();
    let tap = suite.project.read("r.tap");
    assert_eq!(
        tap.matches("was stopped by SIGTTIN because it used the terminal")
            .count(),
        5,
        "{tap}\n{outcome:#?}"
    );
    assert!(tap.contains("ok 3 passes"), "{tap}");
    let torn = suite.project.read("torn");
    assert_eq!(torn.lines().count(), 3, "{torn}");
}
