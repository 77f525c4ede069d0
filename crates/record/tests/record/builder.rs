//! Each rule of the builder.

use casebook_record::{Metadata, RunBuilder, RunData, Status, Time};
use serde_json::{Value, json};

use crate::sample_events::{event, run};

fn at(second: u32) -> Time {
    format!("2026-11-15T08:00:{second:02}.000Z")
        .parse()
        .unwrap()
}

#[test]
fn the_first_suite_started_starts_the_run_and_later_ones_only_add() {
    let run = run(&[
        (
            "SuiteStarted",
            json!({"run_id": "first", "example_count": 3, "metadata": {"ruby": "3.3", "w": {"a": 1}}}),
        ),
        (
            "SuiteStarted",
            json!({"run_id": "second", "seed": 7, "git_commit": "abc", "example_count": 2,
            "metadata": {"ruby": "2.0", "w": {"b": 2}}}),
        ),
        ("SuiteStarted", json!({"seed": 8, "load_time": 0.5})),
        ("SuiteStopped", json!({})),
    ]);
    assert_eq!(run.run_id, "first");
    assert_eq!(run.started_at, at(0));
    assert_eq!(run.seed, Some(7.into()));
    assert_eq!(run.git_commit.as_deref(), Some("abc"));
    let metadata: Metadata = serde_json::from_value(
        json!({"example_count": 3, "load_time": 0.5, "ruby": "3.3", "w": {"a": 1, "b": 2}}),
    )
    .unwrap();
    assert_eq!(run.metadata, metadata);
}

#[test]
fn events_before_the_start_of_the_run_are_not_lost() {
    let run = run(&[
        ("ExampleStarted", json!({})),
        ("ExamplePassed", json!({})),
        ("SuiteStarted", json!({"run_id": "late"})),
    ]);
    assert_eq!(run.run_id, "late");
    assert_eq!(run.examples["1"].status, Status::Passed);
}

#[test]
fn a_run_without_suite_started_has_the_fallback_id_and_the_earliest_time() {
    let builder = RunBuilder::new("fallback");
    builder.apply(event("ExamplePassed", 9, &json!({})));
    builder.apply(event("ExampleStarted", 4, &json!({"example_id": "2"})));
    let run = builder.close().unwrap();
    assert_eq!((run.run_id.as_str(), run.started_at), ("fallback", at(4)));
    assert!(builder.close().is_none(), "the builder is empty");
}

#[test]
fn a_run_starts_no_later_than_its_first_example() {
    let run = run_at(&[
        (5, "ExampleStarted", json!({})),
        (6, "SuiteStarted", json!({"run_id": "late"})),
        (7, "ExamplePassed", json!({})),
    ]);
    assert_eq!(run.run_id, "late");
    assert_eq!((run.started_at, run.finished_at), (at(5), Some(at(7))));
}

#[test]
fn nothing_ends_before_it_starts_if_the_clock_is_set_back() {
    let run = run_at(&[
        (30, "SuiteStarted", json!({})),
        (31, "ExampleStarted", json!({})),
        (2, "ExamplePassed", json!({})),
        (3, "ExampleStarted", json!({"example_id": "2"})),
        (4, "SuiteStopped", json!({})),
    ]);
    assert!(run.finished_at.unwrap() >= run.started_at);
    for example in run.examples.values() {
        let conversation = example.conversation.as_ref().unwrap();
        assert!(example.started_at >= run.started_at);
        assert!(example.finished_at.unwrap() >= example.started_at);
        assert!(conversation.ended_at.unwrap() >= conversation.started_at);
        assert!(run.finished_at >= example.finished_at);
    }
}

/// The run built from events at these seconds.
fn run_at(events: &[(u32, &str, Value)]) -> RunData {
    let builder = RunBuilder::new("fallback");
    for (second, kind, fields) in events {
        builder.apply(event(kind, *second, fields));
    }
    builder.close().unwrap()
}

