//! Made-up runs: one with everything a report can show, one of any size, one that is hostile throughout.

use casebook_record::RunData;
use serde_json::{Map, Value, json};

const START: i64 = 1_794_732_051_594;
/// What the texts of the hostile run begin with. `owned` is what it would set if any of it ran.
pub(crate) const HOSTILE: &str = "</script></noscript><img src=x onerror=\"window.owned=1\"><svg onload=window.owned=2><script>window.owned=3</script>\
                                  <style>*{display:none}</style><!--<iframe srcdoc='<script>parent.owned=4</script>'>{{7*7}}${owned}\u{202e}\u{1b}]0;x\u{7}";

pub(crate) fn run(examples: Vec<Value>, took: i64) -> RunData {
    let examples: Map<_, _> = examples
        .into_iter()
        .map(|example| {
            (
                example["id"].as_str().unwrap_or_default().to_owned(),
                example,
            )
        })
        .collect();
    let run = json!({
        "schema_version": "casebook/1",
        "run_id": "d00fa811-aa61-46cd-bea1-bb6729000564",
        "started_at": at(0),
        "finished_at": at(took),
        "seed": 29_982,
        "git_commit": "53e511a472fd646012cf23cb6bca7a06065c3ca8",
        "metadata": {"example_count": examples.len(), "versions": {"casebook": "0.1.0"}},
        "scenarios": {"scenario_b5e60561": {
            "id": "scenario_b5e60561", "name": "corporate event", "goal": "Find a venue for 50 people", "personality": ["efficient"],
            "context": null, "verification": null, "data": {"name": "corporate event", "goal": "Find a venue for 50 people"},
        }},
        "examples": examples,
    });
    serde_json::from_value(run).expect("a run")
}

/// Every kind of test, outcome and evidence.
pub(crate) fn showcase() -> RunData {
    let mut examples = commands();
    examples.extend(conversations());
    examples.extend(trials());
    run(examples, 9_400)
}

/// So many command tests with so many bytes of output each; one in 50 fails.
pub(crate) fn large(tests: u64, bytes: usize) -> RunData {
    let examples = (0..tests).map(|number| {
        let status = if number % 50 == 7 { "failed" } else { "passed" };
        let line = format!("[{number}] the quick brown fox jumps over the lazy dog {}\n", number * 7919 % 1009);
        let output = line.repeat(bytes / line.len() + 1);
        let held = expectation("outputContains", &format!("outputContains \"fox {number}\""), status == "passed", json!({
            "file": "suites/large.casebook.yaml", "line": number, "source": "outputContains: fox", "expected": "fox",
        }));
        let mut test = Test::new(&format!("part {}", number / 100), &format!("does thing {number}"), "suites/large.casebook.yaml", number)
            .ran(i64::try_from(number % 97).unwrap_or(0) * 20, 5 + i64::try_from(number * 31 % 400).unwrap_or(0), number % 8)
            .with("metadata", json!({"command": {"command": format!("thing {number}"), "exit_code": 0, "output": output}, "tags": ["large"]}))
            .with("evaluations", json!([held]));
        if status == "failed" {
            test = test.failed("Casebook::AssertionFailed", "the output does not contain \"fox\"");
        }
        test.json()
    });
    run(examples.collect(), 61_000)
}

/// The showcase with a hostile beginning of every text that a program, an agent or a suite may have written.
pub(crate) fn hostile() -> RunData {
    let mut run = serde_json::to_value(showcase()).expect("a run is JSON");
    spoil(&mut run, "");
    serde_json::from_value(run).expect("still a run")
}

fn spoil(value: &mut Value, key: &str) {
    const KEPT: [&str; 7] = [
        "status",
        "role",
        "started_at",
        "finished_at",
        "ended_at",
        "timestamp",
        "schema_version",
    ];
    match value {
        Value::String(text) if !KEPT.contains(&key) => text.insert_str(0, HOSTILE),
        Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, key)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(key, value)| spoil(value, key));
            if ["arguments", "result", "topics"].contains(&key) {
                let spoilt = std::mem::take(fields).into_iter();
                *fields = spoilt
                    .map(|(key, value)| (format!("{HOSTILE}{key}"), value))
                    .collect();
            }
        }
        _ => {}
    }
}

fn at(millis: i64) -> String {
    casebook_record::Time::from_millis(START + millis).to_string()
}

/// A test in the making.
struct Test(Value);

impl Test {
    fn new(suite: &str, name: &str, file: &str, line: u64) -> Test {
        let path = format!("{suite}::{name}");
        Test(json!({
            "id": casebook_record::stable_id(&path), "stable_id": casebook_record::stable_id(&path), "canonical_path": path,
            "scenario_id": null, "file": file, "description": name, "location": format!("{file}:{line}"), "status": "passed",
            "started_at": at(0), "finished_at": null, "duration_ms": null, "exception": null, "conversation": null,
            "evaluations": [], "metadata": {
                "suite": suite, "file": file, "rerun": format!("casebook run {file}:{line}"),
            },
        }))
    }

