//! Runs conversations with an agent that is a small script, and with HTTP agents in [`http`] and [`models`].

pub(crate) mod http;
mod models;
mod official_clients;
mod recorded;

use std::sync::Arc;
use std::time::{Duration, Instant};

use casebook_record::{Clock, Event, Metadata, Time};
use casebook_source::{SourceFile, Span};
use casebook_suite::model::Action;
use casebook_suite::model::conversation::*;
use casebook_suite::model::{Script, TextCheck};
use casebook_suite::{CheckContext, Suite, check};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::{
    EventSink, Options, Plan, RunContext, RunOutcome, SelectedSuite, Selection, StopToken,
    SystemContext, run,
};

/// An agent that replies with the user's message in capitals, and calls the tool `look` if the message starts with `look`.
const ECHO: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  text=${line##*'"content":"'}; text=${text%%'"'*}
  [[ $text != look* ]] || printf '%s\n' '{"type":"tool_call","name":"look","arguments":{"at":"it"},"result":[1]}'
  printf '{"id":%s,"type":"response","text":"%s"}\n' "$id" "${text^^}"
done"#;

#[expect(clippy::disallowed_methods, reason = "the test measures real time")]
fn now() -> Instant {
    Instant::now()
}

#[derive(Default)]
struct EventCollector(Mutex<Vec<Event>>);

impl EventSink for EventCollector {
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

fn conversation(agent: &str, user: User) -> Conversation {
    Conversation {
        history: Vec::new(),
        agent: Arc::new(Agent::Command(Script {
            text: agent.to_owned(),
            span: Span::new(0, 0),
        })),
        judges: Vec::new().into(),
        user_model: None,
        judge: Judge::default(),
        criteria: Arc::default(),
        topics: Arc::default(),
        user,
        expectations: Vec::new(),
        scenario: None,
        trials: casebook_suite::model::conversation::Trials::ONE,
    }
}

fn turn(text: &str, expectations: Vec<Expectation>) -> Turn {
    Turn {
        text: text.to_owned(),
        span: Span::new(0, 0),
        expectations,
        allow: Vec::new(),
        captures: Vec::new(),
        files: Vec::new(),
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
            verdicts: vec![(
                "kind".to_owned(),
                ScriptedVerdicts::Always(Verdict::Failed.into()),
            )],
            topics: all(topics),
        }),
        model: "scripted".to_owned(),
        url: None,
        key_env: None,
        headers: Vec::new(),
        temperature: None,
        max_tokens: None,
        timeout: None,
        concurrency: None,
        requests_per_minute: None,
        price: None,
        span: Span::new(0, 0),
    }
}

/// Runs the conversation. Returns the outcome, its events with one line each, and the metadata of the test.
fn run_conversation(conversation: Conversation) -> (RunOutcome, Vec<String>, Value) {
    let mut suite = suite("tests:\n  - name: it talks\n    command: 'true'\n    timeout: 5\n");
    suite.tests[0].action = Action::Conversation(Box::new(conversation));
    let (outcome, events) = run_suite(suite);
    let end = end_metadata(&events);
    (outcome, events.iter().filter_map(lines).collect(), end)
}

/// A suite without problems.
#[track_caller]
fn suite(text: &str) -> Suite {
    let context = CheckContext {
        environment: &std::collections::BTreeMap::new(),
        stem: "s",
        read: &casebook_suite::deny_files,
    };
    let file = SourceFile::new("s.casebook.yaml".to_owned(), text.to_owned());
    let checked = check(file, &context);
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    checked.suite.unwrap()
}

/// Runs a suite. Returns the outcome and all events.
fn run_suite(suite: Suite) -> (RunOutcome, Vec<Event>) {
    let selected = SelectedSuite {
        suite,
        lines: Vec::new(),
    };
    let plan = Plan::new(vec![selected], &Selection::default());
    let temporary = tempfile::tempdir().unwrap();
    let system = SystemContext {
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        dir: temporary.path().to_owned(),
        temporary: temporary.path().to_owned(),
        clock: Clock::fixed(Time::from_millis(0)),
        instant: now,
    };
    let (sink, stop) = (EventCollector::default(), StopToken::new().unwrap());
    let run_context = RunContext {
        system: &system,
        stop: &stop,
        sink: &sink,
        workers: None,
        limiter: None,
        locks: None,
        budget: Budget::default(),
    };
    let options = Options {
        run_id: "the run".to_owned(),
        ..Options::default()
    };
    let outcome = run(&plan, &options, run_context, Metadata::new()).unwrap();
    (outcome, sink.0.into_inner())
}

/// The metadata of the last test.
fn end_metadata(events: &[Event]) -> Value {
    let end = events.iter().rev().find_map(|event| match event {
        Event::ExamplePassed(passed) => Some(passed.metadata.clone()),
        Event::ExampleFailed(failed) => Some(failed.metadata.clone()),
        _ => None,
    });
    serde_json::to_value(end.unwrap()).unwrap()
}

