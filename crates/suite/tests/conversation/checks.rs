//! Tests of the checks of a conversation: the decoded checks and the problems.

use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn decodes_every_check() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let within = |min, max| Bounds { min, max };
    for (check, expected) in [
        (
            "{contains: a}",
            ConversationCheck::Text(TextCheck::Contains("a".into())),
        ),
        (
            "[{notMatches: '^a'}]",
            ConversationCheck::Text(TextCheck::NotMatches("^a".into())),
        ),
        (
            "[{equals: ''}]",
            ConversationCheck::Text(TextCheck::Equals(String::new())),
        ),
        ("[{maxLength: 80}]", ConversationCheck::MaxLength(80)),
        ("[{minLength: 8}]", ConversationCheck::MinLength(8)),
        (
            "{matches: '^a', ignoreCase: true}",
            ConversationCheck::TextIgnoringCase(TextCheck::Matches("^a".into())),
        ),
        (
            "{contains: a, ignoreCase: false}",
            ConversationCheck::Text(TextCheck::Contains("a".into())),
        ),
        (
            "{json: {/a/0: 5}}",
            ConversationCheck::Json {
                pointer: "/a/0".into(),
                pattern: Pattern::Is(json!(5)),
            },
        ),
        (
            "{json: {'': {type: array}}}",
            ConversationCheck::Json {
                pointer: String::new(),
                pattern: Pattern::Type(JsonType::Array),
            },
        ),
        (
            "{returned: {tool: /^s/, with: {contains: a}}}",
            ConversationCheck::Returned {
                tool: "/^s/".into(),
                with: Pattern::Contains(json!("a")),
            },
        ),
        ("{language: fr}", ConversationCheck::Language("fr".into())),
        (
            "{anyOf: [{contains: [a, b]}, {not: {topic: done}}]}",
            ConversationCheck::AnyOf(vec![
                ConversationCheck::AllOf(vec![
                    ConversationCheck::Text(TextCheck::Contains("a".into())),
                    ConversationCheck::Text(TextCheck::Contains("b".into())),
                ]),
                ConversationCheck::Not(Box::new(ConversationCheck::Topic("done".into()))),
            ]),
        ),
        ("[{onlyCalled: []}]", ConversationCheck::OnlyCalled(vec![])),
        (
            "[{calledInOrder: [search, book], exact: true}]",
            ConversationCheck::CalledInOrder {
                tools: names(&["search", "book"]),
                exact: true,
            },
        ),
        (
            "[{satisfies: friendly}]",
            ConversationCheck::Satisfies(CriterionRef::Criterion("friendly".into())),
        ),
        (
            "[{satisfies: It is short}]",
            ConversationCheck::Satisfies(CriterionRef::Text("It is short".into())),
        ),
        ("[{intent: sell}]", ConversationCheck::Intent("sell".into())),
        (
            "[{grounded: prices, from: search}]",
            ConversationCheck::Grounded {
                what: "prices".into(),
                from: names(&["search"]),
            },
        ),
        (
            "[{grounded: prices}]",
            ConversationCheck::Grounded {
                what: "prices".into(),
                from: vec![],
            },
        ),
        ("[{claims: a}]", ConversationCheck::Claims("a".into())),
        ("[{notClaims: a}]", ConversationCheck::NotClaims("a".into())),
        ("[{topic: hello}]", ConversationCheck::Topic("hello".into())),
        (
            "[{reachedTopic: done}]",
            ConversationCheck::ReachedTopic("done".into()),
        ),
        (
            "[{topics: [hello, done]}]",
            ConversationCheck::Topics(names(&["hello", "done"])),
        ),
        (
            "[{turns: 1}]",
            ConversationCheck::Turns(within(Some(1.0), Some(1.0))),
        ),
        (
            "[{latency: {max: 500ms}}]",
            ConversationCheck::Latency(within(None, Some(0.5))),
        ),
        (
            "[{tokens: {min: 1, max: 9}}]",
            ConversationCheck::Tokens(within(Some(1.0), Some(9.0))),
        ),
        (
            "[{cost: {max: 0.02}}]",
            ConversationCheck::Cost(within(None, Some(0.02))),
        ),
        ("[{run: ./judge}]", ConversationCheck::Run("./judge".into())),
    ] {
        assert_eq!(check_of(check), expected, "{check}");
    }
}

