//! The measured run: 1,000 simulated conversations of 200 events.

use casebook_record::event::{
    AgentResponse, EvaluationRecorded, ExamplePassed, ExampleStarted, SimulationEnded,
    SimulationStarted, SuiteStarted, SuiteStopped, ToolCall, ToolCallCompleted, TopicChanged,
    UserMessage,
};
use casebook_record::{Event, Json, Metadata, Time};
use serde_json::json;

const EXAMPLES: usize = 1_000;
const TURNS: u64 = 48;
pub(crate) const EVENTS: usize = EXAMPLES * 200 + 2;

pub(crate) fn events() -> Vec<Event> {
    let mut events = Vec::with_capacity(EVENTS);
    events.push(SuiteStarted::at(Time::from_millis(1_763_195_251_594), EXAMPLES as u64).into());
    (0..EXAMPLES as u64).for_each(|number| example(number, &mut events));
    events.push(
        SuiteStopped {
            time: Time::from_millis(1_763_195_951_594),
        }
        .into(),
    );
    assert_eq!(events.len(), EVENTS);
    events
}

fn example(number: u64, events: &mut Vec<Event>) {
    let id = format!("example:{number:012x}");
    let mut clock = 1_763_195_251_600;
    let mut now = move || {
        clock += 2;
        Time::from_millis(clock)
    };
    let description = format!("books a venue for {number} people");
    events.push(started(now(), number, &id, &description).into());
    let goal = format!("Find a venue for {number} people");
    events.push(
        SimulationStarted {
            time: now(),
            example_id: id.clone(),
            goal,
            max_turns: TURNS,
        }
        .into(),
    );
    (1..=TURNS).for_each(|turn| events.extend(self::turn(&mut now, number, &id, turn)));
    let termination_reason = "goal_reached".into();
    events.push(
        SimulationEnded {
            time: now(),
            example_id: id.clone(),
            turn_count: TURNS,
            termination_reason,
        }
        .into(),
    );
    events.push(passed(now(), &id, &description).into());
}

fn started(time: Time, number: u64, id: &str, description: &str) -> ExampleStarted {
    ExampleStarted {
        time,
        example_id: id.into(),
        stable_id: Some(id.into()),
        canonical_path: Some(format!("Booking agent::venues::{description}")),
        description: description.into(),
        full_description: format!("Booking agent venues {description}"),
        location: format!("spec/booking_spec.rb:{number}"),
        scenario: None,
        position: Some(number),
        metadata: Metadata::new(),
    }
}

fn passed(time: Time, id: &str, description: &str) -> ExamplePassed {
    ExamplePassed {
        time,
        example_id: id.into(),
        stable_id: Some(id.into()),
        description: description.into(),
        full_description: format!("Booking agent venues {description}"),
        duration: 0.4,
        metadata: Metadata::new(),
    }
}

/// A message, a tool call, the reply and its evaluation; occasionally a new topic.
fn turn(now: &mut impl FnMut() -> Time, number: u64, id: &str, turn: u64) -> Vec<Event> {
    let mut events = vec![user(now(), number, id, turn).into()];
    if turn.is_multiple_of(12) {
        events.push(topic(now(), id, turn).into());
    }
    events.push(tool(now(), number, id, turn).into());
    events.push(agent(now(), number, id, turn).into());
    events.push(evaluation(now(), id, turn).into());
    events
}

fn user(time: Time, number: u64, id: &str, turn_number: u64) -> UserMessage {
    UserMessage {
        time,
        example_id: id.into(),
        turn_number,
        text: format!(
            "I need a venue for {number} people on day {turn_number}, with a stage and a kitchen."
        ),
        source: Some("simulator".into()),
        metadata: Metadata::new(),
    }
}

fn topic(time: Time, id: &str, turn_number: u64) -> TopicChanged {
    TopicChanged {
        time,
        example_id: id.into(),
        turn_number,
        from_topic: Some("search".into()),
        to_topic: format!("topic {turn_number}"),
        trigger: None,
    }
}

fn arguments(number: u64) -> Json {
    json!({"query": format!("venues for {number}"), "limit": 5}).into()
}

fn result(turn: u64) -> Json {
    json!({"venues": ["Grand Hall", "Old Mill"], "total": turn}).into()
}

fn tool(time: Time, number: u64, id: &str, turn_number: u64) -> ToolCallCompleted {
    ToolCallCompleted {
        time,
        example_id: id.into(),
        turn_number,
        tool_name: "search_venues".into(),
        arguments: arguments(number),
        result: Some(result(turn_number)),
        error: None,
        metadata: Metadata::new(),
    }
}

fn agent(time: Time, number: u64, id: &str, turn_number: u64) -> AgentResponse {
    let call = ToolCall {
        name: "search_venues".into(),
        arguments: arguments(number),
        result: Some(result(turn_number)),
        error: None,
        metadata: Metadata::new(),
    };
    let tracing =
        json!({"model": "small", "latency_ms": 412, "tokens": {"input": 812, "output": 96}});
    AgentResponse {
        time,
        example_id: id.into(),
        turn_number,
        text: format!(
            "I found the Grand Hall and the Old Mill for {number} people. Shall I book one of them for you?"
        ),
        tool_calls: vec![call],
        metadata: Metadata::from_iter([("tracing", tracing)]),
    }
}

fn evaluation(time: Time, id: &str, turn_number: u64) -> EvaluationRecorded {
    EvaluationRecorded {
        time,
        example_id: id.into(),
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
}
