//! Imports the output of the installed tools, to detect differences from the fixtures.

use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Stdio};

use casebook_record::import::{self, ImportSource};
use insta::assert_snapshot;

use super::imported::{Imported, junit, now};

/// Starts a tool in a directory. A missing tool fails the test, because a skipped test would prove nothing.
fn tool(name: &str, directory: &Path) -> Command {
    let mut command = Command::new(name);
    let found = command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(
        found.is_ok_and(|status| status.success()),
        "this test requires `{name}`; run `script/setup` to install it"
    );
    let mut command = Command::new(name);
    command.current_dir(directory).stderr(Stdio::null());
    command
}

fn directory(file: &str, content: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(file), content).unwrap();
    directory
}

/// Imports the output of the command while it runs.
fn stream(command: &mut Command) -> Imported {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let source = ImportSource {
        name: "live",
        now: &now,
    };
    let mut events = Vec::new();
    let problems = import::tap(output, &source, &mut |event| events.push(event)).unwrap();
    child.wait().unwrap();
    Imported { events, problems }
}

#[test]
fn bats() {
    let suite = "@test \"good\" { true; }\n@test \"bad\" {\n  echo why\n  false\n}\n@test \"later\" { skip \"no time\"; }\n";
    let directory = directory("a.bats", suite);
    for arguments in [
        &["--tap"][..],
        &["--tap", "--timing"],
        &["--formatter", "tap13"],
    ] {
        let imported = stream(tool("bats", directory.path()).args(arguments).arg("a.bats"));
        insta::allow_duplicates! {
            assert_snapshot!(imported.text(), @"
            passed good
            failed bad [TAP::NotOk] at a.bats:4: (in test file a.bats, line 4) /   `false' failed / why
            pending later (no time)
            ");
        }
    }
}

#[test]
fn perl() {
    let script = "use Test::More;\nTest::More->builder->failure_output(\\*STDOUT);\nok(1, 'good');\nsubtest group => sub { is(1, 2, 'bad'); done_testing };\nSKIP: { skip 'no time', 1; }\ndone_testing;\n";
    let directory = directory("a.t", script);
    let imported = stream(tool("perl", directory.path()).arg("a.t"));
    assert_snapshot!(imported.text(), @"
    passed good
    + group
    failed group::bad [TAP::NotOk] at a.t:4:   Failed test 'bad' /   at a.t line 4. /          got: '1' /     expected: '2'
    - group
    pending test 3 (no time)
    ");
}

#[test]
fn pytest() {
    let script = "import pytest\n\ndef test_good():\n    pass\n\ndef test_bad():\n    assert 1 == 2\n\n@pytest.mark.skip(reason='no time')\ndef test_later():\n    pass\n";
    let directory = directory("test_a.py", script);
    let mut command = tool("pytest", directory.path());
    command.args(["-p", "no:cacheprovider", "--junitxml=out.xml", "test_a.py"]);
    command.stdout(Stdio::null()).status().unwrap();
    let imported = junit(std::fs::read(directory.path().join("out.xml")).unwrap());
    assert_snapshot!(imported.text(), @"
    + pytest
    passed pytest::test_a::test_good
    failed pytest::test_a::test_bad [AssertionError] at test_a.py:7: assert 1 == 2
    pending pytest::test_a::test_later (no time)
    - pytest
    ");
}
