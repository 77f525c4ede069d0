//! `normalize`: names, your own patterns, and the order in which they are applied.

use casebook_suite::normalizer::Normalizer;

use super::{problems_of_test, suite};

fn names(text: &str) -> String {
    let shown = |normalizer: &Normalizer| match normalizer {
        Normalizer::BuiltIn(built_in) => built_in.name.to_owned(),
        Normalizer::Directory(directory) => directory.name().to_owned(),
        Normalizer::Own {
            pattern,
            replacement,
        } => format!("{pattern}={replacement}"),
    };
    let suite = suite(text);
    let names: Vec<_> = suite.tests[0].normalize.iter().map(shown).collect();
    names.join(" ")
}

#[test]
fn those_of_the_suite_come_first_and_escape_sequences_before_all() {
    let text = "\
normalize: [times, {matches: '{{word}}([0-9])', with: '\\1'}]
variables: {word: build}
tests:
  - name: t
    command: x
    outputEquals: y
    normalize: [home, crlf, tempdir, ansi]
";
    assert_eq!(names(text), r"crlf ansi times build([0-9])=\1 home tempdir");
}

#[test]
fn misuse_is_reported() {
    for (fields, expected) in [
        (
            "normalize: [times]",
            "4:5 vacuous: `normalize` has no effect (it is for `…Equals`, `…EqualsFile`, `snapshot`, and `equals`, `equalsFile` and `equalsFolder` of `files`)",
        ),
        (
            "normalize: times",
            "4:16 wrong-value: `normalize` must be a list, not a string (write `normalize: [times, tempdir]`)",
        ),
        (
            "normalize: []",
            "4:16 wrong-value: `normalize` must contain at least one normalizer (add the name of one, or remove the field)",
        ),
        (
            "normalize: [time]",
            "4:17 bad-normalizer: unknown normalizer `time` (did you mean `times`?)",
        ),
        (
            "normalize: [{matches: a}]",
            "4:17 missing-field: the normalizer has no `with` (write `{matches: ERE, with: TEXT}`)",
        ),
        (
            "normalize: [{matches: 'a*', with: b}]",
            "4:27 bad-normalizer: `a*` also matches the empty string (write a pattern that matches at least one character)",
        ),
        (
            "normalize: [{matches: \"a\\nb\", with: c}]",
            "4:27 bad-normalizer: `matches` contains a newline, but each line is normalized on its own (write one normalizer for each line)",
        ),
        (
            "normalize: [{matches: '(a)b', with: '\\2'}]",
            "4:41 bad-normalizer: `with` refers to group 2, but `matches` has 1 group (put the part of the pattern to keep in parentheses)",
        ),
        (
            "normalize: [{matches: 'a(', with: b}]",
            "4:27 bad-pattern: `matches`: `(` without its `)`: for the character itself write `\\(`",
        ),
    ] {
        assert_eq!(problems_of_test(fields), [expected], "{fields}");
    }
}