#[test]
fn the_end_of_the_run_moves_forward_only() {
    let builder = RunBuilder::new("fallback");
    for second in [5, 9, 2] {
        builder.apply(event("SuiteStopped", second, &json!({})));
    }
    assert_eq!(builder.close().unwrap().finished_at, Some(at(9)));
}

#[test]
fn an_example_that_passed() {
    let run = run(&[
        (
            "ExampleStarted",
            json!({"location": "C:/x.rb:7", "stable_id": "s", "metadata": {"tags": ["slow"]}}),
        ),
        (
            "ExamplePassed",
            json!({"duration": 0.0126, "metadata": {"command": {"exit_code": 0}}}),
        ),
    ]);
    let example = &run.examples["1"];
    assert_eq!(example.file, "C:/x.rb");
    assert_eq!(example.duration_ms, Some(13), "rounded");
    assert_eq!(
        (example.started_at, example.finished_at),
        (at(0), Some(at(1)))
    );
    assert_eq!(example.metadata.dig("tags.0"), Some(&json!("slow")));
    assert_eq!(example.metadata.dig("command.exit_code"), Some(&json!(0)));
    assert_eq!(
        example.full_description.as_deref(),
        Some("Sum adds"),
        "there is no canonical path with the groups"
    );
}

#[test]
fn an_example_that_failed_keeps_class_message_location_and_ten_lines_of_backtrace() {
    let backtrace: Vec<_> = (0..15).map(|line| format!("frame {line}")).collect();
    let failed = json!({"exception_class": "KeyError", "message": "no key", "backtrace": backtrace, "location": "lib/a.rb:9"});
    let run = run(&[("ExampleStarted", json!({})), ("ExampleFailed", failed)]);
    let exception = run.examples["1"].exception.as_ref().unwrap();
    assert_eq!(exception.class_name.as_deref(), Some("KeyError"));
    assert_eq!(exception.message.as_deref(), Some("no key"));
    assert_eq!(exception.location.as_deref(), Some("lib/a.rb:9"));
    assert_eq!(exception.backtrace.len(), 10);
}

#[test]
fn a_pending_example_keeps_its_reason_and_its_open_turn() {
    let run = run(&[
        ("ExampleStarted", json!({})),
        ("UserMessage", json!({"text": "hello"})),
        ("ExamplePending", json!({"message": "not yet"})),
    ]);
    let example = &run.examples["1"];
    assert_eq!(example.status, Status::Pending);
    assert_eq!(example.duration_ms, Some(2000));
    assert_eq!(
        example.metadata.get("pending_message"),
        Some(&json!("not yet"))
    );
    assert_eq!(example.conversation.as_ref().unwrap().turns.len(), 1);
}

#[test]
fn attempts_in_the_metadata_of_an_event_do_not_replace_the_earlier_attempts() {
    let counted = json!({"metadata": {"attempts": 2}});
    let run = run(&[
        ("ExampleStarted", json!({})),
        ("ExampleFailed", counted.clone()),
        ("ExampleStarted", counted.clone()),
        ("ExamplePassed", counted),
    ]);
    let [first] = run.examples["1"].attempts() else {
        panic!("{:?}", run.examples["1"].metadata)
    };
    assert_eq!(first["status"], "failed");
    assert_eq!(first["metadata"]["attempts"], 2);
    assert!(run.examples["1"].is_flaky());
}

