//! The rules of the builder for conversations: turns, tool calls, topics.

use casebook_record::Json;
use casebook_record::model::{ConversationData, TurnData};
use serde_json::{Value, json};

use crate::sample_events::run;

fn conversation(events: &[(&str, Value)]) -> ConversationData {
    let mut all = vec![("ExampleStarted", json!({}))];
    all.extend_from_slice(events);
    all.push(("ExamplePassed", json!({})));
    let run = run(&all);
    ConversationData::clone(run.examples["1"].conversation.as_ref().unwrap())
}

fn topics(turns: &[TurnData]) -> Vec<Option<&str>> {
    turns.iter().map(|turn| turn.topic.as_deref()).collect()
}

#[test]
fn a_reply_replaces_the_interim_tool_calls_even_with_an_empty_list() {
    let turns = conversation(&[
        ("UserMessage", json!({})),
        ("ToolCallCompleted", json!({"tool_name": "interim"})),
        (
            "AgentResponse",
            json!({"tool_calls": [{"name": "final", "arguments": {"q": 1}, "result": false}]}),
        ),
        ("ToolCallCompleted", json!({"tool_name": "late"})),
        ("UserMessage", json!({"turn_number": 2})),
        ("ToolCallCompleted", json!({"tool_name": "interim"})),
        ("AgentResponse", json!({"tool_calls": []})),
    ])
    .turns;
    assert_eq!(turns[0].tool_calls.len(), 1);
    assert_eq!(turns[0].tool_calls[0].name, "final");
    assert_eq!(turns[1].tool_calls, []);
}

#[test]
fn without_a_reply_the_interim_tool_calls_are_kept_and_marked() {
    let turns = conversation(&[
        ("UserMessage", json!({})),
        (
            "ToolCallCompleted",
            json!({"tool_name": "one", "result": null, "metadata": {"ms": 3}}),
        ),
        (
            "ToolCallCompleted",
            json!({"tool_name": "two", "error": "refused"}),
        ),
        ("UserMessage", json!({"turn_number": 2})),
    ])
    .turns;
    let [one, two] = turns[0].tool_calls.as_slice() else {
        panic!("{turns:?}")
    };
    assert_eq!(
        (one.name.as_str(), two.error.as_deref()),
        ("one", Some("refused"))
    );
    assert!(
        [one, two]
            .iter()
            .all(|call| call.metadata.get("interim") == Some(&json!(true)))
    );
    assert_eq!(one.metadata.get("ms"), Some(&json!(3)));
}

#[test]
fn tool_results_distinguish_false_null_and_nothing() {
    for result in [json!(false), json!(null), json!(0), json!(""), json!([])] {
        let turns = conversation(&[(
            "AgentResponse",
            json!({"tool_calls": [{"name": "t", "result": result}]}),
        )])
        .turns;
        let call = &turns[0].tool_calls[0];
        assert_eq!(call.result.as_ref().map(Json::value), Some(&result));
        assert_eq!(serde_json::to_value(call).unwrap()["result"], result);
    }
    let turns = conversation(&[("AgentResponse", json!({"tool_calls": [{"name": "t"}]}))]).turns;
    assert_eq!(turns[0].tool_calls[0].result, None);
    assert_eq!(
        serde_json::to_value(&turns[0].tool_calls[0])
            .unwrap()
            .get("result"),
        None
    );
}

#[test]
fn an_agent_may_send_the_first_message() {
    let turns = conversation(&[
        ("AgentResponse", json!({"text": "welcome"})),
        ("UserMessage", json!({"turn_number": 2, "text": "hi"})),
    ])
    .turns;
    assert_eq!(turns[0].user_message, None);
    assert_eq!(turns[0].agent_response.as_ref().unwrap().content, "welcome");
    assert_eq!(turns[1].user_message.as_ref().unwrap().content, "hi");
}

#[test]
fn a_reply_without_its_user_message_does_not_replace_the_previous_reply() {
    let turns = conversation(&[
        ("UserMessage", json!({"text": "hi"})),
        ("AgentResponse", json!({"text": "hello"})),
        (
            "AgentResponse",
            json!({"turn_number": 2, "text": "we have two"}),
        ),
        (
            "AgentResponse",
            json!({"turn_number": 2, "text": "we have three"}),
        ),
    ])
    .turns;
    let answers: Vec<_> = turns
        .iter()
        .map(|turn| {
            (
                turn.number,
                turn.agent_response.as_ref().unwrap().content.as_str(),
            )
        })
        .collect();
    assert_eq!(answers, [(1, "hello"), (2, "we have three")]);
}

#[test]
fn topics_are_set_inherited_and_end_as_the_final_one() {
    let conversation = conversation(&[
        ("TopicChanged", json!({"to_topic": "greeting"})),
        ("UserMessage", json!({})),
        ("AgentResponse", json!({})),
        ("UserMessage", json!({"turn_number": 2})),
        ("TopicChanged", json!({"to_topic": "booking"})),
        ("AgentResponse", json!({})),
        ("UserMessage", json!({"turn_number": 3})),
    ]);
    assert_eq!(
        topics(&conversation.turns),
        [Some("greeting"), Some("booking"), Some("booking")]
    );
    assert_eq!(conversation.final_topic.as_deref(), Some("booking"));
}

#[test]
fn changes_during_a_turn_keep_the_topic_before_them() {
    let conversation = conversation(&[
        ("TopicChanged", json!({"to_topic": "greeting"})),
        ("UserMessage", json!({})),
        ("AgentResponse", json!({})),
        (
            "TopicChanged",
            json!({"to_topic": "booking", "trigger": "a tool call"}),
        ),
        ("TopicChanged", json!({"to_topic": "payment"})),
    ]);
    assert_eq!(topics(&conversation.turns), [Some("payment")]);
    assert_eq!(
        conversation.turns[0].metadata.get("topic_changes"),
        Some(&json!([
            {"from": "greeting", "to": "booking", "trigger": "a tool call"},
            {"from": "booking", "to": "payment", "trigger": null},
        ]))
    );
}

#[test]
fn a_topic_without_any_turn_is_still_the_final_one() {
    let conversation = conversation(&[("TopicChanged", json!({"to_topic": "greeting"}))]);
    assert_eq!(conversation.final_topic.as_deref(), Some("greeting"));
}

#[test]
fn a_simulation_is_in_the_conversations_metadata() {
    let conversation = conversation(&[
        (
            "SimulationStarted",
            json!({"goal": "find a venue", "max_turns": 12}),
        ),
        (
            "SimulationEnded",
            json!({"turn_count": 4, "termination_reason": "goal_reached"}),
        ),
    ]);
    let simulation = json!({"goal": "find a venue", "max_turns": 12, "turn_count": 4, "termination_reason": "goal_reached"});
    assert_eq!(conversation.metadata.get("simulation"), Some(&simulation));
}
