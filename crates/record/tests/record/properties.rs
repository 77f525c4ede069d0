//! Properties that hold for any events.

use casebook_record::event::{SuiteStarted, SuiteStopped};
use casebook_record::{Event, RunBuilder, RunData, Time, decode, encode};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use crate::arbitrary;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_event_survives_json_both_ways(event in arbitrary::event()) {
        let line = encode(&event);
        prop_assert!(!line.contains(['\n', '\r']), "{}", line);
        prop_assert_eq!(decode(&line).unwrap(), event);
    }

    #[test]
    fn run_data_survives_json_both_ways(events in vec(arbitrary::event(), 1..40)) {
        let run = build(events);
        for json in [serde_json::to_string(&run).unwrap(), serde_json::to_string_pretty(&run).unwrap()] {
            prop_assert_eq!(&serde_json::from_str::<RunData>(&json).unwrap(), &run);
        }
    }

    #[test]
    fn interleaving_changes_nothing((streams, choices) in several_examples()) {
        let one_after_another = build(streams.iter().flatten().cloned().collect());
        let interleaved = build(interleave(streams, &choices));
        prop_assert_eq!(
            serde_json::to_string_pretty(&interleaved).unwrap(),
            serde_json::to_string_pretty(&one_after_another).unwrap()
        );
        prop_assert_eq!(interleaved, one_after_another);
    }

    #[test]
    fn a_closed_run_has_no_example_running(events in vec(arbitrary::event(), 1..40)) {
        let run = build(events);
        prop_assert_eq!(run.summary().running_count, 0);
        prop_assert!(run.examples.values().all(|example| example.finished_at.is_some()));
        prop_assert!(run.finished_at.is_some());
    }
}

/// The start and end of the run and the events of up to four examples, each as a separate stream, with the choices
/// that interleave them. Every example has a position, as in a planned run.
fn several_examples() -> impl Strategy<Value = (Vec<Vec<Event>>, Vec<usize>)> {
    let run = [
        SuiteStarted::at(Time::from_millis(7), 4).into(),
        SuiteStopped {
            time: Time::from_millis(9),
        }
        .into(),
    ];
    let examples = (1..=4_u64)
        .map(|place| example(format!("example {place}"), place))
        .collect::<Vec<_>>();
    (examples, vec(any::<usize>(), 400)).prop_map(move |(mut streams, choices)| {
        streams.insert(0, run.to_vec());
        (streams, choices)
    })
}

/// A start, some events, sometimes an end, sometimes a retry, sometimes events after the end.
fn example(id: String, place: u64) -> impl Strategy<Value = Vec<Event>> {
    let start = arbitrary::started(id.clone()).prop_map(move |event| match event {
        Event::ExampleStarted(mut event) => {
            event.position = Some(place);
            // Often the same id, with different content.
            if let Some(scenario) = &event.scenario
                && place.is_multiple_of(2)
            {
                event.scenario = Some(json!({"id": "shared", "goal": scenario.value()}).into());
            }
            Event::ExampleStarted(event)
        }
        other => other,
    });
    let attempt = (start, vec(arbitrary::within(id), 0..12)).prop_map(|(start, mut rest)| {
        rest.insert(0, start);
        rest
    });
    vec(attempt, 1..3).prop_map(|attempts| attempts.concat())
}

fn interleave(streams: Vec<Vec<Event>>, choices: &[usize]) -> Vec<Event> {
    let mut streams: Vec<_> = streams.into_iter().map(Vec::into_iter).collect();
    let mut mixed = Vec::new();
    let mut choices = choices.iter().cycle();
    loop {
        streams.retain(|stream| !stream.as_slice().is_empty());
        if streams.is_empty() {
            return mixed;
        }
        let chosen = choices.next().expect("a cycle is infinite") % streams.len();
        mixed.extend(streams[chosen].next());
    }
}

fn build(events: Vec<Event>) -> RunData {
    let builder = RunBuilder::new("a run");
    events.into_iter().for_each(|event| builder.apply(event));
    builder.close().expect("there were events")
}
