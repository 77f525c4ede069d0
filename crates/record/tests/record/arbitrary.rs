//! Arbitrary events and run data for property tests.

use casebook_record::event::{
    AgentResponse, EvaluationRecorded, ExampleFailed, ExamplePassed, ExamplePending,
    ExampleStarted, GroupFinished, GroupStarted, SimulationEnded, SimulationStarted, SuiteStarted,
    SuiteStopped, SuiteSummary, ToolCall, ToolCallCompleted, TopicChanged, UserMessage,
};
use casebook_record::{Event, Json, Metadata, Time};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Map, Value};

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z ]{0,12}", 1 => any::<String>(), 1 => Just("\u{0}\u{1b}\"\\\n\u{2028}é😀".to_owned())]
}

pub(crate) fn time() -> impl Strategy<Value = Time> {
    prop_oneof![
        (0..4_102_444_800_000_i64).prop_map(Time::from_millis),
        any::<i64>().prop_map(Time::from_millis)
    ]
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        finite().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

pub(crate) fn json() -> impl Strategy<Value = Json> {
    value().prop_map(Json::from)
}

pub(crate) fn metadata() -> impl Strategy<Value = Metadata> {
    let fields = vec((text(), value()), 0..4);
    prop_oneof![2 => Just(Metadata::new()), 1 => fields.prop_map(|fields| fields.into_iter().collect::<Map<_, _>>().into())]
}

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("JSON has no such number", |number| number.is_finite())
}

fn tool_call() -> impl Strategy<Value = ToolCall> {
    (text(), json(), of(json()), of(text()), metadata()).prop_map(
        |(name, arguments, result, error, metadata)| ToolCall {
            name,
            arguments,
            result,
            error,
            metadata,
        },
    )
}

/// Any event.
pub(crate) fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        suite_event(),
        text().prop_flat_map(started),
        text().prop_flat_map(within)
    ]
}

fn suite_event() -> BoxedStrategy<Event> {
    prop_oneof![
        (
            time(),
            any::<u64>(),
            of(finite()),
            of(any::<i64>()),
            of(text()),
            of(text()),
            metadata()
        )
            .prop_map(
                |(time, example_count, load_time, seed, run_id, git_commit, metadata)| {
                    let seed = seed.map(Into::into);
                    SuiteStarted {
                        time,
                        example_count,
                        load_time,
                        seed,
                        run_id,
                        git_commit,
                        metadata,
                    }
                    .into()
                }
            ),
        time().prop_map(|time| SuiteStopped { time }.into()),
        (time(), finite(), any::<[u64; 3]>()).prop_map(
            |(time, duration, [example_count, failure_count, pending_count])| {
                SuiteSummary {
                    time,
                    duration,
                    example_count,
                    failure_count,
                    pending_count,
                }
                .into()
            }
        ),
        (
            time(),
            text(),
            of(text()),
            of(any::<u64>()),
            of(any::<u64>())
        )
            .prop_map(
                |(time, description, file_path, line_number, example_count)| {
                    GroupStarted {
                        time,
                        description,
                        file_path,
                        line_number,
                        example_count,
                    }
                    .into()
                }
            ),
        (time(), text()).prop_map(|(time, description)| GroupFinished { time, description }.into()),
    ]
    .boxed()
}

/// The start event of this example.
pub(crate) fn started(example_id: String) -> BoxedStrategy<Event> {
    (
        time(),
        [of(text()), of(text())],
        [text(), text(), text()],
        of(json()),
        of(any::<u64>()),
        metadata(),
    )
        .prop_map(
            move |(time, [stable_id, canonical_path], texts, scenario, position, metadata)| {
                let [description, full_description, location] = texts;
                let example_id = example_id.clone();
                // A `null` scenario counts as none.
                let scenario = scenario.filter(|scenario| !scenario.is_null());
                ExampleStarted {
                    time,
                    example_id,
                    stable_id,
                    canonical_path,
                    description,
                    full_description,
                    location,
                    scenario,
                    position,
                    metadata,
                }
                .into()
            },
        )
        .boxed()
}

/// Any event of this example except its start.
pub(crate) fn within(example_id: String) -> BoxedStrategy<Event> {
    prop_oneof![6 => conversation_event(&example_id), 1 => end(example_id)].boxed()
}