#[test]
fn a_second_start_stores_the_complete_first_attempt() {
    let run = run(&[
        ("ExampleStarted", json!({"position": 3})),
        ("UserMessage", json!({"text": "first"})),
        ("EvaluationRecorded", json!({"passed": false})),
        ("ExampleFailed", json!({"message": "broke"})),
        ("ExampleStarted", json!({})),
        ("ExampleStarted", json!({})),
        ("UserMessage", json!({"text": "third"})),
        ("ExamplePassed", json!({})),
    ]);
    let example = &run.examples["1"];
    assert!(example.is_flaky());
    assert_eq!(*example.evaluations, []);
    assert_eq!(
        example.conversation.as_ref().unwrap().turns[0]
            .user_message
            .as_ref()
            .unwrap()
            .content,
        "third"
    );
    let [first, second] = example.attempts() else {
        panic!("{:?}", example.attempts())
    };
    assert_eq!(first["status"], "failed");
    assert_eq!(first["exception"]["message"], "broke");
    assert_eq!(
        first["conversation"]["turns"][0]["user_message"]["content"],
        "first"
    );
    assert_eq!(first["evaluations"][0]["passed"], false);
    assert_eq!(second["exception"]["class_name"], "Casebook::Interrupted");
}

#[test]
fn planned_examples_without_events_are_named() {
    let planned = |id: &str| json!({"id": id, "description": format!("test {id}")});
    let run = run(&[
        (
            "SuiteStarted",
            json!({"example_count": 3, "metadata": {"planned": [planned("1"), planned("2"), planned("3")]}}),
        ),
        ("ExampleStarted", json!({})),
        ("ExamplePassed", json!({})),
        // A resumed run plans what was left.
        (
            "SuiteStarted",
            json!({"metadata": {"planned": [planned("2"), planned("3")]}}),
        ),
        ("ExampleStarted", json!({"example_id": "3"})),
    ]);
    assert_eq!(run.metadata.get("planned"), None);
    assert_eq!(
        run.metadata.get("not_run"),
        Some(&json!([{"id": "2", "description": "test 2"}]))
    );
}

#[test]
fn evaluations_keep_their_turn_and_fall_back_to_the_description() {
    let run = run(&[
        ("ExampleStarted", json!({})),
        (
            "EvaluationRecorded",
            json!({"description": "is kind", "turn_number": 4, "mode": "soft", "reasoning": "r"}),
        ),
        (
            "EvaluationRecorded",
            json!({"description": "d", "name": "n", "turn_number": null, "failure_message": "f"}),
        ),
        ("ExamplePassed", json!({})),
    ]);
    let [first, second] = run.examples["1"].evaluations.as_slice() else {
        panic!()
    };
    assert_eq!(
        (
            first.name.as_str(),
            first.turn_number,
            first.mode.as_deref()
        ),
        ("is kind", Some(4), Some("soft"))
    );
    assert_eq!((second.name.as_str(), second.turn_number), ("n", None));
    assert_eq!(
        (
            first.reasoning.as_deref(),
            second.failure_message.as_deref()
        ),
        (Some("r"), Some("f"))
    );
}

#[test]
fn events_after_the_end_of_an_example_are_ignored_and_counted() {
    let builder = RunBuilder::new("fallback");
    for (second, (kind, fields)) in (0..).zip([
        ("ExampleStarted", json!({})),
        ("ExamplePassed", json!({})),
        ("UserMessage", json!({"text": "late"})),
        ("ExampleFailed", json!({"message": "late"})),
    ]) {
        builder.apply(event(kind, second, &fields));
    }
    assert_eq!(builder.late_event_count(), 2);
    let run = builder.close().unwrap();
    assert_eq!(run.examples["1"].status, Status::Passed);
    assert_eq!(run.examples["1"].conversation.as_ref().unwrap().turns, []);
}

#[test]
fn examples_still_running_at_the_end_are_interrupted() {
    let builder = RunBuilder::new("fallback");
    builder.apply(event("ExampleStarted", 3, &json!({})));
    builder.apply(event("UserMessage", 5, &json!({})));
    assert_eq!(
        builder.snapshot().unwrap().examples["1"].status,
        Status::Running
    );
    let run = builder.close().unwrap();
    let example = &run.examples["1"];
    assert_eq!(example.status, Status::Failed);
    assert_eq!(example.duration_ms, Some(2000));
    assert_eq!(
        example.exception.as_ref().unwrap().class_name.as_deref(),
        Some("Casebook::Interrupted")
    );
    assert_eq!(
        run.finished_at,
        Some(at(5)),
        "closed at the time of the last event"
    );
}

