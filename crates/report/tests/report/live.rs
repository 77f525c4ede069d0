//! Output while a run lasts.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use casebook_record::event::SuiteStarted;
use casebook_record::{Bus, Listener as _, Metadata, RunBuilder};
use casebook_report::live::{Live, Options, Verbosity};
use casebook_report::terminal::summary_line;
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;

use crate::sample;
use crate::stream::{ClosedPipe, Paper, Stream, Test, time};

fn options() -> Options {
    Options {
        width: 80,
        ..Options::default()
    }
}

/// The screen after the run has finished.
fn shown(stream: &Stream, options: Options) -> String {
    let (out, err) = (Paper::default(), Paper::default());
    let clock = Box::new(|| time(0));
    let run = RunBuilder::new("run");
    let streams = (Box::new(out.clone()), Box::new(err.clone()));
    let mut live = Live::new(options, clock, run.clone(), streams.0, streams.1).unwrap();
    assert!(stream.send_to(&run, &mut live).is_none());
    drop(live);
    assert_eq!(err.text(), "");
    out.text()
}

/// Two parallel suites with every outcome.
fn mixed() -> Stream {
    let mut stream = Stream::planned(6);
    stream.open("greet");
    stream.open("venues");
    let hello = stream.begin("greet", "says hello");
    let list = stream.begin("venues", "lists");
    let german = stream.begin("greet", "in German");
    stream.evaluation(&hello, "exitCode", true, &json!({}));
    stream.pass(
        &hello,
        &json!({"command": "greet", "exit_code": 0, "output": "Hello\n"}),
    );
    stream.evaluation(
        &german,
        "exitCode",
        false,
        &json!({
            "description": "exitCode 0", "message": "expected exit code 0, got 3",
            "metadata": {
                "file": "suites/greet.casebook.yaml", "line": 12, "source": "    exitCode: 0",
                "expected": 0, "actual": 3,
            },
        }),
    );
    stream.fail(
        &german,
        "AssertionFailed: expected exit code 0, got 3",
        &json!({"command": {"command": "greet --lang de", "exit_code": 3, "output": "no such language: de\n"}}),
    );
    let flaky = stream.begin("venues", "is flaky");
    stream.fail(&flaky, "Timeout: too slow", &json!({"will_retry": true}));
    let french = stream.begin("greet", "in French");
    stream.skip(&french, Some("not translated yet"));
    stream.close("greet");
    stream.again("venues", &flaky);
    stream.pass(
        &flaky,
        &json!({"command": "venues", "exit_code": 0, "output": ""}),
    );
    stream.pass(
        &list,
        &json!({"command": "venues list", "exit_code": 0, "stdout": "Harbour Hall\n", "stderr": "1 found\n", "leaky": true}),
    );
    let quiet = stream.begin("venues", "keeps quiet");
    stream.pass(
        &quiet,
        &json!({"command": "true", "exit_code": 0, "output": ""}),
    );
    stream.close("venues");
    stream.stop();
    stream
}

