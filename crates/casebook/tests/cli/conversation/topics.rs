//! Topics: transitions, triggers and their expectations.

use super::{end, failure, suite, transcript};

const TOPICS: &str = r"
topics:
  start: {description: The beginning, next: [middle]}
  middle: {description: What follows, triggers: [{userMatches: more}], next: [seen, last]}
  seen: {description: Something was seen, triggers: [{called: look}], next: [last], expect: [{called: look}]}
  last: {description: The end, triggers: [{agentMatches: ^BYE}, {afterTurns: 3}]}
";

#[test]
fn triggers_decide_without_a_model_call() {
    let ran = suite(&format!(
        "{TOPICS}
tests:
  - name: goes
    conversation:
      - {{user: hello, expect: [{{topic: start}}]}}
      - {{user: more, expect: [{{topic: middle}}]}}
      - {{user: look 1, expect: [{{topic: seen}}]}}
      - {{user: look 2, expect: [{{topic: seen}}]}}
      - {{user: bye, expect: [{{topic: last}}]}}
    expect: [{{topics: [start, middle, seen, last]}}, {{reachedTopic: seen}}]
  - name: waits
    conversation: [{{user: more}}, {{user: a}}, {{user: b, expect: [{{topic: middle}}]}}, {{user: c, expect: [{{topic: last}}]}}]
"
    ))
    .run("")
    .exits(0);
    let lines = transcript(&ran, "goes");
    assert_eq!(lines[0], "1 [start] hello → HELLO");
    assert_eq!(lines[4], "5 [last] bye → BYE");
    // The topic's own expectation, on its two turns, checked when it is left.
    assert_eq!(lines[9], "4 hard called look holds");
    assert!(ran.test("goes")["metadata"]["topic_calls"].is_null());
    assert!(ran.test("goes")["metadata"]["tracing"]["judge"].is_null());
    assert_eq!(ran.test("goes")["metadata"]["topics"]["middle"][1], "last");
}

#[test]
fn the_judge_is_called_only_if_a_successor_has_no_triggers() {
    let yaml = |names: &str| {
        format!(
            r"
llm: {{provider: scripted, topics: {names}}}
topics:
  start: {{description: The beginning, next: [open, seen]}}
  open: {{description: Whatever it is about, next: [seen]}}
  seen: {{description: Something was seen, triggers: [{{called: look}}]}}
tests:
  - name: goes
    conversation: [{{user: a}}, {{user: b}}, {{user: c}}, {{user: look 1}}]
    expect: [{{topics: [start, open, seen]}}]
"
        )
    };
    let ran = suite(&yaml("[start, open]")).run("").exits(0);
    let calls = ran.test("goes")["metadata"]["topic_calls"]
        .as_array()
        .unwrap();
    let turns: Vec<_> = calls
        .iter()
        .map(|call| call["turn"].as_u64().unwrap())
        .collect();
    assert_eq!(turns, [1, 2]);
    assert_eq!(ran.test("goes")["metadata"]["tracing"]["judge"]["calls"], 2);
    // The script has no further topic, or contains one that is not a choice.
    for (names, why) in [
        (
            "[start]",
            "`llm.topics` has 1 topic, but the conversation needs one more",
        ),
        (
            "[start, seen]",
            "`llm.topics` has \"seen\" where the topic must be one of start, open",
        ),
    ] {
        let ran = suite(&yaml(names)).run("").exits(1);
        let (class, message) = failure(&ran, "goes");
        assert_eq!(class, "Casebook::JudgeFailed");
        assert!(message.contains(why), "{message}");
        assert_eq!(transcript(&ran, "goes").len(), 2);
    }
}

#[test]
fn an_undefined_transition_fails_a_test_with_topic_checks() {
    let ran = suite(&format!(
        "{TOPICS}
tests:
  - {{name: does not care, conversation: [{{user: look 1}}, {{user: hello}}]}}
  - {{name: cares, conversation: [{{user: look 1}}, {{user: hello}}], expect: [{{reachedTopic: seen}}]}}
"
    ))
    .run("")
    .exits(1);
    assert_eq!(ran.test("does not care")["status"], "passed");
    assert_eq!(
        ran.test("does not care")["conversation"]["final_topic"],
        "seen"
    );
    assert_eq!(
        failure(&ran, "cares"),
        (
            "Casebook::AssertionFailed",
            "turn 1: the conversation moved to seen from start, whose `next` is middle"
        )
    );
}

#[test]
fn topic_expectations_apply_to_each_visit_with_turns() {
    let ran = suite(
        r"
topics:
  talk: {description: Talking, triggers: [{userMatches: talk}], next: [see], expect: [{contains: TALK}]}
  see: {description: Seeing, triggers: [{called: look}], next: [talk], evaluate: [{turns: {max: 1}}]}
tests:
  - name: twice
    conversation: [{user: look 1}, {user: talk}, {user: look 2}, {user: look 3}, {user: let us talk}, {user: no more}]
  - name: fails
    conversation: [{user: hello}, {user: look 1}, {user: never}]
",
    )
    .run("")
    .exits(1);
    let lines = transcript(&ran, "twice");
    assert_eq!(
        lines[6..],
        [
            "1 soft turns at most 1 holds",
            "2 hard contains \"TALK\" holds",
            "4 soft turns at most 1 fails",
            "6 hard contains \"TALK\" holds",
        ]
    );
    assert_eq!(
        failure(&ran, "fails").1,
        "topic talk: the reply does not contain \"TALK\""
    );
    assert_eq!(
        (end(&ran, "fails"), transcript(&ran, "fails").len()),
        ("stop_condition", 3)
    );
}