    /// Fields of the example; metadata is added to what there is.
    fn with(mut self, field: &str, value: Value) -> Test {
        match (&mut self.0[field], value) {
            (Value::Object(fields), Value::Object(more)) => fields.extend(more),
            (old, value) => *old = value,
        }
        self
    }

    fn ran(mut self, from: i64, took: i64, worker: u64) -> Test {
        self.0["started_at"] = at(from).into();
        self.0["finished_at"] = at(from + took).into();
        self.0["duration_ms"] = took.into();
        self.with("metadata", json!({"worker": worker}))
    }

    fn failed(self, class: &str, message: &str) -> Test {
        self.with("status", "failed".into()).with(
            "exception",
            json!({"class_name": class, "message": message, "backtrace": ["shop.rb:12:in `list'", "shop.rb:40:in `<main>'"]}),
        )
    }

    fn json(self) -> Value {
        self.0
    }
}

fn command(command: &str, exit_code: u64, output: &str) -> Value {
    json!({"command": {"command": command, "exit_code": exit_code, "output": output}})
}

fn expectation(kind: &str, description: &str, passed: bool, metadata: Value) -> Value {
    let message = (!passed).then(|| match kind {
        "outputEquals" => "output differs from what is expected".to_owned(),
        _ => format!("expected {description}"),
    });
    json!({
        "name": description, "description": description, "passed": passed, "reasoning": null, "timestamp": at(10),
        "mode": "hard", "type": kind, "failure_message": message, "metadata": metadata,
    })
}

fn commands() -> Vec<Value> {
    const SHOP: &str = "suites/shop.casebook.yaml";
    const GREET: &str = "suites/greet.casebook.yaml";
    let colours = "\u{1b}[1mshop\u{1b}[0m 1.4  \u{1b}[2m(build 77)\u{1b}[0m\n\u{1b}[32m✓\u{1b}[0m beer     \u{1b}[33m3 EUR\u{1b}[0m\n\u{1b}[32m✓\u{1b}[0m bread    \u{1b}[33m2 EUR\u{1b}[0m\n\
                   \u{1b}[31;1m✗ cheese\u{1b}[0m   \u{1b}[4msold out\u{1b}[0m\n\u{1b}[38;5;208mwarning\u{1b}[0m: \u{1b}[38;2;90;120;250mstock is low\u{1b}[0m \u{1b}[44m 3 left \u{1b}[0m\u{1b}[2K\n";
    let expected = "beer     3 EUR\nbread    4 EUR\ncheese   7 EUR\nmilk     1 EUR\noranges  5 EUR\npears    5 EUR\nsalt     1 EUR\nwine     9 EUR\n";
    let actual = "beer     3 EUR\nbread    2 EUR\ncheese   7 EUR\nmilk     1 EUR\noranges  5 EUR\npears    5 EUR\nsalt     1 EUR \nwine\t 9 EUR\n";
    let source = "outputEquals: |\n  beer     3 EUR\n  bread    4 EUR\n  cheese   7 EUR";
    let mut tests = vec![
        Test::new("shop", "lists what there is", SHOP, 6)
            .ran(20, 57, 1)
            .with("metadata", command("./bin/shop list", 0, actual))
            .with("metadata", json!({"tags": ["fast", "catalogue"], "covers": ["shop:list:stock=some"]}))
            .with("evaluations", json!([
                expectation("exitCode", "exitCode 0", true, json!({"file": SHOP, "line": 7, "expected": 0, "actual": 0})),
                expectation("outputEquals", "outputEquals \"beer …\"", false, json!({
                    "file": SHOP, "line": 8, "source": source, "expected": expected, "actual": actual,
                })),
            ]))
            .failed("Casebook::AssertionFailed", "output differs from what is expected"),
        Test::new("shop", "shows colours on a terminal", SHOP, 19)
            .ran(80, 130, 1)
            .with("metadata", command("./bin/shop list --colour=always", 1, colours))
            .with("metadata", json!({"tags": ["catalogue"]}))
            .with("evaluations", json!([
                expectation("exitCode", "exitCode 0", false, json!({"file": SHOP, "line": 21, "source": "exitCode: 0", "expected": 0, "actual": 1})),
                expectation("outputContains", "outputContains \"sold out\"", true, json!({"file": SHOP, "line": 22, "expected": "sold out"})),
            ]))
            .failed("Casebook::AssertionFailed", "expected exit code 0, got 1"),
        Test::new("shop", "waits for a delivery", SHOP, 30)
            .ran(210, 2_004, 2)
            .with("metadata", json!({"tags": ["slow"], "command": {
                "command": "./bin/shop wait --for delivery", "exit_code": null, "signal": "SIGKILL", "timed_out": true, "timeout": 2.0,
                "stdout": "waiting…\nwaiting…\n", "stderr": "no van in sight\n",
            }}))
            .failed("Casebook::Timeout", "timed out after 2 s"),
        Test::new("shop", "refuses", SHOP, 40)
            .ran(30, 44, 2)
            .with("metadata", command("./bin/shop sell car", 2, "no such item: car\n"))
            .with("metadata", json!({"matrix": {"item": "car"}, "tags": ["fast"]}))
            .with("evaluations", json!([
                expectation("exitCode", "exitCode 2", true, json!({"file": SHOP, "line": 43})),
                expectation("outputContains", "outputContains \"no such item: car\"", true, json!({"file": SHOP, "line": 45})),
            ])),
        Test::new("shop", "sells online", SHOP, 52)
            .with("status", "pending".into())
            .with("metadata", json!({"pending_message": "needs the network", "tags": ["network"]})),
        Test::new("greet", "says hello", GREET, 4)
            .ran(60, 380, 3)
            .with("metadata", command("greet", 0, "Hello, world\n"))
            .with("metadata", json!({"command": {"command": "greet", "exit_code": 0, "output": "Hello, world\n", "flaky": true}, "attempts": [earlier_attempt()]}))
            .with("evaluations", json!([expectation("outputEquals", "outputEquals \"Hello, world\"", true, json!({"file": GREET, "line": 6}))])),
        Test::new("greet", "cleans up", GREET, 12)
            .ran(450, 90, 3)
            .with("metadata", json!({"hook": {
                "name": "teardown", "file": GREET, "line": 2, "source": "teardown: rm greeting.txt", "exit_code": 1,
                "output": "rm: cannot remove 'greeting.txt': No such file or directory\n",
            }}))
            .failed("Casebook::TeardownFailed", "teardown failed with exit code 1"),
    ];
    for (number, language) in [
        "German", "French", "Finnish", "Swahili", "Japanese", "Quechua", "Welsh", "Maltese",
    ]
    .iter()
    .enumerate()
    {
        let place = i64::try_from(number).unwrap_or(0);
        tests.push(
            Test::new(
                "greet::in other languages",
                language,
                GREET,
                20 + number as u64,
            )
            .ran(560 + place * 61, 60 + place * 17, 3 + number as u64 % 2)
            .with(
                "metadata",
                command(&format!("greet --in {language}"), 0, "…\n"),
            )
            .with("metadata", json!({"tags": ["fast", "languages"]}))
            .with(
                "evaluations",
                json!([expectation(
                    "exitCode",
                    "exitCode 0",
                    true,
                    json!({"file": GREET, "line": 22})
                )]),
            ),
        );
    }
    tests.into_iter().map(Test::json).collect()
}