/// An end event of this example.
pub(crate) fn end(id: String) -> BoxedStrategy<Event> {
    let (passed, failed, pending) = (id.clone(), id.clone(), id);
    prop_oneof![
        (time(), of(text()), [text(), text()], finite(), metadata()).prop_map(
            move |(time, stable_id, [description, full_description], duration, metadata)| {
                let example_id = passed.clone();
                ExamplePassed {
                    time,
                    example_id,
                    stable_id,
                    description,
                    full_description,
                    duration,
                    metadata,
                }
                .into()
            }
        ),
        (
            time(),
            of(text()),
            [text(), text(), text()],
            finite(),
            [of(text()), of(text())],
            of(vec(text(), 0..14)),
            metadata()
        )
            .prop_map(
                move |(
                    time,
                    stable_id,
                    texts,
                    duration,
                    [message, exception_class],
                    backtrace,
                    metadata,
                )| {
                    let example_id = failed.clone();
                    let [description, full_description, location] = texts;
                    ExampleFailed {
                        time,
                        example_id,
                        stable_id,
                        description,
                        full_description,
                        location,
                        duration,
                        message,
                        backtrace,
                        exception_class,
                        metadata,
                    }
                    .into()
                }
            ),
        (time(), of(text()), [text(), text()], of(text()), metadata()).prop_map(
            move |(time, stable_id, [description, full_description], message, metadata)| {
                let example_id = pending.clone();
                ExamplePending {
                    time,
                    example_id,
                    stable_id,
                    description,
                    full_description,
                    message,
                    metadata,
                }
                .into()
            }
        ),
    ]
    .boxed()
}

fn conversation_event(id: &str) -> BoxedStrategy<Event> {
    prop_oneof![4 => turn_event(id), 1 => simulation_event(id), 2 => evaluation_event(id)].boxed()
}

fn simulation_event(id: &str) -> BoxedStrategy<Event> {
    let (started, ended) = (id.to_owned(), id.to_owned());
    prop_oneof![
        (time(), text(), any::<u64>()).prop_map(move |(time, goal, max_turns)| {
            SimulationStarted {
                time,
                example_id: started.clone(),
                goal,
                max_turns,
            }
            .into()
        }),
        (time(), any::<u64>(), text()).prop_map(move |(time, turn_count, termination_reason)| {
            SimulationEnded {
                time,
                example_id: ended.clone(),
                turn_count,
                termination_reason,
            }
            .into()
        }),
    ]
    .boxed()
}

fn turn_event(id: &str) -> BoxedStrategy<Event> {
    let [user, agent, topic, tool] = std::array::from_fn(|_| id.to_owned());
    prop_oneof![
        (time(), any::<u64>(), text(), of(text()), metadata()).prop_map(
            move |(time, turn_number, text, source, metadata)| {
                UserMessage {
                    time,
                    example_id: user.clone(),
                    turn_number,
                    text,
                    source,
                    metadata,
                }
                .into()
            }
        ),
        (
            time(),
            any::<u64>(),
            text(),
            vec(tool_call(), 0..3),
            metadata()
        )
            .prop_map(move |(time, turn_number, text, tool_calls, metadata)| {
                let example_id = agent.clone();
                AgentResponse {
                    time,
                    example_id,
                    turn_number,
                    text,
                    tool_calls,
                    metadata,
                }
                .into()
            }),
        (time(), any::<u64>(), of(text()), text(), of(text())).prop_map(
            move |(time, turn_number, from_topic, to_topic, trigger)| {
                TopicChanged {
                    time,
                    example_id: topic.clone(),
                    turn_number,
                    from_topic,
                    to_topic,
                    trigger,
                }
                .into()
            }
        ),
        (time(), any::<u64>(), tool_call()).prop_map(move |(time, turn_number, call)| {
            ToolCallCompleted {
                time,
                example_id: tool.clone(),
                turn_number,
                tool_name: call.name,
                arguments: call.arguments,
                result: call.result,
                error: call.error,
                metadata: call.metadata,
            }
            .into()
        }),
    ]
    .boxed()
}

fn evaluation_event(id: &str) -> BoxedStrategy<Event> {
    let example_id = id.to_owned();
    let texts = [of(text()), of(text()), of(text()), of(text()), of(text())];
    (
        time(),
        of(any::<u64>()),
        texts,
        text(),
        any::<bool>(),
        metadata(),
    )
        .prop_map(
            move |(time, turn_number, texts, description, passed, metadata)| {
                let [mode, r#type, name, reasoning, failure_message] = texts;
                EvaluationRecorded {
                    time,
                    example_id: example_id.clone(),
                    turn_number,
                    mode,
                    r#type,
                    name,
                    description,
                    passed,
                    reasoning,
                    failure_message,
                    metadata,
                }
                .into()
            },
        )
        .boxed()
}
