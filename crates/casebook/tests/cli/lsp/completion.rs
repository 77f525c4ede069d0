//! Completion: fields, values and names, while the text is not valid.

use serde_json::json;

use super::editor::{self, Editor};
use crate::support::Project;

const SUITE: &str = "\
include: [shared.yaml]
variables: {user: anna}
criteria: {friendly: It is friendly., formal: It is formal.}
topics: {greeting: {}, farewell: {}}
tools: [book_room, cancel]
agent: {command: cat}
services: {web: {command: serve}}
tests:
  - {name: a, command: ls, tags: [fast, flaky], locks: [room]}
  - name: b
    steps:
      - {command: make, capture: {id: /id}}
      - command: 'true'
@
";

/// The labels that are offered at the end of a text.
fn offered(editor: &mut Editor, project: &Project, typed: &str) -> Vec<String> {
    let text = SUITE.replace('@', typed);
    editor.change("a.casebook.yaml", &text);
    let last = typed.lines().last().unwrap();
    let line = text.lines().position(|line| line == last).unwrap();
    let params = json!({
        "textDocument": { "uri": editor::uri(project, "a.casebook.yaml") },
        "position": { "line": line, "character": last.trim_end_matches('^').chars().count() },
    });
    let items = editor.ask("textDocument/completion", &params);
    let label = |item: &serde_json::Value| {
        let edit = &item["textEdit"];
        let line = editor::edited(&text, &json!([edit]));
        assert!(line.contains(item["label"].as_str().unwrap()), "{item}");
        item["label"].as_str().unwrap().to_owned()
    };
    items.as_array().unwrap().iter().map(label).collect()
}

#[test]
fn what_fits_the_place_is_offered() {
    let project = Project::new();
    project.write(
        "shared.yaml",
        "variables: {host: h}\nfragments: {base: {timeout: 2}}\n",
    );
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", SUITE);
    for (typed, expected) in [
        ("        exitC", &["exitCode"][..]),
        ("  - name: c\n    exitC", &["exitCode"]),
        ("teardownF", &["teardownFile"]),
        ("  - {name: c, exitC", &["exitCode"]),
        (
            "        command: show {{",
            &["host", "id", "user", "services.web.port"],
        ),
        ("        stdin: '{{u", &["user"]),
        (
            "  - name: c\n    command: 'x {{",
            &["host", "user", "services.web.port"],
        ),
        ("  - $ref: ", &["base"]),
        ("  - {name: c, $ref: [b", &["base"]),
        ("  - name: c\n    tags: [f", &["fast", "flaky"]),
        ("  - name: c\n    tags:\n      - f", &["fast", "flaky"]),
        ("  - name: c\n    locks: [", &["room"]),
        ("  - name: c\n    uses: [", &["web"]),
        ("  - name: c\n    only: t", &["true"]),
        (
            "  - name: c\n    conversation:\n      - user: Hi\n        expect:\n          called: ",
            &["book_room", "cancel"],
        ),
        (
            "  - name: c\n    conversation:\n      - user: Hi\n        expect:\n          - notCalled: [bo",
            &["book_room"],
        ),
        (
            "  - name: c\n    conversation:\n      - user: Hi\n        expect: {satisfies: f",
            &["formal", "friendly"],
        ),
        (
            "  - name: c\n    conversation:\n      - user: Hi\n        expect: {topic: ",
            &["farewell", "greeting"],
        ),
        (
            "  - name: c\n    conversation:\n      - user: Hi\n        expect: {reachedTopic: [g",
            &["greeting"],
        ),
        ("  - name: c\n    command: exitC", &[]),
        ("  - name: c\n    command: |\n      exitC", &[]),
    ] {
        assert_eq!(offered(&mut editor, &project, typed), expected, "{typed}");
    }
    editor.shut_down();
}
