//! Checks of texts, numbers and topics, and the descriptions of checks.

use super::*;

#[test]
fn a_text_is_searched_in_all_replies() {
    let transcript = transcript(vec![turn("Hello\n", vec![]), turn("Good bye", vec![])]);
    let text = ConversationCheck::Text;
    for (check, turn_index, expected) in [
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
        (ConversationCheck::MaxLength(8), None, None),
        (
            ConversationCheck::MaxLength(7),
            None,
            Some("the reply in turn 2 has 8 characters instead of at most 7"),
        ),
    ] {
        let scope = Scope {
            transcript: &transcript,
            turn_index,
        };
        let name = describe(&check);
        assert_eq!(problem(&check, scope).as_deref(), expected, "{name}");
    }
    let empty = Transcript::default();
    let check = text(TextCheck::Contains("x".into()));
    assert_eq!(
        problem(&check, whole_conversation(&empty)).as_deref(),
        Some("the agent has not replied")
    );
    let check = text(TextCheck::NotContains("x".into()));
    assert_eq!(problem(&check, whole_conversation(&empty)), None);
}

#[test]
fn numbers_are_within_their_bounds_or_not_reported() {
    let mut transcript = transcript(vec![turn("…", vec![]), turn("…", vec![])]);
    for (turn, seconds) in transcript.turns.iter_mut().zip([1, 4]) {
        let reply = turn.reply.as_mut().unwrap();
        reply.latency = Duration::from_secs(seconds);
        reply.tokens = Some(Tokens {
            input: 100,
            output: 10,
        });
    }
    let at_most = |max: f64| bounds(None, max);
    for (check, turn_index, expected) in [
        (ConversationCheck::Turns(at_most(2.0)), None, None),
        (
            ConversationCheck::Turns(at_most(1.0)),
            None,
            Some("2 turns instead of at most 1"),
        ),
        (ConversationCheck::Turns(at_most(1.0)), Some(0), None),
        (ConversationCheck::Latency(at_most(4.0)), None, None),
        (
            ConversationCheck::Latency(at_most(2.0)),
            None,
            Some("the reply in turn 2 took 4 seconds instead of at most 2"),
        ),
        (ConversationCheck::Tokens(at_most(220.0)), None, None),
        (
            ConversationCheck::Tokens(at_most(200.0)),
            None,
            Some("tokens 220 instead of at most 200"),
        ),
        (ConversationCheck::Tokens(at_most(110.0)), Some(1), None),
        (
            ConversationCheck::Cost(at_most(1.0)),
            None,
            Some(
                "the agent did not report the cost of the reply in turn 1; set `price` of an `openai` or `anthropic` agent; others must report `cost`",
            ),
        ),
        (
            ConversationCheck::Cost(at_most(1.0)),
            Some(1),
            Some(
                "the agent did not report the cost of the reply; set `price` of an `openai` or `anthropic` agent; others must report `cost`",
            ),
        ),
    ] {
        let scope = Scope {
            transcript: &transcript,
            turn_index,
        };
        let name = describe(&check);
        assert_eq!(problem(&check, scope).as_deref(), expected, "{name}");
    }
    transcript.turns[1].reply.as_mut().unwrap().cost = Some(0.25);
    let scope = Scope {
        transcript: &transcript,
        turn_index: Some(1),
    };
    assert_eq!(
        problem(&ConversationCheck::Cost(at_most(0.25)), scope),
        None
    );
    assert_eq!(
        problem(&ConversationCheck::Cost(at_most(0.2)), scope).as_deref(),
        Some("cost 0.25 instead of at most 0.2")
    );
    // 0.1 and 0.2 add up to 0.3, and token counts do not overflow.
    for (turn, cost) in transcript.turns.iter_mut().zip([0.1, 0.2]) {
        let reply = turn.reply.as_mut().unwrap();
        reply.cost = Some(cost);
        reply.tokens = Some(Tokens {
            input: u64::MAX,
            output: 1,
        });
    }
    let scope = whole_conversation(&transcript);
    assert_eq!(problem(&ConversationCheck::Cost(at_most(0.3)), scope), None);
    assert!(problem(&ConversationCheck::Tokens(at_most(9.0)), scope).is_some());
}

#[test]
fn current_and_visited_topics_are_checked() {
    let mut transcript = transcript(vec![turn("…", vec![]), turn("…", vec![])]);
    transcript.turns[0].topic = Some("greeting".into());
    transcript.turns[1].topic = Some("results".into());
    transcript.topics = vec!["greeting".into(), "results".into()];
    let visited = |topics: &[&str]| {
        ConversationCheck::Topics(topics.iter().map(|topic| (*topic).to_owned()).collect())
    };
    for (check, turn_index, expected) in [
        (ConversationCheck::Topic("greeting".into()), Some(0), None),
        (
            ConversationCheck::Topic("greeting".into()),
            Some(1),
            Some("the topic is results instead of greeting"),
        ),
        (ConversationCheck::Topic("results".into()), None, None),
        (
            ConversationCheck::ReachedTopic("greeting".into()),
            None,
            None,
        ),
        (
            ConversationCheck::ReachedTopic("booking".into()),
            None,
            Some("the topic booking was not reached; the topics were greeting, results"),
        ),
        (visited(&["greeting", "results"]), None, None),
        (
            visited(&["greeting"]),
            None,
            Some("the topics were greeting, results instead of greeting"),
        ),
    ] {
        let scope = Scope {
            transcript: &transcript,
            turn_index,
        };
        let name = describe(&check);
        assert_eq!(problem(&check, scope).as_deref(), expected, "{name}");
    }
}

#[test]
fn checks_have_short_descriptions() {
    let check = CallCheck {
        times: Some(bounds(1.0, 1.0)),
        after: Some("check".into()),
        ..with("book", has([("n", Pattern::Within(bounds(2.0, 4.0)))]))
    };
    for (check, description) in [
        (
            ConversationCheck::Called(tool("book").into()),
            "called book",
        ),
        (
            ConversationCheck::Called(check.into()),
            "called book with n 2 to 4, once, after check",
        ),
        (
            ConversationCheck::Satisfies(CriterionRef::Criterion("friendly".into())),
            "satisfies friendly",
        ),
        (
            ConversationCheck::Grounded {
                what: "prices".into(),
                from: vec!["search".into()],
            },
            "grounded prices from search",
        ),
        (
            ConversationCheck::Turns(bounds(None, 4.0)),
            "turns at most 4",
        ),
        (
            ConversationCheck::Latency(bounds(None, 0.5)),
            "latency at most 0.5 seconds",
        ),
    ] {
        assert_eq!(describe(&check), description);
    }
}

#[test]
fn checks_that_need_a_model_or_a_process_are_not_evaluated_here() {
    for check in [
        ConversationCheck::Satisfies(CriterionRef::Text("kind".into())),
        ConversationCheck::Intent("x".into()),
        ConversationCheck::Claims("x".into()),
        ConversationCheck::NotClaims("x".into()),
        ConversationCheck::Run("true".into()),
    ] {
        assert_eq!(
            evaluate(&check, whole_conversation(&Transcript::default())),
            None
        );
    }
}
