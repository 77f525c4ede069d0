//! Conversations: scripted, simulated, with several trials.

#![expect(
    clippy::needless_pass_by_value,
    reason = "values made by `json!` are moved"
)]

use serde_json::{Value, json};

use super::{Test, at};

const AGENT: &str = "suites/booking.casebook.yaml";

fn message(role: &str, content: &str, metadata: Value) -> Value {
    let source = (role == "user").then_some("script");
    json!({"role": role, "content": content, "timestamp": at(900), "source": source, "metadata": metadata})
}

fn tracing(latency: u64, input: u64, output: u64) -> Value {
    json!({"tracing": {"model": "booking-large-2", "latency_ms": latency, "tokens": {"input": input, "output": output}, "cost": 0.0021}})
}

fn turn(number: u64, topic: &str, said: [&str; 2], calls: Value) -> Value {
    json!({
        "number": number, "topic": topic, "tool_calls": calls, "metadata": {},
        "user_message": message("user", said[0], json!({})),
        "agent_response": message("agent", said[1], tracing(400 + number * 90, 800 + number * 120, 60 + number * 9)),
    })
}

fn call(name: &str, arguments: Value, result: Value) -> Value {
    json!({"name": name, "arguments": arguments, "result": result, "error": null, "timestamp": at(950), "metadata": {}})
}

fn judged(name: &str, turn: Option<u64>, passed: bool, reasoning: &str) -> Value {
    json!({
        "name": name, "description": format!("satisfies {name}"), "passed": passed, "reasoning": reasoning, "timestamp": at(960),
        "mode": "soft", "type": "satisfies", "failure_message": null, "turn_number": turn,
        "metadata": {"criterion": name, "file": AGENT, "line": 31, "judge": {
            "model": "judge-1", "provider": "scripted", "latency_ms": 812, "tokens": {"input": 640, "output": 41}, "cost": 0.0009,
            "prompt": {"system": "You judge one reply of an agent.", "user": format!("Criterion: {name}\nReply: …")},
            "answer": format!("{{\"verdict\": {passed}, \"reason\": \"{reasoning}\"}}"),
            "corrects": {"model": "judge-1", "prompt": {"user": "…"}, "answer": "Well, it depends.", "malformed": "it is not as asked for"},
        }},
    })
}

fn topics() -> Value {
    json!({"greeting": ["gathering"], "gathering": ["results", "greeting"], "results": ["booking", "gathering"], "booking": ["farewell"], "farewell": []})
}

fn used(input: u64, output: u64) -> Value {
    json!({
        "tokens": {"input": input + 1_920, "output": output + 123}, "cost": 0.0104, "latency_ms": 3_110,
        "agent": {"calls": 3, "latency_ms": 2_400, "tokens": {"input": input, "output": output}, "cost": 0.0077},
        "judge": {"calls": 3, "latency_ms": 710, "tokens": {"input": 1_920, "output": 123}, "cost": 0.0027},
    })
}

fn talk(test: Test, turns: Value, evaluations: Value, end: &str) -> Test {
    test.with("conversation", json!({
        "started_at": at(900), "ended_at": at(4_000), "turns": turns, "final_topic": null, "metadata": {},
    }))
    .with("evaluations", evaluations)
    .with("metadata", json!({
        "kind": "conversation", "topics": topics(), "tags": ["agent"], "tracing": used(3_900, 310),
        "conversation": {"end": end, "turns": 3},
    }))
}

