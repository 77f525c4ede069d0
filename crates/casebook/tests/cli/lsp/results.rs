//! Code lenses and the last results of tests.

use serde_json::{Value, json};

use super::editor::{self, Editor, at};
use crate::support::Project;

const SUITE: &str = "\
tests:
  - {name: passes, command: 'true'}
  - name: fails
    matrix: {code: [0, 1]}
    command: exit {{code}}
  - {name: is skipped, command: 'true', skip: later}
";

fn titles(editor: &mut Editor, project: &Project) -> Vec<String> {
    let document = json!({ "textDocument": { "uri": editor::uri(project, "a.casebook.yaml") } });
    let lenses = editor.ask("textDocument/codeLens", &document);
    let title = |lens: &Value| lens["command"]["title"].as_str().unwrap().to_owned();
    lenses.as_array().unwrap().iter().map(title).collect()
}

#[test]
fn lenses_show_how_each_test_ended_when_it_ran_last() {
    let project = Project::with("a.casebook.yaml", SUITE);
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", SUITE);
    assert_eq!(titles(&mut editor, &project), ["run", "run", "run"]);
    project.casebook("run").run().exits(1);
    let expected = [
        "run · last: passed just now",
        "run · last: failed just now",
        "run · last: skipped just now",
    ];
    assert_eq!(titles(&mut editor, &project), expected);
    let hover = editor.ask(
        "textDocument/hover",
        &at(&project, "a.casebook.yaml", SUITE, "fails", 2),
    );
    assert_eq!(hover["contents"]["value"], "Last run: failed just now");
    // Results belong to tests, not to lines.
    editor.change(
        "a.casebook.yaml",
        &SUITE.replace("tests:", "# a comment\ntests:"),
    );
    assert_eq!(titles(&mut editor, &project), expected);
    // A later run of one test does not hide the results of the others.
    project.casebook("run a.casebook.yaml:2").run().exits(0);
    assert_eq!(titles(&mut editor, &project), expected);
    editor.shut_down();
}

#[test]
fn the_command_of_a_lens_runs_its_test() {
    let project = Project::with("a.casebook.yaml", SUITE);
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", SUITE);
    let document = json!({ "textDocument": { "uri": editor::uri(&project, "a.casebook.yaml") } });
    let lenses = editor.ask("textDocument/codeLens", &document);
    let command = |lens: usize| {
        let command = &lenses[lens]["command"];
        json!({ "command": command["command"], "arguments": command["arguments"] })
    };
    for (lens, expected) in [
        (0, "a.casebook.yaml:2: passed"),
        (1, "a.casebook.yaml:3: failed. `casebook report` shows why"),
    ] {
        editor.ask("workspace/executeCommand", &command(lens));
        let shown = editor.receive();
        assert_eq!(shown["method"], "window/showMessage", "{shown}");
        assert_eq!(shown["params"]["message"], expected);
        let refresh = editor.receive();
        assert_eq!(refresh["method"], "workspace/codeLens/refresh");
        let answer = json!({ "jsonrpc": "2.0", "id": refresh["id"], "result": null });
        editor.write_frame(&answer.to_string());
    }
    let expected = [
        "run · last: passed just now",
        "run · last: failed just now",
        "run",
    ];
    assert_eq!(titles(&mut editor, &project), expected);
    let other = json!({ "command": "rm", "arguments": [] });
    let refused = editor.answer_to("workspace/executeCommand", &other);
    assert_eq!(refused["error"]["code"], -32_602, "{refused}");
    editor.shut_down();
}

#[test]
fn the_project_is_the_one_that_the_editor_names() {
    let project = Project::with("project/a.casebook.yaml", SUITE);
    project.write("elsewhere/kept", "");
    let run = format!("cd project && {} run", env!("CARGO_BIN_EXE_casebook"));
    project.bash(&run).run().exits(1);
    let mut editor = Editor::start_in(&project, "elsewhere", "project");
    editor.open("a.casebook.yaml", SUITE);
    let document =
        json!({ "textDocument": { "uri": editor::uri(&project, "project/a.casebook.yaml") } });
    let lenses = editor.ask("textDocument/codeLens", &document);
    assert_eq!(lenses[0]["command"]["title"], "run · last: passed just now");
    let command = &lenses[0]["command"];
    let command = json!({ "command": command["command"], "arguments": command["arguments"] });
    editor.ask("workspace/executeCommand", &command);
    while editor.receive()["params"]["message"] != "a.casebook.yaml:2: passed" {}
    assert!(!project.exists("elsewhere/.casebook"));
}

#[test]
fn a_test_that_runs_is_stopped_with_the_server() {
    let suite = "teardown: touch cleaned\ntests: [{name: slow, command: touch begun; sleep 600}]\n";
    let project = Project::with("a.casebook.yaml", suite);
    let mut editor = Editor::start(&project);
    editor.open("a.casebook.yaml", suite);
    let arguments = json!([editor::uri(&project, "a.casebook.yaml"), 2]);
    let params = json!({ "command": "casebook.run", "arguments": arguments });
    editor.ask("workspace/executeCommand", &params);
    crate::support::eventually("the test begins", || project.exists("begun"));
    editor.shut_down();
    assert!(project.exists("cleaned"));
}
