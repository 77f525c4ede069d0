//! Commands in a terminal: the dialogue with them, what the terminal shows, and what remains of them.

use std::thread;
use std::time::Duration;

use insta::assert_snapshot;
use rustix::process::Signal;

use super::Suite;
use crate::support::{eventually, timed};

#[test]
fn a_command_has_a_terminal_of_its_own() {
    let suite = Suite::new(
        r#"
setup: export GREETING=hello; cd tmp
teardown: '[ "$GREETING" = hello ]'
tests:
  - name: all streams
    command: '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && : </dev/tty && echo "$GREETING $TERM ${PWD##*/}"'
    tty: true
    outputEquals: hello xterm-256color tmp
  - {name: default size, command: stty size, tty: true, screenEquals: 24 80}
  - {name: own size, command: stty size, tty: {columns: 33, rows: 7}, outputEquals: 7 33}
  - {name: half a size, command: stty size, tty: {columns: 33}, outputEquals: 24 33}
  - {name: own session, command: 'ps -o sid= -p $$; echo $$', tty: true, outputMatches: "^ *([0-9]+)\n\\1$"}
  - {name: no terminal, command: '[ ! -t 0 ] && [ ! -t 1 ]', tty: false}
  - {name: own type, command: 'echo $TERM $COLUMNS', env: {TERM: dumb, COLUMNS: "7"}, tty: true, outputEquals: dumb 7}
  - {name: exit code, command: exit 3, tty: true, exitCode: 3}
  - {name: unknown program, command: no-such-program, tty: true, exitCode: 127}
  - {name: parent, command: 'kill -0 $PPID', tty: true}
"#,
    );
    let call = suite.call("-j4").env("COLUMNS", "99").env("TERM", "vt52");
    suite.run_as(call).exits(0);
}

#[test]
fn a_dialogue_finds_its_texts_however_they_arrive() {
    let suite = Suite::new(
        r#"
tests:
  - name: prompt
    command: read -rp "Name? " name; echo "Hello, $name"
    tty: true
    dialogue: [{expect: "Name?", sendLine: Ada}]
    screenEquals: |
      Name? Ada
      Hello, Ada
    outputEquals: "Name? Ada\nHello, Ada"
  - name: in pieces, in color and twice
    command: |
      for number in 1 2; do
        printf 'Na'; sleep 0.02; printf '\033[1;3'; sleep 0.02; printf '2mme\033[0m \xe2'; sleep 0.02; printf '\x82\xac? '
        read -r name; echo "$number is $name"
      done
    tty: true
    dialogue:
      - {expect: "Name €?", sendLine: one}
      - {expect: "Name €?", sendLine: two}
      - {expect: "/[0-9] is (one|two)/"}
    screenContains: [1 is one, 2 is two]
  - name: the last words
    command: echo bye
    tty: true
    dialogue: [{expect: bye}]
  - name: keys
    command: stty raw -echo; printf ready; head -c 13 | od -An -c; stty sane
    tty: true
    dialogue: [{expect: ready, send: x, keys: [up, f5, backspace, ctrl-a, tab, enter, space]}]
    outputMatches: 'x +033 +\[ +A +033 +\[ +1 +5 +~ +177 +001 +\\t[[:space:]]+\\r'
  - name: keys in application mode
    command: stty raw -echo; printf '\033[?1hready'; head -c 3 | od -An -c; stty sane
    tty: true
    dialogue: [{expect: ready, keys: down}]
    outputMatches: 033 +O +B
  - name: interrupt
    command: sleep 60
    tty: true
    dialogue: [{keys: [ctrl-c]}]
    exitCode: 130
  - name: resize
    command: trap 'stty size; exit' WINCH; echo ready; sleep 60 & wait
    tty: true
    dialogue:
      - {expect: ready, resize: {columns: 33, rows: 7}}
      - {expect: 7 33}
  - name: much input
    command: stty raw -echo; echo ready; head -c 50000 | wc -c
    tty: true
    dialogue: [{expect: ready, send: "{{long}}"}]
    outputContains: "50000"
  - name: a captured value
    steps:
      - {command: echo Ada, capture: {name: output}}
      - command: read -rp "Name? " name; echo "Hello, $name"
        tty: true
        dialogue: [{expect: "Name?", sendLine: "{{name}}"}, {expect: "Hello, {{name}}"}]
variables: {long: LONG}
"#
        .replace("LONG", &"x".repeat(50_000))
        .as_str(),
    );
    suite.run("-j4").exits(0);
}