#[test]
fn arguments_are_values_or_conditions_at_every_level() {
    let check = check_of(
        "[{called: {tool: book, with: {room: Blue, n: 10, size: {min: 1, max: 2}, min: 5, \
         who: {name: {matches: ^A}, age: 1, likes: [{oneOf: [a, 1]}, '1']}, no: {absent: true}, gone: null, all: {equals: {min: 1}}}, \
         times: {min: 2}, before: search, failed: false}}]",
    );
    let ConversationCheck::Called(check) = check else {
        panic!("{check:?}");
    };
    let Some(Pattern::Has(with)) = check.call.with else {
        panic!("{:?}", check.call.with);
    };
    let is = |value| Pattern::Is(value);
    let within = |min, max| Pattern::Within(Bounds { min, max });
    let expected = [
        ("room", is(json!("Blue"))),
        ("n", is(json!(10))),
        ("size", within(Some(1.0), Some(2.0))),
        ("min", is(json!(5))),
        (
            "who",
            Pattern::Has(vec![
                ("name".into(), Pattern::Matches("^A".into())),
                ("age".into(), is(json!(1))),
                (
                    "likes".into(),
                    Pattern::List(vec![
                        Pattern::OneOf(vec![json!("a"), json!(1)]),
                        is(json!("1")),
                    ]),
                ),
            ]),
        ),
        ("no", Pattern::Absent),
        ("gone", is(json!(null))),
        ("all", is(json!({"min": 1}))),
    ];
    let expected = expected.map(|(key, pattern)| (key.to_owned(), pattern));
    assert_eq!(with, expected);
    assert_eq!(check.times.and_then(|times| times.min), Some(2.0));
    assert_eq!(check.before.as_deref(), Some("search"));
    assert_eq!(check.call.failed, Some(false));
}

