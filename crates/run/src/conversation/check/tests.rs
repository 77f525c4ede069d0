use std::time::Duration;

use casebook_record::Metadata;
use casebook_suite::model::conversation::{Bounds, CallCheck, Pattern};
use serde_json::{Value, json};

use super::*;
use crate::conversation::transcript::{Exchange, Reply, Tokens, Transcript};

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall {
        name: name.into(),
        arguments: arguments.into(),
        result: None,
        error: None,
        metadata: Metadata::new(),
    }
}

fn turn(text: &str, calls: Vec<ToolCall>) -> Exchange {
    Exchange {
        user: "…".into(),
        reply: Some(Reply {
            text: text.into(),
            calls,
            ..Reply::default()
        }),
        topic: None,
    }
}

fn transcript(exchanges: Vec<Exchange>) -> Transcript {
    Transcript {
        exchanges,
        topics: Vec::new(),
    }
}

fn calls(names: &[&str]) -> Vec<ToolCall> {
    names.iter().map(|name| call(name, json!({}))).collect()
}

fn whole(transcript: &Transcript) -> Scope<'_> {
    Scope {
        transcript,
        exchange: None,
    }
}

fn problem(check: &TalkCheck, scope: Scope<'_>) -> Option<String> {
    find(check, scope).expect("no model is needed").problem
}

fn bounds(min: impl Into<Option<f64>>, max: impl Into<Option<f64>>) -> Bounds {
    Bounds {
        min: min.into(),
        max: max.into(),
    }
}

fn tool(name: &str) -> CallCheck {
    CallCheck {
        call: CallPattern {
            tool: name.into(),
            with: None,
            failed: None,
        },
        times: None,
        before: None,
        after: None,
    }
}

fn with(name: &str, with: Pattern) -> CallCheck {
    let mut check = tool(name);
    check.call.with = Some(with);
    check
}

