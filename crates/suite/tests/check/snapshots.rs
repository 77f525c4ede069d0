//! The names of snapshots.

use super::{problems, problems_of_test, suite};

#[test]
fn a_snapshot_is_a_file_inside_of_its_directory() {
    for (name, reason) in [
        ("../../x", "`..` leads out of the directory of snapshots"),
        ("a/../b", "`..` leads out of the directory of snapshots"),
        ("/tmp/x", "it is an absolute path"),
        ("a//b", "a part of its path is empty or `.`"),
        ("./a", "a part of its path is empty or `.`"),
        ("a/", "a part of its path is empty or `.`"),
        (r"a\tb", "it contains a control character"),
        (
            &"x".repeat(251),
            "a part of its path is longer than 250 bytes",
        ),
    ] {
        assert_eq!(
            problems_of_test(&format!("snapshot: \"{name}\"")),
            [format!(
                "4:5 snapshot-name: `{name}` cannot be the name of a snapshot: {reason} (use a plain name, or `true` to name the snapshot after the test)"
            )]
        );
    }
    for name in ["a", "lists/short", "..a", "größe", "a b"] {
        assert_eq!(problems_of_test(&format!("snapshot: {name}")), [""; 0]);
    }
}

#[test]
fn two_tests_cannot_have_the_same_snapshot() {
    let text = "\
matrix: {os: [mac, linux]}
tests:
  - {name: a, command: c, snapshot: one}
  - {name: b, command: c, snapshot: 'two-{{os}}'}
  - {name: c, command: c, snapshot: true}
";
    assert_eq!(
        problems(text),
        [
            "3:27 same-snapshot: all combinations of the matrix would have the snapshot `one` (use a matrix variable in the name (`\"one-{{NAME}}\"`), or write `snapshot: true`)"
        ]
    );
    let text = "\
tests:
  - {name: a, command: c, snapshot: list}
  - {name: b, command: c, snapshot: List}
  - {name: list, command: c, snapshot: true}
  - {name: List, command: c, snapshot: true}
";
    assert_eq!(
        problems(text),
        [
            "3:27 same-snapshot: the test `a` already has the snapshot `List` (give each test its own snapshot)"
        ]
    );
    let suite = suite(&text.replace("snapshot: List", "snapshot: LIST-2"));
    let files: Vec<_> = casebook_suite::snapshot::files(&suite)
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    assert_eq!(
        files,
        ["list", "LIST-2", "list-3", "list-4"]
            .map(|name| format!("__snapshots__/shop/{name}.snap"))
    );
}
