//! The rules of the TAP importer.

use std::cell::{Cell, RefCell};
use std::io::{BufReader, Read};

use casebook_record::import::{self, ImportSource};
use casebook_record::{Event, Time};
use insta::assert_snapshot;
use serde_json::json;

use super::imported::tap;

#[test]
fn a_run_begins_and_ends() {
    let imported = tap("1..1\nok 1 - a\n");
    let Event::SuiteStarted(started) = &imported.events[0] else {
        panic!("{:?}", imported.events[0]);
    };
    assert_eq!(started.example_count, 1);
    assert_eq!(
        serde_json::to_value(&started.metadata).unwrap(),
        json!({"source": "tap", "name": "input"})
    );
    assert!(matches!(
        imported.events.last(),
        Some(Event::SuiteStopped(_))
    ));
}

#[test]
fn the_count_is_unknown_when_the_plan_comes_late() {
    let imported = tap("TAP version 13\nok 1\n1..1\n");
    assert!(
        matches!(&imported.events[0], Event::SuiteStarted(started) if started.example_count == 0)
    );
    assert_snapshot!(imported.text(), @"passed test 1");
}

#[test]
fn plans_before_after_and_between() {
    for input in [
        "1..2\nok 1 - a\nok 2 - b\n",
        "ok 1 - a\nok 2 - b\n1..2\n",
        "ok - a\n1..2\nok - b",
    ] {
        assert_eq!(tap(input).text(), "passed a\npassed b", "{input}");
    }
}

