//! The tests that are run, in every format they are run in.

use std::fmt::Write as _;

/// A command and what it prints.
pub(crate) struct Trivial {
    pub(crate) command: String,
    pub(crate) output: String,
}

/// Commands that need a shell, all of them different.
pub(crate) fn shell(count: usize) -> Vec<Trivial> {
    let tests = (0..count).map(|number| Trivial {
        command: format!("echo \"value $(({number} + 1))\""),
        output: format!("value {}", number + 1),
    });
    tests.collect()
}

/// Commands without anything for a shell to do.
pub(crate) fn direct(count: usize) -> Vec<Trivial> {
    let tests = (0..count).map(|_| Trivial {
        command: "printenv CASEBOOK_BENCH".into(),
        output: "yes".into(),
    });
    tests.collect()
}

/// The same command many times.
pub(crate) fn repeated(count: usize, command: &str, output: &str) -> Vec<Trivial> {
    let tests = (0..count).map(|_| Trivial {
        command: command.into(),
        output: output.into(),
    });
    tests.collect()
}

pub(crate) const SETUP: &str = "export NAME=casebook";
pub(crate) const TEARDOWN: &str = "unset NAME";

/// As a suite of Casebook's.
pub(crate) fn suite(tests: &[Trivial], hooks: bool) -> String {
    let mut text = String::new();
    if hooks {
        let _ = writeln!(text, "setup: {SETUP}\nteardown: {TEARDOWN}");
    }
    text.push_str("tests:\n");
    for (number, test) in tests.iter().enumerate() {
        let _ = write!(
            text,
            "  - name: test {number}\n    command: '{}'\n    outputContains: '{}'\n",
            test.command, test.output
        );
    }
    text
}

/// As a suite of tests with this number of steps each.
pub(crate) fn suite_of_steps(commands: &[Trivial], steps: usize) -> String {
    let mut text = "tests:\n".to_owned();
    for (number, commands) in commands.chunks(steps).enumerate() {
        let _ = writeln!(text, "  - name: test {number}\n    steps:");
        for Trivial { command, output } in commands {
            let _ = writeln!(
                text,
                "      - {{command: '{command}', outputContains: '{output}'}}"
            );
        }
    }
    text
}

/// As lines for a bare loop; with hooks, a line before each that another shell runs.
pub(crate) fn lines(tests: &[Trivial], hooks: bool) -> String {
    let before = if hooks {
        format!("{SETUP}; {TEARDOWN}\n")
    } else {
        String::new()
    };
    let lines = tests
        .iter()
        .map(|test| format!("{before}{}\n", test.command));
    lines.collect()
}

/// In the first format of shelltestrunner.
pub(crate) fn shelltest(tests: &[Trivial]) -> String {
    let tests = tests
        .iter()
        .map(|test| format!("{}\n>>>\n{}\n>>>= 0\n", test.command, test.output));
    tests.collect()
}

/// As a script for shunit2, which runs all tests in one shell: each starts the `bash -c` that the others start.
pub(crate) fn shunit2(tests: &[Trivial]) -> String {
    let mut text = String::new();
    for (number, test) in tests.iter().enumerate() {
        let _ = writeln!(
            text,
            "test_{number}() {{\n  output=$(bash -c '{}')\n  assertEquals 0 $?\n  assertContains \"$output\" '{}'\n}}",
            test.command, test.output
        );
    }
    text.push_str(". shunit2\n");
    text
}