fn earlier_attempt() -> Value {
    Test::new("greet", "says hello", "suites/greet.casebook.yaml", 4)
        .ran(60, 110, 3)
        .with("metadata", command("greet", 0, "Helo, world\n"))
        .with("evaluations", json!([expectation("outputEquals", "outputEquals \"Hello, world\"", false, json!({
            "file": "suites/greet.casebook.yaml", "line": 6, "source": "outputEquals: Hello, world", "expected": "Hello, world\n", "actual": "Helo, world\n",
        }))]))
        .failed("Casebook::AssertionFailed", "output differs from what is expected")
        .json()
}

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
        }},
    })
}

fn topics() -> Value {
    json!({"greeting": ["gathering"], "gathering": ["results", "greeting"], "results": ["booking", "gathering"], "booking": ["farewell"], "farewell": []})
}

fn used(input: u64, output: u64) -> Value {
    json!({
        "tokens": {"input": input + 1_920, "output": output + 123}, "cost": 0.0104, "latency_ms": 3_110,
        "agent": {"tokens": {"input": input, "output": output}, "cost": 0.0077},
        "judge": {"calls": 3, "tokens": {"input": 1_920, "output": 123}, "cost": 0.0027},
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

fn conversations() -> Vec<Value> {
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
                "I am sorry: somebody else has just taken it. The Red Room is free at the same time."
            ],
            json!([failed_call])
        ),
    ]);
    let wrong_call = json!({
        "name": "called", "description": "called check_availability with room \"Blue Room\", capacity ≥ 10", "passed": false, "reasoning": null,
        "timestamp": at(970), "mode": "hard", "type": "called", "turn_number": 2, "failure_message": "no call matches",
        "metadata": {"file": AGENT, "line": 27, "source": "expect: [{called: {tool: check_availability, with: {room: Blue Room, capacity: {min: 10}}}}]",
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

fn trials() -> Vec<Value> {
    (1..=5_u64)
        .map(|number| {
            let offset = i64::try_from(number).unwrap_or(0);
            let passed = number != 2 && number != 5;
            let base = Test::new(
                "Room booking agent",
                "remembers the number of guests",
                AGENT,
                60,
            )
            .ran(
                [4_100, 4_450, 6_660, 5_000, 6_000][number as usize - 1],
                1_050 + offset * 60,
                [1, 4, 2, 3, 1][number as usize - 1],
            );
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
