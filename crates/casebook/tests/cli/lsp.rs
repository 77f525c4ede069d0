//! `casebook lsp`: an editor that uses the protocol over pipes.

mod editor;

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Project, timed};
use editor::Editor;

const SUITE: &str = "\
variables: {user: anna}
tests:
  - name: greets é😀
    command: greet {{usr}}
    exitcode: 1
";

fn codes_of(problems: &[Value]) -> Vec<&str> {
    problems
        .iter()
        .map(|problem| problem["code"].as_str().unwrap())
        .collect()
}

#[test]
fn problems_are_shown_while_typing() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", SUITE);
    let problems = editor.problems();
    assert_eq!(codes_of(&problems), ["undefined-variable", "unknown-field"]);
    assert_eq!(
        problems[1]["range"],
        json!({ "start": { "line": 4, "character": 4 }, "end": { "line": 4, "character": 12 } })
    );
    assert_eq!(
        problems[1]["message"],
        "a test has no field `exitcode`\nhelp: did you mean `exitCode`?"
    );
    editor.change("a.casebook.yaml", &SUITE.replace("exitcode", "exitCode"));
    assert_eq!(codes_of(&editor.problems()), ["undefined-variable"]);
    let valid = SUITE.replace("exitcode", "exitCode").replace("usr", "user");
    editor.change("a.casebook.yaml", &valid);
    assert_eq!(editor.problems(), Vec::<Value>::new());
    editor.shut_down();
}

#[test]
fn a_missing_file_and_invalid_bash_are_found_too() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", "tests: [{name: a, command: if true}]\n");
    assert_eq!(codes_of(&editor.problems()), ["bash-syntax"]);
    let suite = "tests: [{name: a, command: ls, outputEqualsFile: none.txt}]\n";
    editor.change("a.casebook.yaml", suite);
    assert_eq!(codes_of(&editor.problems()), ["missing-file"]);
}

/// Suites with problems that have a fix, and how many fixes.
const FIXABLE: [(&str, usize); 9] = [
    ("tests:\n  - {nmae: x, command: ls}\n", 1),
    ("tests:\n  - {name: x, command: ls, exitcode: 1}\n", 1),
    ("test: [{name: x, command: ls}]\n", 1),
    (
        "variables: {user: a}\ntests: [{name: x, command: 'ls {{usr}}'}]\n",
        1,
    ),
    (
        "variables: {user: a}\ntests:\n  - name: x\n    command: '{{usr}}'\n",
        1,
    ),
    (
        "fragments: {base: {command: ls}}\ntests: [{name: x, $ref: bsae}]\n",
        1,
    ),
    ("tests: [{name: x, command: ls, signal: TREM}]\n", 1),
    ("tests: [{name: x, command: ls, normalize: [time]}]\n", 1),
    (
        "services: {web: {command: sleep 9}}\ntests: [{name: x, command: ls, uses: [wbe]}]\n",
        1,
    ),
];

#[test]
fn a_quick_fix_removes_its_problem() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    let mut fixed_codes = Vec::new();
    for (number, (suite, expected)) in FIXABLE.into_iter().enumerate() {
        let name = format!("{number}.casebook.yaml");
        editor.open(&name, suite);
        let problems = editor.problems();
        let fixes = editor.fixes(&name);
        assert!(fixes.len() >= expected, "{suite}: {problems:?}");
        for fix in fixes {
            let removed = &fix["diagnostics"][0];
            assert!(problems.contains(removed), "{removed}");
            editor.change(&name, &editor::applied(suite, &fix));
            let left = editor.problems();
            let is_same = |one: &Value| {
                one["code"] == removed["code"] && one["message"] == removed["message"]
            };
            assert!(!left.iter().any(is_same), "{suite}: {fix} leaves {left:?}");
            fixed_codes.push(removed["code"].as_str().unwrap().to_owned());
            editor.change(&name, suite);
            editor.problems();
        }
    }
    for code in [
        "unknown-field",
        "undefined-variable",
        "unknown-fragment",
        "wrong-value",
        "unknown-service",
    ] {
        assert!(
            fixed_codes.iter().any(|fixed| fixed == code),
            "{code}: {fixed_codes:?}"
        );
    }
}

