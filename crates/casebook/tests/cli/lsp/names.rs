//! Definitions, references and new names, across included files.

use serde_json::{Value, json};

use super::editor::{self, Editor, at};
use crate::support::Project;

const SHARED: &str = "\
variables: {host: example.org}
fragments:
  base:
    command: 'ping {{host}} as {{user}}'
    timeout: 2
";
const SUITE: &str = "\
include: [lib/shared.yaml]
variables: {user: anna}
services: {web: {command: 'serve {{services.web.port}}'}}
tests:
  - {name: a, command: 'ls {{user}} {{host}}', $ref: base, uses: [web]}
  - name: b
    matrix: {size: [1, 2]}
    steps:
      - command: make {{size}} {{user}}
        capture: {id: /id}
      - command: show {{id|sh}}
        capture: {id: /other}
      - command: show {{ id|sh }}
  - name: c
    steps: [{command: make, capture: {id: /id}}, {command: 'show {{id}}'}]
";
const OTHER: &str = "\
include: [lib/shared.yaml]
variables: {user: bob}
tests: [{name: d, $ref: ['#/fragments/base'], stdin: '{{host}}'}]
";

fn project() -> Project {
    let project = Project::with("a.casebook.yaml", SUITE);
    project.write("lib/shared.yaml", SHARED);
    project.write("other.casebook.yaml", OTHER);
    project
}

/// The places as `file:line`, sorted.
fn places(found: &Value) -> Vec<String> {
    let place = |one: &Value| {
        let file = one["uri"]
            .as_str()
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap()
            .to_owned();
        format!(
            "{file}:{}",
            one["range"]["start"]["line"].as_u64().unwrap() + 1
        )
    };
    let mut places: Vec<_> = found.as_array().unwrap().iter().map(place).collect();
    places.sort();
    places
}

#[test]
fn names_lead_to_their_definitions_also_in_included_files() {
    let project = project();
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", SUITE);
    for (place, inside, file, line, shown) in [
        ("user}} {{host", 1, "a.casebook.yaml", 1, "user: anna"),
        ("host}}'", 4, "lib/shared.yaml", 0, "host: example.org"),
        (
            "base, uses",
            0,
            "lib/shared.yaml",
            2,
            "base:\n    command: 'ping {{host}} as {{user}}'",
        ),
        ("web]", 0, "a.casebook.yaml", 2, "web: {command:"),
        ("web.port", 1, "a.casebook.yaml", 2, "web: {command:"),
        ("size}}", 0, "a.casebook.yaml", 6, "size: [1, 2]"),
        ("id|sh}}", 1, "a.casebook.yaml", 9, "id: /id"),
        ("id|sh }}", 1, "a.casebook.yaml", 11, "id: /other"),
        ("id}}'}]", 1, "a.casebook.yaml", 14, "id: /id"),
    ] {
        let params = at(&project, "a.casebook.yaml", SUITE, place, inside);
        let found = editor.ask("textDocument/definition", &params);
        assert_eq!(found["uri"], editor::uri(&project, file), "{place}");
        assert_eq!(found["range"]["start"]["line"], line, "{place}: {found}");
        let hover = editor.ask("textDocument/hover", &params);
        let text = hover["contents"]["value"].as_str().unwrap();
        assert!(text.contains(shown), "{place}: {text}");
    }
    let params = at(&project, "a.casebook.yaml", SUITE, "command", 1);
    assert_eq!(editor.ask("textDocument/definition", &params), Value::Null);
    assert_eq!(
        editor.ask("textDocument/prepareRename", &params),
        Value::Null
    );
    editor.shut_down();
}

#[test]
fn references_are_all_places_where_a_name_means_the_same() {
    let project = project();
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", SUITE);
    for (place, expected) in [
        // A fragment of the shared file uses the variable, so the other suite that includes it defines it too.
        (
            "user: anna",
            &[
                "a.casebook.yaml:2",
                "a.casebook.yaml:5",
                "a.casebook.yaml:9",
                "other.casebook.yaml:2",
                "shared.yaml:4",
            ][..],
        ),
        (
            "host}}'",
            &[
                "a.casebook.yaml:5",
                "other.casebook.yaml:3",
                "shared.yaml:1",
                "shared.yaml:4",
            ],
        ),
        (
            "base, uses",
            &[
                "a.casebook.yaml:5",
                "other.casebook.yaml:3",
                "shared.yaml:3",
            ],
        ),
        (
            "web]",
            &[
                "a.casebook.yaml:3",
                "a.casebook.yaml:3",
                "a.casebook.yaml:5",
            ],
        ),
        (
            "id|sh}}",
            &[
                "a.casebook.yaml:10",
                "a.casebook.yaml:11",
                "a.casebook.yaml:12",
                "a.casebook.yaml:13",
            ],
        ),
    ] {
        let params = at(&project, "a.casebook.yaml", SUITE, place, 1);
        let found = editor.ask("textDocument/references", &params);
        let mut expected: Vec<_> = expected.iter().map(|&place| place.to_owned()).collect();
        expected.sort();
        assert_eq!(places(&found), expected, "{place}");
    }
    editor.shut_down();
}

