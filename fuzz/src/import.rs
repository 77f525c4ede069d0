//! The events of an importer are those of one run.

use casebook_record::import::ImportSource;
use casebook_record::{Event, Problem, Time};

use crate::survives;

/// The source passed to an importer: always the same, so that an input can be repeated.
pub const SOURCE: ImportSource<'static> = ImportSource {
    name: "input",
    now: &now,
};

fn now() -> Time {
    Time::from_millis(1_763_195_251_594)
}

/// Events that fit together, about lines that the input has.
pub fn run(input: &[u8], events: &[Event], problems: &[Problem]) {
    frame(events);
    groups(events);
    attempts(events);
    let lines = input.split(|byte| *byte == b'\n').count() as u64;
    for problem in problems {
        assert!(problem.line <= lines, "{problem:?} of {lines} lines");
    }
    survives::events(events);
}

/// The run starts first and stops last, and does neither in between.
fn frame(events: &[Event]) {
    let [Event::SuiteStarted(_), within @ .., Event::SuiteStopped(_)] = events else {
        panic!("not the events of a run: {events:?}");
    };
    let other = |event: &Event| !matches!(event, Event::SuiteStarted(_) | Event::SuiteStopped(_));
    assert!(within.iter().all(other), "{events:?}");
}

/// Groups are closed in the order that nesting asks for.
fn groups(events: &[Event]) {
    let mut open = Vec::new();
    for event in events {
        match event {
            Event::GroupStarted(group) => open.push(&group.description),
            Event::GroupFinished(group) => assert_eq!(open.pop(), Some(&group.description)),
            _ => {}
        }
    }
    assert!(open.is_empty(), "still open: {open:?}");
}

/// Every start of an example is followed by exactly one end of it, before the next start.
fn attempts(events: &[Event]) {
    let mut running = None;
    for event in events {
        match event {
            Event::ExampleStarted(_) => {
                assert_eq!(running, None, "an attempt began within another");
                running = event.example_id();
            }
            Event::ExamplePassed(_) | Event::ExampleFailed(_) | Event::ExamplePending(_) => {
                assert_eq!(running, event.example_id(), "an end without its start");
                running = None;
            }
            _ => {}
        }
    }
    assert_eq!(running, None, "an attempt without an end");
}
