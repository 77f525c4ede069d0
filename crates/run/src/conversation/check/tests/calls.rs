//! Checks of required and forbidden calls.

use super::*;

#[test]
fn a_missing_call_is_reported_with_the_closest_one() {
    let transcript = transcript(vec![turn(
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
            "no call of check_availability has capacity at least 10; the closest has capacity 4",
            json!(["/capacity"]),
        ),
        (
            with(
                "check_availability",
                has([("room", is(json!("Blue Room"))), at_least_ten()]),
            ),
            "no call of check_availability has room \"Blue Room\" and capacity at least 10; the closest has capacity 8",
            json!(["/capacity"]),
        ),
        (
            with(
                "check_availability",
                has([("a/b", has([("c", is(json!(1)))]))]),
            ),
            "no call of check_availability has a~1b/c 1; the closest has no a~1b/c",
            json!(["/a~1b/c"]),
        ),
        (
            with("check_availabilty", has([at_least_ten()])),
            "check_availabilty was not called; the agent called check_availability",
            json!(["/capacity"]),
        ),
    ];
    for (check, message, differs) in cases {
        let result = evaluate(
            &ConversationCheck::Called(check.into()),
            whole_conversation(&transcript),
        )
        .unwrap();
        assert_eq!(result.problem.as_deref(), Some(message));
        let (key, closest) = &result.more[0];
        assert_eq!(*key, "nearest_call");
        assert_eq!(closest["differs"], differs, "{message}");
        assert_eq!(closest["name"], "check_availability");
    }
}

#[test]
fn the_number_and_order_of_calls_is_checked() {
    let transcript = transcript(vec![
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
    for (check, turn_index, expected) in [
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
            Some("book must be called before pay, but pay was not called"),
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
            transcript: &transcript,
            turn_index,
        };
        let name = format!("{check:?}");
        assert_eq!(
            problem(&ConversationCheck::Called(check.into()), scope).as_deref(),
            expected,
            "{name}"
        );
    }
}

#[test]
fn a_forbidden_call_is_reported_with_its_arguments() {
    let transcript = transcript(vec![turn(
        "…",
        vec![call("confirm", json!({})), call("book", json!({"n": 1}))],
    )]);
    let order = |before: Option<&str>, after: Option<&str>| CallCheck {
        before: before.map(Into::into),
        after: after.map(Into::into),
        ..tool("book")
    };
    let problem_text = Some("book was called, with {\"n\":1}");
    for (check, expected) in [
        (tool("pay"), None),
        (tool("book"), problem_text),
        (with("book", has([("n", is(json!(2)))])), None),
        (with("book", has([("n", is(json!(1)))])), problem_text),
        (order(Some("confirm"), None), None),
        (order(Some("pay"), None), problem_text),
        (order(None, Some("confirm")), problem_text),
        (order(None, Some("pay")), None),
    ] {
        let name = format!("{check:?}");
        let check = ConversationCheck::NotCalled(check.into());
        assert_eq!(
            problem(&check, whole_conversation(&transcript)).as_deref(),
            expected,
            "{name}"
        );
    }
}

#[test]
fn the_outcome_of_a_call_is_checked() {
    let mut refused = call("book", json!({}));
    refused.error = Some("no room".into());
    let mut flagged = call("pay", json!({}));
    flagged.metadata.set("failed", true);
    let transcript = transcript(vec![turn(
        "…",
        vec![refused, flagged, call("ok", json!({}))],
    )]);
    for (name, failed, expected) in [
        ("book", true, None),
        (
            "book",
            false,
            Some("no call of book succeeded; the closest failed"),
        ),
        ("pay", true, None),
        ("ok", false, None),
        (
            "ok",
            true,
            Some("no call of ok failed; the closest succeeded"),
        ),
    ] {
        let mut check = tool(name);
        check.call.failed = Some(failed);
        let check = ConversationCheck::Called(check.into());
        assert_eq!(
            problem(&check, whole_conversation(&transcript)).as_deref(),
            expected,
            "{name}"
        );
    }
}

#[test]
fn only_called_and_called_in_order() {
    let transcript = transcript(vec![
        turn("…", calls(&["a", "b"])),
        turn("…", calls(&["a", "c"])),
    ]);
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let only = |tools: &[&str]| ConversationCheck::OnlyCalled(names(tools));
    let order = |tools: &[&str], exact| ConversationCheck::CalledInOrder {
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
            problem(&check, whole_conversation(&transcript)).as_deref(),
            expected,
            "{}",
            describe(&check)
        );
    }
}
