//! The full-screen, interleaved and dots output.

use std::sync::Arc;

use casebook_record::{Event, Listener, RunBuilder, decode};
use casebook_report::dots::Dots;
use casebook_report::interactive::{Key, KeyAction, View};
use casebook_report::interleaved::Interleaved;
use insta::assert_snapshot;
use proptest::prelude::*;
use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;
use serde_json::{Value, json};

use crate::stream::{Paper, hostile, time};

/// An event in its wire format, `millis` milliseconds after the start.
fn event(millis: i64, kind: &str, mut payload: Value) -> Event {
    payload["time"] = serde_json::to_value(time(millis)).unwrap();
    decode(&json!({"event_type": kind, "payload": payload}).to_string()).unwrap()
}

fn started(millis: i64, id: &str, worker: u64) -> Event {
    let payload = json!({
        "example_id": id, "canonical_path": format!("shop::{id}"), "description": id,
        "full_description": format!("shop {id}"), "location": "shop.yaml:3", "metadata": {"suite": "shop", "worker": worker},
    });
    event(millis, "ExampleStarted", payload)
}

fn passed(millis: i64, id: &str, output: &str) -> Event {
    let payload = json!({
        "example_id": id, "description": id, "full_description": id, "duration": 0.5,
        "metadata": {"command": {"command": format!("./{id}"), "exit_code": 0, "output": output}},
    });
    event(millis, "ExamplePassed", payload)
}

fn failed(millis: i64, id: &str, message: &str) -> Event {
    let payload = json!({
        "example_id": id, "description": id, "full_description": id, "duration": 0.25, "location": "shop.yaml:3",
        "message": message, "exception_class": "Casebook::AssertionFailed", "backtrace": ["a:1", "b:2", "c:3", "d:4"],
    });
    event(millis, "ExampleFailed", payload)
}

/// The events of a conversation and of a command in parallel.
fn conversation() -> Vec<Event> {
    let turn = |mut fields: Value| {
        fields["example_id"] = "talks".into();
        fields["turn_number"] = 1.into();
        fields
    };
    vec![
        event(0, "SuiteStarted", json!({"example_count": 3})),
        started(1, "talks", 1),
        started(2, "sells", 2),
        event(3, "TopicChanged", turn(json!({"to_topic": "greeting"}))),
        event(
            4,
            "UserMessage",
            turn(json!({"text": "A hall for fifty, please."})),
        ),
        event(
            5,
            "ToolCallCompleted",
            turn(json!({"tool_name": "search", "arguments": {"capacity": 50}, "result": ["Hall"]})),
        ),
        event(
            6,
            "AgentResponse",
            turn(
                json!({"text": "There is one.\nShall I book it?", "tool_calls": [{"name": "search", "arguments": {"capacity": 50}, "result": ["Hall"]}]}),
            ),
        ),
        event(
            7,
            "EvaluationRecorded",
            turn(json!({"description": "called search", "passed": true, "reasoning": "it was"})),
        ),
        passed(8, "sells", "beer\n"),
        event(
            9,
            "ExamplePending",
            json!({"example_id": "rests", "description": "rests", "full_description": "shop rests", "message": "on sundays"}),
        ),
    ]
}

fn send(listener: &mut impl Listener, events: &[Event]) {
    for event in events {
        listener.on_event(&Arc::new(event.clone())).unwrap();
    }
}

fn view(events: &[Event]) -> View {
    colored_view(false, events)
}

fn colored_view(color: bool, events: &[Event]) -> View {
    let run = RunBuilder::new("run");
    events.iter().for_each(|event| run.apply(event.clone()));
    let view = View::new(color, None, run, true);
    send(&mut view.listener(), events);
    view
}