fn lines(event: &Event) -> Option<String> {
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
            let passed = if e.passed { "passed" } else { "failed" };
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
fn a_script_runs_turn_by_turn_and_events_are_published_in_order() {
    let user = User::Scripted(vec![
        turn(
            "hello",
            vec![expectation(true, "contains", contains("HELLO"))],
        ),
        turn(
            "look here",
            vec![expectation(false, "contains", contains("nothing"))],
        ),
    ]);
    let (outcome, lines, end) = run_conversation(conversation(ECHO, user));
    assert_eq!(
        lines,
        [
            "1 user: hello",
            "1 agent: HELLO (0 calls)",
            "1 hard contains \"HELLO\": passed",
            "2 user: look here",
            "2 call: look",
            "2 agent: LOOK HERE (1 calls)",
            "2 soft contains \"nothing\": failed",
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
fn a_failed_hard_expectation_stops_a_script_after_its_turn() {
    let user = User::Scripted(vec![
        turn(
            "hello",
            vec![
                expectation(true, "contains", contains("nothing")),
                expectation(false, "contains", contains("HELL")),
            ],
        ),
        turn("again", Vec::new()),
    ]);
    let mut conversation = conversation(ECHO, user);
    conversation.expectations = vec![expectation(true, "contains", contains("HELLO"))];
    let (outcome, lines, end) = run_conversation(conversation);
    assert_eq!(
        lines[2..],
        [
            "1 hard contains \"nothing\": failed",
            "1 soft contains \"HELL\": passed",
            "failed: Casebook::AssertionFailed turn 1: the reply does not contain \"nothing\"",
        ]
    );
    assert_eq!(outcome.failed, 1);
    assert_eq!(end["conversation"]["end"], "stop_condition");
}

#[test]
fn a_simulation_ends_at_the_limit_a_stop_condition_or_an_error() {
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
            user_model: Some(scripted(&["hi", "look", "bye"], &[]).into()),
            ..conversation(ECHO, user)
        }
    };
    let (_, lines, end) = run_conversation(simulation(2, Vec::new()));
    assert_eq!(lines[0], "simulation: be heard");
    assert_eq!(lines[6..], ["simulation: max_turns after 2", "passed"]);
    assert_eq!(end["tracing"]["simulator"]["calls"], 2);

    let stop = expectation(true, "contains", contains("LOOK"));
    let (_, lines, _) = run_conversation(simulation(9, vec![stop]));
    assert_eq!(lines[6..], ["simulation: stop_condition after 2", "passed"]);

    let (_, lines, _) = run_conversation(simulation(9, Vec::new()));
    assert_eq!(lines[8], "simulation: simulator_error after 3");
    assert!(
        lines[9].starts_with("failed: Casebook::SimulatorFailed"),
        "{lines:?}"
    );
}

#[test]
fn triggers_change_the_topic_and_topics_have_expectations() {
    let user = User::Scripted(
        ["hello", "tell me more", "look", "hello"]
            .map(|text| turn(text, Vec::new()))
            .into(),
    );
    let called = CallPattern {
        tool: "look".to_owned(),
        with: None,
        failed: None,
    };
    let mut conversation = conversation(ECHO, user);
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
    let (_, lines, _) = run_conversation(conversation);
    assert_eq!(
        lines,
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
            "2 hard contains \"MORE\": passed",
            "4 user: hello",
            "4 agent: HELLO (0 calls)",
            "4 hard contains \"HELLO\": passed",
            "passed",
        ]
    );
}

#[test]
fn a_failed_verdict_fails_a_hard_expectation() {
    let check = ConversationCheck::Satisfies(CriterionRef::Text("kind".to_owned()));
    let turn = turn("hello", vec![expectation(true, "satisfies", check)]);
    let mut conversation = conversation(ECHO, User::Scripted(vec![turn]));
    conversation.judges = vec![scripted(&[], &[])].into();
    let (_, lines, end) = run_conversation(conversation);
    assert_eq!(
        lines.last().unwrap(),
        "failed: Casebook::AssertionFailed turn 1: satisfies kind: judged as failed: scripted in `llm.verdicts`"
    );
    assert_eq!(end["tracing"]["judge"]["calls"], 1);
}

#[test]
fn an_agent_that_exits_or_hangs_fails_only_its_test() {
    for (agent, message) in [
        (
            "echo broken >&2; exit 3",
            "exited with code 3 before it responded\ncommand: echo broken >&2; exit 3\nlast lines of standard error:\n  broken",
        ),
        ("kill -SEGV $$", "was killed by SIGSEGV before it responded"),
        ("exec >&-; sleep 60", "closed standard output"),
        (
            "echo hello; sleep 60",
            "that is not JSON to standard output: \"hello\"",
        ),
    ] {
        let conversation = conversation(agent, User::Scripted(vec![turn("hi", Vec::new())]));
        let started = now();
        let (outcome, lines, end) = run_conversation(conversation);
        let last = lines.last().unwrap();
        assert!(last.starts_with("failed: Casebook::AgentFailed"), "{last}");
        assert!(last.contains(message), "{last}");
        assert_eq!(outcome.failed, 1);
        assert_eq!(end["conversation"]["end"], "agent_error");
        assert!(started.elapsed() < Duration::from_secs(40), "{agent}");
    }
}
