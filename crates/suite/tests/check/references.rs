//! Variables and fragments: unknown, unused, cyclic.

use super::problems;

#[test]
fn shows_complete_cycles() {
    assert_eq!(
        problems("variables: {a: '{{b}}', b: '{{a}}'}\ntests: [{name: t, command: '{{a}}'}]\n"),
        ["1:16 cycle: cyclic reference: a -> b -> a"]
    );
    assert_eq!(
        problems(
            "fragments:\n  a: {$ref: b}\n  b: {$ref: [c]}\n  c: {$ref: '#/fragments/a'}\ntests: [{name: t, command: x, $ref: b}]\n"
        ),
        ["4:13 cycle: cyclic reference: a -> b -> c -> a"]
    );
}

#[test]
fn reports_unused_cycles() {
    assert_eq!(
        problems(
            "variables: {a: '{{b}}', b: '{{a}}', c: '{{m}}'}\ntests: [{name: t, command: c}]\n"
        ),
        [
            "1:16 cycle: cyclic reference: a -> b -> a",
            "1:41 undefined-variable: variable `m` is not defined (define it under `variables:`, or for literal braces write `\\{{`)",
        ]
    );
}

#[test]
fn unused_definitions_are_checked() {
    let text = "\
variables: {a: '{{zzz}}', n: '{{size}} {{scenario.size}}'}
fragments:
  slow: {timeout: abc, exitCode: 999}
  match: {outputMatches: '(', command: '{{yyy}} {{size}}', outpt: x}
  later: {exitCode: '{{size}}', $ref: missing}
  talk: {conversation: [{user: hi, expect: [{contains: ''}]}]}
tests: [{name: t, command: c, matrix: {size: [1]}}]
";
    assert_eq!(
        problems(text),
        [
            "1:17 undefined-variable: variable `zzz` is not defined (define it under `variables:`, or for literal braces write `\\{{`)",
            "3:19 wrong-value: `timeout` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got 'abc'",
            "3:34 wrong-value: `exitCode` must be a whole number from 0 to 255, a list of them, or nonzero, got '999'",
            "4:26 bad-pattern: `outputMatches`: `(` without its `)`: for the character itself write `\\(`",
            "4:41 undefined-variable: variable `yyy` is not defined (define it under `variables:`, or for literal braces write `\\{{`)",
            "4:60 unknown-field: a test has no field `outpt` (`casebook schema` prints all fields)",
            "5:39 unknown-fragment: unknown fragment `missing` (define it under `fragments:`)",
            "6:56 vacuous: `contains` asserts nothing: an empty string is in every text (write the text to find, or remove the field)",
        ]
    );
}

#[test]
fn a_problem_of_a_fragment_is_reported_once() {
    assert_eq!(
        problems(
            "fragments: {f: {timeout: abc, comand: x}}\ntests: [{name: a, $ref: f}, {name: b, $ref: f}]\n"
        ),
        [
            "1:26 wrong-value: `timeout` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got 'abc'",
            "1:31 unknown-field: a test has no field `comand` (did you mean `command`?)",
        ]
    );
}

#[test]
fn all_undefined_variables_of_a_string_are_reported() {
    let help = "(define it under `variables:`, or for literal braces write `\\{{`)";
    assert_eq!(
        problems("tests: [{name: t, command: 'echo {{one}} {{two}} {{one}}'}]\n"),
        [
            format!("1:34 undefined-variable: variable `one` is not defined {help}"),
            format!("1:42 undefined-variable: variable `two` is not defined {help}"),
        ]
    );
}

#[test]
fn an_unknown_fragment_is_the_only_problem_of_its_test() {
    assert_eq!(
        problems("fragments: {run: {command: c}}\ntests: [{name: t, $ref: rnu}]\n"),
        ["2:25 unknown-fragment: unknown fragment `rnu` (did you mean `run`?)"]
    );
    assert_eq!(
        problems("tests: [{name: t, $ref: 'other.yaml#/fragments/run'}]\n"),
        [
            "1:25 unknown-fragment: unknown fragment `other.yaml#/fragments/run` (a `$ref` names a fragment of this file: `NAME` or `#/fragments/NAME`)"
        ]
    );
}

#[test]
fn a_suggested_variable_creates_no_cycle() {
    let help = "(define it under `variables:`, or for literal braces write `\\{{`)";
    assert_eq!(
        problems("variables: {program: '{{progam}}'}\ntests: [{name: t, command: c}]\n"),
        [format!(
            "1:23 undefined-variable: variable `progam` is not defined {help}"
        )]
    );
    assert_eq!(
        problems(
            "variables: {base: '{{rooty}}', root: '{{base}}/x', roots: y}\ntests: [{name: t, command: c}]\n"
        ),
        [
            "1:20 undefined-variable: variable `rooty` is not defined (did you mean `{{roots}}`? (for literal braces write `\\{{`))"
        ]
    );
}

#[test]
fn a_problem_in_a_fragment_is_reported_once() {
    let text = "fragments: {f: {exitCode: x}}\ntests:\n  - {name: a, command: c, $ref: f}\n  - {name: b, command: c, $ref: f, matrix: {n: [1, 2]}}\n";
    assert_eq!(
        problems(text),
        [
            "1:27 wrong-value: `exitCode` must be a whole number from 0 to 255, a list of them, or nonzero, got 'x'"
        ]
    );
    let unused = "fragments: {f: {comand: x}}\ntests: [{name: a, command: c}]\n";
    assert_eq!(
        problems(unused),
        ["1:17 unknown-field: a test has no field `comand` (did you mean `command`?)"]
    );
}