#[test]
fn the_screen_is_what_a_terminal_shows() {
    let suite = Suite::new(
        r#"
tests:
  - name: progress
    command: for i in 10 50 100; do printf '\r%s%%' $i; done; echo
    tty: true
    screenEquals: 100%
  - name: colors
    command: printf '\033[1;31mred\033[0m \033[38;5;200mpink\033[0m\n'
    tty: true
    screenEquals: red pink
    screenMatches: ^red
  - name: alternate screen
    command: printf 'before\033[?1049h\033[2J\033[5;5Hinside\033[?1049l after'
    tty: true
    dialogue: [{expect: inside}]
    screenEquals: before after
  - name: many lines
    command: seq 100000
    tty: true
    screenContains: "99999\n100000"
  - {name: one column, command: echo 漢字, tty: {columns: 1, rows: 1}}
"#,
    );
    let ran = suite.run("--max-output 1kib").exits(0);
    let lines = &ran.command("colors")["screen"]["lines"];
    let expected = serde_json::json!([[
        {"text": "red", "color": "1", "bold": true}, {"text": " "}, {"text": "pink", "color": "200"}
    ]]);
    assert_eq!(lines, &expected);
    assert_eq!(ran.command("many lines")["over_limit"], true);
}

#[test]
fn a_failure_shows_the_screen() {
    let suite = Suite::new(
        r#"
tests:
  - name: never asks
    command: printf '\033[?1049h\033[H\033[32mMenu\033[0m'; trap 'printf "\033[?1049l"' EXIT; read -r x
    tty: true
    dialogue: [{expect: Menu}, {expect: "Name?", within: 100ms, sendLine: Ada}]
  - name: exits
    command: echo bye; exit 3
    tty: true
    dialogue: [{expect: bye}, {expect: /Name.?/}]
  - name: hangs
    command: printf 'Sure? '; read -r x
    tty: true
    timeout: 3s
  - name: differs
    command: echo one; echo two
    tty: true
    screenContains: three
parallel: false
"#,
    );
    let ran = suite
        .run("--no-color --format pretty --format junit=junit.xml --html page.html")
        .exits(1);
    let shown = ran.outcome.stdout.replace("└", "\n└");
    for (name, message) in [
        ("never asks", "\"Name?\" did not appear within 100 ms"),
        (
            "exits",
            "the command exited with code 3 before /Name.?/ appeared",
        ),
        ("hangs", "timed out after 3 s"),
        ("differs", "the screen does not contain \"three\""),
    ] {
        assert_eq!(ran.test(name)["exception"]["message"], message, "{name}");
    }
    let never = ran.test("never asks");
    assert_eq!(
        never["metadata"]["command"]["exit_code"],
        serde_json::Value::Null
    );
    let evaluations = never["evaluations"].as_array().unwrap();
    let passed: Vec<_> = evaluations.iter().map(|one| &one["passed"]).collect();
    assert_eq!(passed, [true, false], "no other assertion is checked");
    assert_eq!(evaluations[1]["metadata"]["actual"], "Menu");
    assert_eq!(
        evaluations[1]["metadata"]["screen"]["lines"][0][0]["color"],
        "2"
    );
    let frame = |text: &str| shown.contains(&format!("│ {text:<20} │"));
    assert!(
        ["Menu", "bye", "Sure?", "two"].into_iter().all(frame),
        "{shown}"
    );
    assert!(shown.contains("screen so far, 80 × 24"), "{shown}");
    let junit = suite.project.read("junit.xml");
    assert!(junit.contains("│ Menu                 │"), "{junit}");
    let tap = suite.run("--format tap").exits(1).outcome.stdout;
    assert!(tap.contains("screen: \"Menu\""), "{tap}");
}

