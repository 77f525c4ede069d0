//! Tests of `include`: which definitions a suite gets, and the problems with their files and positions.

use std::collections::BTreeMap;

use casebook_source::{SourceFile, render};
use casebook_suite::bats::{self, SuiteLocation};
use casebook_suite::model::Workdir;
use casebook_suite::{CheckContext, Checked, Suite, check};

/// Checks a suite in `suites/`; the paths of the other files are relative to that directory.
fn checked(suite: &str, files: &[(&str, &str)]) -> Checked {
    with_context(files, |context| {
        check(SourceFile::new("suites/shop.yaml", suite), context)
    })
}

fn with_context<T>(files: &[(&str, &str)], then: impl FnOnce(&CheckContext<'_>) -> T) -> T {
    let environment = BTreeMap::from([("ROOT".to_owned(), "/srv".to_owned())]);
    let read = |path: &str| {
        let file = files.iter().find(|(name, _)| *name == path);
        file.map(|(_, text)| (*text).to_owned())
            .ok_or_else(|| "no such file or directory".to_owned())
    };
    then(&CheckContext {
        environment: &environment,
        stem: "shop",
        read: &read,
    })
}

fn suite(text: &str, files: &[(&str, &str)]) -> Suite {
    let checked = checked(text, files);
    checked
        .suite
        .unwrap_or_else(|| panic!("{:#?}", checked.diagnostics))
}

/// `file:line:column code: message (help)`.
fn problems(text: &str, files: &[(&str, &str)]) -> Vec<String> {
    let checked = checked(text, files);
    let shown = checked.diagnostics.iter().map(|problem| {
        let file = problem.file.as_ref().unwrap_or(&checked.file);
        let place = file.position(problem.span.start);
        let help = problem.help.as_ref();
        let help = help.map_or(String::new(), |help| format!(" ({help})"));
        format!(
            "{}:{}:{} {}: {}{help}",
            file.name(),
            place.line,
            place.column,
            problem.code,
            problem.message
        )
    });
    shown.collect()
}

fn command(suite: &Suite) -> &str {
    &suite.tests[0].steps()[0].command.text
}

const SUITE: &str =
    "include: [shared/a.yaml]\ntests: [{name: t, command: '{{program}} {{mode}}', $ref: quiet}]\n";

#[test]
fn definitions_are_imported_and_the_suite_wins() {
    let shared = "\
variables: {program: shop, mode: slow, root: '{{env.ROOT}}'}
fragments:
  quiet: {outputEquals: '', env: {A: '{{mode}}'}}
env: {HOME: /none, LANG: C}
";
    let text = format!("variables: {{mode: fast}}\nenv: {{LANG: de}}\n{SUITE}");
    let suite = suite(&text, &[("shared/a.yaml", shared)]);
    assert_eq!(command(&suite), "shop fast");
    assert_eq!(suite.tests[0].env, [("A".into(), "fast".into())]);
    let env = [("LANG", "de"), ("HOME", "/none")];
    assert_eq!(
        suite.env,
        env.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    assert_eq!(
        suite.files,
        [("shared/a.yaml".to_owned(), shared.to_owned())]
    );
}

#[test]
fn criteria_and_topics_are_imported() {
    let shared = "\
criteria: {friendly: The reply is friendly}
topics: {start: {description: Start, triggers: [{userMatches: hi}]}, other: {description: Other, triggers: [{userMatches: x}]}}
";
    let text = "\
include: [a.yaml]
agent: {command: cat}
llm: {provider: scripted, verdicts: {friendly: true}}
tests: [{name: t, conversation: [{user: hi, evaluate: [{satisfies: friendly}]}]}]
";
    let suite = suite(text, &[("a.yaml", shared)]);
    let conversation = suite.tests[0].conversation().unwrap();
    assert_eq!(conversation.criteria[0].name, "friendly");
    // A topic that is not reached is an error in a suite, but a suite need not use everything that is shared.
    assert_eq!(conversation.topics.len(), 2);
}

#[test]
fn an_included_file_wins_over_what_it_includes() {
    let files = [
        (
            "shared/a.yaml",
            "include: [../b/b.yaml]\nvariables: {program: a}\n",
        ),
        (
            "shared/../b/b.yaml",
            "variables: {program: b, mode: b}\nfragments: {quiet: {exitCode: 3}}\n",
        ),
    ];
    let suite = suite(SUITE, &files);
    assert_eq!(command(&suite), "a b");
    let paths: Vec<_> = suite.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["shared/a.yaml", "shared/../b/b.yaml"]);
}

#[test]
fn paths_are_relative_to_the_file_that_has_them() {
    let shared = "\
variables: {dir: data}
fragments:
  here: {workdir: data}
  up: {workdir: ../data}
  absolute: {workdir: /data}
  variable: {workdir: '{{dir}}'}
  environment: {workdir: '{{env.ROOT}}/data'}
  copied: {workdir: {copy: data}}
";
    for (fragment, workdir) in [
        ("here", "shared/data"),
        ("up", "shared/../data"),
        ("absolute", "/data"),
        ("variable", "data"),
        ("environment", "/srv/data"),
        ("copied", "shared/data"),
    ] {
        let text =
            format!("include: [shared/a.yaml]\ntests: [{{name: t, command: x, $ref: {fragment}}}]");
        let suite = suite(&text, &[("shared/a.yaml", shared)]);
        assert_eq!(
            suite.tests[0].workdir.as_ref().and_then(Workdir::path),
            Some(workdir),
            "{fragment}"
        );
    }
    let scenarios = [
        ("shared/a.yaml", "fragments: {all: {scenarios: s.yaml}}"),
        ("shared/s.yaml", "[{name: one, goal: x}]"),
    ];
    let text = "include: [shared/a.yaml]\nagent: {command: cat}\nllm: {provider: scripted, user: [hi]}\ntests: [{name: t, simulate: {goal: '{{scenario.goal}}'}, $ref: all}]";
    assert_eq!(suite(text, &scenarios).tests.len(), 1);
}

#[test]
fn two_includes_may_define_the_same_but_not_differently() {
    let text = "include: [a.yaml, b.yaml]\ntests: [{name: t, command: '{{x}}'}]\n";
    let same = [
        ("a.yaml", "variables: {x: '1'}"),
        ("b.yaml", "variables: {x: \"1\"}"),
    ];
    assert_eq!(command(&suite(text, &same)), "1");
    let different = [
        ("a.yaml", "variables: {x: 1}"),
        ("b.yaml", "variables:\n  y: 1\n  x: 2\n"),
    ];
    assert_eq!(
        problems(text, &different),
        [
            "suites/shop.yaml:1:19 include-conflict: `x` of `variables` is defined differently in suites/a.yaml:1 and suites/b.yaml:3 (define it in the file with this `include`, which then decides, or rename one of the two)"
        ]
    );
    let decided = format!("variables: {{x: 3}}\n{text}");
    assert_eq!(command(&suite(&decided, &different)), "3");
    let diamond = [
        ("a.yaml", "include: [c.yaml]"),
        ("b.yaml", "include: [./c.yaml]"),
        ("c.yaml", "variables: {x: 1}"),
    ];
    assert_eq!(command(&suite(text, &diamond)), "1");
    let in_other_dirs = [
        ("a.yaml", "fragments: {f: {workdir: data}}"),
        ("b/b.yaml", "fragments: {f: {workdir: data}}"),
    ];
    let text = "include: [a.yaml, b/b.yaml]\ntests: [{name: t, command: x, $ref: f}]\n";
    assert!(problems(text, &in_other_dirs)[0].contains("include-conflict"));
}

#[test]
fn misuse_of_include_is_reported_in_the_file_it_is_in() {
    let only = |include: &str| format!("include: {include}\ntests: [{{name: t, command: x}}]\n");
    for (include, files, expected) in [
        (
            "[no.yaml]",
            &[][..],
            "suites/shop.yaml:1:11 bad-include: cannot read the included file `no.yaml`: no such file or directory (the path is relative to the directory of the file that includes it)",
        ),
        (
            "a.yaml",
            &[],
            "suites/shop.yaml:1:10 wrong-value: `include` must be a list of paths, not a string (write `include: [a.yaml]`)",
        ),
        (
            "[[a]]",
            &[],
            "suites/shop.yaml:1:11 wrong-value: `include` must be a list of paths, not of a list (write the path of a file, relative to the directory of this one)",
        ),
        (
            "['{{x}}.yaml']",
            &[],
            "suites/shop.yaml:1:11 wrong-value: a path in `include` cannot contain variables: they may be defined in the included file (write the path of a file, relative to the directory of this one)",
        ),
        (
            "[shop.yaml]",
            &[],
            "suites/shop.yaml:1:11 cycle: cyclic include: suites/shop.yaml -> suites/shop.yaml (remove one of the includes of the cycle)",
        ),
        (
            "[a.yaml]",
            &[
                ("a.yaml", "include: [b.yaml]"),
                ("b.yaml", "x-a: 1\ninclude:\n  - ./a.yaml\n"),
            ],
            "suites/b.yaml:3:5 cycle: cyclic include: suites/a.yaml -> suites/b.yaml -> suites/a.yaml (remove one of the includes of the cycle)",
        ),
        (
            "[a.yaml]",
            &[("a.yaml", "tests: [{name: t, command: x}]")],
            "suites/a.yaml:1:1 bad-include: `tests` cannot be in an included file (move it to the suite: only variables, fragments, services, env, criteria, topics, normalize and include are shared)",
        ),
        (
            "[a.yaml]",
            &[("a.yaml", "x-a: 1\nvaribles: {a: 1}")],
            "suites/a.yaml:2:1 unknown-field: an included file has no field `varibles` (did you mean `variables`?)",
        ),
        (
            "[a.yaml]",
            &[("a.yaml", "variables: [a]\n")],
            "suites/a.yaml:1:12 wrong-value: `variables` must be a mapping, not a list",
        ),
        (
            "[a.yaml]",
            &[("a.yaml", "- a\n")],
            "suites/a.yaml:1:1 bad-include: an included file must be a mapping of definitions, not a list (write definitions, for example `variables:`)",
        ),
        (
            "[a.yaml]",
            &[("a.yaml", "")],
            "suites/a.yaml:1:1 bad-include: the included file is empty (write definitions, for example `variables:`)",
        ),
    ] {
        assert_eq!(problems(&only(include), files), [expected], "{include}");
    }
    let broken = problems(&only("[a.yaml]"), &[("a.yaml", "variables:\n  a: [1\n")]);
    assert!(broken[0].starts_with("suites/a.yaml:"), "{broken:?}");
}

#[test]
fn a_missing_file_does_not_cause_other_problems() {
    let found = problems(SUITE, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn problems_in_definitions_name_the_included_file() {
    let shared = "\
variables:
  a-b: 1
fragments:
  quiet:
    exitCod: 1
";
    let files = [("shared/a.yaml", shared)];
    assert_eq!(
        problems(SUITE, &files),
        [
            "suites/shop.yaml:2:29 undefined-variable: variable `program` is not defined (define it under `variables:`, or for literal braces write `\\{{`)",
            "suites/shop.yaml:2:41 undefined-variable: variable `mode` is not defined (define it under `variables:`, or for literal braces write `\\{{`)",
            "suites/shared/a.yaml:2:3 bad-name: `a-b` cannot be the name of a variable (a name is a letter or _, then letters, digits and _)",
            "suites/shared/a.yaml:5:5 unknown-field: a test has no field `exitCod` (did you mean `exitCode`?)",
        ]
    );
    let checked = checked(SUITE, &files);
    let last = checked.diagnostics.last().unwrap();
    assert!(render(&checked.file, last, false).contains("5 |     exitCod: 1"));
}

#[test]
fn a_definition_may_use_variables_of_the_suites_that_use_it() {
    let shared = "variables: {unused: '{{missing}}'}\nfragments: {greet: {command: '{{program}} hello'}, unused: {command: '{{other}}'}}\n";
    let files = [("a.yaml", shared)];
    let text = "include: [a.yaml]\nvariables: {program: shop}\ntests: [{name: t, $ref: greet}]";
    assert_eq!(command(&suite(text, &files)), "shop hello");
    let without = "include: [a.yaml]\ntests: [{name: t, $ref: greet}]";
    assert_eq!(
        problems(without, &files),
        [
            "suites/a.yaml:2:31 undefined-variable: variable `program` is not defined (define it under `variables:`, or for literal braces write `\\{{`)"
        ]
    );
}

#[test]
fn endless_includes_are_limited() {
    let read = |path: &str| Ok(format!("include: [x{path}]"));
    let environment = BTreeMap::new();
    let context = CheckContext {
        environment: &environment,
        stem: "shop",
        read: &read,
    };
    let text = "include: [a.yaml]\ntests: [{name: t, command: x}]\n";
    let checked = check(SourceFile::new("shop.yaml", text), &context);
    assert_eq!(checked.diagnostics.len(), 1);
    assert_eq!(
        checked.diagnostics[0].message,
        "the suite includes more than 256 files"
    );
}

#[test]
fn included_definitions_are_compiled_and_read_the_environment_at_run_time() {
    let shared = "variables: {root: '{{env.ROOT}}/x'}\nfragments: {f: {\n  exitCode: 3}}\n";
    let text = "include: [a.yaml]\ntests:\n  - {name: t, command: 'ls {{root}}', $ref: f}\n";
    let files = [("a.yaml", shared)];
    let suite = suite(text, &files);
    let suite = with_context(&files, |context| bats::read_at_run_time(suite, context));
    let code = bats::compile(&suite, SuiteLocation::At("/suites/shop.yaml".as_ref())).code;
    assert!(code.contains("casebook_env_ROOT"), "{code}");
    assert!(!code.contains("/srv"), "{code}");
    // The message names the suite's file, so the line is one of that file.
    assert!(code.contains("casebook_expect 3 exitCode 3"), "{code}");
}
