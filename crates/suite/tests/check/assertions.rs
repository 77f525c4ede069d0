//! Misuse of assertions, conditions, working directories and variables.

use crate::problems_of_test;

/// The field of a test, and its problem.
const MISUSE: &[(&str, &str)] = &[
    (
        "exitCode: []",
        "4:15 vacuous: `exitCode` is an empty list and can never match (add an exit code, or remove the field)",
    ),
    (
        "exitCode: [1, 300]",
        "4:19 wrong-value: `exitCode` must be a whole number from 0 to 255, got '300'",
    ),
    (
        "signal: TREM",
        "4:13 wrong-value: `signal` must be the name of a signal that ends a process, got 'TREM' (did you mean `TERM`?)",
    ),
    (
        "signal: sigkill",
        "4:13 wrong-value: `signal` must be the name of a signal that ends a process, got 'sigkill' (did you mean `KILL`?)",
    ),
    (
        "maxDuration: soon",
        "4:18 wrong-value: `maxDuration` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got 'soon'",
    ),
    (
        "outputLines: {}",
        "4:18 vacuous: `outputLines` has neither `count`, `min` nor `max` and asserts nothing (write `{count: N}`, or `min` and `max` with the smaller number first)",
    ),
    (
        "outputLines: {min: 0}",
        "4:18 vacuous: `outputLines` asserts nothing: every output has at least 0 lines (write `{count: N}`, or `min` and `max` with the smaller number first)",
    ),
    (
        "outputLines: {min: 3, max: 2}",
        "4:18 vacuous: `outputLines` can never be at least 3 and at most 2 (write `{count: N}`, or `min` and `max` with the smaller number first)",
    ),
    (
        "outputLines: {count: 3, max: 2}",
        "4:29 conflict: `count` and `max` cannot be combined (remove one of them)",
    ),
    (
        "outputLine: {0: a}",
        "4:18 wrong-value: `0` is not the number of a line (lines are numbered from 1; -1 is the last line)",
    ),
    (
        "outputLine: {1: \"a\\nb\"}",
        "4:21 wrong-value: a line cannot contain a line break (write one entry for each line)",
    ),
    (
        "outputJsonMatches: {id: {type: string}}",
        "4:25 wrong-value: `id` is not a JSON Pointer (a pointer begins with a slash: `/id`)",
    ),
    (
        "outputJsonMatches: {/id: {typ: string}}",
        "4:31 unknown-field: a condition has no field `typ` (did you mean `type`?)",
    ),
    (
        "outputJsonMatches: {/id: {type: text}}",
        "4:37 wrong-value: `type` must be one of string, number, integer, boolean, array, object, null, got 'text'",
    ),
    (
        "outputJsonMatches: {/id: {}}",
        "4:30 vacuous: `/id` has no condition and asserts nothing (write a condition, such as `{type: string}`)",
    ),
    (
        "outputJsonMatches: {/id: {absent: true, type: string}}",
        "4:45 conflict: `absent` and `type` cannot be combined (`absent` excludes all other conditions, and `min` and `max` are for numbers; write a literal mapping with these keys as `equals: {…}`)",
    ),
    (
        "fails: true",
        "4:12 wrong-value: `fails` must be the reason, got 'true' (write why the test is expected to fail, or remove the field)",
    ),
    (
        "requires: []",
        "4:15 vacuous: `requires` is an empty list and has no effect (add a value, or remove the field)",
    ),
    (
        "requires: [docker ps]",
        "4:16 wrong-value: `docker ps` is not the name of a program (write one name in each entry; a command, or the check of a version, belongs in `skipUnless`)",
    ),
    (
        "ignoreCase: maybe",
        "4:17 wrong-value: `ignoreCase` must be true or false, got 'maybe'",
    ),
    (
        "files: {a: {mode: rw}}",
        "4:23 wrong-value: `mode` must be permissions in octal, such as \"0644\", got 'rw'",
    ),
    (
        "files: {a: {mode: 9000}}",
        "4:23 wrong-value: `mode` must be permissions in octal, such as \"0644\", got '9000'",
    ),
    (
        "files: {a: {json: {}}}",
        "4:23 vacuous: `json` is empty and asserts nothing (add an entry, such as `/name: value`, or remove `json`)",
    ),
    (
        "files: {a: {exists: false, equalsFolder: b}}",
        "4:32 vacuous: `equalsFolder` can never pass: `a` must not exist (remove `exists: false` or `equalsFolder`)",
    ),
    (
        "outputEqualsFile: ''",
        "4:23 wrong-value: `outputEqualsFile` must not be empty (write a value, or remove the field)",
    ),
    (
        "workdir: {copy: a, empty: true}",
        "4:24 conflict: `workdir` has `copy` or `empty`, not both (remove one of them)",
    ),
    (
        "workdir: {empty: false}",
        "4:14 vacuous: `workdir` has no effect (write a path, `{copy: FOLDER}` or `{empty: true}`)",
    ),
    (
        "workdir: {cpoy: a}",
        "4:15 unknown-field: `workdir` has no field `cpoy` (did you mean `copy`?)",
    ),
    (
        "unset: [a-b]",
        "4:13 bad-name: `a-b` is not a valid name of an environment variable (a name is a letter or _, then letters, digits and _)",
    ),
    (
        "unset: HOME",
        "4:12 wrong-value: `unset` must be a list, not a string (write `unset: [HOME]`)",
    ),
    (
        "outputJsonMatches: {/id: {min: 3, max: 1}}",
        "4:30 vacuous: the value can never be at least 3 and at most 1 (make `max` the larger number)",
    ),
    (
        "ignoreCase: true",
        "4:5 vacuous: `ignoreCase` has no effect (it is for `…Contains`, `…NotContains`, `…Matches` and `…NotMatches`)",
    ),
    (
        "timeout: 2s\n    maxDuration: 2s",
        "5:5 vacuous: `maxDuration` can never fail: the timeout is not longer (write a shorter `maxDuration` or a longer `timeout`)",
    ),
];

#[test]
fn misuse_of_fields_is_reported() {
    for (fields, message) in MISUSE {
        assert_eq!(problems_of_test(fields), [*message], "{fields}");
    }
}
