//! `locks`: names, modes, and the locks that a test gets from its suite.

use casebook_suite::model::Lock;

use super::{problems_of_test, suite};

/// The locks of the first test: a name, with `*` if it is shared.
fn locks(text: &str) -> Vec<String> {
    let shown = |lock: &Lock| format!("{}{}", lock.name, if lock.is_shared { "*" } else { "" });
    suite(text).tests[0].locks.iter().map(shown).collect()
}

#[test]
fn a_test_has_the_locks_of_its_suite_and_decides_about_their_mode() {
    for (of_suite, of_test, expected) in [
        ("[]", "[room, db]", "db room"),
        ("[db, {room: shared}]", "[]", "db room*"),
        ("[db]", "[{db: shared}, api]", "api db*"),
        ("[{db: shared}]", "[db]", "db"),
        (
            "[\"{{name}}\"]",
            "[{\"{{name}}-2\": shared}]",
            "shop shop-2*",
        ),
    ] {
        let field = |list: &str| match list {
            "[]" => String::new(),
            list => format!("locks: {list}"),
        };
        let text = format!(
            "{}\nvariables: {{name: shop}}\ntests:\n  - name: t\n    command: x\n    {}\n",
            field(of_suite),
            field(of_test)
        );
        assert_eq!(locks(&text).join(" "), expected, "{text}");
    }
}

#[test]
fn misuse_is_reported() {
    for (fields, expected) in [
        (
            "locks: db",
            "4:12 wrong-value: `locks` must be a list, not a string (write `locks: [db]`)",
        ),
        (
            "locks: []",
            "4:12 wrong-value: `locks` must contain at least one name (add a name, or remove the field)",
        ),
        (
            "locks: ['']",
            "4:13 wrong-value: `locks` must not be empty (write a value, or remove the field)",
        ),
        (
            "locks: [{db: read}]",
            "4:18 bad-lock: a lock can be `shared`, not `read` (write `db` for a lock that no other test shares)",
        ),
        (
            "locks: [{a: shared, b: shared}]",
            "4:13 bad-lock: a lock must be a name, or a name with `shared` (write `- NAME` or `- NAME: shared`)",
        ),
        (
            "locks: [db, {db: shared}]",
            "4:17 bad-lock: the lock `db` is named twice (keep one of them)",
        ),
        (
            "locks: [{'': shared}]",
            "4:14 bad-lock: the name of a lock must not be empty",
        ),
    ] {
        assert_eq!(problems_of_test(fields), [expected], "{fields}");
    }
}
