//! Transcripts.

use casebook_report::terminal::{Options, Transcripts};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::sample::{
    conversation, evaluation, example, exception, message, run, shown, shown_with, tool_call, turn,
};

fn failing() -> Value {
    let calls = [
        tool_call("is_free", json!({"result": false})),
        tool_call("find", json!({"result": null})),
        tool_call("notify", json!({})),
        tool_call("pay", json!({"result": null, "error": "card declined"})),
        tool_call("list", json!({"result": "x".repeat(1_000)})),
    ];
    let mut conversation = conversation(&[
        turn(
            1,
            "Book the hall.\n\n  - for 50 people\n  - with a stage, if one can be had without paying more than last year",
            "Which day?",
            json!({"topic": "search"}),
        ),
        turn(
            2,
            "Friday",
            "Booked!",
            json!({"topic": "booking", "tool_calls": calls}),
        ),
        json!({"number": 3, "user_message": message("user", "Thanks"), "agent_response": null, "topic": "booking",
            "tool_calls": [tool_call("close", json!({"result": 1, "metadata": {"interim": true}}))]}),
    ]);
    conversation["metadata"] =
        json!({"simulation": {"goal": "a hall on Friday", "termination_reason": "agent crashed"}});
    example(
        "agent::books",
        "failed",
        json!({
            "exception": exception("Casebook::AssertionFailed", "expected no booking without payment"),
            "conversation": conversation,
            "evaluations": [
                evaluation("asks for the day", true, json!({"turn_number": 1, "mode": "soft", "reasoning": "It does."})),
                evaluation("pays first", false, json!({
                    "turn_number": 2, "reasoning": "It booked although the card was declined.",
                    "failure_message": "expected no booking without payment",
                })),
                evaluation("is polite", false, json!({"mode": "soft", "failure_message": "never says please"})),
                evaluation("of a turn that never came", true, json!({"turn_number": 9})),
            ],
        }),
    )
}

fn passing(name: &str) -> Value {
    let conversation = conversation(&[turn(1, "Hello", "Hi!", json!({}))]);
    example(name, "passed", json!({"conversation": conversation}))
}

fn with_transcripts(transcripts: Transcripts, examples: Vec<Value>) -> String {
    let options = Options {
        transcripts,
        ..Options::default()
    };
    shown_with(&run(examples), &options)
}

#[test]
fn a_failed_conversation_is_shown_with_its_failure() {
    assert_snapshot!(shown(&run([failing()])), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · 1.24 s

    ── Failures ────────────────────────────────────────────────────────────────────

    1) agent › books
       suites/a.yml:7
       expected no booking without payment

           goal   a hall on Friday
           topic  search
        1  User   Book the hall.

                    - for 50 people
                    - with a stage, if one can be had without paying more than last
                    year
           Agent  Which day?
                  ✓ asks for the day · evaluate
                    It does.
           topic  search → booking
        2  User   Friday
           tool   is_free {"q":1}
                  → false
           tool   find {"q":1}
                  → null
           tool   notify {"q":1}
                  → (no result)
           tool   pay {"q":1}
                  ✗ card declined
           tool   list {"q":1}
                  → "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                    xxxxxxxx … 702 characters hidden …
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
           Agent  Booked!
                  ✗ pays first · expect
                    It booked although the card was declined.
        3  User   Thanks
           tool   close {"q":1}
                  → 1
                  (the agent did not confirm this call)
           Agent  (no reply)
           ended  agent crashed
           ✗ is polite · evaluate
             never says please
           ✓ of a turn that never came · expect

    ── `evaluate` checks ───────────────────────────────────────────────────────────

      ✗ is polite  0 of 1 passed, 1 failed

    1 example: 1 failed in 1.24 s
    "#);
}

#[test]
fn with_many_conversations_only_failed_ones_are_shown() {
    let mut examples: Vec<_> = (1..=5).map(|n| passing(&format!("talk {n}"))).collect();
    examples.push(example(
        "failing talk",
        "failed",
        json!({
            "exception": exception("Error", "no"),
            "conversation": conversation(&[turn(1, "Hello", "Go away", json!({}))]),
        }),
    ));
    assert_snapshot!(shown(&run(examples)), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · 1.24 s

    5 conversations not shown; --transcripts all shows them

    ── Failures ────────────────────────────────────────────────────────────────────

    1) failing talk
       suites/a.yml:7
       Error: no

        1  User   Hello
           Agent  Go away

    6 examples: 5 passed, 1 failed in 1.24 s
    "#);
}

#[test]
fn the_options_select_the_shown_conversations() {
    let few = || vec![passing("a"), failing(), passing("b")];
    let many = || (1..=6).map(|n| passing(&n.to_string())).collect::<Vec<_>>();
    for (transcripts, examples, users) in [
        (Transcripts::Auto, few(), 5),
        (Transcripts::All, few(), 5),
        (Transcripts::Failed, few(), 3),
        (Transcripts::None, few(), 0),
        (Transcripts::Auto, many(), 0),
        (Transcripts::All, many(), 6),
        (Transcripts::Failed, many(), 0),
    ] {
        let report = with_transcripts(transcripts, examples);
        assert_eq!(
            report.matches("User").count(),
            users,
            "{transcripts:?}\n{report}"
        );
    }
}

#[test]
fn without_transcript_a_failure_lists_its_failed_checks() {
    let report = with_transcripts(Transcripts::None, vec![failing()]);
    assert!(report.contains("✗ pays first"), "{report}");
    assert!(!report.contains("asks for the day"), "{report}");
}

#[test]
fn a_conversation_without_turns_is_not_shown() {
    let silent = example(
        "silent",
        "passed",
        json!({"conversation": conversation(&[])}),
    );
    let report = with_transcripts(Transcripts::All, vec![silent]);
    assert!(!report.contains("silent"), "{report}");
}

#[test]
fn a_scenario_is_shown_by_its_name() {
    let mut run = run([example(
        "agent::books@scenario_1",
        "pending",
        json!({"scenario_id": "scenario_1"}),
    )]);
    assert!(shown(&run).contains("○ agent › books ·"));
    let scenario = json!({"id": "scenario_1", "name": "corporate event", "goal": null, "personality": null,
        "context": null, "verification": null});
    run.scenarios.insert(
        "scenario_1".into(),
        serde_json::from_value(scenario).unwrap(),
    );
    assert!(shown(&run).contains("○ agent › books [corporate event] ·"));
}

#[test]
fn a_script_that_a_failed_expectation_ended_says_so() {
    let failed = |mode: &str| {
        let check = evaluation(
            "says bye",
            false,
            json!({"turn_number": 1, "mode": mode, "failure_message": "no bye"}),
        );
        let failed = example(
            "agent::ends",
            "failed",
            json!({
                "conversation": conversation(&[turn(1, "Hello", "Hi!", json!({}))]),
                "exception": exception("Casebook::AssertionFailed", "turn 1: no bye"),
                "evaluations": [check],
                "metadata": {"conversation": {"end": "stop_condition", "turns": 1}},
            }),
        );
        shown(&run([failed]))
    };
    let end = "ended  stopped: an expectation failed";
    assert!(failed("hard").contains(end), "{}", failed("hard"));
    assert!(!failed("soft").contains(end));
}
