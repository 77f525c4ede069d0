//! How fast events become run data and files, as ratios to what `serde_json` does with the same bytes.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark times and tells"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run should stop"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use casebook_record::event::{
    AgentResponse, EvaluationRecorded, ExamplePassed, ExampleStarted, SimulationEnded,
    SimulationStarted, SuiteStarted, SuiteStopped, ToolCall, ToolCallCompleted, TopicChanged,
    UserMessage,
};
use casebook_record::{
    Bus, Event, Json, Metadata, RunBuilder, RunData, Time, decode, encode_line, read_run, write_run,
};
use serde_json::{Value, json};

const EXAMPLES: u64 = 1_000;
const EVENTS_EACH: u64 = 200;
const ROUNDS: usize = 7;

fn main() {
    let events = all_events();
    let mut lines = Vec::new();
    events
        .iter()
        .for_each(|event| encode_line(event, &mut lines));
    let text = String::from_utf8(lines).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    write_run(&path, &build(events.clone())).unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    eprintln!(
        "{} events, {} MB of lines, run.json {} MB",
        events.len(),
        text.len() / 1_000_000,
        size / 1_000_000
    );

    std::fs::write("/tmp/lines.jsonl", &text).unwrap();
    std::fs::copy(&path, "/tmp/run.json").unwrap();
    let run = read_run(&path).unwrap();
    let json = std::fs::read(&path).unwrap();
    let value: Value = serde_json::from_slice(&json).unwrap();
    let mut t: Vec<(&str, Vec<Duration>)> = Vec::new();
    let mut time = |name: &'static str, f: &mut dyn FnMut() -> Option<RunData>| {
        let start = Instant::now();
        let run = f();
        let took = start.elapsed();
        drop(run);
        match t.iter_mut().find(|(n, _)| *n == name) {
            Some((_, v)) => v.push(took),
            None => t.push((name, vec![took])),
        }
    };
    for _ in 0..ROUNDS {
        time("lines to Value", &mut || {
            for line in text.lines() {
                black_box(serde_json::from_str::<Value>(line).unwrap());
            }
            None
        });
        time("decode only", &mut || {
            for line in text.lines() {
                black_box(decode(line).unwrap());
            }
            None
        });
        time("decode and build", &mut || {
            let builder = RunBuilder::new("x");
            for line in text.lines() {
                builder.apply(decode(line).unwrap());
            }
            builder.close()
        });
        let mut made = Vec::new();
        time("construct", &mut || {
            made = all_events();
            None
        });
        time("publish and build", &mut || {
            let bus = Bus::new();
            let builder = RunBuilder::new("x");
            bus.subscribe_inline(builder.clone());
            for event in std::mem::take(&mut made) {
                bus.publish(event);
            }
            bus.close();
            builder.close()
        });
        time("to_writer_pretty", &mut || {
            let mut out = Vec::new();
            serde_json::to_writer_pretty(&mut out, &value).unwrap();
            black_box(out);
            None
        });
        time("to_writer_pretty RunData mem", &mut || {
            let mut out = Vec::new();
            serde_json::to_writer_pretty(&mut out, &run).unwrap();
            black_box(out);
            None
        });
        time("plain BufWriter file", &mut || {
            let f = std::fs::File::create(folder.path().join("x.json")).unwrap();
            let mut w = std::io::BufWriter::with_capacity(1 << 18, f);
            serde_json::to_writer_pretty(&mut w, &run).unwrap();
            std::io::Write::flush(&mut w).unwrap();
            None
        });
        time("plain BufWriter file + fsync", &mut || {
            let f = std::fs::File::create(folder.path().join("y.json")).unwrap();
            let mut w = std::io::BufWriter::with_capacity(1 << 18, f);
            serde_json::to_writer_pretty(&mut w, &run).unwrap();
            std::io::Write::flush(&mut w).unwrap();
            w.get_ref().sync_all().unwrap();
            None
        });
        time("write run.json", &mut || {
            write_run(&path, &run).unwrap();
            None
        });
        time("parse to Value", &mut || {
            std::mem::forget(serde_json::from_slice::<Value>(&json).unwrap());
            None
        });
        time("parse to RunData mem", &mut || {
            Some(serde_json::from_slice::<RunData>(&json).unwrap())
        });
        time("read run.json", &mut || Some(read_run(&path).unwrap()));
    }
    for (name, mut v) in t {
        v.sort();
        println!("{name:30} min {:?} med {:?}", v[0], v[v.len() / 2]);
    }
}

