//! Conversations as they are held, with an agent that is a small script.

use std::sync::Arc;
use std::time::{Duration, Instant};

use casebook_record::{Event, Metadata, Time};
use casebook_source::{SourceFile, Span};
use casebook_suite::model::Action;
use casebook_suite::model::conversation::*;
use casebook_suite::model::{Script, TextCheck};
use casebook_suite::{CheckContext, check};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::http::testing::{Act, Server};
use crate::{
    EventSink, Options, Plan, RunContext, RunOutcome, SelectedSuite, Selection, StopToken,
    SystemContext, run,
};

/// Answers with what the user said, in capitals; calls `look` when somebody says so.
const ECHO: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  text=${line##*'"content":"'}; text=${text%%'"'*}
  [[ $text != look* ]] || printf '%s\n' '{"type":"tool_call","name":"look","arguments":{"at":"it"},"result":[1]}'
  printf '{"id":%s,"type":"response","text":"%s"}\n' "$id" "${text^^}"
done"#;

#[expect(
    clippy::disallowed_methods,
    reason = "here nobody else reads the clock"
)]
fn now() -> Instant {
    Instant::now()
}

#[derive(Default)]
struct Heard(Mutex<Vec<Event>>);

impl EventSink for Heard {
    fn publish(&self, event: Event) {
        self.0.lock().push(event);
    }

    fn wants_full_output(&self) -> bool {
        false
    }

    fn save_output(&self, _: &str, _: &[(&str, &[u8])]) -> Option<String> {
        None
    }

    fn warn(&self, message: &str) {
        panic!("{message}");
    }

    fn register_secrets(&self, _: &[(String, String)]) {}
}

fn talk(agent: &str, user: User) -> Conversation {
    Conversation {
        agent: Arc::new(Agent::Command(Script {
            text: agent.to_owned(),
            span: Span::new(0, 0),
        })),
        llm: None,
        judge: Judge {
            votes: 1,
            itself: false,
        },
        criteria: Arc::default(),
        topics: Arc::default(),
        user,
        expectations: Vec::new(),
        scenario: None,
        trials: 1,
    }
}

fn says(text: &str, expectations: Vec<Expectation>) -> Turn {
    Turn {
        text: text.to_owned(),
        span: Span::new(0, 0),
        expectations,
    }
}

fn expectation(hard: bool, field: &'static str, check: ConversationCheck) -> Expectation {
    Expectation {
        hard,
        field,
        span: Span::new(0, 4),
        check,
    }
}

fn contains(text: &str) -> ConversationCheck {
    ConversationCheck::Text(TextCheck::Contains(text.to_owned()))
}

fn topic(name: &str, triggers: Vec<Trigger>, next: &[&str]) -> Topic {
    Topic {
        name: name.to_owned(),
        span: Span::new(0, 4),
        description: name.to_owned(),
        intent: None,
        triggers,
        next: next.iter().map(|name| (*name).to_owned()).collect(),
        expectations: Vec::new(),
    }
}

fn scripted(user: &[&str], topics: &[&str]) -> Llm {
    let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Llm {
        provider: Provider::Scripted(ScriptedResponses {
            user: all(user),
            verdicts: vec![("kind".to_owned(), ScriptedVerdicts::Always(Verdict::Failed))],
            topics: all(topics),
        }),
        model: "scripted".to_owned(),
        url: None,
        key_env: None,
        timeout: None,
        concurrency: None,
        requests_per_minute: None,
        price: None,
        span: Span::new(0, 0),
    }
}

/// Holds the conversation; what came of it, and its events in a line each.
fn hold(conversation: Conversation) -> (RunOutcome, Vec<String>, Value) {
    let text = "tests:\n  - name: it talks\n    command: 'true'\n    timeout: 5\n";
    let surroundings = CheckContext {
        environment: &std::collections::BTreeMap::new(),
        stem: "s",
        read: &casebook_suite::deny_files,
    };
    let file = SourceFile::new("s.casebook.yaml".to_owned(), text.to_owned());
    let mut suite = check(file, &surroundings).suite.unwrap();
    suite.tests[0].action = Action::Conversation(Box::new(conversation));
    let asked = SelectedSuite {
        suite,
        lines: Vec::new(),
    };
    let plan = Plan::new(vec![asked], &Selection::default());
    let temporary = tempfile::tempdir().unwrap();
    let system = SystemContext {
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        folder: temporary.path().to_owned(),
        temporary: temporary.path().to_owned(),
        now: || Time::from_millis(0),
        instant: now,
    };
    let (heard, stop) = (Heard::default(), StopToken::new().unwrap());
    let run_context = RunContext {
        system: &system,
        stop: &stop,
        sink: &heard,
        workers: None,
    };
    let outcome = run(&plan, &Options::default(), run_context, Metadata::new()).unwrap();
    let events = heard.0.into_inner();
    let end = events.iter().find_map(|event| match event {
        Event::ExamplePassed(passed) => Some(passed.metadata.clone()),
        Event::ExampleFailed(failed) => Some(failed.metadata.clone()),
        _ => None,
    });
    let end = serde_json::to_value(end.unwrap()).unwrap();
    (outcome, events.iter().filter_map(told).collect(), end)
}