#[test]
fn an_unmet_plan_fails_the_run() {
    assert_snapshot!(tap("1..10\nok 1 - a\n").text(), @"
    passed a
    failed (plan) [TAP::BadPlan]: planned 10 tests, 1 ran
    ! 2: planned 10 tests, 1 ran
    ");
    assert_snapshot!(tap("1..1\nok 1 - a\nok 2 - b\n").text(), @"
    passed a
    passed b
    failed (plan) [TAP::BadPlan]: planned 1 test, 2 ran
    ! 3: planned 1 test, 2 ran
    ");
}

#[test]
fn a_missing_plan_fails_the_run() {
    assert_snapshot!(tap("ok 1 - a\n").text(), @"
    passed a
    failed (plan) [TAP::BadPlan]: no plan (`1..N`): the tests may have stopped early
    ! 1: no plan (`1..N`): the tests may have stopped early
    ");
    assert_snapshot!(tap("").text(), @"
    failed (plan) [TAP::BadPlan]: no TAP found: neither a plan (`1..N`) nor a test (`ok`, `not ok`)
    ! 0: no TAP found: neither a plan (`1..N`) nor a test (`ok`, `not ok`)
    ");
}

#[test]
fn a_second_plan_does_not_hide_an_unmet_first_plan() {
    assert_snapshot!(tap("1..3\nok 1\n1..1\n").text(), @"
    passed test 1
    failed (plan) [TAP::BadPlan]: planned 3 tests, 1 ran
    ! 3: ignored a second plan (1..1); the first (1..3) applies
    ! 3: planned 3 tests, 1 ran
    ");
}

#[test]
fn several_documents_in_one_stream() {
    assert_snapshot!(tap("1..1\nok 1 - a\n1..2\nok 1 - a\nTAP version 13\nok 1 - c\n1..1\n").text(), @"
    passed a
    passed a #2
    failed (plan) [TAP::BadPlan]: planned 2 tests, 1 ran
    passed c
    ! 5: planned 2 tests, 1 ran
    ");
}

#[test]
fn all_skipped() {
    assert_snapshot!(tap("1..0 # SKIP not today\n").text(), @"pending (all skipped) (not today)");
    assert_snapshot!(tap("1..0\n").text(), @"");
}

#[test]
fn numbers_out_of_order() {
    assert_snapshot!(tap("1..4\nok 1 - a\nok 3 - b\nok 4 - c\nok 4 - d\n").text(), @"
    passed a
    passed b
    passed c
    passed d
    ! 3: expected test number 2, found 3
    ! 5: expected test number 5, found 4
    ");
}

#[test]
fn directives_determine_the_outcome() {
    assert_snapshot!(tap("1..6\nok 1 a # skip\nnot ok 2 b # SKIP: x\nok 3 c # TODO x\nnot ok 4 d # todo x\nok 5 e\nnot ok 6 f\n").text(), @"
    pending a (no reason)
    pending b (x)
    pending c (x)
    pending d (x)
    passed e
    failed f [TAP::NotOk]: not ok
    ");
}

#[test]
fn two_tests_with_the_same_name_are_two_examples() {
    let imported = tap("1..3\nok - a\nnot ok - a\nok - b\n");
    let started = imported.started();
    assert_eq!(
        started[1].example_id,
        format!("{}#2", started[0].example_id)
    );
    let positions: Vec<_> = started.iter().map(|started| started.position).collect();
    assert_eq!(positions, [Some(0), Some(1), Some(2)]);
}

#[test]
fn diagnostics_of_a_failed_test_are_its_message() {
    assert_snapshot!(tap("1..3\nnot ok 1 - a\n# why\nnoise\n#  indeed\nok 2 - b\n# not this\nnot ok 3 - c\n    # nor this\n").text(), @"
    failed a [TAP::NotOk]: why /  indeed
    passed b
    failed c [TAP::NotOk]: not ok
    ");
}

#[test]
fn bail_out_fails_the_run_and_ends_it() {
    assert_snapshot!(tap("1..3\n# Subtest: s\n    1..2\n    ok 1 - a\n    Bail out! gone\nBail out! gone\nnot ok 1 - b\n").text(), @"
    + s
    passed s::a
    - s
    failed (bail out) [TAP::BailOut]: gone
    ");
    assert_snapshot!(tap("Bail out!").text(), @"failed (bail out) [TAP::BailOut]: Bail out!");
}

#[test]
fn noise_pragmas_and_a_byte_order_mark_are_ignored() {
    assert_snapshot!(tap("\u{feff}TAP version 14\npragma +strict\nhello\n  ok 7\nok, done\n1..1\nok 1 - a\n---\n").text(), @"passed a");
}

#[test]
fn a_line_that_is_not_utf_8_is_a_problem_and_reading_continues() {
    assert_snapshot!(tap(b"1..2\nok 1 - \xff\nok 2 - b\n").text(), @"
    passed b
    failed (plan) [TAP::BadPlan]: planned 2 tests, 1 ran
    ! 2: not valid UTF-8 at byte 8
    ! 3: expected test number 1, found 2
    ! 3: planned 2 tests, 1 ran
    ");
}

#[test]
fn yaml_is_kept() {
    let imported = tap(
        "1..2\nok 1 - a\n  ---\n  duration_ms: 250\n  ...\nok 2 - b # SKIP x\n  ---\n  tags: [slow]\n  ...\n",
    );
    assert_eq!(
        imported.metadata(),
        [
            json!({"yaml": {"duration_ms": 250}}),
            json!({"yaml": {"tags": ["slow"]}})
        ]
    );
    assert_eq!(imported.durations(), [0.25]);
    assert_eq!(imported.problems, []);
}

#[test]
fn yaml_that_cannot_be_read_is_kept_as_text() {
    let imported = tap("1..1\nnot ok 1 - a\n  ---\n  message: [open\n  ...\n");
    assert_eq!(imported.metadata(), [json!({"yaml": "message: [open\n"})]);
    assert_eq!(
        imported.failed()[0].message.as_deref(),
        Some("message: [open")
    );
    assert_eq!(imported.problems[0].line, 3);
    let message = &imported.problems[0].message;
    assert!(
        message.starts_with("the YAML block is kept as text: "),
        "{message}"
    );
}

#[test]
fn an_unclosed_yaml_block_ends_with_its_indentation() {
    assert_snapshot!(tap("1..2\nnot ok 1 - a\n  ---\n  message: why\nok 2 - b\n").text(), @"
    failed a [TAP::NotOk]: why
    passed b
    ! 3: the YAML block is not closed by `...`
    ");
    assert_snapshot!(tap("1..1\nnot ok 1 - a\n  ---\n  message: why").text(), @"
    failed a [TAP::NotOk]: why
    ! 3: the YAML block is not closed by `...`
    ");
}

#[test]
fn comments_after_the_yaml_block_are_ignored() {
    assert_snapshot!(tap("1..1\nnot ok 1 - a\n# why\n  ---\n  at: a.js:4:5\n  ...\n# next test\n").text(), @"failed a [TAP::NotOk] at a.js:4: why");
}

#[test]
fn the_result_of_a_subtest_is_not_an_example() {
    assert_snapshot!(tap("# Subtest: s\n    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - s\n  ---\n  error: '1 subtest failed'\n  ...\n1..1\n").text(), @"
    + s
    passed s::a
    failed s::b [TAP::NotOk]: not ok
    - s
    ");
}

#[test]
fn a_failed_subtest_without_failed_tests_is_an_example() {
    assert_snapshot!(tap("# Subtest: s\n    ok 1 - a\n    1..1\nnot ok 1 - s\n# after hook failed\n1..1\n").text(), @"
    + s
    passed s::a
    - s
    failed s [TAP::NotOk]: after hook failed
    ");
    assert_snapshot!(tap("ok 1 - s {\n    ok 1 - a\n}\nnot ok 2 - t {\n    ok 1 - a\n}\n1..2\n").text(), @"
    + s
    passed s::a
    - s
    + t
    passed t::a
    - t
    failed t [TAP::NotOk]: not ok
    ");
}

#[test]
fn a_nested_failure_is_reported_once() {
    assert_snapshot!(tap("# Subtest: s\n    # Subtest: t\n        not ok 1 - a\n        1..1\n    not ok 1 - t\n    1..1\nnot ok 1 - s\n1..1\n").text(), @"
    + s
    + t
    failed s::t::a [TAP::NotOk]: not ok
    - t
    - s
    ");
}

#[test]
fn node_announces_tests_that_are_not_subtests() {
    assert_snapshot!(tap("# Subtest: a\nok 1 - a\n# Subtest: s\n    # Subtest: b\n    ok 1 - b\n    1..1\nok 2 - s\n1..2\n").text(), @"
    passed a
    + s
    passed s::b
    - s
    ");
}

#[test]
fn older_perl_announces_inside() {
    assert_snapshot!(tap("1..1\n    # Subtest: s\n    1..1\n    ok 1 - a\nok 1 - s\n").text(), @"
    + s
    passed s::a
    - s
    ");
}

#[test]
fn bare_subtests_have_no_name() {
    assert_snapshot!(tap("1..2\n    1..1\n    ok 1 - a\nok 1 - s\n    ok noise\nok 2 - b\n").text(), @"
    + (anonymous)
    passed (anonymous)::a
    - (anonymous)
    passed b
    ");
}

#[test]
fn braces_in_all_positions() {
    assert_snapshot!(tap("not ok 1 - s\n  ---\n  at: a.js:4\n  ...\n{\n    ok 1 - a\n}\nok 2 - empty {\n}\nok 3 - only a {\n1..3\n").text(), @"
    + s
    passed s::a
    - s
    failed s [TAP::NotOk] at a.js:4: not ok
    passed empty
    passed only a {
    ");
}

#[test]
fn a_subtest_with_an_unmet_plan_fails_even_if_its_point_is_ok() {
    assert_snapshot!(tap("# Subtest: s\n    1..2\n    ok 1 - a\nok 1 - s\n1..1\n").text(), @"
    + s
    passed s::a
    failed s::(plan) [TAP::BadPlan]: planned 2 tests, 1 ran
    - s
    ! 4: planned 2 tests, 1 ran
    ");
}

#[test]
fn a_point_with_another_name_does_not_close_a_subtest() {
    assert_snapshot!(tap("# Subtest: s\n    not ok 1 - a\nnot ok 1 - b\n1..1\n").text(), @"
    + s
    failed s::a [TAP::NotOk]: not ok
    - s
    failed b [TAP::NotOk]: not ok
    ! 2: subtest `s` is not closed by a test point
    ");
}

#[test]
fn the_end_of_the_input_closes_everything() {
    assert_snapshot!(tap("1..1\n# Subtest: s\n    ok 1 - t {\n        not ok 1 - a").text(), @"
    + s
    + t
    failed s::t::a [TAP::NotOk]: not ok
    - t
    - s
    failed (plan) [TAP::BadPlan]: planned 1 test, 0 ran
    ! 4: subtest `t` is not closed by a test point
    ! 3: subtest `s` is not closed by a test point
    ! 4: planned 1 test, 0 ran
    ");
}

#[test]
fn excessive_nesting_is_limited_and_its_failure_is_reported() {
    let indent = |level| "    ".repeat(level);
    let mut lines = Vec::new();
    for level in 0..100 {
        lines.push(format!("{}# Subtest: s", indent(level)));
    }
    lines.push(format!("{}not ok 1 - a", indent(100)));
    for level in (0..100).rev() {
        lines.push(format!("{}not ok 1 - s", indent(level)));
    }
    let imported = tap(lines.join("\n"));
    assert_eq!(
        imported.failed().len(),
        2,
        "the result on level 64 and the missing plan"
    );
    assert!(imported.problems[0].message.contains("deeper than 64"));
}

#[test]
fn times_are_removed_from_names_that_bats_may_have_written() {
    let imported = tap("1..2\nok 1 a in 12ms\nok 2 - b in 12ms\n");
    assert_eq!(imported.text(), "passed a\npassed b in 12ms");
    assert_eq!(imported.durations(), [0.012, 0.0]);
    assert_eq!(
        tap("TAP version 13\n1..1\nok 1 b in 12ms\n").text(),
        "passed b in 12ms"
    );
}

/// A clock that advances by 100 ms with every call.
fn ticking() -> impl Fn() -> Time {
    let ticks = Cell::new(0);
    move || Time::from_millis(ticks.replace(ticks.get() + 100))
}

#[test]
fn a_test_of_a_live_stream_starts_when_the_previous_one_ends() {
    let clock = ticking();
    let source = ImportSource {
        name: "live",
        now: &clock,
    };
    let mut events = Vec::new();
    let input = "1..2\nok 1 - a # time=30ms\nok 2 - b\n";
    import::tap(input.as_bytes(), &source, &mut |event| events.push(event)).unwrap();
    let times: Vec<_> = events
        .iter()
        .map(|event| event.time().as_millis())
        .collect();
    assert_eq!(times, [0, 0, 100, 100, 200, 300]);
    let imported = super::imported::Imported {
        events,
        problems: Vec::new(),
    };
    assert_eq!(imported.durations(), [0.03, 0.1]);
}

/// Returns one line at a time and records how many events were emitted before each read.
struct Stepwise<'a> {
    lines: Vec<&'static str>,
    emitted: &'a Cell<usize>,
    seen: &'a RefCell<Vec<usize>>,
}

impl Read for Stepwise<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.seen.borrow_mut().push(self.emitted.get());
        if self.lines.is_empty() {
            return Ok(0);
        }
        let line = self.lines.remove(0).as_bytes();
        buffer[..line.len()].copy_from_slice(line);
        Ok(line.len())
    }
}

#[test]
fn events_are_emitted_while_the_stream_is_read() {
    let (emitted, seen) = (Cell::new(0), RefCell::default());
    let reader = Stepwise {
        lines: vec!["1..2\n", "ok 1 - a\n", "not ok 2 - b\n", "# why\n"],
        emitted: &emitted,
        seen: &seen,
    };
    let source = ImportSource {
        name: "live",
        now: &|| Time::from_millis(0),
    };
    let mut count = |_| emitted.set(emitted.get() + 1);
    import::tap(BufReader::new(reader), &source, &mut count).unwrap();
    assert_eq!(seen.into_inner(), [0, 1, 1, 3, 3]);
    assert_eq!(emitted.get(), 6);
}