#[test]
fn suites_and_failures_are_shown_when_they_finish() {
    assert_snapshot!(shown(&mixed(), options()), @r#"
    ✗ greet › in German
       suites/greet.casebook.yaml:10 · 57 ms
       ✗ expected exit code 0, got 3
         --> suites/greet.casebook.yaml:12
         12 │ exitCode: 0

       $ greet --lang de
         exit code 3
         output
         │ no such language: de

       run it again: casebook run suites/greet.casebook.yaml:10

    ✗ suites/greet.casebook.yaml  1 passed, 1 failed, 1 skipped  13 ms
    ✓ suites/venues.casebook.yaml  3 passed (1 flaky)  18 ms

    flaky: passed only on a retry
      suites/venues.casebook.yaml:13  venues › is flaky

    leaky: left processes running, which were killed
      suites/venues.casebook.yaml:7  venues › lists

    6 tests: 4 passed (1 flaky), 1 failed, 1 skipped in 21 ms
    "#);
}

#[test]
fn a_failure_looks_like_in_the_report() {
    let live = shown(&mixed(), options());
    let report = sample::shown(&mixed().run());
    let (_, failure) = report.split_once("\n1) ").unwrap();
    let (failure, _) = failure.split_once("\n\n──").unwrap();
    assert!(
        live.contains(&format!("✗ {failure}\n")),
        "{live}\n{failure}"
    );
}

#[test]
fn verbose_has_a_line_for_each_test() {
    let options = Options {
        verbosity: Verbosity::Verbose,
        timing: true,
        ..options()
    };
    assert_snapshot!(shown(&mixed(), options), @r#"
    ✓ greet › says hello  12 ms

    ✗ greet › in German
       suites/greet.casebook.yaml:10 · 57 ms
       ✗ expected exit code 0, got 3
         --> suites/greet.casebook.yaml:12
         12 │ exitCode: 0

       $ greet --lang de
         exit code 3
         output
         │ no such language: de

       run it again: casebook run suites/greet.casebook.yaml:10

    ○ greet › in French  not translated yet
    ✗ suites/greet.casebook.yaml  1 passed, 1 failed, 1 skipped  13 ms
    ~ venues › is flaky  flaky  12 ms
    ✓ venues › lists  12 ms
    ✓ venues › keeps quiet  12 ms
    ✓ suites/venues.casebook.yaml  3 passed (1 flaky)  18 ms

    flaky: passed only on a retry
      suites/venues.casebook.yaml:13  venues › is flaky

    leaky: left processes running, which were killed
      suites/venues.casebook.yaml:7  venues › lists

    6 tests: 4 passed (1 flaky), 1 failed, 1 skipped in 21 ms
    "#);
}

#[test]
fn quiet_has_failures_and_the_summary() {
    let options = Options {
        verbosity: Verbosity::Quiet,
        ..options()
    };
    assert_snapshot!(shown(&mixed(), options), @r#"
    ✗ greet › in German
       suites/greet.casebook.yaml:10 · 57 ms
       ✗ expected exit code 0, got 3
         --> suites/greet.casebook.yaml:12
         12 │ exitCode: 0

       $ greet --lang de
         exit code 3
         output
         │ no such language: de

       run it again: casebook run suites/greet.casebook.yaml:10

    6 tests: 4 passed (1 flaky), 1 failed, 1 skipped in 21 ms
    "#);
}

#[test]
fn a_trace_has_every_command_and_its_output() {
    let options = Options {
        trace: true,
        ..options()
    };
    let shown = shown(&mixed(), options);
    let trace: Vec<_> = shown.lines().take(7).collect();
    assert_snapshot!(trace.join("\n"), @r#"
    ✓ greet › says hello
      $ greet
        exit code 0
        output
        │ Hello

    ✗ greet › in German
    "#);
    assert!(shown.contains(
        "  $ venues list\n    exit code 0, left processes running\n    stdout\n    │ Harbour Hall\n"
    ));
}

#[test]
fn an_interrupted_run_counts_tests_not_run() {
    let mut stream = Stream::planned(10);
    stream.open("greet");
    let one = stream.begin("greet", "one");
    let two = stream.begin("greet", "two");
    stream.pass(&one, &json!({"command": "true"}));
    stream.fail(&two, "Interrupted: the run was interrupted", &json!({}));
    stream.stop();
    assert_snapshot!(shown(&stream, options()), @r#"
    ○ suites/greet.casebook.yaml:7  greet › two  the run was interrupted
    ○ suites/greet.casebook.yaml  1 passed, 1 interrupted  5 ms

    10 tests: 1 passed, 1 interrupted, 8 not run in 6 ms
    "#);
}

#[test]
fn a_run_that_is_stopped_before_its_first_suite_counts_tests() {
    let mut stream = Stream::default();
    let mut started = SuiteStarted::at(time(0), 3);
    let configuration = ("configuration".to_owned(), json!({"engine": "native"}));
    started.metadata = Metadata::from_iter([configuration]);
    stream.publish(started);
    stream.stop();
    assert_snapshot!(shown(&stream, options()), @"3 tests: 3 not run in 1 ms");
}

#[test]
fn a_long_name_is_cut_before_its_duration() {
    let mut stream = Stream::planned(1);
    let long = stream.begin("greet", &"very ".repeat(20));
    stream.pass(&long, &json!({}));
    stream.stop();
    let options = Options {
        timing: true,
        width: 40,
        ..options()
    };
    let shown = shown(&stream, options);
    assert_eq!(
        shown.lines().next(),
        Some("✓ greet › very very very very ve…  12 ms")
    );
}

#[test]
fn running_tests_are_counted_when_the_run_stops() {
    let mut stream = Stream::planned(3);
    let one = stream.begin("greet", "one");
    stream.begin("greet", "two");
    stream.pass(&one, &json!({"command": "true"}));
    stream.stop();
    assert_snapshot!(shown(&stream, options()), @r#"
    ○ suites/greet.casebook.yaml:7  greet › two  interrupted
    ○ suites/greet.casebook.yaml  1 passed, 1 interrupted

    3 tests: 1 passed, 1 interrupted, 1 not run in 4 ms
    "#);
}

#[test]
fn failures_that_scrolled_away_are_listed_in_the_order_of_the_files() {
    let mut stream = Stream::planned(60);
    for position in (0..60).rev() {
        let test = stream.begin_at("greet", &format!("test {position}"), position);
        let message = format!("AssertionFailed: reason {position}\nin detail");
        stream.fail(&test, &message, &json!({}));
    }
    stream.stop();
    let shown = shown(&stream, options());
    let (live, list) = shown.split_once("── Failures").unwrap();
    assert!(live.starts_with(
        "✗ greet › test 59\n   suites/greet.casebook.yaml:181 · 57 ms\n   reason 59\n"
    ));
    assert!(live.contains("\n✗ suites/greet.casebook.yaml:4  greet › test 0  reason 0\n"));
    assert_eq!(
        live.matches("in detail").count(),
        50,
        "the others are named"
    );
    let start: Vec<_> = list.lines().skip(2).take(4).collect();
    assert_snapshot!(start.join("\n"), @r#"
    ✗ suites/greet.casebook.yaml:4  greet › test 0
        reason 0
    ✗ suites/greet.casebook.yaml:7  greet › test 1
        reason 1
    "#);
    assert!(
        list.ends_with("    reason 59\n\n60 tests: 60 failed in 121 ms\n"),
        "{list}"
    );
}

#[test]
fn one_failure_among_ten_thousand_tests_is_listed_again() {
    let mut stream = Stream::planned(10_000);
    for n in 0..100 {
        stream.open(&format!("suite {n}"));
    }
    for n in 0..10_000 {
        let test = stream.begin(&format!("suite {}", n % 100), &format!("test {n}"));
        if n == 17 {
            stream.fail(&test, "AssertionFailed: one of many", &json!({}));
        } else {
            stream.pass(&test, &json!({"command": "true"}));
        }
    }
    for n in 0..100 {
        stream.close(&format!("suite {n}"));
    }
    stream.stop();
    let shown = shown(&stream, options());
    assert_eq!(shown.lines().count(), 113, "{shown}");
    let end: Vec<_> = shown.lines().skip(106).collect();
    assert_snapshot!(end.join("\n"), @r#"
    ── Failures ────────────────────────────────────────────────────────────────────

    ✗ suites/suite 17.casebook.yaml:55  suite 17 › test 17
        one of many

    10000 tests: 9999 passed, 1 failed in 20.20 s
    "#);
}

#[test]
fn results_without_a_start_event_count() {
    let mut whole = Stream::planned(2);
    let one = whole.begin("greet", "one");
    let two = whole.begin("greet", "two");
    let mut stream = Stream::planned(2);
    stream.pass(&one, &json!({}));
    stream.fail(&two, "AssertionFailed: no", &json!({}));
    stream.fail(&two, "AssertionFailed: too late", &json!({}));
    stream.stop();
    let shown = shown(&stream, options());
    assert!(
        shown.contains("✗ two\n   suites/greet.casebook.yaml:7 · 57 ms\n   no\n"),
        "{shown}"
    );
    assert!(
        shown.ends_with("2 examples: 1 passed, 1 failed in 4 ms\n"),
        "{shown}"
    );
}

#[test]
fn visible_failures_are_not_listed_again() {
    assert!(!shown(&mixed(), options()).contains("── Failures"));
}

#[test]
fn no_control_character_reaches_the_terminal() {
    let evil = "a\u{1b}]0;owned\u{7}\u{1b}[2J\r\u{9b}31m\u{202e}x\nb";
    let mut stream = Stream::planned(3);
    stream.open(evil);
    let test = stream.begin(evil, evil);
    stream.fail(
        &test,
        &format!("{evil}: {evil}"),
        &json!({"command": {"command": evil, "output": evil}}),
    );
    let test = stream.begin(evil, evil);
    stream.skip(&test, Some(evil));
    let test = stream.begin(evil, evil);
    stream.pass(
        &test,
        &json!({"command": evil, "stdout": evil, "leaky": true, "truncated": true}),
    );
    stream.close(evil);
    stream.stop();
    let options = Options {
        trace: true,
        verbosity: Verbosity::Verbose,
        ..options()
    };
    let shown = shown(&stream, options);
    let dangerous = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!shown.contains(dangerous), "{shown:?}");
}

#[test]
fn a_closed_pipe_is_reported_once() {
    let clock = Box::new(|| time(0));
    let run = RunBuilder::new("run");
    let streams = (Box::new(ClosedPipe), Box::new(io::sink()));
    let mut live = Live::new(options(), clock, run.clone(), streams.0, streams.1).unwrap();
    let error = mixed().send_to(&run, &mut live).unwrap();
    let error = error.downcast::<io::Error>().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn drawn_rows_are_erased_at_the_end() {
    let (out, err) = (Paper::default(), Paper::default());
    let options = Options {
        progress: true,
        ..options()
    };
    let clock = Box::new(|| time(12_345));
    let bus = Bus::new();
    let run = RunBuilder::new("run");
    let live = Live::new(options, clock, run, Box::new(out), Box::new(err.clone())).unwrap();
    let mut messages = live.messages();
    bus.subscribe(live).unwrap();
    let mut stream = Stream::planned(8);
    stream.begin("greet", "waits");
    for event in stream.events {
        bus.publish(event);
    }
    until(|| err.text().contains("waits"));
    messages.write_all(b"warning: torn?\n").unwrap();
    until(|| err.text().matches("waits").count() == 2);
    bus.close();
    messages.write_all(b"afterwards\n").unwrap();
    assert_snapshot!(err.text().replace('\u{1b}', "␛").replace('\r', "␍"), @r#"
    ␛[?7l──────────────────────── 0/8  12.3 s
        12.3 s  greet › waits␛[?7h␍␛[2K␛[1A␛[2Kwarning: torn?
    ␛[?7l──────────────────────── 0/8  12.3 s
        12.3 s  greet › waits␛[?7h␍␛[2K␛[1A␛[2Kafterwards
    "#);
}

#[test]
fn without_progress_a_slow_test_is_reported() {
    let (out, err) = (Paper::default(), Paper::default());
    let now = Arc::new(AtomicI64::new(0));
    let clock = Box::new({
        let now = Arc::clone(&now);
        move || time(now.load(Ordering::Relaxed))
    });
    let run = RunBuilder::new("run");
    let live = Live::new(options(), clock, run, Box::new(out), Box::new(err.clone()));
    let mut live = live.unwrap();
    let mut stream = Stream::planned(1);
    stream.begin("greet", "waits");
    for event in &stream.events {
        live.on_event(&Arc::new(event.clone())).unwrap();
    }
    for (second, named) in [(9, 0), (11, 1), (19, 1), (25, 2)] {
        now.store(second * 1_000, Ordering::Relaxed);
        if named > err.text().lines().count() {
            until(|| err.text().lines().count() == named);
        }
        std::thread::sleep(Duration::from_millis(150));
        assert_eq!(err.text().lines().count(), named, "after {second} s");
    }
    assert_snapshot!(err.text(), @r#"
    still running after 11.00 s: suites/greet.casebook.yaml:4  greet › waits
    still running after 25.00 s: suites/greet.casebook.yaml:4  greet › waits
    "#);
}

proptest! {
    /// Parallel tests with events in any order: the final counts equal those of the record.
    #[test]
    fn the_last_line_equals_that_of_the_record(
        tests in prop::collection::vec((0..3_usize, 0..5_u8), 1..30),
        order in prop::collection::vec(any::<prop::sample::Index>(), 200),
    ) {
        let suites = ["greet", "venues", "import"];
        let mut stream = Stream::planned(tests.len() as u64);
        let mut waiting: Vec<_> = tests.iter().copied().enumerate().collect();
        let mut running = Vec::new();
        let mut order = order.into_iter().cycle();
        while !(waiting.is_empty() && running.is_empty()) {
            let next = order.next().unwrap();
            let choice = next.index(waiting.len() + running.len());
            if let Some(index) = choice.checked_sub(waiting.len()) {
                let (test, suite, verdict) = running.swap_remove(index);
                end(&mut stream, &test, suites[suite], verdict);
            } else {
                let (position, (suite, verdict)) = waiting.swap_remove(choice);
                let name = format!("test {position}");
                let test = stream.begin_at(suites[suite], &name, position as u64);
                running.push((test, suite, verdict));
            }
        }
        stream.stop();
        let shown = shown(&stream, options());
        prop_assert_eq!(shown.lines().last().unwrap(), summary_line(&stream.run()).unwrap());
    }
}

fn end(stream: &mut Stream, test: &Test, suite: &str, verdict: u8) {
    if verdict >= 3 {
        stream.fail(
            test,
            "AssertionFailed: not yet",
            &json!({"will_retry": true}),
        );
        stream.again(suite, test);
    }
    match verdict {
        0 | 3 => stream.pass(test, &json!({"command": "true"})),
        1 => stream.skip(test, None),
        _ => stream.fail(test, "AssertionFailed: no", &json!({})),
    }
}

fn until(condition: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it did not happen within 60 s");
}
