//! `casebook lsp`: an editor that uses the protocol over pipes.

mod completion;
mod editor;
mod fixes;
mod includes;
mod names;
mod results;

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

#[test]
fn fields_are_explained() {
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
fn a_request_that_is_canceled_while_it_waits_has_no_result() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    // The check of the large file takes longer than the editor needs to write the three messages.
    let lines = (0..2_000).map(|n| format!("  - {{name: test {n}, command: echo {n}}}\n"));
    let suite = "tests:\n".to_owned() + &lines.collect::<String>();
    editor.open("a.casebook.yaml", &suite);
    let params = editor::at(&project, "a.casebook.yaml", &suite, "name", 0);
    let canceled = editor.send("textDocument/hover", &params);
    editor.notify("$/cancelRequest", &json!({ "id": canceled }));
    let other = editor.send("textDocument/hover", &params);
    let mut answers = Vec::new();
    while answers.len() < 2 {
        let message = editor.receive();
        answers.extend(message.get("id").is_some().then_some(message));
    }
    let ids = [&answers[0]["id"], &answers[1]["id"]];
    assert_eq!(ids, [&json!(canceled), &json!(other)]);
    // It was already being answered, or it was not answered.
    let code = &answers[0]["error"]["code"];
    assert!(
        *code == -32_800 || answers[0]["result"].is_object(),
        "{answers:?}"
    );
    assert!(answers[1]["result"].is_object(), "{answers:?}");
    editor.shut_down();
}

#[test]
fn an_editor_that_disappears_ends_the_server() {
    let project = Project::new();
    project.casebook("lsp").stdin("").run().exits(0);
    for (input, reason) in [
        ("garbage\r\n\r\n", "it has no valid Content-Length"),
        (
            "Content-Length: 99999999999\r\n\r\n",
            "it is larger than 64 MiB",
        ),
    ] {
        let ended = project.casebook("lsp").stdin(input).run().exits(2);
        assert!(ended.stderr.contains(reason), "{ended:?}");
    }
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
