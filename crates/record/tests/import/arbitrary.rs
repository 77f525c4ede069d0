//! Properties of imports of arbitrary input: they end, and their events are consistent.

use casebook_record::Event;
use proptest::prelude::*;
use proptest::sample::select;

use super::imported::{Imported, tap, try_junit};

/// Checks the structure that every import has.
fn check(imported: &Imported) {
    let (Some(Event::SuiteStarted(_)), Some(Event::SuiteStopped(_))) =
        (imported.events.first(), imported.events.last())
    else {
        panic!("not the events of a run: {:?}", imported.events);
    };
    let mut running = None;
    let mut groups = Vec::new();
    for event in &imported.events {
        match event {
            Event::GroupStarted(group) => groups.push(&group.description),
            Event::GroupFinished(group) => assert_eq!(groups.pop(), Some(&group.description)),
            Event::ExampleStarted(_) => {
                assert_eq!(running, None);
                running = event.example_id();
            }
            Event::ExamplePassed(_) | Event::ExampleFailed(_) | Event::ExamplePending(_) => {
                assert_eq!(running, event.example_id());
                running = None;
            }
            _ => {}
        }
    }
    assert_eq!(running, None);
    assert!(groups.is_empty());
}

fn tap_line() -> impl Strategy<Value = String> {
    let content = select(vec![
        "ok",
        "not ok",
        "ok 1",
        "ok 2 - a",
        "not ok 1 - a",
        "not ok 3 - b # TODO x",
        "ok 1 - s {",
        "ok # SKIP",
        "{",
        "}",
        "1..2",
        "1..0 # SKIP x",
        "1..1",
        "# Subtest: a",
        "# Subtest: s",
        "# why",
        "---",
        "...",
        "message: why",
        "at: {file: a, line: 1}",
        "x: &a [*a]",
        "- - -",
        "Bail out! x",
        "TAP version 13",
        "noise",
        "",
        "# (in test file a.bats, line 5)",
        "ok 1 a in 5ms",
        "é # é",
    ]);
    (0..14usize, content).prop_map(|(indent, content)| format!("{}{content}", " ".repeat(indent)))
}

fn xml_piece() -> impl Strategy<Value = &'static str> {
    select(vec![
        "<testsuites>",
        "</testsuites>",
        "<testsuite name='s' failures='1'>",
        "</testsuite>",
        "<testsuite/>",
        "<testcase name='a' time='1'>",
        "<testcase>",
        "</testcase>",
        "<testcase name='&'/>",
        "<failure message='m'>",
        "</failure>",
        "<error/>",
        "<skipped/>",
        "<flakyFailure>",
        "</flakyFailure>",
        "<rerunError/>",
        "<stackTrace>",
        "</stackTrace>",
        "<system-out>",
        "</system-out>",
        "<properties>",
        "</properties>",
        "<property name='a' value='b'/>",
        "text",
        "&amp;",
        "&x;",
        "&",
        "&#0;",
        "<![CDATA[x]]>",
        "<!-- x -->",
        "<!-->",
        "<?xml version='1.0'?>",
        "<?x?>",
        "<??>",
        "<!DOCTYPE x [<!ENTITY a 'b'>]>",
        "<!x>",
        "<",
        ">",
        "a.py:5: E",
        "\tat a.B.c(B.java:7)\n",
        "timestamp='9999-12-31T23:59:59Z'",
    ])
}

proptest! {
    #[test]
    fn any_bytes_as_tap(input in proptest::collection::vec(any::<u8>(), 0..400)) {
        check(&tap(input));
    }

    #[test]
    fn any_lines_as_tap(lines in proptest::collection::vec(tap_line(), 0..40)) {
        check(&tap(lines.join("\n")));
    }

    #[test]
    fn any_yaml_under_a_point(yaml in "(?s)[-a-z \n:&*#>|\\[\\]{}'\",?!%0-9.é]{0,200}") {
        let indented = yaml.replace('\n', "\n  ");
        check(&tap(format!("1..1\nnot ok 1\n  ---\n  {indented}\n  ...\n")));
    }

    #[test]
    fn any_bytes_as_junit(input in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(imported) = try_junit(input) {
            check(&imported);
        }
    }

    #[test]
    fn any_pieces_as_junit(pieces in proptest::collection::vec(xml_piece(), 0..40)) {
        if let Ok(imported) = try_junit(pieces.concat()) {
            check(&imported);
        }
        if let Ok(imported) = try_junit(format!("<testsuite>{}</testsuite>", pieces.concat())) {
            check(&imported);
        }
    }

    #[test]
    fn a_failure_is_never_lost(before in proptest::collection::vec(tap_line(), 0..20)) {
        // After any lines that neither end the run nor open a block, a failed test is reported. The `(plan)` example
        // does not count as that report.
        let is_harmless = |line: &&String| !line.contains("Bail") && !line.contains("---");
        let before: Vec<_> = before.iter().filter(is_harmless).cloned().collect();
        let imported = tap(format!("{}\nnot ok - last\n", before.join("\n")));
        let imported = imported.failed();
        prop_assert!(imported.iter().any(|failed| failed.full_description != "(plan)"));
    }
}