#[test]
fn a_name_is_changed_in_every_file_that_shares_it() {
    let project = project();
    project.casebook("check").run().exits(0);
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", SUITE);
    editor.open("lib/shared.yaml", SHARED);
    for (file, text, place, new, old_is_left) in [
        ("a.casebook.yaml", SUITE, "host}}'", "server", false),
        ("a.casebook.yaml", SUITE, "base, uses", "ground-work", false),
        ("a.casebook.yaml", SUITE, "id|sh}}", "number", true),
        ("a.casebook.yaml", SUITE, "size}}", "amount", false),
        ("a.casebook.yaml", SUITE, "web]", "api", false),
        ("lib/shared.yaml", SHARED, "host: ", "server", false),
        ("lib/shared.yaml", SHARED, "user}}", "person", false),
    ] {
        let params = at(&project, file, text, place, 1);
        let prepared = editor.ask("textDocument/prepareRename", &params);
        let old = prepared["placeholder"].as_str().unwrap().to_owned();
        let mut with_name = params.clone();
        with_name["newName"] = json!(new);
        let changes = editor.ask("textDocument/rename", &with_name)["changes"].clone();
        for (uri, edits) in changes.as_object().unwrap() {
            let name = uri.strip_prefix(&editor::uri(&project, "")).unwrap();
            let text = editor::edited(&project.read(name), edits);
            assert!(text.contains(new), "{place}: {text}");
            project.write(name, text);
        }
        // Everything that used the old name uses the new one.
        project.casebook("check").run().exits(0);
        let left = [
            ("a.casebook.yaml", SUITE),
            ("lib/shared.yaml", SHARED),
            ("other.casebook.yaml", OTHER),
        ];
        for (name, original) in left {
            let uses = [
                format!("{{{{{old}}}}}"),
                format!("$ref: {old}"),
                format!("[{old}]"),
            ];
            let is_used = uses.iter().any(|one| project.read(name).contains(one));
            assert!(old_is_left || !is_used, "{name}: {}", project.read(name));
            project.write(name, original);
        }
    }
    editor.shut_down();
}

#[test]
fn a_name_that_is_invalid_or_taken_is_refused() {
    let project = project();
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", SUITE);
    for (place, new, expected) in [
        ("user}} {{host", "host", "`host` is already defined"),
        ("user}} {{host", "id", "`id` is already defined"),
        (
            "user}} {{host",
            "a b",
            "`a b` cannot be the name of a variable",
        ),
        (
            "user}} {{host",
            "casebook_x",
            "`casebook_x` cannot be the name of a variable",
        ),
        ("base, uses", "", "`` cannot be the name of a fragment"),
        ("command", "x", "nothing here can be renamed"),
    ] {
        let mut params = at(&project, "a.casebook.yaml", SUITE, place, 1);
        params["newName"] = json!(new);
        let answer = editor.answer_to("textDocument/rename", &params);
        assert_eq!(answer["error"]["code"], -32_803, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(expected), "{message}");
    }
    editor.shut_down();
}

#[test]
fn other_yaml_files_have_no_names() {
    let project = project();
    let mut editor = Editor::start(&project);
    let text = "services: {web: {image: x}}\nvariables: {user: anna}\n";
    editor.open("compose.yaml", text);
    for place in ["web", "user"] {
        let params = at(&project, "compose.yaml", text, place, 1);
        for method in ["definition", "prepareRename", "hover", "completion"] {
            let answer = editor.ask(&format!("textDocument/{method}"), &params);
            assert!(
                answer.is_null() || answer == json!([]),
                "{method}: {answer}"
            );
        }
    }
    editor.shut_down();
}

#[test]
fn unsaved_text_of_an_included_file_counts() {
    let project = project();
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", SUITE);
    editor.open(
        "lib/shared.yaml",
        &SHARED.replace("example.org", "changed.example"),
    );
    let params = at(&project, "a.casebook.yaml", SUITE, "host}}'", 1);
    let hover = editor.ask("textDocument/hover", &params);
    assert!(hover.to_string().contains("changed.example"), "{hover}");
    editor.shut_down();
}