#[test]
fn reports_invalid_checks() {
    for (check, problem) in [
        (
            "[]",
            "12:17 vacuous: `expect` is an empty list and asserts nothing",
        ),
        (
            "[{}]",
            "12:18 vacuous: the check is empty and asserts nothing",
        ),
        (
            "hello",
            "12:17 wrong-value: `expect` must contain checks such as `contains: TEXT`, not a string",
        ),
        (
            "[{contains: a, topic: hello}]",
            "12:32 conflict: a check must have one condition, not both `contains` and `topic` (write each as a separate list element: `- {…}`)",
        ),
        (
            "[{contain: a}]",
            "12:19 unknown-field: a check has no field `contain` (did you mean `contains`?)",
        ),
        (
            "[{called: book, with: {day: 1}}]",
            "12:33 unknown-field: a check has no field `with` (write it into `called`: `called: {tool: NAME, with: …}`)",
        ),
        (
            "[{contains: ''}]",
            "12:29 vacuous: `contains` asserts nothing: an empty string is in every text (write the text to find, or remove the field)",
        ),
        (
            "[{matches: '\\d'}]",
            "12:28 bad-pattern: in POSIX `\\d` is just the letter `d` (write `[0-9]`)",
        ),
        (
            "[{matches: 'a*'}]",
            "12:28 vacuous: `matches` asserts nothing: `a*` matches every text (write the text itself, or anchor the pattern with ^ and $)",
        ),
    ] {
        assert_eq!(problems_of_check(check), [problem], "{check}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn reports_invalid_combined_checks_and_conditions() {
    for (check, problem) in [
        (
            "{anyOf: {contains: a}}",
            "12:25 wrong-value: `anyOf` must be a list of checks, not a mapping",
        ),
        (
            "{anyOf: []}",
            "12:25 vacuous: `anyOf` requires at least two checks",
        ),
        (
            "{anyOf: [{contains: a}]}",
            "12:25 vacuous: `anyOf` requires at least two checks",
        ),
        (
            "{anyOf: [{contains: a}, b]}",
            "12:41 wrong-value: `anyOf` must contain checks such as `contains: TEXT`, not a string",
        ),
        (
            "{anyOf: [{contains: a}, {}]}",
            "12:41 vacuous: the check is empty and asserts nothing",
        ),
        (
            "{anyOf: [{contains: a}, {contain: b}]}",
            "12:42 unknown-field: a check has no field `contain` (did you mean `contains`?)",
        ),
        (
            "{anyOf: [{contains: a}, {satisfies: nice}]}",
            "12:53 unknown-criterion: unknown criterion `nice` (define it under `criteria:`, or write the criterion as a sentence)",
        ),
        (
            "{not: [{contains: a}]}",
            "12:23 wrong-value: `not` must contain checks such as `contains: TEXT`, not a list",
        ),
        (
            "{not: {contains: [a, b]}}",
            "12:23 conflict: `not` requires one condition, not 2 (write a `not` for each, or `not: {anyOf: […]}`)",
        ),
        (
            "{not: {not: {contains: a}}}",
            "12:23 conflict: `not` in `not` has no effect (remove both)",
        ),
        (
            "{not: {json: {a: 1}}}",
            "12:31 wrong-value: `a` is not a JSON Pointer (a pointer begins with a slash: `/a`)",
        ),
        (
            "{not: {turns: 2}}",
            "12:18 vacuous: `turns` can never pass: this is turn 1",
        ),
        (
            "{json: {}}",
            "12:24 vacuous: `json` is empty and asserts nothing (add an entry, such as `/name: value`, or remove `json`)",
        ),
        (
            "{json: total}",
            "12:24 wrong-value: `json` must be a mapping, not a string (write entries of the form `/pointer: value` below it)",
        ),
        (
            "{json: {$.a.0: 1}}",
            "12:25 wrong-value: `$.a.0` is not a JSON Pointer (a pointer begins with a slash: `/a/0`)",
        ),
        (
            "{json: {/a: {minimum: 1}}}",
            "12:30 unknown-field: a condition has no field `minimum` (did you mean `min`? write a literal mapping as `{equals: {…}}`)",
        ),
        (
            "{minLength: 0}",
            "12:29 wrong-value: `minLength` must be a whole number from 1 to 1000000, got '0'",
        ),
        (
            "{returned: search}",
            "12:28 wrong-value: `returned` must be a mapping, not a string (its fields are `tool` and `with`)",
        ),
        (
            "{returned: {tool: search}}",
            "12:28 missing-field: `returned` has no `with`",
        ),
        (
            "{returned: {with: {a: 1}}}",
            "12:28 missing-field: `returned` has no `tool`",
        ),
        (
            "{returned: {tool: serch, with: {a: 1}}}",
            "12:35 unknown-tool: unknown tool `serch` (did you mean `search`?)",
        ),
        (
            "{called: /^x/}",
            "12:26 unknown-tool: no tool matches `/^x/` (the tools are search, book)",
        ),
        (
            "{called: '/(/'}",
            "12:26 bad-pattern: `tool`: `(` without its `)`: for the character itself write `\\(`",
        ),
        (
            "{called: '/\\d/'}",
            "12:26 bad-pattern: in POSIX `\\d` is just the letter `d` (write `[0-9]`)",
        ),
        (
            "{language: ' '}",
            "12:28 wrong-value: `language` must not be empty",
        ),
        (
            "{language: [fr, de]}",
            "12:28 wrong-value: `language` must be a string, not a list",
        ),
        (
            "{ended: script_end}",
            "12:18 conflict: `ended` has no effect here: the conversation has not ended (move it to `expect` or `evaluate` of the test)",
        ),
        (
            "{not: {ended: script_end}}",
            "12:18 conflict: `ended` has no effect here: the conversation has not ended (move it to `expect` or `evaluate` of the test)",
        ),
    ] {
        assert_eq!(problems_of_check(check), [problem], "{check}");
    }
}

#[test]
fn reports_impossible_ends() {
    for (lines, problem) in [
        (
            "conversation: [{user: Hi}]\n    expect: {ended: goal_reached}",
            "11:14 vacuous: `ended` can never pass: a script that passes ends with `script_end`",
        ),
        (
            "simulate: {goal: g}\n    expect: {ended: script_end}",
            "11:14 vacuous: `ended` can never pass: a simulated user does not end with a script",
        ),
        (
            "simulate: {goal: g}\n    expect: {ended: []}",
            "11:21 vacuous: `ended` is an empty list and can never pass",
        ),
        (
            "simulate: {goal: g}\n    expect: {ended: timeout}",
            "11:21 vacuous: this can never pass: a test whose conversation ends with `timeout` fails (use script_end, stop_condition, goal_reached, max_turns)",
        ),
        (
            "simulate: {goal: g}\n    expect: {ended: max_turn}",
            "11:21 wrong-value: `ended` must be one of script_end, stop_condition, goal_reached, max_turns, agent_error, judge_error, simulator_error, timeout, interrupted, got 'max_turn' (did you mean `max_turns`?)",
        ),
        (
            "simulate: {goal: g, stopWhen: {ended: max_turns}}",
            "10:36 conflict: `ended` has no effect here: the conversation has not ended (move it to `expect` or `evaluate` of the test)",
        ),
    ] {
        assert_eq!(problems_of_test(lines), [problem], "{lines}");
    }
    assert_eq!(
        problems_of_test("simulate: {goal: g}\n    expect: {ended: [max_turns, goal_reached]}"),
        [""; 0]
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn reports_invalid_names_and_numbers() {
    for (check, problem) in [
        (
            "[{called: serch}]",
            "12:27 unknown-tool: unknown tool `serch` (did you mean `search`?)",
        ),
        (
            "[{onlyCalled: [pay]}]",
            "12:32 unknown-tool: unknown tool `pay` (declare it under `tools:`)",
        ),
        (
            "[{called: {tool: book, after: bok}}]",
            "12:47 unknown-tool: unknown tool `bok` (did you mean `book`?)",
        ),
        (
            "[{grounded: a, from: [serch]}]",
            "12:39 unknown-tool: unknown tool `serch` (did you mean `search`?)",
        ),
        (
            "[{called: {with: {a: 1}}}]",
            "12:27 missing-field: `called` has no `tool`",
        ),
        (
            "[{notCalled: {tool: book, times: 2}}]",
            "12:43 conflict: `times` has no effect here: use `called` to limit how often a tool is called",
        ),
        (
            "[{called: {tool: book, times: {min: 3, max: 2}}}]",
            "12:47 vacuous: `times` can never be at least 3 and at most 2",
        ),
        (
            "[{called: {tool: book, with: {a: {min: 1, matches: b}}}}]",
            "12:59 conflict: `min` and `matches` cannot be combined (`absent` excludes all other conditions, and `min` and `max` are for numbers; write a literal mapping with these keys as `equals: {…}`)",
        ),
        (
            "[{notCalled: {tool: book, with: {n: {not: 2}}}}]",
            "12:54 unknown-field: a condition has no field `not` (write a literal mapping as `{equals: {…}}`)",
        ),
        (
            "[{notCalled: {tool: book, with: {n: {in: [2]}}}}]",
            "12:54 unknown-field: a condition has no field `in` (did you mean `oneOf`? write a literal mapping as `{equals: {…}}`)",
        ),
        (
            "[{notCalled: {tool: book, with: {n: {minimum: 2}}}}]",
            "12:54 unknown-field: a condition has no field `minimum` (did you mean `min`? write a literal mapping as `{equals: {…}}`)",
        ),
        (
            "[{notCalled: {tool: book, with: {n: {matchs: ^a}}}}]",
            "12:54 unknown-field: a condition has no field `matchs` (did you mean `matches`? write a literal mapping as `{equals: {…}}`)",
        ),
        (
            "[{called: {tool: book, with: {n: {min: 1, step: 2}}}}]",
            "12:59 unknown-field: a condition has no field `step` (write a literal mapping as `{equals: {…}}`)",
        ),
        (
            "[{called: {tool: book, with: a}}]",
            "12:46 wrong-value: `with` must be a mapping, not a string (write entries of the form `name: value` below it)",
        ),
        (
            "[{called: {tool: book, with: {a: {oneOf: []}}}}]",
            "12:58 vacuous: `oneOf` is empty and can never match",
        ),
        (
            "[{satisfies: freindly}]",
            "12:30 unknown-criterion: unknown criterion `freindly` (did you mean `friendly`?)",
        ),
        (
            "[{topic: helo}]",
            "12:26 unknown-topic: unknown topic `helo` (did you mean `hello`?)",
        ),
        (
            "[{topics: [done]}]",
            "12:28 vacuous: this can never pass: every conversation starts in `hello`",
        ),
        (
            "[{latency: soon}]",
            "12:28 wrong-value: `latency` must have `min`, `max` or both (write `latency: {max: 2s}`)",
        ),
        (
            "[{latency: {max: soon}}]",
            "12:34 wrong-value: `max` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got 'soon'",
        ),
        (
            "[{latency: 2}]",
            "12:28 wrong-value: `latency` must have `min`, `max` or both (write `latency: {max: 2}`)",
        ),
        (
            "[{latency: {firsttoken: {max: 1}}}]",
            "12:29 unknown-field: `latency` has no field `firsttoken` (did you mean `firstToken`?)",
        ),
        (
            "[{cost: {}}]",
            "12:25 vacuous: `cost` has neither `min` nor `max` and asserts nothing",
        ),
        (
            "[{cost: {max: -1}}]",
            "12:31 wrong-value: `max` must be a number from 0 on, got '-1'",
        ),
        (
            "[{tokens: {max: few}}]",
            "12:33 wrong-value: `max` must be a whole number from 0 to 1000000000, got 'few'",
        ),
        (
            "[{contains: a, from: search}]",
            "12:32 conflict: `from` belongs to `grounded`, not to `contains`",
        ),
        (
            "[{maxLength: 3, ignoreCase: true}]",
            "12:33 conflict: `ignoreCase` belongs to `contains`, `notContains`, `matches` or `notMatches`, not to `maxLength`",
        ),
        (
            "[{ignoreCase: true}]",
            "12:19 missing-field: `ignoreCase` requires `contains`, `notContains`, `matches` or `notMatches`",
        ),
        (
            "[{contains: a, ignoreCase: maybe}]",
            "12:44 wrong-value: `ignoreCase` must be true or false, got 'maybe'",
        ),
        (
            "[{exact: true}]",
            "12:19 missing-field: `exact` requires `calledInOrder`",
        ),
        (
            "[{turns: 2}]",
            "12:19 vacuous: `turns` can never pass: this is turn 1",
        ),
    ] {
        assert_eq!(problems_of_check(check), [problem], "{check}");
    }
}