fn told(event: &Event) -> Option<String> {
    Some(match event {
        Event::UserMessage(e) => format!("{} user: {}", e.turn_number, e.text),
        Event::AgentResponse(e) => format!(
            "{} agent: {} ({} calls)",
            e.turn_number,
            e.text,
            e.tool_calls.len()
        ),
        Event::ToolCallCompleted(e) => format!("{} call: {}", e.turn_number, e.tool_name),
        Event::TopicChanged(e) => format!(
            "{} topic: {} ({})",
            e.turn_number,
            e.to_topic,
            e.trigger.as_deref().unwrap_or("-")
        ),
        Event::EvaluationRecorded(e) => {
            let number = e.turn_number.map_or("-".to_owned(), |n| n.to_string());
            let mode = e.mode.as_deref().unwrap_or_default();
            let passed = if e.passed { "holds" } else { "fails" };
            format!("{number} {mode} {}: {passed}", e.description)
        }
        Event::SimulationStarted(e) => format!("simulation: {}", e.goal),
        Event::SimulationEnded(e) => {
            format!(
                "simulation: {} after {}",
                e.termination_reason, e.turn_count
            )
        }
        Event::ExamplePassed(_) => "passed".to_owned(),
        Event::ExampleFailed(e) => format!(
            "failed: {} {}",
            e.exception_class.as_deref().unwrap_or_default(),
            e.message.as_deref().unwrap_or_default()
        ),
        _ => return None,
    })
}

#[test]
fn a_script_is_said_turn_by_turn_and_told_as_it_happens() {
    let user = User::Scripted(vec![
        says(
            "hello",
            vec![expectation(true, "contains", contains("HELLO"))],
        ),
        says(
            "look here",
            vec![expectation(false, "contains", contains("nothing"))],
        ),
    ]);
    let (outcome, told, end) = hold(talk(ECHO, user));
    assert_eq!(
        told,
        [
            "1 user: hello",
            "1 agent: HELLO (0 calls)",
            "1 hard contains \"HELLO\": holds",
            "2 user: look here",
            "2 call: look",
            "2 agent: LOOK HERE (1 calls)",
            "2 soft contains \"nothing\": fails",
            "passed",
        ]
    );
    assert_eq!(outcome, RunOutcome::default());
    assert_eq!(
        end["conversation"],
        json!({"end": "script_end", "turns": 2})
    );
    assert_eq!(end["tracing"]["agent"]["calls"], 2);
}

#[test]
fn a_hard_demand_that_fails_stops_a_script_after_its_turn() {
    let user = User::Scripted(vec![
        says(
            "hello",
            vec![
                expectation(true, "contains", contains("nothing")),
                expectation(false, "contains", contains("HELL")),
            ],
        ),
        says("again", Vec::new()),
    ]);
    let mut conversation = talk(ECHO, user);
    conversation.expectations = vec![expectation(true, "contains", contains("HELLO"))];
    let (outcome, told, end) = hold(conversation);
    assert_eq!(
        told[2..],
        [
            "1 hard contains \"nothing\": fails",
            "1 soft contains \"HELL\": holds",
            "failed: Casebook::AssertionFailed turn 1: the reply does not contain \"nothing\"",
        ]
    );
    assert_eq!(outcome.failed, 1);
    assert_eq!(end["conversation"]["end"], "stop_condition");
}