#[test]
fn an_example_without_a_start_event_is_kept() {
    let run = run(&[
        ("UserMessage", json!({"text": "hi"})),
        ("ExamplePassed", json!({"stable_id": "s"})),
    ]);
    let example = &run.examples["1"];
    assert_eq!(
        (example.description.as_str(), example.title()),
        ("adds", "Sum adds")
    );
    assert_eq!(example.stable_id.as_deref(), Some("s"));
    assert_eq!(example.conversation.as_ref().unwrap().turns.len(), 1);
}

#[test]
fn examples_are_in_the_planned_order_then_in_order_of_arrival() {
    let start = |id: &str, position: Option<u32>| {
        (
            "ExampleStarted",
            json!({"example_id": id, "position": position}),
        )
    };
    let run = run(&[
        start("z", None),
        start("c", Some(2)),
        start("a", None),
        start("b", Some(1)),
        start("d", Some(0)),
    ]);
    assert_eq!(
        run.examples.keys().collect::<Vec<_>>(),
        ["d", "b", "c", "z", "a"]
    );
}

#[test]
fn a_scenario_as_plain_data_is_registered_once() {
    let scenario = json!({"name": "corporate event", "goal": "Find a venue for 50 people", "context": ["x"], "extra": 1});
    let run = run(&[
        ("ExampleStarted", json!({"scenario": scenario})),
        (
            "ExampleStarted",
            json!({"example_id": "2", "scenario": scenario}),
        ),
        (
            "ExampleStarted",
            json!({"example_id": "3", "scenario": {"id": "vip"}}),
        ),
        (
            "ExampleStarted",
            json!({"example_id": "4", "scenario": "just a name"}),
        ),
        (
            "ExampleStarted",
            json!({"example_id": "5", "scenario": null}),
        ),
    ]);
    assert_eq!(run.scenarios.len(), 3);
    let id = run.examples["1"].scenario_id.as_ref().unwrap();
    assert_eq!(run.examples["2"].scenario_id.as_ref(), Some(id));
    let registered = &run.scenarios[id];
    assert_eq!(registered.name.as_deref(), Some("corporate event"));
    assert_eq!(
        registered.goal.as_deref(),
        Some("Find a venue for 50 people")
    );
    assert_eq!(*registered.data.value(), scenario, "all of it is kept");
    assert_eq!(run.scenarios["vip"].name.as_deref(), Some("vip"));
    assert_eq!(run.examples["5"].scenario_id, None);
}

#[test]
fn two_examples_with_the_same_description_are_kept_apart() {
    let run = run(&[
        ("ExampleStarted", json!({})),
        ("ExampleStarted", json!({"example_id": "2"})),
    ]);
    assert_eq!(run.examples.len(), 2);
}

#[test]
fn an_example_and_its_scenario_can_be_read_during_the_run() {
    let builder = RunBuilder::new("run");
    for (id, scenario) in [("1", "big"), ("2", "small")] {
        let fields = json!({"example_id": id, "scenario": {"id": scenario, "name": scenario}});
        builder.apply(event("ExampleStarted", 0, &fields));
    }
    builder.apply(event("ExamplePassed", 1, &json!({"example_id": "2"})));
    let two = builder.example("2").unwrap();
    assert_eq!((two.examples.len(), two.scenarios.len()), (1, 1));
    let example = &two.examples["2"];
    assert_eq!(example.status, Status::Passed);
    let scenario = &two.scenarios[example.scenario_id.as_ref().unwrap()];
    assert_eq!(scenario.name.as_deref(), Some("small"));
    assert!(builder.example("3").is_none());
    assert_eq!(builder.close().unwrap().examples.len(), 2);
}
