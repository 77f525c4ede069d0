//! Colors: on a terminal, unless disabled.

use crate::events::{failing_run, lines};
use crate::support::Project;

const ESCAPE: char = '\u{1b}';

fn on_a_terminal(name: &str, value: &str, arguments: &str) -> String {
    let project = Project::with("a.jsonl", lines(&failing_run()));
    let script = format!(r#"script -qec '"$CASEBOOK" {arguments}' /dev/null"#);
    let call = project.bash(&script).env("TERM", "xterm").env(name, value);
    let shown = call.run().exits(0).stdout;
    assert!(shown.contains("divides"), "{shown}");
    shown
}

#[test]
fn a_terminal_gets_colors() {
    assert!(on_a_terminal("A", "b", "report a.jsonl").contains(ESCAPE));
    assert!(on_a_terminal("NO_COLOR", "", "report a.jsonl").contains(ESCAPE));
}

#[test]
fn colors_can_be_disabled() {
    for (name, value, arguments) in [
        ("NO_COLOR", "1", "report a.jsonl"),
        ("TERM", "dumb", "report a.jsonl"),
        ("A", "b", "report --no-color a.jsonl"),
        ("A", "b", "--no-color report a.jsonl"),
        ("A", "b", "report a.jsonl --color never"),
        ("CLICOLOR_FORCE", "1", "--color=never report a.jsonl"),
    ] {
        let shown = on_a_terminal(name, value, arguments);
        assert!(
            !shown.contains(ESCAPE),
            "{name}={value} {arguments}: {shown:?}"
        );
    }
}

#[test]
fn a_pipe_gets_no_colors() {
    let project = Project::with("a.jsonl", lines(&failing_run()));
    let shown = project
        .casebook("report a.jsonl")
        .env("TERM", "xterm")
        .run()
        .exits(0);
    assert!(!shown.stdout.contains(ESCAPE), "{:?}", shown.stdout);
    let failed = project
        .casebook("report missing")
        .env("TERM", "xterm")
        .run()
        .exits(2);
    assert!(!failed.stderr.contains(ESCAPE), "{:?}", failed.stderr);
}

#[test]
fn a_pipe_gets_colors_on_request() {
    let project = Project::with("a.jsonl", lines(&failing_run()));
    for (name, value, arguments, is_colored) in [
        ("NO_COLOR", "1", "report a.jsonl --color always", true),
        ("CLICOLOR_FORCE", "1", "report a.jsonl", true),
        ("CLICOLOR_FORCE", "1", "--help", true),
        ("CLICOLOR_FORCE", "0", "report a.jsonl", false),
        ("A", "b", "--color always --help", true),
        ("A", "b", "report a.jsonl --color auto", false),
    ] {
        let shown = project.casebook(arguments).env(name, value).run().exits(0);
        assert_eq!(
            shown.stdout.contains(ESCAPE),
            is_colored,
            "{name}={value} {arguments}"
        );
    }
    let failed = project
        .casebook("report missing --color always")
        .run()
        .exits(2);
    assert!(failed.stderr.contains(ESCAPE), "{:?}", failed.stderr);
    let twice = project.casebook("report a.jsonl --color always --no-color");
    twice.run().exits(2);
}

#[test]
fn control_characters_in_messages_are_removed() {
    let project = Project::with(
        "a.jsonl",
        lines(&[crate::events::failed("bad", "\u{1b}[2Jgone\u{7}")]),
    );
    let shown = project.casebook("report a.jsonl").run().exits(0).stdout;
    assert!(!shown.contains([ESCAPE, '\u{7}']), "{shown:?}");
    assert!(shown.contains("gone"), "{shown:?}");
}

#[test]
fn a_timeout_names_the_text_that_the_dialogue_waits_for() {
    let project = Project::with(
        "a.casebook.yaml",
        "tests:
  - name: waits
    command: 'read -rp \"Name? \" name; sleep 60'
    tty: true
    timeout: 3s
    dialogue: [{expect: \"Name?\", sendLine: Ada}, {expect: Hello}]
",
    );
    let outcome = project.casebook("run --record none").run().exits(1);
    assert!(
        outcome
            .stdout
            .contains("\"Hello\" did not appear before the timeout"),
        "{outcome:#?}"
    );
}
