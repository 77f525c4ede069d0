//! Included files: their problems, and what is shown in them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use super::editor::{Editor, applied, at};
use crate::support::{Project, timed};

const SHARED: &str = "\
variables: {host: example.org}
fragments:
  base:
    command: 'ping {{host}} as {{user}}'
    timeout: 2
";
const SUITE: &str = "\
include: [../lib/shared.yaml]
variables: {user: anna}
tests: [{name: a, $ref: base, stdin: '{{host}}'}]
";
const SUITE_FILE: &str = "suites/a.casebook.yaml";
const SHARED_FILE: &str = "lib/shared.yaml";

fn project() -> Project {
    let project = Project::with(SUITE_FILE, SUITE);
    project.write(SHARED_FILE, SHARED);
    project
}

fn of<const N: usize>(published: [(&str, &[&str]); N]) -> BTreeMap<String, Vec<String>> {
    let owned = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect();
    published
        .map(|(file, codes)| (file.to_owned(), owned(codes)))
        .into()
}

#[test]
fn a_problem_is_shown_in_the_included_file_and_fixed_there() {
    let project = project();
    let mut editor = Editor::start(&project);
    let broken = SHARED.replace("timeout", "timeuot");
    editor.open(SUITE_FILE, SUITE);
    editor.open(SHARED_FILE, &broken);
    let both = of([(SHARED_FILE, &["unknown-field"]), (SUITE_FILE, &[])]);
    assert_eq!(editor.published(), both);
    assert!(editor.fixes(SUITE_FILE).is_empty());
    let fixes = editor.fixes(SHARED_FILE);
    assert_eq!(fixes.len(), 1, "{fixes:?}");
    assert_eq!(applied(&broken, &fixes[0]), SHARED);
    editor.change(SHARED_FILE, SHARED);
    let both = of([(SHARED_FILE, &[]), (SUITE_FILE, &[])]);
    assert_eq!(editor.published(), both);
    editor.shut_down();
}

#[test]
fn the_suite_is_checked_with_the_unsaved_text() {
    let project = project();
    let mut editor = Editor::start(&project);
    editor.open(SUITE_FILE, SUITE);
    assert_eq!(editor.published(), of([(SUITE_FILE, &[])]));
    editor.open(SHARED_FILE, SHARED);
    editor.change(SHARED_FILE, &SHARED.replace("host:", "hots:"));
    let both = of([
        (SHARED_FILE, &["undefined-variable"]),
        (SUITE_FILE, &["undefined-variable"]),
    ]);
    assert_eq!(editor.published(), both);
    editor.change(SHARED_FILE, "variables: [\n");
    let invalid = editor.published();
    assert_eq!(invalid[SHARED_FILE], ["invalid-yaml"]);
    // The text on disk counts again.
    editor.close(SHARED_FILE);
    let both = of([(SHARED_FILE, &[]), (SUITE_FILE, &[])]);
    assert_eq!(editor.published(), both);
    editor.shut_down();
}

#[test]
fn a_suite_that_is_not_open_is_enough() {
    let project = project();
    let mut editor = Editor::start(&project);
    editor.open(SHARED_FILE, &SHARED.replace("{{host}}", "{{hots}}"));
    let shared = of([(SHARED_FILE, &["undefined-variable"])]);
    assert_eq!(editor.published(), shared);
    editor.open(SUITE_FILE, &SUITE.replace("user:", "usre:"));
    let published = editor.published();
    assert_eq!(published[SHARED_FILE].len(), 2, "{published:?}");
    editor.close(SUITE_FILE);
    let both = of([(SHARED_FILE, &["undefined-variable"]), (SUITE_FILE, &[])]);
    assert_eq!(editor.published(), both);
    editor.close(SHARED_FILE);
    assert_eq!(editor.published(), of([(SHARED_FILE, &[])]));
    editor.shut_down();
}

#[test]
fn values_and_fields_are_explained_and_offered() {
    let project = project();
    let mut editor = Editor::start(&project);
    editor.open(SHARED_FILE, SHARED);
    for (place, inside, expected) in [
        ("{{host", 3, "example.org"),
        ("{{user", 3, "anna"),
        ("timeout", 2, "**timeout**"),
        ("fragments", 2, "**fragments**"),
    ] {
        let params = at(&project, SHARED_FILE, SHARED, place, inside);
        let hover = editor.ask("textDocument/hover", &params);
        assert!(hover.to_string().contains(expected), "{place}: {hover}");
    }
    for (typed, place, expected, unexpected) in [
        (
            "    stdin: '{{",
            "stdin: '{{",
            &["host", "user"][..],
            "base",
        ),
        ("    stdi", "stdi", &["stdin"], "timeout_"),
        ("serv", "serv", &["services"], "tests"),
        ("te", "te", &[], "tests"),
        ("  more:\n    $ref: b", "$ref: b", &["base"], "host"),
    ] {
        let text = format!("{SHARED}{typed}\n");
        editor.change(SHARED_FILE, &text);
        let from = text.len() - typed.len() - 1;
        let inside = text[from..].find(place).unwrap() + place.len();
        let line = text[..from + inside].matches('\n').count();
        let start = text[..from + inside].rfind('\n').unwrap() + 1;
        let mut params = at(&project, SHARED_FILE, &text, "variables", 0);
        params["position"] = json!({ "line": line, "character": from + inside - start });
        let items = editor.ask("textDocument/completion", &params);
        let items = items.as_array().unwrap().iter();
        let labels: Vec<_> = items.map(|item| item["label"].as_str().unwrap()).collect();
        for label in expected {
            assert!(labels.contains(label), "{typed}: {labels:?}");
        }
        assert!(!labels.contains(&unexpected), "{typed}: {labels:?}");
    }
    editor.shut_down();
}

#[test]
fn fast_typing_in_an_included_file_checks_a_large_suite_once_at_the_end() {
    let lines =
        (0..10_000).map(|n| format!("  - {{name: test {n}, command: 'echo {{{{host}}}} {n}'}}\n"));
    let suite = "include: [lib/shared.yaml]\ntests:\n".to_owned() + &lines.collect::<String>();
    let project = project();
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", &suite);
    editor.open(SHARED_FILE, SHARED);
    editor.published();
    let (published, took) = timed(|| {
        for n in 0..20 {
            editor.change(SHARED_FILE, &format!("{SHARED}unknown{n}: 1\n"));
        }
        editor.published()
    });
    assert_eq!(published[SHARED_FILE][0], "unknown-field");
    // An unoptimized build needs about a second for one check.
    assert!(took < Duration::from_secs(30), "{took:?}");
}
