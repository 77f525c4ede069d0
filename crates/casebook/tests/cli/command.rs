//! `casebook record -- COMMAND…` with arbitrary commands.

use insta::assert_snapshot;
use rustix::process::Signal;

use crate::support::{Project, eventually};

/// A test runner that sends the events from its standard input.
const RUNNER: &str = r#"
import os, socket, sys
channel = socket.socket(socket.AF_UNIX)
channel.connect(os.environ["CASEBOOK_EVENTS"])
for line in sys.stdin.buffer:
    channel.sendall(line)
"#;

fn event(kind: &str, fields: &str) -> String {
    let time = r#""time":"2026-11-15T08:40:51.594Z""#;
    format!(
        r#"{{"event_type":"{kind}","payload":{{{time},"example_id":"adds","description":"adds","full_description":"Sum adds","location":"sum.py:3"{fields}}}}}"#
    ) + "\n"
}

fn passing() -> String {
    event("ExampleStarted", "") + &event("ExamplePassed", r#","duration":0.002"#)
}

#[test]
fn output_and_exit_code_pass_through() {
    let project = Project::new();
    let outcome = project
        .casebook("record -- sh -c")
        .arg("cat; echo told >&2; exit 3")
        .stdin("typed\n")
        .run();
    assert_snapshot!(outcome.shown(), @"
    exit code 3
    --- stdout
    typed
    --- stderr
    told
    warning: `sh` sent no events; nothing was recorded
    ");
    assert!(project.files(".").is_empty());
}

#[test]
fn a_command_killed_by_a_signal_sets_the_exit_code() {
    let project = Project::new();
    let outcome = project.casebook("record -- sh -c").arg("kill -KILL $$");
    assert_eq!(outcome.run().code, 137);
}

#[test]
fn a_command_that_cannot_be_started_is_reported() {
    let project = Project::new();
    assert_snapshot!(project.casebook("record -- rspek spec").run().shown(), @"
    exit code 2
    --- stderr
    error: cannot start `rspek`: command not found
    ");
    project.write("plain", "");
    assert_snapshot!(project.casebook("record -- ./plain").run().shown(), @"
    exit code 2
    --- stderr
    error: cannot start `./plain`: permission denied
    ");
}

#[test]
fn a_command_or_results_are_required() {
    let project = Project::new();
    assert_snapshot!(project.casebook("record").run().shown(), @"
    exit code 2
    --- stderr
    error: nothing to record: pass a command after `--`, or results with `--from jsonl|tap|junit [FILE]`
    ");
    assert_snapshot!(project.casebook("record rspec").run().shown(), @"
    exit code 2
    --- stderr
    error: rspec is ambiguous: put a command after `--`, or pass results with `--from jsonl|tap|junit rspec`
    ");
    project
        .casebook("record --from tap -- rspec")
        .run()
        .exits(2);
}

#[test]
fn events_of_any_runner_are_recorded() {
    let project = Project::with("runner.py", RUNNER);
    let outcome = project
        .casebook("record --record out -- python3 runner.py")
        .stdin(passing())
        .run();
    assert_snapshot!(outcome.shown(), @"
    exit code 0
    --- stderr
    1 example: 1 passed in 0 ms
    recorded in out
    ");
    let run = project.json("out/run.json");
    assert_eq!(run["examples"]["adds"]["status"], "passed");
}

#[test]
fn invalid_lines_are_reported_once_and_do_not_end_the_recording() {
    let project = Project::with("runner.py", RUNNER);
    let outcome = project
        .casebook("record --record out -- python3 runner.py")
        .stdin(format!("no event\nnor this\n\u{0}\n{}", passing()))
        .run();
    assert_snapshot!(outcome.shown(), @"
    exit code 0
    --- stderr
    warning: `python3` sent an invalid event on connection 1, line 1: not valid JSON: expected a value at column 2
    warning: `python3` sent 2 more invalid lines
    1 example: 1 passed in 0 ms
    recorded in out
    ");
}

#[test]
fn an_example_running_when_the_command_exits_is_failed_and_sets_the_exit_code() {
    let project = Project::with("runner.py", RUNNER);
    project
        .casebook("record --record out -- python3 runner.py")
        .stdin(event("ExampleStarted", ""))
        .run()
        .exits(1);
    let exception = project.json("out/run.json")["examples"]["adds"]["exception"].clone();
    assert_eq!(exception["class_name"], "Casebook::Interrupted");
    assert_eq!(
        exception["message"],
        "the process ended before this example did: exit code 0"
    );
}

#[test]
fn planned_examples_that_never_start_set_the_exit_code() {
    let project = Project::with("runner.py", RUNNER);
    let planned = event("SuiteStarted", r#","example_count":3"#) + &passing();
    let outcome = project
        .casebook("record --record out -- python3 runner.py")
        .stdin(planned)
        .run()
        .exits(1);
    let warning = "warning: `python3` exited with code 0 after 1 of 3 planned examples";
    assert!(outcome.stderr.contains(warning), "{outcome:#?}");
}

#[test]
fn only_invalid_events_are_not_reported_as_no_events() {
    let project = Project::with("runner.py", RUNNER);
    let outcome = project
        .casebook("record -- python3 runner.py")
        .stdin("nonsense\n")
        .run()
        .exits(0);
    let warning = "warning: `python3` sent no valid events; nothing was recorded\n";
    assert!(outcome.stderr.ends_with(warning), "{outcome:#?}");
}

#[test]
fn a_directory_that_cannot_be_used_is_an_error_before_the_command_runs() {
    let project = Project::with("out/run.json", "precious");
    for dir in ["out", "out/run.json/below"] {
        let outcome = project
            .casebook(&format!("record --record {dir} -- touch started"))
            .run()
            .exits(2);
        assert!(outcome.stderr.starts_with("error: "), "{outcome:#?}");
        assert!(!project.exists("started"));
    }
    assert_eq!(project.read("out/run.json"), "precious");
}

#[test]
fn a_daemon_that_keeps_the_connection_does_not_delay_the_exit() {
    let daemon = format!(
        "{RUNNER}\nif os.fork() == 0:\n    os.setsid()\n    import time\n    time.sleep(30)\n"
    );
    let project = Project::with("runner.py", daemon);
    let script = "\"$CASEBOOK\" record --record out -- python3 runner.py <events >/dev/null 2>&1";
    project.write("events", passing());
    project.bash(script).run().exits(0);
    assert_eq!(
        project.json("out/run.json")["examples"]["adds"]["status"],
        "passed"
    );
}

#[test]
fn a_signal_is_forwarded_to_the_command_and_the_record_is_finished() {
    for (signal, name) in [(Signal::TERM, "TERM"), (Signal::INT, "INT")] {
        let project = Project::with("runner.py", RUNNER);
        project.write(
            "slow.sh",
            format!("trap 'echo caught; exit 9' {name}; python3 runner.py <events; echo ready; while :; do sleep 0.01; done"),
        );
        project.write("events", passing());
        let live = project
            .casebook("record --record out -- bash slow.sh")
            .start();
        assert_eq!(live.answer(), "ready");
        live.signal(signal);
        let outcome = live.wait();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (9, "caught"));
        assert!(project.exists("out/run.json"));
    }
}

/// Ctrl-C in a terminal signals the complete foreground process group, so it must not also be forwarded to the command.
#[test]
fn ctrl_c_in_a_terminal_reaches_the_command_once() {
    let project = Project::with("runner.py", RUNNER);
    project.write(
        "slow.sh",
        "trap 'echo caught >>log' INT; echo ready >log; until grep -q caught log; do sleep 0.05; done; for i in 1 2 3 4; do sleep 0.05; done; exit 5",
    );
    // `script` provides a terminal and passes its input on as if it were typed.
    let command = "script -qec \"$CASEBOOK record -- bash slow.sh\" /dev/null";
    let mut live = project.bash(command).start();
    eventually("the command runs", || project.exists("log"));
    live.write([3]);
    live.wait();
    assert_eq!(project.read("log"), "ready\ncaught\n");
}

/// If the command's output is redirected to a file, progress can be shown on the terminal.
#[test]
fn progress_is_shown_only_if_the_command_does_not_write_to_the_terminal() {
    let project = Project::with("runner.py", RUNNER);
    project.write("events", event("ExampleStarted", ""));
    project.write(
        "slow.sh",
        "python3 runner.py <events; echo printed; echo told >&2; until grep -q \"$1\" screen; do sleep 0.05; done; sleep 0.3",
    );
    // `-f` flushes the terminal output to the file immediately.
    let on_terminal = |command: &str| {
        let script = format!("script -qefc \"{command}\" screen");
        project.bash(&script).env("TERM", "xterm").run().stdout
    };
    let redirected = on_terminal("$CASEBOOK record --record none -- bash slow.sh [?]7l >log");
    assert!(redirected.contains("\u{1b}[?7l"), "{redirected:?}");
    assert!(redirected.contains("told"), "{redirected:?}");
    assert_eq!(project.read("log"), "printed\n");
    let shared = on_terminal("$CASEBOOK record --record none -- bash slow.sh told");
    assert!(!shared.contains("\u{1b}["), "{shared:?}");
}