#[test]
fn secrets_are_redacted_on_the_screen() {
    let suite = Suite::new(
        r#"
tests:
  - name: shows it
    command: printf '%s\033[31m%s\033[0m\nshown\n' "${API_TOKEN:0:8}" "${API_TOKEN:8}"; read -r x
    tty: {columns: 10, rows: 5}
    dialogue: [{expect: shown}, {expect: never, within: 100ms}]
  - name: compares it
    command: echo "$API_TOKEN"
    tty: {columns: 10, rows: 5}
    screenContains: never
"#,
    );
    let call = suite.call("").env("API_TOKEN", "geheim-tokenwort");
    let ran = suite.run_as(call).exits(1);
    let journal = suite.project.read(&format!("{}/events.jsonl", ran.dir));
    for text in [&ran.record.to_string(), &journal, &ran.outcome.stdout] {
        assert!(
            !text.contains("tokenwort") && !text.contains("geheim-to"),
            "{text}"
        );
    }
    let screen = &ran.command("shows it")["screen"]["lines"];
    assert_eq!(screen[0], "[redacted]");
}

#[test]
fn no_process_remains() {
    let suite = Suite::new(
        r#"
tests:
  - {name: background, command: '(trap "" HUP; sleep 60) & trap "" HUP; echo x', tty: true}
  - {name: other session, command: 'setsid sleep 60 & echo x', tty: true}
  - {name: deaf, command: 'trap "" HUP TERM; sleep 60; sleep 60', tty: true, timeout: 200ms}
  - {name: closed, command: 'exec </dev/null >/dev/null 2>&1; sleep 0.1; exit 4', tty: true, exitCode: 4}
  - name: job control
    command: PS1='ready>' bash --norc -i
    tty: true
    dialogue:
      - {expect: "ready>", sendLine: sleep 60 &}
      - {expect: "ready>", sendLine: jobs}
      - {expect: Running}
      - {expect: never, within: 100ms}
"#,
    );
    let (ran, took) = timed(|| suite.run("-j5").exits(1));
    assert!(took < Duration::from_secs(20), "{took:?}");
    for name in ["background", "other session", "closed"] {
        assert_eq!(ran.test(name)["status"], "passed", "{name}");
    }
    assert_eq!(ran.command("deaf")["timed_out"], true);
    assert_eq!(
        ran.test("job control")["exception"]["message"],
        "\"never\" did not appear within 100 ms"
    );
}

#[test]
fn ctrl_c_ends_a_dialogue() {
    let suite = Suite::new(
        "tests:\n  - {name: waits, command: 'touch started; sleep 60', tty: true, dialogue: [{expect: never, within: 60s}]}\n",
    );
    let live = suite.call("--record out").start();
    eventually("the command runs", || suite.project.exists("started"));
    thread::sleep(Duration::from_millis(50));
    live.signal(Signal::INT);
    let (outcome, took) = timed(|| live.wait());
    outcome.exits(130);
    assert!(took < Duration::from_secs(20), "{took:?}");
    suite.assert_nothing_left();
}

#[test]
fn workers_and_repetitions_use_terminals_too() {
    let suite = Suite::new(
        r#"
tests:
  - name: third time
    command: printf x >>count; wc -c <count
    tty: true
    eventually: {within: 20s, every: 10ms}
    screenEquals: "3"
  - {name: size, command: stty size, tty: true, outputEquals: 24 80}
"#,
    );
    let ran = suite.run("--workers 2").exits(0);
    assert_eq!(ran.command("third time")["attempts"], 3);
}

#[test]
fn bats_cannot_run_it() {
    let suite = Suite::new(
        "tests:\n  - name: first\n    command: 'true'\n  - name: asks\n    steps:\n      - command: 'true'\n      - command: read -r x\n        tty: true\n",
    );
    let compiled = suite.project.casebook("compile a.casebook.yaml").run();
    assert_snapshot!(compiled.shown(), @r"
    exit code 2
    --- stderr
    error: a.casebook.yaml:8: `asks` runs in a terminal, which Bats does not have; use `casebook run`
    ");
    let ran = suite.run("--engine bats").exits(2);
    assert_eq!(ran.outcome.stderr, compiled.stderr);
}