fn build(events: Vec<Event>) -> RunData {
    let builder = RunBuilder::new("bench");
    events.into_iter().for_each(|event| builder.apply(event));
    builder.close().unwrap()
}

fn all_events() -> Vec<Event> {
    let mut events = Vec::with_capacity(usize::try_from(EXAMPLES * EVENTS_EACH).unwrap() + 2);
    events.push(SuiteStarted::at(Time::from_millis(1_763_195_251_594), EXAMPLES).into());
    (0..EXAMPLES).for_each(|number| example(number, &mut events));
    events.push(
        SuiteStopped {
            time: Time::from_millis(1_763_195_951_594),
        }
        .into(),
    );
    events
}

/// A simulated conversation of 48 turns: 200 events.
fn example(number: u64, events: &mut Vec<Event>) {
    let id = format!("example:{number:012x}");
    let mut clock = 1_763_195_251_600 + i64::try_from(number).unwrap() * 500;
    let mut now = || {
        clock += 2;
        Time::from_millis(clock)
    };
    let description = format!("books a venue for {number} people");
    events.push(
        ExampleStarted {
            time: now(),
            example_id: id.clone(),
            stable_id: Some(id.clone()),
            canonical_path: Some(format!("Booking agent::venues::{description}")),
            full_description: format!("Booking agent venues {description}"),
            description: description.clone(),
            location: format!("spec/booking_spec.rb:{number}"),
            scenario: None,
            position: Some(number),
            metadata: Metadata::new(),
        }
        .into(),
    );
    events.push(
        SimulationStarted {
            time: now(),
            example_id: id.clone(),
            goal: format!("Find a venue for {number} people"),
            max_turns: 48,
        }
        .into(),
    );
    for turn_number in 1..=48 {
        events.push(
            UserMessage {
                time: now(),
                example_id: id.clone(),
                turn_number,
                text: format!("I need a venue for {number} people on day {turn_number}, with a stage and a kitchen."),
                source: Some("simulator".into()),
            }
            .into(),
        );
        if turn_number % 12 == 0 {
            events.push(
                TopicChanged {
                    time: now(),
                    example_id: id.clone(),
                    turn_number,
                    from_topic: Some("search".into()),
                    to_topic: format!("topic {turn_number}"),
                    trigger: None,
                }
                .into(),
            );
        }
        let arguments = Json::from(json!({"query": format!("venues for {number}"), "limit": 5}));
        let result =
            Json::from(json!({"venues": ["Grand Hall", "Old Mill"], "total": turn_number}));
        events.push(
            ToolCallCompleted {
                time: now(),
                example_id: id.clone(),
                turn_number,
                tool_name: "search_venues".into(),
                arguments: arguments.clone(),
                result: Some(result.clone()),
                error: None,
                metadata: Metadata::new(),
            }
            .into(),
        );
        let call = ToolCall {
            name: "search_venues".into(),
            arguments,
            result: Some(result),
            error: None,
            metadata: Metadata::new(),
        };
        let mut metadata = Metadata::new();
        metadata.set(
            "tracing",
            json!({"model": "small", "latency_ms": 412, "tokens": {"input": 812, "output": 96}}),
        );
        events.push(
            AgentResponse {
                time: now(),
                example_id: id.clone(),
                turn_number,
                text: format!("I found the Grand Hall and the Old Mill for {number} people. Shall I book one of them for you?"),
                tool_calls: vec![call],
                metadata,
            }
            .into(),
        );
        events.push(
            EvaluationRecorded {
                time: now(),
                example_id: id.clone(),
                turn_number: Some(turn_number),
                mode: Some("soft".into()),
                r#type: Some("quality".into()),
                name: Some("friendly".into()),
                description: "the answer is friendly".into(),
                passed: true,
                reasoning: Some("It offers help without pushing.".into()),
                failure_message: None,
                metadata: Metadata::new(),
            }
            .into(),
        );
    }
    events.push(
        SimulationEnded {
            time: now(),
            example_id: id.clone(),
            turn_count: 48,
            termination_reason: "goal_reached".into(),
        }
        .into(),
    );
    events.push(
        ExamplePassed {
            time: now(),
            example_id: id.clone(),
            stable_id: Some(id),
            full_description: format!("Booking agent venues {description}"),
            description,
            duration: 0.4,
            metadata: Metadata::new(),
        }
        .into(),
    );
}