#[test]
fn a_simulated_user_speaks_until_it_may_not() {
    let simulation = |max_turns, stop_when| {
        let user = User::Simulated(Box::new(Simulation {
            goal: "be heard".to_owned(),
            role: None,
            personality: Vec::new(),
            context: Vec::new(),
            rules: UserRules::default(),
            during: Vec::new(),
            max_turns,
            stop_when,
        }));
        Conversation {
            llm: Some(scripted(&["hi", "look", "bye"], &[]).into()),
            ..talk(ECHO, user)
        }
    };
    let (_, told, end) = hold(simulation(2, Vec::new()));
    assert_eq!(told[0], "simulation: be heard");
    assert_eq!(told[6..], ["simulation: max_turns after 2", "passed"]);
    assert_eq!(end["tracing"]["simulator"]["calls"], 2);

    let stop = expectation(true, "contains", contains("LOOK"));
    let (_, told, _) = hold(simulation(9, vec![stop]));
    assert_eq!(told[6..], ["simulation: stop_condition after 2", "passed"]);

    let (_, told, _) = hold(simulation(9, Vec::new()));
    assert_eq!(told[8], "simulation: simulator_error after 3");
    assert!(
        told[9].starts_with("failed: Casebook::SimulatorFailed"),
        "{told:?}"
    );
}

#[test]
fn triggers_lead_from_topic_to_topic_and_topics_have_demands_of_their_own() {
    let user = User::Scripted(
        ["hello", "tell me more", "look", "hello"]
            .map(|text| says(text, Vec::new()))
            .into(),
    );
    let called = CallPattern {
        tool: "look".to_owned(),
        with: None,
        failed: None,
    };
    let mut conversation = talk(ECHO, user);
    let mut topics = vec![
        topic("start", vec![], &["middle"]),
        topic(
            "middle",
            vec![Trigger::UserMatches("more".into())],
            &["end"],
        ),
        topic("end", vec![Trigger::Called(called)], &[]),
    ];
    topics[1].expectations = vec![expectation(true, "contains", contains("MORE"))];
    topics[2].expectations = vec![expectation(true, "contains", contains("HELLO"))];
    conversation.topics = topics.into();
    let (_, told, _) = hold(conversation);
    assert_eq!(
        told,
        [
            "1 topic: start (-)",
            "1 user: hello",
            "1 agent: HELLO (0 calls)",
            "2 user: tell me more",
            "2 agent: TELL ME MORE (0 calls)",
            "2 topic: middle (userMatches more)",
            "3 user: look",
            "3 call: look",
            "3 agent: LOOK (1 calls)",
            "3 topic: end (called look)",
            "2 hard contains \"MORE\": holds",
            "4 user: hello",
            "4 agent: HELLO (0 calls)",
            "4 hard contains \"HELLO\": holds",
            "passed",
        ]
    );
}

#[test]
fn a_judge_that_says_no_fails_a_hard_demand() {
    let check = ConversationCheck::Satisfies(CriterionRef::Text("kind".to_owned()));
    let turn = says("hello", vec![expectation(true, "satisfies", check)]);
    let mut conversation = talk(ECHO, User::Scripted(vec![turn]));
    conversation.llm = Some(scripted(&[], &[]).into());
    let (_, told, end) = hold(conversation);
    assert_eq!(
        told.last().unwrap(),
        "failed: Casebook::AssertionFailed turn 1: satisfies kind: the judge says no: The suite says so."
    );
    assert_eq!(end["tracing"]["judge"]["calls"], 1);
}

#[test]
fn an_agent_that_goes_or_hangs_fails_its_test_alone() {
    for (agent, message) in [
        (
            "echo broken >&2; exit 3",
            "exited with code 3 before it answered\nit was started as: echo broken >&2; exit 3\nits standard error ends with:\n  broken",
        ),
        ("kill -SEGV $$", "was ended by SIGSEGV before it answered"),
        ("exec >&-; sleep 60", "closed its standard output"),
        ("echo hello; sleep 60", "that is no JSON: \"hello\""),
    ] {
        let conversation = talk(agent, User::Scripted(vec![says("hi", Vec::new())]));
        let started = now();
        let (outcome, told, end) = hold(conversation);
        let last = told.last().unwrap();
        assert!(last.starts_with("failed: Casebook::AgentFailed"), "{last}");
        assert!(last.contains(message), "{last}");
        assert_eq!(outcome.failed, 1);
        assert_eq!(end["conversation"]["end"], "agent_error");
        assert!(started.elapsed() < Duration::from_secs(40), "{agent}");
    }
}

fn endpoint(url: &str) -> Endpoint {
    Endpoint {
        url: url.to_owned(),
        headers: vec![("x-api-key".to_owned(), "hidden-away".to_owned())],
        timeout: Some(Duration::from_secs(20)),
        span: Span::new(0, 0),
    }
}