#[expect(clippy::too_many_lines, reason = "the function is a list of data")]
pub(super) fn conversations() -> Vec<Value> {
    let availability = call(
        "check_availability",
        json!({"room": "Blue Room", "capacity": 8, "from": "14:00", "features": ["stage", "projector"]}),
        json!({"available": true, "price": {"amount": 500, "currency": "EUR"}, "id": 12_345_678_901_234_567_890_u64, "alternatives": [{"room": "Red Room"}, {"room": "Old Mill"}]}),
    );
    let mut failed_call = call(
        "book_room",
        json!({"room": "Blue Room", "at": "14:00"}),
        Value::Null,
    );
    failed_call["error"] = "409 Conflict: the room was booked a second ago".into();
    let turns = json!([
        turn(
            1,
            "greeting",
            [
                "Hi, I need a room",
                "Hello! Happy to help. For how many people, and when?"
            ],
            json!([])
        ),
        turn(
            2,
            "gathering",
            [
                "The Blue Room for 10 people, 2pm",
                "The Blue Room is free at 2pm and costs about 400 to 600 EUR. Shall I book it?"
            ],
            json!([availability])
        ),
        turn(
            3,
            "booking",
            [
                "Yes, please",
                "I am sorry: it was booked a moment ago. The Red Room is free at the same time."
            ],
            json!([failed_call])
        ),
    ]);
    let wrong_call = json!({
        "name": "called", "description": "called check_availability with room \"Blue Room\", capacity ≥ 10", "passed": false, "reasoning": null,
        "timestamp": at(970), "mode": "hard", "type": "called", "turn_number": 2, "failure_message": "no call matches",
        "metadata": {"comparison": "tool_calls", "file": AGENT, "line": 27, "source": "expect: [{called: {tool: check_availability, with: {room: Blue Room, capacity: {min: 10}}}}]",
            "nearest_call": {"name": "check_availability", "arguments": {"room": "Blue Room", "capacity": 8}, "differs": ["/capacity"]}},
    });
    let mut unsure = judged(
        "polite_refusal",
        Some(3),
        false,
        "Two of three votes found an apology, one found none.",
    );
    unsure["metadata"]["verdict"] = "inconclusive".into();
    unsure["metadata"]["votes"] = json!([{"model": "judge-1", "verdict": "passed", "prompt": {"user": "…"}, "answer": "yes"}, {"model": "judge-1", "verdict": "failed", "prompt": {"user": "…"}, "answer": "no"}]);
    let evaluations = json!([
        judged(
            "friendly",
            Some(1),
            true,
            "It greets, offers help and asks for what it needs."
        ),
        judged(
            "grounded_pricing",
            Some(2),
            false,
            "The catalogue says 500 EUR. “About 400 to 600” matches no result of a tool."
        ),
        wrong_call,
        unsure,
        judged(
            "stays_on_task",
            None,
            true,
            "Every reply is about the booking."
        ),
    ]);
    let mut all = vec![
        talk(
            Test::new(
                "Room booking agent",
                "books with a change of time",
                AGENT,
                22,
            )
            .ran(900, 3_140, 1),
            turns,
            evaluations,
            "script_end",
        )
        .failed(
            "Casebook::AssertionFailed",
            "no call matches: called check_availability with room \"Blue Room\", capacity ≥ 10",
        ),
    ];
    for (number, path) in [
        ["greeting", "gathering", "results"],
        ["greeting", "gathering", "booking"],
        ["greeting", "gathering", "results"],
        ["greeting", "results", "booking"],
    ]
    .iter()
    .enumerate()
    {
        let offset = i64::try_from(number).unwrap_or(0);
        let turns: Vec<_> = path
            .iter()
            .enumerate()
            .map(|(place, topic)| {
                turn(
                    place as u64 + 1,
                    topic,
                    [
                        "What do you have for 50 people in Stuttgart?",
                        "There is the Grand Hall and the Old Mill. Both have a stage.",
                    ],
                    json!([call(
                        "search_venues",
                        json!({"query": "50 people", "city": "Stuttgart"}),
                        json!({"venues": ["Grand Hall", "Old Mill"]})
                    )]),
                )
            })
            .collect();
        let evaluations = json!([
            judged("friendly", Some(1), number != 3, "Short, but welcoming."),
            judged("grounded_pricing", Some(3), true, "No price is claimed.")
        ]);
        let test = Test::new(
            "Room booking agent",
            &format!("finds a venue, way {}", number + 1),
            AGENT,
            40 + number as u64,
        )
        .ran(
            [2_300, 1_500, 2_500, 4_250][number],
            1_900 + offset * 150,
            [2, 3, 4, 2][number],
        );
        let mut example = talk(test, json!(turns), evaluations, "goal_reached")
            .with(
                "scenario_id",
                if number == 0 {
                    "scenario_b5e60561".into()
                } else {
                    Value::Null
                },
            )
            .with("metadata", json!({"kind": "simulation"}))
            .json();
        example["conversation"]["metadata"] = json!({"simulation": {"goal": "Find a venue for 50 people", "max_turns": 15, "turn_count": 3, "termination_reason": "goal_reached"}});
        example["conversation"]["turns"][0]["user_message"]["source"] = "simulator".into();
        all.push(Test(example));
    }
    all.into_iter().map(Test::json).collect()
}

pub(super) fn trials() -> Vec<Value> {
    const WHEN: [(i64, u64); 5] = [(4_100, 1), (4_450, 4), (6_660, 2), (5_000, 3), (6_000, 1)];
    (1_u64..)
        .zip(WHEN)
        .map(|(number, (start, worker))| {
            let passed = number != 2 && number != 5;
            let base = Test::new(
                "Room booking agent",
                "remembers the number of guests",
                AGENT,
                60,
            )
            .ran(start, 1_170, worker);
            let answer = if passed {
                "For 50 guests, noted."
            } else {
                "For how many guests was that again?"
            };
            let turns = json!([
                turn(1, "greeting", ["We are 50", "Noted: 50 guests."], json!([])),
                turn(2, "gathering", ["What did I say?", answer], json!([]))
            ]);
            let mut test = talk(
                base,
                turns,
                json!([
                    judged("friendly", Some(1), true, "It is."),
                    judged("remembers", Some(2), passed, "The number of guests is 50.")
                ]),
                "script_end",
            )
            .with(
                "metadata",
                json!({"trial": {"number": number, "of": 5, "test": "example:924d5a71dde0"}}),
            );
            if !passed {
                test = test.failed(
                    "Casebook::AssertionFailed",
                    "the reply does not contain \"50\"",
                );
            }
            let mut example = test.json();
            example["id"] = format!("example:924d5a71dde0~{number}").into();
            example["stable_id"] = example["id"].clone();
            example["description"] =
                format!("remembers the number of guests (trial {number} of 5)").into();
            example
        })
        .collect()
}