fn has(fields: impl IntoIterator<Item = (&'static str, Pattern)>) -> Pattern {
    let fields = fields.into_iter();
    Pattern::Has(fields.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn is(value: Value) -> Pattern {
    Pattern::Is(value)
}

fn assert_like(cases: impl IntoIterator<Item = (Pattern, Value, bool)>) {
    for (pattern, arguments, holds) in cases {
        let check = with("t", pattern);
        let is_like = is_like(&check.call, &call("t", arguments.clone()));
        assert_eq!(is_like, holds, "{:?} on {arguments}", check.call.with);
    }
}

#[test]
fn a_pattern_holds_or_not_at_every_nesting() {
    assert_like([
        (has([]), json!({}), true),
        (has([]), json!({"a": 1}), true),
        (has([]), json!([]), false),
        (has([("a", is(json!(10)))]), json!({"a": 10.0}), true),
        (has([("a", is(json!(10)))]), json!({"a": "10"}), false),
        (has([("a", is(json!("10")))]), json!({"a": 10}), false),
        (has([("a", is(json!(false)))]), json!({"a": false}), true),
        (has([("a", is(json!(false)))]), json!({"a": null}), false),
        (has([("a", is(json!(false)))]), json!({}), false),
        (has([("a", is(Value::Null))]), json!({"a": null}), true),
        (has([("a", is(Value::Null))]), json!({}), false),
        (has([("a", is(json!(1)))]), json!({"a": 1, "b": 2}), true),
        (
            has([("a", has([("b", has([("c", is(json!(1)))]))]))]),
            json!({"a": {"b": {"c": 1, "d": 2}}}),
            true,
        ),
        (
            has([("a", has([("b", is(json!(1)))]))]),
            json!({"a": {"b": 2}}),
            false,
        ),
        (
            has([("a", has([("b", is(json!(1)))]))]),
            json!({"a": 1}),
            false,
        ),
        (
            has([(
                "a",
                Pattern::List(vec![is(json!(1)), has([("b", is(json!(2)))])]),
            )]),
            json!({"a": [1, {"b": 2, "c": 3}]}),
            true,
        ),
        (
            has([("a", Pattern::List(vec![is(json!(1))]))]),
            json!({"a": [1, 2]}),
            false,
        ),
        (has([("a", Pattern::List(vec![]))]), json!({"a": []}), true),
        (
            has([("a", Pattern::List(vec![]))]),
            json!({"a": [1]}),
            false,
        ),
        (has([("a", Pattern::List(vec![]))]), json!({"a": {}}), false),
    ]);
}

#[test]
fn a_pattern_has_more_to_say_than_values() {
    let within = |min, max| Pattern::Within(bounds(min, max));
    assert_like([
        (
            has([("a", Pattern::Matches("^Blue".into()))]),
            json!({"a": "Blue Room"}),
            true,
        ),
        (
            has([("a", Pattern::Matches("^Room".into()))]),
            json!({"a": "Blue Room"}),
            false,
        ),
        (
            has([("a", Pattern::Matches("1".into()))]),
            json!({"a": 1}),
            false,
        ),
        (
            has([("a", within(Some(10.0), None))]),
            json!({"a": 10}),
            true,
        ),
        (
            has([("a", within(Some(10.0), None))]),
            json!({"a": 9.5}),
            false,
        ),
        (
            has([("a", within(None, Some(10.0)))]),
            json!({"a": 11}),
            false,
        ),
        (
            has([("a", within(Some(1.0), Some(2.0)))]),
            json!({"a": 1.5}),
            true,
        ),
        (
            has([("a", within(Some(1.0), None))]),
            json!({"a": "5"}),
            false,
        ),
        (has([("a", within(Some(1.0), None))]), json!({}), false),
        (
            has([("a", Pattern::OneOf(vec![json!(1), json!({"b": [2]})]))]),
            json!({"a": {"b": [2.0]}}),
            true,
        ),
        (
            has([("a", Pattern::OneOf(vec![json!(1), json!("x")]))]),
            json!({"a": "y"}),
            false,
        ),
        (has([("a", Pattern::Absent)]), json!({"b": 1}), true),
        (has([("a", Pattern::Absent)]), json!({"a": null}), false),
        (
            has([("a", has([("b", Pattern::Absent)]))]),
            json!({"a": 1}),
            false,
        ),
        (
            has([("a", has([("b", Pattern::Absent)]))]),
            json!({"a": {}}),
            true,
        ),
    ]);
}

#[test]
fn a_missing_call_is_told_with_the_nearest_one() {
    let talk = transcript(vec![turn(
        "…",
        vec![
            call(
                "check_availability",
                json!({"room": "Red Room", "capacity": 4}),
            ),
            call(
                "check_availability",
                json!({"room": "Blue Room", "capacity": 8}),
            ),
        ],
    )]);
    let at_least_ten = || ("capacity", Pattern::Within(bounds(10.0, None)));
    let cases = [
        (
            with("check_availability", has([at_least_ten()])),
            "no call of check_availability has capacity at least 10; the nearest has capacity 4",
            json!(["/capacity"]),
        ),
        (
            with(
                "check_availability",
                has([("room", is(json!("Blue Room"))), at_least_ten()]),
            ),
            "no call of check_availability has room \"Blue Room\" and capacity at least 10; the nearest has capacity 8",
            json!(["/capacity"]),
        ),
        (
            with(
                "check_availability",
                has([("a/b", has([("c", is(json!(1)))]))]),
            ),
            "no call of check_availability has a~1b/c 1; the nearest has no a~1b/c",
            json!(["/a~1b/c"]),
        ),
        (
            with("check_availabilty", has([at_least_ten()])),
            "check_availabilty was not called; the agent called check_availability",
            json!(["/capacity"]),
        ),
    ];
    for (check, message, differs) in cases {
        let finding = find(&TalkCheck::Called(check), whole(&talk)).unwrap();
        assert_eq!(finding.problem.as_deref(), Some(message));
        let (key, nearest) = &finding.more[0];
        assert_eq!(*key, "nearest_call");
        assert_eq!(nearest["differs"], differs, "{message}");
        assert_eq!(nearest["name"], "check_availability");
    }
}

#[test]
fn a_call_is_found_as_often_and_where_it_is_demanded() {
    let talk = transcript(vec![
        turn("…", calls(&["search", "search"])),
        turn("…", calls(&["check", "book"])),
    ]);
    let times = |name, min, max| CallCheck {
        times: Some(bounds(min, max)),
        ..tool(name)
    };
    let before = |name: &str, other: &str| CallCheck {
        before: Some(other.into()),
        ..tool(name)
    };
    let after = |name: &str, other: &str| CallCheck {
        after: Some(other.into()),
        ..tool(name)
    };
    for (check, exchange, expected) in [
        (tool("search"), None, None),
        (
            tool("search"),
            Some(1),
            Some("search was not called; the agent called check, book"),
        ),
        (tool("book"), Some(1), None),
        (times("search", Some(2.0), Some(2.0)), None, None),
        (
            times("search", Some(1.0), Some(1.0)),
            None,
            Some("search was called 2 times instead of once"),
        ),
        (
            times("book", Some(2.0), None),
            None,
            Some("book was called once instead of at least 2 times"),
        ),
        (times("search", None, Some(2.0)), None, None),
        (
            times("pay", None, Some(2.0)),
            None,
            Some("pay was not called; the agent called search, check, book"),
        ),
        (times("pay", Some(0.0), Some(2.0)), None, None),
        (times("pay", Some(0.0), Some(0.0)), None, None),
        (before("check", "book"), None, None),
        (before("search", "book"), None, None),
        (
            before("book", "check"),
            None,
            Some("book was not called before check"),
        ),
        (
            before("book", "pay"),
            None,
            Some("book was called, and pay, which it should be before, was not"),
        ),
        (after("book", "check"), None, None),
        // The other call may be in an earlier turn.
        (after("book", "search"), Some(1), None),
        (
            after("search", "book"),
            None,
            Some("search was not called after book"),
        ),
        (
            before("search", "search"),
            None,
            Some("search was not called before search"),
        ),
    ] {
        let scope = Scope {
            transcript: &talk,
            exchange,
        };
        let name = format!("{check:?}");
        assert_eq!(
            problem(&TalkCheck::Called(check), scope).as_deref(),
            expected,
            "{name}"
        );
    }
}

#[test]
fn a_call_that_must_not_be_there_is_told_with_its_arguments() {
    let talk = transcript(vec![turn(
        "…",
        vec![call("confirm", json!({})), call("book", json!({"n": 1}))],
    )]);
    let order = |before: Option<&str>, after: Option<&str>| CallCheck {
        before: before.map(Into::into),
        after: after.map(Into::into),
        ..tool("book")
    };
    let found = Some("book was called, with {\"n\":1}");
    for (check, expected) in [
        (tool("pay"), None),
        (tool("book"), found),
        (with("book", has([("n", is(json!(2)))])), None),
        (with("book", has([("n", is(json!(1)))])), found),
        (order(Some("confirm"), None), None),
        (order(Some("pay"), None), found),
        (order(None, Some("confirm")), found),
        (order(None, Some("pay")), None),
    ] {
        let name = format!("{check:?}");
        let check = TalkCheck::NotCalled(check);
        assert_eq!(problem(&check, whole(&talk)).as_deref(), expected, "{name}");
    }
}

#[test]
fn a_calls_own_outcome_counts() {
    let mut refused = call("book", json!({}));
    refused.error = Some("no room".into());
    let mut flagged = call("pay", json!({}));
    flagged.metadata.set("failed", true);
    let talk = transcript(vec![turn(
        "…",
        vec![refused, flagged, call("ok", json!({}))],
    )]);
    for (name, failed, expected) in [
        ("book", true, None),
        (
            "book",
            false,
            Some("no call of book succeeded; the nearest failed"),
        ),
        ("pay", true, None),
        ("ok", false, None),
        (
            "ok",
            true,
            Some("no call of ok failed; the nearest succeeded"),
        ),
    ] {
        let mut check = tool(name);
        check.call.failed = Some(failed);
        let check = TalkCheck::Called(check);
        assert_eq!(problem(&check, whole(&talk)).as_deref(), expected, "{name}");
    }
}

#[test]
fn only_these_tools_and_in_this_order() {
    let talk = transcript(vec![
        turn("…", calls(&["a", "b"])),
        turn("…", calls(&["a", "c"])),
    ]);
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let only = |tools: &[&str]| TalkCheck::OnlyCalled(names(tools));
    let order = |tools: &[&str], exact| TalkCheck::CalledInOrder {
        tools: names(tools),
        exact,
    };
    for (check, expected) in [
        (only(&["a", "b", "c", "d"]), None),
        (only(&["a", "b"]), Some("c was called")),
        (only(&[]), Some("a, b, c were called")),
        (order(&["a", "c"], false), None),
        (order(&["a", "a"], false), None),
        (order(&["b", "b"], false), Some("b was not called after b")),
        (order(&["c", "a"], false), Some("a was not called after c")),
        (order(&["x"], false), Some("x was not called")),
        (order(&["a", "b", "a", "c"], true), None),
        (order(&["a", "c"], true), Some("the calls were a, b, a, c")),
    ] {
        assert_eq!(
            problem(&check, whole(&talk)).as_deref(),
            expected,
            "{}",
            describe(&check)
        );
    }
}

#[test]
fn texts_are_looked_for_in_any_reply_and_forbidden_in_all() {
    let talk = transcript(vec![turn("Hello\n", vec![]), turn("Good bye", vec![])]);
    let text = TalkCheck::Text;
    for (check, exchange, expected) in [
        (text(TextCheck::Contains("Hello".into())), None, None),
        (
            text(TextCheck::Contains("Hello".into())),
            Some(1),
            Some("the reply does not contain \"Hello\""),
        ),
        (
            text(TextCheck::Contains("Hi".into())),
            None,
            Some("no reply contains \"Hi\""),
        ),
        (text(TextCheck::Equals("Hello".into())), None, None),
        (
            text(TextCheck::Equals("Hell".into())),
            None,
            Some("no reply equals \"Hell\""),
        ),
        (text(TextCheck::Matches("^Good".into())), None, None),
        (
            text(TextCheck::Matches("^bye".into())),
            None,
            Some("no reply matches ^bye"),
        ),
        (text(TextCheck::NotContains("Hi".into())), None, None),
        (
            text(TextCheck::NotContains("bye".into())),
            None,
            Some("the reply in turn 2 contains \"bye\" in line 1"),
        ),
        (text(TextCheck::NotContains("bye".into())), Some(0), None),
        (
            text(TextCheck::NotMatches("^H".into())),
            None,
            Some("the reply in turn 1 matches ^H in line 1"),
        ),
        (TalkCheck::MaxLength(8), None, None),
        (
            TalkCheck::MaxLength(7),
            None,
            Some("the reply in turn 2 has 8 characters instead of at most 7"),
        ),
    ] {
        let scope = Scope {
            transcript: &talk,
            exchange,
        };
        let name = describe(&check);
        assert_eq!(problem(&check, scope).as_deref(), expected, "{name}");
    }
    let silent = Transcript::default();
    let check = text(TextCheck::Contains("x".into()));
    assert_eq!(
        problem(&check, whole(&silent)).as_deref(),
        Some("the agent has not answered")
    );
    let check = text(TextCheck::NotContains("x".into()));
    assert_eq!(problem(&check, whole(&silent)), None);
}

#[test]
fn figures_are_within_their_bounds_or_not_known() {
    let mut talk = transcript(vec![turn("…", vec![]), turn("…", vec![])]);
    for (exchange, seconds) in talk.exchanges.iter_mut().zip([1, 4]) {
        let reply = exchange.reply.as_mut().unwrap();
        reply.latency = Duration::from_secs(seconds);
        reply.tokens = Some(Tokens {
            input: 100,
            output: 10,
        });
    }
    let at_most = |max: f64| bounds(None, max);
    for (check, exchange, expected) in [
        (TalkCheck::Turns(at_most(2.0)), None, None),
        (
            TalkCheck::Turns(at_most(1.0)),
            None,
            Some("2 turns instead of at most 1"),
        ),
        (TalkCheck::Turns(at_most(1.0)), Some(0), None),
        (TalkCheck::Latency(at_most(4.0)), None, None),
        (
            TalkCheck::Latency(at_most(2.0)),
            None,
            Some("the reply in turn 2 took 4 seconds instead of at most 2"),
        ),
        (TalkCheck::Tokens(at_most(220.0)), None, None),
        (
            TalkCheck::Tokens(at_most(200.0)),
            None,
            Some("tokens 220 instead of at most 200"),
        ),
        (TalkCheck::Tokens(at_most(110.0)), Some(1), None),
        (
            TalkCheck::Cost(at_most(1.0)),
            None,
            Some("the agent did not report the cost of the reply in turn 1"),
        ),
        (
            TalkCheck::Cost(at_most(1.0)),
            Some(1),
            Some("the agent did not report the cost of the reply"),
        ),
    ] {
        let scope = Scope {
            transcript: &talk,
            exchange,
        };
        let name = describe(&check);
        assert_eq!(problem(&check, scope).as_deref(), expected, "{name}");
    }
    talk.exchanges[1].reply.as_mut().unwrap().cost = Some(0.25);
    let scope = Scope {
        transcript: &talk,
        exchange: Some(1),
    };
    assert_eq!(problem(&TalkCheck::Cost(at_most(0.25)), scope), None);
    assert_eq!(
        problem(&TalkCheck::Cost(at_most(0.2)), scope).as_deref(),
        Some("cost 0.25 instead of at most 0.2")
    );
}

#[test]
fn topics_are_where_the_conversation_is_and_has_been() {
    let mut talk = transcript(vec![turn("…", vec![]), turn("…", vec![])]);
    talk.exchanges[0].topic = Some("greeting".into());
    talk.exchanges[1].topic = Some("results".into());
    talk.topics = vec!["greeting".into(), "results".into()];
    let visited = |topics: &[&str]| {
        TalkCheck::Topics(topics.iter().map(|topic| (*topic).to_owned()).collect())
    };
    for (check, exchange, expected) in [
        (TalkCheck::Topic("greeting".into()), Some(0), None),
        (
            TalkCheck::Topic("greeting".into()),
            Some(1),
            Some("the topic is results"),
        ),
        (TalkCheck::Topic("results".into()), None, None),
        (TalkCheck::ReachedTopic("greeting".into()), None, None),
        (
            TalkCheck::ReachedTopic("booking".into()),
            None,
            Some("the topics were greeting, results"),
        ),
        (visited(&["greeting", "results"]), None, None),
        (
            visited(&["greeting"]),
            None,
            Some("the topics were greeting, results"),
        ),
    ] {
        let scope = Scope {
            transcript: &talk,
            exchange,
        };
        let name = describe(&check);
        assert_eq!(problem(&check, scope).as_deref(), expected, "{name}");
    }
}

#[test]
fn a_demand_is_told_in_a_few_words() {
    let check = CallCheck {
        times: Some(bounds(1.0, 1.0)),
        after: Some("check".into()),
        ..with("book", has([("n", Pattern::Within(bounds(2.0, 4.0)))]))
    };
    for (check, words) in [
        (TalkCheck::Called(tool("book")), "called book"),
        (
            TalkCheck::Called(check),
            "called book with n 2 to 4, once, after check",
        ),
        (
            TalkCheck::Satisfies(Named::Criterion("friendly".into())),
            "satisfies friendly",
        ),
        (
            TalkCheck::Grounded {
                what: "prices".into(),
                from: vec!["search".into()],
            },
            "grounded prices from search",
        ),
        (TalkCheck::Turns(bounds(None, 4.0)), "turns at most 4"),
        (
            TalkCheck::Latency(bounds(None, 0.5)),
            "latency at most 0.5 seconds",
        ),
    ] {
        assert_eq!(describe(&check), words);
    }
}

#[test]
fn what_needs_a_model_or_a_process_is_left_to_others() {
    for check in [
        TalkCheck::Satisfies(Named::Text("kind".into())),
        TalkCheck::Intent("x".into()),
        TalkCheck::Claims("x".into()),
        TalkCheck::NotClaims("x".into()),
        TalkCheck::Run("true".into()),
    ] {
        assert_eq!(find(&check, whole(&Transcript::default())), None);
    }
}