fn over_http(agent: Agent) -> Conversation {
    let turns = ["hello", "again"].map(|text| says(text, Vec::new()));
    Conversation {
        agent: agent.into(),
        ..talk("", User::Scripted(turns.into()))
    }
}

#[test]
fn an_agent_behind_an_address_gets_the_same_request_and_gives_the_same_response() {
    let server = Server::new(|number, received| {
        let body: Value = serde_json::from_str(&received.body).unwrap();
        if number == 0 {
            return Act::status(503).with("retry-after", "0");
        }
        let text = format!("{} messages", body["messages"].as_array().unwrap().len());
        if number == 2 {
            let empty = json!({"id": null, "type": null, "text": text, "tool_calls": null, "metadata": null});
            return Act::ok(empty.to_string());
        }
        let calls = json!([{"name": "look", "arguments": {}, "result": null}]);
        Act::ok(
            json!({"id": body["id"], "type": "response", "text": text, "tool_calls": calls})
                .to_string(),
        )
    });
    let (_, told, end) = hold(over_http(Agent::Http(endpoint(&server.url))));
    assert_eq!(told[1], "1 agent: 1 messages (1 calls)");
    assert_eq!(told[3..], ["2 agent: 3 messages (0 calls)", "passed"]);
    assert_eq!(end["tracing"]["agent"]["retries"], 1);
    let received = server.received();
    assert_eq!(received[1].header("x-api-key"), Some("hidden-away"));
    assert!(
        received[1]
            .body
            .contains(r#""context":{"test":"it talks","file":"s.casebook.yaml","line":2"#),
        "{}",
        received[1].body
    );
}

#[test]
fn a_chat_completions_endpoint_is_an_agent() {
    let server = Server::new(|_, received| {
        let body: Value = serde_json::from_str(&received.body).unwrap();
        let roles: Vec<_> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["role"].as_str().unwrap())
            .collect();
        let message = json!({"role": "assistant", "content": format!("{} {}", body["model"], roles.join(" "))});
        Act::ok(json!({"choices": [{"message": message}], "usage": {"prompt_tokens": 2, "completion_tokens": 1}}).to_string())
    });
    let (_, told, end) = hold(over_http(Agent::OpenAi {
        endpoint: endpoint(&server.url),
        model: "mine".to_owned(),
        system: Some("Be brief".to_owned()),
    }));
    assert_eq!(
        told[3],
        "2 agent: \"mine\" system user assistant user (0 calls)"
    );
    assert_eq!(end["tracing"]["tokens"], json!({"input": 4, "output": 2}));
    assert!(
        server.received()[0]
            .line
            .starts_with("POST /chat/completions")
    );
}

#[test]
fn an_agent_behind_an_address_that_fails_says_how() {
    let say = |text: &str| Server::acting(vec![Act::ok(text)]).url;
    for (url, told) in [
        ("http://127.0.0.1:9".to_owned(), "connection refused"),
        (
            say("<html>"),
            "no JSON object such as {\"text\": \"Hello\"}: \"<html>\"",
        ),
        (
            say(r#"{"text":"a","id":7}"#),
            "has the id 7, and the request had 1",
        ),
        (
            say(r#"{"type":"error","text":"a"}"#),
            "is of type \"error\", and a `response` is expected",
        ),
        (
            Server::acting(vec![Act::Raw(
                b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec(),
            )])
            .url,
            "closed before the answer was complete",
        ),
        (
            Server::acting(vec![Act::Say(404, vec![], "no such path".into())]).url,
            "answered with status 404: \"no such path\"; is the agent's `url` right?",
        ),
    ] {
        let (_, all, end) = hold(over_http(Agent::Http(endpoint(&url))));
        let last = all.last().unwrap();
        assert!(
            last.starts_with("failed: Casebook::AgentFailed") && last.contains(told),
            "{last}"
        );
        assert_eq!(
            end["conversation"],
            json!({"end": "agent_error", "turns": 1})
        );
        assert_eq!(end["agent"]["url"], url.as_str());
    }
    let slow = Server::acting(vec![Act::Later(Duration::from_secs(9), String::new())]);
    let hasty = Endpoint {
        timeout: Some(Duration::from_millis(400)),
        ..endpoint(&slow.url)
    };
    let (_, all, end) = hold(over_http(Agent::Http(hasty)));
    assert!(
        all.last().unwrap().contains("did not answer within 0.4 s"),
        "{all:?}"
    );
    assert_eq!(end["conversation"]["end"], "timeout");
}
