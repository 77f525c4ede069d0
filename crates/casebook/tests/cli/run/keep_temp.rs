//! `--keep-temp`: the directories of tests that remain after the run.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::Suite;

const SUITE: &str = r#"
tests:
  - {name: good, command: 'echo kept > "$BATS_TEST_TMPDIR/note"'}
  - {name: bad, command: 'echo "kept in $BATS_TEST_TMPDIR"; echo bad > "$BATS_TEST_TMPDIR/note"; false'}
"#;

/// The directories in `tmp`, of all runs.
fn kept(suite: &Suite) -> Vec<PathBuf> {
    let roots = fs::read_dir(suite.project.at("tmp")).unwrap().flatten();
    let dirs = roots.flat_map(|root| fs::read_dir(root.path()).unwrap().flatten());
    dirs.map(|dir| dir.path()).collect()
}

fn temp_dir(suite: &Suite, record: &str, test: &str) -> Option<PathBuf> {
    let record = suite.project.json(&format!("{record}/run.json"));
    let examples = record["examples"].as_object().unwrap();
    let mut examples = examples.values();
    let example = examples
        .find(|example| example["description"] == test)
        .unwrap();
    example["metadata"]["temp_dir"].as_str().map(PathBuf::from)
}

#[test]
fn the_directories_of_failed_tests_are_kept_and_shown() {
    for arguments in ["-j1", "--workers 2"] {
        let suite = Suite::new(SUITE);
        let call = suite.call(&format!("--keep-temp failed --record out {arguments}"));
        let outcome = call.run().exits(1);
        let dir = temp_dir(&suite, "out", "bad").unwrap();
        assert_eq!(fs::read_to_string(dir.join("note")).unwrap(), "bad\n");
        assert_eq!(temp_dir(&suite, "out", "good"), None);
        assert_eq!(kept(&suite), [dir.as_path()]);
        let shown = dir.strip_prefix(suite.project.at("")).unwrap().display();
        let line = format!("kept directory: [project]/{shown}");
        assert!(outcome.stdout.contains(&line), "{}", outcome.stdout);
        let same = format!("kept in [project]/{shown}");
        assert!(
            outcome.stdout.contains(&same),
            "the path is that of the run: {}",
            outcome.stdout
        );
        let said = "test directories are kept in [project]/tmp/casebook-kept-";
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
        // The next run removes only what killed runs left.
        suite.call("--filter good").run().exits(0);
        assert!(dir.is_dir());
    }
}

#[test]
fn all_directories_can_be_kept() {
    let suite = Suite::new(SUITE);
    suite.call("--keep-temp always --record out").run().exits(1);
    let good = temp_dir(&suite, "out", "good").unwrap();
    assert_eq!(fs::read_to_string(good.join("note")).unwrap(), "kept\n");
    assert_eq!(kept(&suite).len(), 2);
}

#[test]
fn nothing_remains_if_no_test_fails() {
    let suite = Suite::new(SUITE);
    let ran = suite.run("--keep-temp failed --filter good").exits(0);
    assert!(!ran.outcome.stderr.contains("kept"));
}

#[test]
fn directories_of_repetitions_that_are_not_recorded_are_removed() {
    let suite = Suite::new(SUITE);
    let call = suite.call("--keep-temp always --repeat 30 --filter good --record out");
    call.run().exits(0);
    assert_eq!(kept(&suite).len(), 11);
    let record = suite.project.json("out/run.json");
    let example = record["examples"]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap();
    let attempts = example["metadata"]["attempts"].as_array().unwrap();
    let dirs = attempts.iter().chain([example]);
    let dirs = dirs.map(|one| one["metadata"]["temp_dir"].as_str().unwrap());
    assert!(
        dirs.into_iter()
            .all(|dir| fs::metadata(dir).unwrap().is_dir())
    );
    assert_ne!(example["metadata"]["repetitions"], Value::Null);
}