/// The content of a screen of this size, one second after the start.
fn screen(view: &View, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| view.draw(frame, time(1_000)))
        .unwrap();
    let shown = terminal.backend().to_string();
    let lines = shown.lines().map(|line| line.trim_matches('"').trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn all_workers_in_one_tab() {
    assert_snapshot!(screen(&view(&conversation()), 70, 20), @r#"
    ━━━━━━━━━━━━━━━━──────── 2/3  1 passed  1 skipped  1.0 s
     all   1 ▸   2
    1 test running                                                 follows
    [1] ▸ shop › talks · shop.yaml:3
    [2] ▸ shop › sells · shop.yaml:3
    [1]   topic  greeting
    [1]   User   A hall for fifty, please.
    [1]   tool   → search {"capacity":50}
    [1]          → ["Hall"]
    [1]   Agent  There is one.
    [1]          Shall I book it?
    [1]          ✓ called search
    [1]            it was
    [2]   $ ./sells
    [2]     exit code 0
    [2]     output
    [2]     │ beer
    [2] ✓ shop › sells  500 ms
    [1] ○ shop rests  on sundays
    j k g G: scroll   n: failure   /: filter   ?: keys   q: stop
    "#);
}

#[test]
fn the_tab_of_one_worker() {
    let view = view(&conversation());
    assert_eq!(view.press(Key::Char('1')), KeyAction::Nothing);
    assert_snapshot!(screen(&view, 70, 18), @r#"
    ━━━━━━━━━━━━━━━━──────── 2/3  1 passed  1 skipped  1.0 s
     all   1 ▸   2
    ▸ shop › talks  0.9 s                                          follows
    ▸ shop › talks · shop.yaml:3
      topic  greeting
      User   A hall for fifty, please.
      tool   → search {"capacity":50}
             → ["Hall"]
      Agent  There is one.
             Shall I book it?
             ✓ called search
               it was
    ○ shop rests  on sundays




    j k g G: scroll   n: failure   /: filter   ?: keys   q: stop
    "#);
    view.press(Key::Right);
    let second = screen(&view, 70, 18);
    assert!(
        second.contains("│ beer") && !second.contains("Hall"),
        "{second}"
    );
    for key in [Key::Char('l'), Key::Char('9')] {
        view.press(key);
        assert_eq!(screen(&view, 70, 18), second, "there are only two tabs");
    }
    for key in [Key::Char('h'), Key::Left, Key::Left] {
        view.press(key);
    }
    assert!(screen(&view, 70, 18).contains("[2] ✓ shop › sells"));
}

#[test]
fn scrolling_stops_following() {
    let mut events = vec![event(0, "SuiteStarted", json!({"example_count": 9}))];
    for number in 0..9 {
        events.extend([
            started(number, &format!("t{number}"), 1),
            passed(number, &format!("t{number}"), ""),
        ]);
    }
    let view = view(&events);
    let rows = |view: &View| -> Vec<String> {
        let shown = screen(view, 60, 8);
        shown.lines().skip(2).take(5).map(str::to_owned).collect()
    };
    let at_the_end = rows(&view);
    assert!(
        at_the_end[0].ends_with("follows") && at_the_end[4].contains("✓ shop › t8"),
        "{at_the_end:#?}"
    );
    view.press(Key::Char('g'));
    assert!(rows(&view)[1].contains("▸ shop › t0"), "{:#?}", rows(&view));
    view.press(Key::Char('j'));
    view.press(Key::Down);
    view.press(Key::Char('k'));
    let read = rows(&view);
    assert!(read[0].ends_with("2-5 of 44"), "{read:#?}");
    send(&mut view.listener(), &[started(99, "late", 1)]);
    assert_eq!(rows(&view)[1..], read[1..], "what is read stays");
    for (key, follows) in [
        (Key::Char('f'), true),
        (Key::PageUp, false),
        (Key::End, true),
        (Key::Up, false),
        (Key::Char('G'), true),
        (Key::Char('f'), false),
    ] {
        view.press(key);
        assert_eq!(rows(&view)[0].ends_with("follows"), follows, "{key:?}");
    }
}

#[test]
fn q_requests_a_stop_and_quits_after_the_run() {
    let view = view(&conversation());
    let footer = |view: &View| screen(view, 80, 10).lines().last().unwrap().to_owned();
    assert!(footer(&view).contains("q: stop"));
    assert_eq!(view.press(Key::Char('q')), KeyAction::Stop);
    assert!(footer(&view).contains("press q again to kill them"));
    assert_eq!(view.press(Key::Interrupt), KeyAction::Stop);
    assert_eq!(footer(&view), "killing running tests");
    send(
        &mut view.listener(),
        &[event(20, "SuiteStopped", json!({}))],
    );
    assert!(footer(&view).ends_with("q: quit"));
    assert!(screen(&view, 80, 10).contains("run finished"));
    assert_eq!(view.press(Key::Char('q')), KeyAction::Leave);
}

#[test]
fn a_failure_is_shown_as_the_report_shows_it() {
    let view = view(&[
        started(0, "sells", 1),
        failed(1, "sells", "expected\n  bread"),
    ]);
    let shown = screen(&view, 60, 16);
    for part in [
        "✗ shop › sells",
        "shop.yaml:3 · 250 ms",
        "  bread",
        "1 failed",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

/// A passed and a failed test with long names, by two workers.
fn failing_run() -> Vec<Event> {
    let (long, other) = ("sells beer in crates to adults", "sells bread");
    vec![
        event(0, "SuiteStarted", json!({"example_count": 3})),
        started(1, long, 1),
        started(2, other, 2),
        passed(
            3,
            long,
            "a line of output that is too long for a narrow screen\n",
        ),
        failed(
            4,
            other,
            "expected a loaf of bread, but there was only cake",
        ),
        started(5, "counts", 1),
    ]
}

#[test]
fn a_narrow_screen_shows_all_counts_and_keeps_the_number_of_the_worker() {
    assert_snapshot!(screen(&view(&failing_run()), 40, 24), @"
    ━━━━━━─── 2/3  1 passed  1 failed  1.0 s
     all   1 ▸   2
    1 test running                   follows
    [1] ▸ shop › sells beer in crates to
    [1]   adults · shop.yaml:3
    [2] ▸ shop › sells bread · shop.yaml:3
    [1]   $ ./sells beer in crates to adults
    [1]     exit code 0
    [1]     output
    [1]     │ a line of output that is too
    [1]       long for a narrow screen
    [1] ✓ shop › sells beer in crates to
    [1]   adults  500 ms
    [2] ✗ shop › sells bread
    [2]    shop.yaml:3 · 250 ms
    [2]    expected a loaf of bread, but
    [2]      there was only cake
    [2]        a:1
    [2]        b:2
    [2]        c:3
    [2]        d:4
    [1] ▸ shop › counts · shop.yaml:3

    n: failure  /: filter  ?: keys  q: stop
    ");
    let view = view(&failing_run());
    for width in [40, 80, 120] {
        let shown = screen(&view, width, 40);
        let lines: Vec<_> = shown.lines().collect();
        let first = lines[0];
        assert!(first.contains("2/3") && first.ends_with("1.0 s"), "{first}");
        assert!(lines[39].ends_with("q: stop"), "{shown}");
        let rows = lines[3..39].iter().filter(|line| !line.is_empty());
        assert!(rows.clone().count() > 9, "{shown}");
        for row in rows {
            assert!(row.starts_with("[1] ") || row.starts_with("[2] "), "{row}");
        }
    }
}

#[test]
fn keys_for_failures_and_the_filter() {
    let view = view(&failing_run());
    view.press(Key::Char('n'));
    let shown = screen(&view, 60, 8);
    assert!(shown.contains("failure 1 of 1"), "{shown}");
    assert!(
        shown
            .lines()
            .nth(3)
            .unwrap()
            .contains("✗ shop › sells bread"),
        "{shown}"
    );
    for key in "/BEER".chars() {
        view.press(Key::Char(key));
    }
    let shown = screen(&view, 60, 20);
    assert!(shown.ends_with("/BEER▏ Enter: keep  Esc: clear"), "{shown}");
    assert!(
        shown.contains("in crates") && !shown.contains("bread"),
        "{shown}"
    );
    view.press(Key::Backspace);
    view.press(Key::Enter);
    let shown = screen(&view, 60, 20);
    assert!(shown.contains("\n/BEE  1 test running"), "{shown}");
    view.press(Key::Escape);
    assert!(screen(&view, 60, 30).contains("bread"));
    view.press(Key::Char('?'));
    let help = screen(&view, 40, 20);
    assert!(help.contains("n N        next, previous failure"), "{help}");
    view.press(Key::Char('?'));
    assert!(!screen(&view, 40, 20).contains("next, previous"));
}

#[test]
fn failed_tests_can_be_run_again_after_the_run() {
    let view = view(&failing_run());
    assert_eq!(
        view.press(Key::Char('r')),
        KeyAction::Nothing,
        "it still runs"
    );
    send(
        &mut view.listener(),
        &[event(20, "SuiteStopped", json!({}))],
    );
    assert!(screen(&view, 40, 10).ends_with("r: rerun failed   q: quit"));
    assert_eq!(view.press(Key::Char('r')), KeyAction::Rerun);
}

#[test]
fn screens_of_any_size_can_be_drawn() {
    let view = view(&conversation());
    for (width, height) in [(1, 1), (2, 3), (10, 4), (20, 5), (300, 2), (300, 100)] {
        screen(&view, width, height);
        for key in [Key::PageUp, Key::Up, Key::PageDown, Key::Char('f')] {
            view.press(key);
            screen(&view, width, height);
        }
    }
    let many: Vec<_> = (1..=40)
        .map(|worker| started(0, &format!("t{worker}"), worker))
        .collect();
    send(&mut view.listener(), &many);
    for _ in 0..30 {
        view.press(Key::Right);
    }
    assert!(
        screen(&view, 40, 6)
            .lines()
            .nth(1)
            .unwrap()
            .contains("30 ▸"),
        "the selected tab is seen"
    );
}

#[test]
fn only_five_hundred_lines_are_kept() {
    let view = colored_view(true, &[]);
    let mut listener = view.listener();
    for number in 0..2_000 {
        let id = format!("t{number}");
        send(
            &mut listener,
            &[started(number, &id, 1), passed(number, &id, "a\nb\n")],
        );
    }
    view.press(Key::Char('g'));
    let shown = screen(&view, 80, 24);
    assert!(
        shown.contains("of 500") && shown.contains("2000 passed"),
        "{shown}"
    );
}

#[test]
fn interleaved_lines_have_the_workers_number() {
    let paper = Paper::default();
    let mut events = conversation();
    events.push(failed(10, "talks", "one\ntwo\nthree\nfour"));
    send(
        &mut Interleaved::new(false, 60, Box::new(paper.clone())),
        &events,
    );
    assert_snapshot!(paper.text(), @r#"
    [1] ▸ shop › talks · shop.yaml:3
    [2] ▸ shop › sells · shop.yaml:3
    [1]   topic  greeting
    [1]   User   A hall for fifty, please.
    [1]   tool   → search {"capacity":50}
    [1]   Agent  There is one. Shall I book it?
    [1]          ✓ called search
    [2] ✓ shop › sells  500 ms
    [1] ○ shop rests  on sundays
    [1] ✗ shop › talks  250 ms
    [1]   one
    [1]   two
    [1]   three
    [1]   a:1
    [1]   b:2
    [1]   c:3
    "#);
}

#[test]
fn dots_have_one_character_per_test() {
    let paper = Paper::default();
    let mut dots = Dots::new(false, Box::new(paper.clone()));
    let mut events: Vec<_> = (0..51)
        .map(|number| passed(number, &format!("t{number}"), ""))
        .collect();
    events.extend([
        failed(60, "f", "no"),
        conversation().pop().unwrap(),
        event(61, "SuiteStopped", json!({})),
    ]);
    send(&mut dots, &events);
    assert_eq!(paper.text(), format!("{}\n.F*\n", ".".repeat(50)));
}

proptest! {
    /// For any name and output, the screen contains no control character and drawing does not panic.
    #[test]
    fn tests_cannot_control_the_terminal(name in "\\PC{0,9}|.{0,9}", output in hostile(), width in 1_u16..90, height in 1_u16..30) {
        let events = [started(0, &name, 1), passed(1, &name, &output), started(2, "x", 2), failed(3, "x", &output)];
        let view = colored_view(true, &events);
        for key in [Key::Char('a'), Key::Char('1'), Key::Up] {
            view.press(key);
            let shown = screen(&view, width, height);
            prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        }
        let paper = Paper::default();
        send(&mut Interleaved::new(false, width.into(), Box::new(paper.clone())), &events);
        prop_assert!(!paper.text().chars().any(|c| c.is_control() && c != '\n'));
    }
}