#[test]
fn fields_are_explained_and_completed() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", SUITE);
    let position = |line: u32, character: u32| {
        let document = json!({ "uri": editor::uri(&project, "a.casebook.yaml") });
        json!({ "textDocument": document, "position": { "line": line, "character": character } })
    };
    let hover = editor.ask("textDocument/hover", &position(3, 6));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.starts_with("**command**\n\n"), "{text}");
    assert_eq!(
        editor.ask("textDocument/hover", &position(3, 20)),
        Value::Null
    );
    assert_eq!(
        editor.ask("textDocument/hover", &position(99, 0)),
        Value::Null
    );
    let labels = |items: &Value| {
        let items = items.as_array().unwrap().iter();
        items
            .map(|item| item["label"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let items = editor.ask("textDocument/completion", &position(4, 7));
    let names = labels(&items);
    assert!(names.contains(&"exitCode".to_owned()), "{names:?}");
    assert!(
        names.iter().all(|name| name.starts_with("exi")),
        "{names:?}"
    );
    let items = editor.ask("textDocument/completion", &position(1, 2));
    assert_eq!(
        labels(&items),
        ["teardownFile", "teardown", "teardownEach", "tests"]
    );
    let in_value = editor.ask("textDocument/completion", &position(3, 16));
    assert_eq!(in_value, json!([]));
}

#[test]
fn variables_and_fragments_lead_to_their_definitions() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    let suite = "\
variables: {user: anna}
fragments:
  base: {timeout: 2}
tests:
  - {name: a, command: 'ls {{user}}', $ref: base}
  - name: b
    variables: {user: bob}
    command: ls {{ user }}
";
    editor.open("a.casebook.yaml", suite);
    let document = json!({ "uri": editor::uri(&project, "a.casebook.yaml") });
    for (line, character, expected, shown) in [
        (4, 30, json!({ "line": 0, "character": 12 }), "user: anna"),
        (
            4,
            45,
            json!({ "line": 2, "character": 2 }),
            "base: {timeout: 2}",
        ),
        (7, 21, json!({ "line": 6, "character": 16 }), "user: bob"),
    ] {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": document, "position": position });
        let found = editor.ask("textDocument/definition", &params);
        assert_eq!(found["range"]["start"], expected, "{position}: {found}");
        let hover = editor.ask("textDocument/hover", &params);
        let text = hover["contents"]["value"].as_str().unwrap();
        assert!(text.contains(shown), "{position}: {text}");
    }
    let position = json!({ "line": 4, "character": 6 });
    let params = json!({ "textDocument": document, "position": position });
    assert_eq!(editor.ask("textDocument/definition", &params), Value::Null);
}

#[test]
fn other_files_garbage_and_unknown_requests_do_no_harm() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    editor.open("values.yaml", "- nmae: x\n");
    editor.write_frame("garbage");
    assert_eq!(editor.receive()["error"]["code"], -32_700);
    let unknown = editor.answer_to("textDocument/formatting", &json!({}));
    assert_eq!(unknown["error"]["code"], -32_601);
    editor.notify("$/cancelRequest", &json!({ "id": 4711 }));
    editor.notify("textDocument/didChange", &json!({}));
    editor.open("a.casebook.yaml", "tests: [\n");
    assert!(!editor.problems().is_empty());
    let document = json!({ "textDocument": { "uri": editor::uri(&project, "a.casebook.yaml") } });
    editor.notify("textDocument/didClose", &document);
    assert_eq!(editor.problems(), Vec::<Value>::new());
    editor.shut_down();
}

#[test]
fn an_editor_that_disappears_ends_the_server() {
    let project = Project::new();
    project.casebook("lsp").stdin("").run().exits(0);
    project
        .casebook("lsp")
        .stdin("garbage\r\n\r\n")
        .run()
        .exits(0);
}

#[test]
fn fast_typing_in_a_large_file_is_checked_once_at_the_end() {
    let lines = (0..10_000).map(|n| format!("  - {{name: test {n}, command: echo {n}}}\n"));
    let suite = "tests:\n".to_owned() + &lines.collect::<String>();
    let project = Project::new();
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", &suite);
    editor.problems();
    let ((), took) = timed(|| {
        for n in 0..20 {
            editor.change("a.casebook.yaml", &format!("{suite}  - {{nmae: {n}}}\n"));
        }
        // The last version is checked; most of the others are not.
        while editor.next_version() < 21 {}
    });
    // An unoptimized build needs about a second for one check.
    assert!(took < Duration::from_secs(30), "{took:?}");
}
