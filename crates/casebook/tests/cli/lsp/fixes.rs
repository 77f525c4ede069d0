//! Quick fixes: each removes its problem, for every code.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use super::editor::{self, Editor};
use crate::support::Project;

/// Suites with problems besides the examples of the codes.
const MORE: [(&str, &str); 8] = [
    ("unknown-field", "test: [{name: x, command: ls}]\n"),
    (
        "wrong-value",
        "tests: [{name: x, command: ls, signal: TREM}]\n",
    ),
    (
        "wrong-value",
        "tests: [{name: x, command: ls, normalize: [time]}]\n",
    ),
    (
        "bad-pattern",
        "tests:\n  - name: x\n    command: ls\n    outputMatches: '\\d+ files'\n",
    ),
    (
        "not-portable",
        "tests:\n  - name: x\n    command: ls\n    outputMatches: \"a\\\\w+\"\n",
    ),
    (
        "unknown-service",
        "services: {web: {command: sleep 9}}\ntests: [{name: x, command: ls, uses: [wbe]}]\n",
    ),
    (
        "terminal-required",
        "tests: [{name: x, command: ls, dialogue: [{expect: a, sendLine: b}]}]\n",
    ),
    (
        "invalid-yaml",
        "tests:\n  - name: x\n    command: echo a\n    outputEquals: He said: hello\n",
    ),
];

/// The codes that some problems have a fix for. A new fix is added here with the suite that shows it.
const FIXED: [&str; 13] = [
    "bad-normalizer",
    "bad-pattern",
    "invalid-yaml",
    "not-portable",
    "terminal-required",
    "undefined-variable",
    "unknown-criterion",
    "unknown-field",
    "unknown-fragment",
    "unknown-service",
    "unknown-tool",
    "unknown-topic",
    "unquoted-value",
];

/// The codes with the example in their explanation.
fn examples(project: &Project) -> BTreeMap<String, Option<String>> {
    let explain = |code: &str| {
        project
            .casebook(&format!("explain {code}"))
            .run()
            .exits(0)
            .stdout
    };
    let codes = explain("");
    let codes = codes.lines().map(|line| line.split(' ').next().unwrap());
    let example = |code: &str| {
        let page = explain(code);
        let (_, example) = page.split_once("```yaml\n")?;
        Some(example.split("```").next()?.to_owned())
    };
    codes.map(|code| (code.to_owned(), example(code))).collect()
}

/// The example as a suite: some are the fields of one test.
fn as_suite(example: &str) -> String {
    if example.contains("tests:") || !example.starts_with(['n', 'c', 'o', 'f', 's', 'w']) {
        return example.to_owned();
    }
    let mut suite = "tests:\n".to_owned();
    for (number, line) in example.lines().enumerate() {
        let dash = if number == 0 { "- " } else { "  " };
        let _ = writeln!(suite, "  {dash}{line}");
    }
    suite
}

/// Applies all fixes of a suite one by one, and returns the codes of the problems that they removed.
fn fix_all(editor: &mut Editor, name: &str, suite: &str) -> BTreeSet<String> {
    editor.open(name, suite);
    let problems = editor.problems();
    let mut fixed = BTreeSet::new();
    for fix in editor.fixes(name) {
        let removed = &fix["diagnostics"][0];
        assert!(problems.contains(removed), "{removed}");
        editor.change(name, &editor::applied(suite, &fix));
        let left = editor.problems();
        let is_same =
            |one: &&Value| one["code"] == removed["code"] && one["message"] == removed["message"];
        let count = |all: &[Value]| all.iter().filter(is_same).count();
        assert!(
            count(&left) < count(&problems),
            "{suite}: {fix} leaves {left:?}"
        );
        fixed.insert(removed["code"].as_str().unwrap().to_owned());
        editor.change(name, suite);
        editor.problems();
    }
    // What the checker suggests can be applied.
    for problem in &problems {
        let message = problem["message"].as_str().unwrap();
        let code = problem["code"].as_str().unwrap();
        if message.contains("\nhelp: did you mean `") {
            assert!(fixed.contains(code), "no fix: {suite}: {problem}");
        }
    }
    fixed
}

#[test]
fn a_quick_fix_removes_its_problem_for_every_code() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    let examples = examples(&project);
    assert!(examples.len() > 40, "{}", examples.len());
    let mut fixed = BTreeSet::new();
    let suites = examples.iter().filter_map(|(code, example)| {
        let suite = as_suite(example.as_deref()?);
        Some((code.clone(), suite))
    });
    let more = MORE
        .iter()
        .map(|(code, suite)| ((*code).to_owned(), (*suite).to_owned()));
    for (number, (code, suite)) in suites.chain(more).enumerate() {
        let name = format!("{code}-{number}.casebook.yaml");
        fixed.extend(fix_all(&mut editor, &name, &suite));
    }
    let expected: BTreeSet<_> = FIXED.iter().map(|code| (*code).to_owned()).collect();
    assert!(
        examples
            .keys()
            .cloned()
            .collect::<BTreeSet<_>>()
            .is_superset(&expected)
    );
    let fixed: BTreeSet<_> = fixed
        .into_iter()
        .filter(|code| code != "wrong-value")
        .collect();
    assert_eq!(fixed, expected);
    editor.shut_down();
}
