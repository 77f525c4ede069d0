//! Suites that talk to agents: what the checker finds, with its place, and what it makes of those that are right.

use std::collections::BTreeMap;

use casebook_source::SourceFile;
use casebook_suite::model::TextCheck;
use casebook_suite::model::conversation::{
    Agent, Bounds, Conversation, Demand, Named, Pattern, Provider, Rules, Sample, TalkCheck,
    Trigger, User, Verdict, Verdicts,
};
use casebook_suite::{Checked, Suite, Surroundings, check};
use serde_json::json;

fn read(path: &str) -> Result<String, String> {
    match path {
        "venues.json" => Ok(r#"[
  {"name": "corporate event", "goal": "Find a venue \ud83c\udfe2", "size": 50, "likes": ["wine", "jazz"], "place": {"city": "Stuttgart"}},
  {"name": "wedding", "goal": "Marry", "size": 120, "id": "vip"}
]"#
        .into()),
        "venues.yaml" => Ok("- name: party\n  goal: Dance {{all}} night\n  size: 1.10\n".into()),
        "bad.json" => Ok("[\n  {\"name\": \"a\"},\n  {\"goal\": \"b\"},\n  7\n]".into()),
        "broken.json" => Ok("[{\"name\": \"a\"".into()),
        "map.yaml" => Ok("name: a\n".into()),
        "empty.yaml" => Ok("[]".into()),
        _ => Err("there is no such file".into()),
    }
}

fn checked(text: &str) -> Checked {
    let environment = BTreeMap::from([("TOKEN".to_owned(), "secret".to_owned())]);
    let surroundings = Surroundings {
        environment: &environment,
        stem: "talk",
        read: &read,
    };
    check(SourceFile::new("suites/talk.yaml", text), &surroundings)
}

/// `line:column code: message (help)`, with the file's name before it if it is another one.
fn problems(text: &str) -> Vec<String> {
    let checked = checked(text);
    let told = checked.diagnostics.iter().map(|diagnostic| {
        let file = diagnostic.file.as_ref().unwrap_or(&checked.file);
        let place = file.position(diagnostic.span.start);
        let other = diagnostic.file.as_ref();
        let other = other.map_or(String::new(), |file| format!("{}:", file.name()));
        let help = diagnostic.help.as_ref();
        let help = help.map_or(String::new(), |help| format!(" ({help})"));
        format!(
            "{other}{}:{} {}: {}{help}",
            place.line, place.column, diagnostic.code, diagnostic.message
        )
    });
    told.collect()
}

fn suite(text: &str) -> Suite {
    let problems = problems(text);
    checked(text)
        .suite
        .unwrap_or_else(|| panic!("{problems:#?}"))
}

fn talk(text: &str) -> Conversation {
    let suite = suite(text);
    suite.tests[0]
        .conversation()
        .expect("the test talks")
        .clone()
}

/// The problems of a suite whose test is these lines.
fn of_a_test(lines: &str) -> Vec<String> {
    problems(&with_base(lines))
}

/// An agent, a model, tools, criteria, two topics and a test that is these lines.
fn with_base(lines: &str) -> String {
    format!(
        "\
agent: {{command: ./agent}}
llm: {{provider: anthropic, model: m}}
tools: [search, book]
criteria: {{friendly: The reply is friendly}}
topics:
  hello: {{description: Hello, next: [done]}}
  done: {{description: Done, triggers: [{{called: book}}]}}
tests:
  - name: t
    {lines}
"
    )
}

/// The problems of a conversation with one turn that expects this.
fn of_a_check(check: &str) -> Vec<String> {
    of_a_test(&format!(
        "conversation:\n      - user: Hi\n        expect: {check}"
    ))
}

fn check_of(check: &str) -> TalkCheck {
    let conversation = talk(&with_base(&format!(
        "conversation:\n      - user: Hi\n        expect: {check}"
    )));
    let User::Scripted(turns) = conversation.user else {
        panic!("somebody speaks");
    };
    turns[0].demands[0].check.clone()
}

#[test]
fn every_check_is_understood() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let within = |min, max| Bounds { min, max };
    for (check, expected) in [
        (
            "{contains: a}",
            TalkCheck::Text(TextCheck::Contains("a".into())),
        ),
        (
            "[{notMatches: '^a'}]",
            TalkCheck::Text(TextCheck::NotMatches("^a".into())),
        ),
        (
            "[{equals: ''}]",
            TalkCheck::Text(TextCheck::Equals(String::new())),
        ),
        ("[{maxLength: 80}]", TalkCheck::MaxLength(80)),
        ("[{onlyCalled: []}]", TalkCheck::OnlyCalled(vec![])),
        (
            "[{calledInOrder: [search, book], exact: true}]",
            TalkCheck::CalledInOrder {
                tools: names(&["search", "book"]),
                exact: true,
            },
        ),
        (
            "[{satisfies: friendly}]",
            TalkCheck::Satisfies(Named::Criterion("friendly".into())),
        ),
        (
            "[{satisfies: It is short}]",
            TalkCheck::Satisfies(Named::Text("It is short".into())),
        ),
        ("[{intent: sell}]", TalkCheck::Intent("sell".into())),
        (
            "[{grounded: prices, from: search}]",
            TalkCheck::Grounded {
                what: "prices".into(),
                from: names(&["search"]),
            },
        ),
        (
            "[{grounded: prices}]",
            TalkCheck::Grounded {
                what: "prices".into(),
                from: vec![],
            },
        ),
        ("[{claims: a}]", TalkCheck::Claims("a".into())),
        ("[{notClaims: a}]", TalkCheck::NotClaims("a".into())),
        ("[{topic: hello}]", TalkCheck::Topic("hello".into())),
        (
            "[{reachedTopic: done}]",
            TalkCheck::ReachedTopic("done".into()),
        ),
        (
            "[{topics: [hello, done]}]",
            TalkCheck::Topics(names(&["hello", "done"])),
        ),
        (
            "[{turns: 1}]",
            TalkCheck::Turns(within(Some(1.0), Some(1.0))),
        ),
        (
            "[{latency: {max: 500ms}}]",
            TalkCheck::Latency(within(None, Some(0.5))),
        ),
        (
            "[{tokens: {min: 1, max: 9}}]",
            TalkCheck::Tokens(within(Some(1.0), Some(9.0))),
        ),
        (
            "[{cost: {max: 0.02}}]",
            TalkCheck::Cost(within(None, Some(0.02))),
        ),
        ("[{run: ./judge}]", TalkCheck::Run("./judge".into())),
    ] {
        assert_eq!(check_of(check), expected, "{check}");
    }
}

#[test]
fn arguments_are_values_or_demands_at_every_nesting() {
    let check = check_of(
        "[{called: {tool: book, with: {room: Blue, n: 10, size: {min: 1, max: 2}, min: 5, \
         who: {name: {matches: ^A}, min: 1, likes: [{oneOf: [a, 1]}, '1']}, no: {absent: true}, gone: null}, \
         times: {min: 2}, before: search, failed: false}}]",
    );
    let TalkCheck::Called(check) = check else {
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
                ("min".into(), is(json!(1))),
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
    ];
    let expected = expected.map(|(key, pattern)| (key.to_owned(), pattern));
    assert_eq!(with, expected);
    assert_eq!(check.times.and_then(|times| times.min), Some(2.0));
    assert_eq!(check.before.as_deref(), Some("search"));
    assert_eq!(check.call.failed, Some(false));
}

#[test]
fn a_check_that_makes_no_sense_is_told_with_its_place() {
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
            "12:17 wrong-value: `expect` takes checks such as `contains: TEXT`, not a text",
        ),
        (
            "[{contains: a, topic: hello}]",
            "12:32 conflict: a check demands one thing, and here are `contains` and `topic` (make each an element of the list: `- {…}`)",
        ),
        (
            "[{contain: a}]",
            "12:19 unknown-field: a check has no field `contain` (did you mean `contains`?)",
        ),
        (
            "[{contains: ''}]",
            "12:29 vacuous: `contains` with an empty text asserts nothing: it is in every text",
        ),
        (
            "[{matches: '\\d'}]",
            "12:28 bad-pattern: in POSIX `\\d` is just the letter `d` (write `[0-9]`)",
        ),
        (
            "[{matches: 'a*'}]",
            "12:28 vacuous: `matches`: `a*` matches every text, so it asserts nothing (say what must be there, or anchor it with ^ and $)",
        ),
    ] {
        assert_eq!(of_a_check(check), [problem], "{check}");
    }
}

#[test]
fn names_and_figures_that_make_no_sense_are_told_with_their_place() {
    for (check, problem) in [
        (
            "[{called: serch}]",
            "12:27 unknown-tool: the agent has no tool `serch` (did you mean `search`?)",
        ),
        (
            "[{onlyCalled: [pay]}]",
            "12:32 unknown-tool: the agent has no tool `pay` (declare it under `tools:`)",
        ),
        (
            "[{called: {tool: book, after: bok}}]",
            "12:47 unknown-tool: the agent has no tool `bok` (did you mean `book`?)",
        ),
        (
            "[{grounded: a, from: [serch]}]",
            "12:39 unknown-tool: the agent has no tool `serch` (did you mean `search`?)",
        ),
        (
            "[{called: {with: {a: 1}}}]",
            "12:27 missing-field: `called` has no `tool`",
        ),
        (
            "[{notCalled: {tool: book, times: 2}}]",
            "12:43 conflict: `times` has no meaning here: to say how often a tool may be called, write `called`",
        ),
        (
            "[{called: {tool: book, times: {min: 3, max: 2}}}]",
            "12:47 vacuous: `times` can never be at least 3 and at most 2",
        ),
        (
            "[{called: {tool: book, with: {a: {min: 1, matches: b}}}}]",
            "12:59 conflict: `min` and `matches` cannot be demanded of one value (only `min` and `max` go together; a mapping with such keys is written `oneOf: [{…}]`)",
        ),
        (
            "[{called: {tool: book, with: a}}]",
            "12:46 wrong-value: `with` must be a mapping, not a text",
        ),
        (
            "[{called: {tool: book, with: {a: {oneOf: []}}}}]",
            "12:58 vacuous: `oneOf` is empty, and no value is among none",
        ),
        (
            "[{satisfies: freindly}]",
            "12:30 unknown-criterion: there is no criterion `freindly` (did you mean `friendly`?)",
        ),
        (
            "[{topic: helo}]",
            "12:26 unknown-topic: there is no topic `helo` (did you mean `hello`?)",
        ),
        (
            "[{topics: [done]}]",
            "12:28 vacuous: this can never hold: every conversation starts in `hello`",
        ),
        (
            "[{latency: 2}]",
            "12:28 wrong-value: `latency` must say `min`, `max` or both (write `latency: {max: 2}`)",
        ),
        (
            "[{cost: {}}]",
            "12:25 vacuous: `cost` says neither `min` nor `max` and asserts nothing",
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
            "[{exact: true}]",
            "12:19 missing-field: `exact` belongs to `calledInOrder`, which is not here",
        ),
        (
            "[{turns: 2}]",
            "12:19 vacuous: `turns` can never hold: this is turn 1",
        ),
    ] {
        assert_eq!(of_a_check(check), [problem], "{check}");
    }
}

#[test]
fn a_test_that_makes_no_sense_is_told_with_its_place() {
    for (lines, expected) in [
        (
            "command: ls\n    conversation: [{user: Hi}]",
            &["11:5 conflict: a test has `command` or `conversation`, not both"][..],
        ),
        (
            "conversation: [{user: Hi}]\n    simulate: {goal: g}",
            &["11:5 conflict: a test has `conversation` or `simulate`, not both"],
        ),
        (
            "conversation: [{user: Hi}]\n    exitCode: 1\n    outputContains: a\n    stdin: b",
            &[
                "11:5 conflict: `exitCode` is for commands, and this test talks to an agent",
                "12:5 conflict: `outputContains` is for commands, and this test talks to an agent",
                "13:5 conflict: `stdin` is for commands, and this test talks to an agent",
            ],
        ),
        (
            "command: ls\n    expect: [{contains: a}]",
            &[
                "11:5 conflict: `expect` is for tests that talk to an agent, with `conversation` or `simulate`",
            ],
        ),
        (
            "conversaton: [{user: Hi}]",
            &[
                "10:5 unknown-field: a test has no field `conversaton` (did you mean `conversation`?)",
            ],
        ),
        (
            "conversation: []",
            &["10:19 missing-field: `conversation` must have at least one turn"],
        ),
        (
            "conversation: Hi",
            &[
                "10:19 wrong-value: `conversation` must be a list, not a text (write `- user: …` for each turn)",
            ],
        ),
        (
            "conversation: [Hi]",
            &["10:20 wrong-value: a turn is a mapping with `user`, not a text"],
        ),
        (
            "conversation: [{expect: {contains: a}}]",
            &["10:20 missing-field: the turn has no `user`"],
        ),
        (
            "conversation: [{usr: Hi}]",
            &["10:21 unknown-field: a turn has no field `usr` (did you mean `user`?)"],
        ),
        (
            "conversation: [{user: ' '}]",
            &["10:27 wrong-value: `user` must not be empty"],
        ),
        (
            "simulate: {role: r}",
            &["10:15 missing-field: `simulate` has no `goal`"],
        ),
        (
            "simulate: {goal: g, mood: bad}",
            &["10:25 unknown-field: a simulated user has no field `mood`"],
        ),
        (
            "simulate: {goal: g}\n    trials: 0",
            &["11:13 wrong-value: `trials` must be a whole number from 1 to 1000, got '0'"],
        ),
        (
            "simulate: {goal: g}\n    during: {helo: {should: [x]}}",
            &["11:14 unknown-topic: there is no topic `helo` (did you mean `hello`?)"],
        ),
        (
            "simulate: {goal: g}\n    during: {hello: {must: [x]}}",
            &["11:22 unknown-field: a set of rules has no field `must`"],
        ),
        (
            "conversation: [{user: Hi}]\n    during: {hello: {should: [x]}}",
            &["11:13 conflict: `during` has no meaning here: it is for simulated users"],
        ),
        (
            "simulate: {goal: g, maxTurns: 5}\n    expect: [{turns: {min: 6}}]",
            &["11:15 vacuous: `turns` can never hold: a conversation has 1 to 5 turns here"],
        ),
        (
            "conversation: [{user: Hi}]\n    expect: [{turns: {min: 2}}]",
            &["11:15 vacuous: `turns` can never hold: the script has 1 turn"],
        ),
        (
            "conversation: [{user: '{{scenario.name}}'}]",
            &[
                "10:28 undefined-variable: there is no scenario that `{{scenario.name}}` could be taken from (give the test `scenarios`: a file, or a list of mappings)",
            ],
        ),
    ] {
        assert_eq!(of_a_test(lines), expected, "{lines}");
    }
}

#[test]
fn a_suite_that_makes_no_sense_is_told_with_its_place() {
    const TEST: &str = "tests: [{name: t, conversation: [{user: Hi}]}]";
    for (suite, expected) in [
        (
            TEST.to_owned(),
            &[
                "1:9 missing-field: there is no `agent` that the test could talk to (say at the top of the suite what it is: `agent: {command: …}`)",
            ][..],
        ),
        (
            format!("agent: ./agent\n{TEST}"),
            &[
                "1:8 wrong-value: `agent` must be a mapping, not a text (for a program write `agent: {command: …}`)",
            ],
        ),
        (
            format!("agent: {{command: a, http: {{url: 'http://a'}}}}\n{TEST}"),
            &["1:21 conflict: an agent is of one kind, and here are `command` and `http`"],
        ),
        (
            format!("agent: {{}}\n{TEST}"),
            &["1:8 missing-field: `agent` says nothing: it has one of `command`, `http`, `openai`"],
        ),
        (
            format!("agent: {{http: {{headers: {{a: b}}}}}}\n{TEST}"),
            &["1:15 missing-field: the agent has no `url`"],
        ),
        (
            format!("agent: {{http: {{url: localhost}}}}\n{TEST}"),
            &[
                "1:21 wrong-value: `localhost` is not an address that begins with http:// or https://",
            ],
        ),
        (
            format!("agent: {{openai: {{url: 'http://a'}}}}\n{TEST}"),
            &["1:17 missing-field: an openai agent has no `model`"],
        ),
        (
            format!("agent: {{command: a}}\nllm: {{model: m}}\n{TEST}"),
            &["2:6 missing-field: `llm` has no `provider`"],
        ),
        (
            format!("agent: {{command: a}}\nllm: {{provider: antropic}}\n{TEST}"),
            &[
                "2:17 wrong-value: `provider` must be one of anthropic, openai, scripted, got 'antropic' (did you mean `anthropic`?)",
            ],
        ),
        (
            format!("agent: {{command: a}}\nllm: {{provider: openai}}\n{TEST}"),
            &["2:6 missing-field: `llm` has no `model`"],
        ),
        (
            format!("agent: {{command: a}}\nllm: {{provider: scripted, url: 'http://a'}}\n{TEST}"),
            &[
                "2:27 conflict: `url` has no meaning here: a `scripted` model answers from the suite",
            ],
        ),
        (
            format!(
                "agent: {{command: a}}\nllm: {{provider: openai, model: m, user: [a]}}\n{TEST}"
            ),
            &["2:35 conflict: `user` has no meaning here: only a `scripted` model has it"],
        ),
        (
            format!(
                "agent: {{command: a}}\nllm: {{provider: scripted, verdicts: {{a: maybe}}, topics: [x]}}\n{TEST}"
            ),
            &[
                "2:38 unknown-criterion: `a` is no criterion, and no check asks for it",
                "2:41 wrong-value: `a` must be one of true, false, inconclusive, got 'maybe'",
                "2:58 unknown-topic: there is no topic `x` (define it under `topics:`)",
            ],
        ),
        (
            format!("agent: {{command: a}}\njudge: {{votes: 0, slef: true}}\n{TEST}"),
            &[
                "2:16 wrong-value: `votes` must be a whole number from 1 to 99, got '0'",
                "2:19 unknown-field: `judge` has no field `slef` (did you mean `self`?)",
            ],
        ),
    ] {
        assert_eq!(problems(&suite), expected, "{suite}");
    }
}

#[test]
fn parts_that_do_not_fit_together_are_told_with_their_place() {
    const TEST: &str = "tests: [{name: t, conversation: [{user: Hi}]}]";
    for (suite, expected) in [
        (
            format!("agent: {{command: a}}\ncriteria: {{a: {{good: [x]}}, b: {{description: d, edge: [y], bad: [{{text: z, verdict: true}}]}}}}\n{TEST}"),
            &[
                "2:15 missing-field: the criterion `a` has no `description`",
                "2:55 missing-field: a reply at the edge has a `verdict`: true or false",
                "2:84 conflict: `verdict` has no meaning here: under `bad` it is known",
            ][..],
        ),
        (
            format!("agent: {{command: a}}\ntopics:\n  a: {{description: A, next: [a, other], triggers: [{{}}]}}\n  b: {{description: B}}\n{TEST}"),
            &[
                "3:30 topic-graph: the topic `a` leads to itself (leave it out: a conversation stays in its topic unless it is led on)",
                "3:33 unknown-topic: there is no topic `other` (define it under `topics:`)",
                "3:52 missing-field: the trigger is empty",
                "4:3 topic-graph: the topic `b` cannot be reached from `a`, where every conversation starts (name it in the `next` of a topic that leads to it)",
            ],
        ),
        // What is wrong with its triggers is told, and not that there are none.
        (
            format!("agent: {{command: a}}\ntopics:\n  a: {{description: A, next: [b]}}\n  b: {{description: B, triggers: [{{caled: x}}]}}\n{TEST}"),
            &["4:35 unknown-field: a trigger has no field `caled` (did you mean `called`?)"],
        ),
        (
            format!("agent: {{command: a}}\ntopics:\n  a: {{description: A, next: [b]}}\n  b: {{description: B}}\n{TEST}"),
            &["4:3 no-model: the topic `b` has no `triggers`, so that a judge must recognise it, and there is no `llm` (say which: `llm: {provider: …, model: …}`)"],
        ),
        (
            "agent: {command: a}\ntests:\n  - {name: t, simulate: {goal: g}, expect: [{satisfies: It is short}]}".to_owned(),
            &[
                "3:25 no-model: somebody must speak for the simulated user, and there is no `llm` (say which: `llm: {provider: …, model: …}`)",
                "3:57 no-model: `satisfies` asks a judge, and there is no `llm` (say which: `llm: {provider: …, model: …}`)",
            ],
        ),
        (
            "agent: {openai: {url: 'http://a/v1/', model: m}}\nllm: {provider: openai, url: 'http://a/v1', model: m}\ntests:\n  - {name: t, conversation: [{user: Hi, expect: [{claims: a b}]}]}".to_owned(),
            &["2:6 self-judge: the model `m` is under test and would judge itself (let another model judge, or say that it is meant: `judge: {self: true}`)"],
        ),
        (
            "agent: {command: a}\nllm: {provider: scripted}\ncriteria: {ok: It is fine}\ntests:\n  - {name: t, conversation: [{user: Hi, expect: [{satisfies: ok}]}]}".to_owned(),
            &["5:62 missing-field: `llm.verdicts` has no verdict on `ok`, which `satisfies` asks for"],
        ),
        // Also where no test talks.
        (
            "agent: {comand: a}\nsimulator: {mood: bad}\ntests: [{name: t, command: ls}]".to_owned(),
            &[
                "1:9 unknown-field: an agent has no field `comand` (did you mean `command`?)",
                "2:13 unknown-field: a simulated user has no field `mood`",
            ],
        ),
    ] {
        assert_eq!(problems(&suite), expected, "{suite}");
    }
}

#[test]
fn the_model_under_test_judges_itself_if_the_suite_says_so() {
    let suite = "agent: {openai: {url: 'http://a/v1', model: m}}\nllm: {provider: openai, url: 'http://a/v1', model: m}\njudge: {self: true}\ntests:\n  - {name: t, conversation: [{user: Hi, expect: [{claims: a b}]}]}";
    assert!(talk(suite).judge.itself);
    let other = suite
        .replace("model: m}}", "model: n}}")
        .replace("judge: {self: true}\n", "");
    assert_eq!(problems(&other), [""; 0]);
}

#[test]
fn scenarios_make_a_test_each() {
    let suite = suite(&with_base(
        "simulate: {goal: '{{scenario.goal}}', context: ['{{scenario.size}} people']}\n    scenarios: venues.json\n    trials: 3",
    ));
    let names: Vec<_> = suite.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(
        names,
        ["t [scenario=corporate event]", "t [scenario=wedding]"]
    );
    let talks: Vec<_> = suite
        .tests
        .iter()
        .filter_map(|test| test.conversation())
        .collect();
    let scenario = talks[0].scenario.as_ref().expect("it is driven by one");
    assert_eq!(scenario["goal"], "Find a venue 🏢");
    assert_eq!(scenario["likes"], json!(["wine", "jazz"]));
    assert_eq!(talks[1].trials, 3);
    let User::Simulated(user) = &talks[1].user else {
        panic!("a model speaks");
    };
    assert_eq!(
        (user.goal.as_str(), user.context.as_slice()),
        ("Marry", &["120 people".to_owned()][..])
    );
    assert_eq!(suite.files.len(), 1);
    assert_eq!(suite.files[0].0, "venues.json");
}

#[test]
fn fields_of_a_scenario_are_variables() {
    let texts = |scenarios: &str, user: &str| {
        let text = with_base(&format!(
            "conversation: [{{user: \"{user}\"}}]\n    scenarios: {scenarios}"
        ));
        match problems(&text).as_slice() {
            [] => talk(&text),
            problems => panic!("{problems:?}"),
        }
    };
    for (scenarios, user, expected) in [
        (
            "venues.yaml",
            "{{scenario.size}}: {{scenario.goal}}",
            "1.10: Dance {{all}} night",
        ),
        (
            "[{name: n, goal: g, a: {b: [x, 2], c: true}}]",
            "{{scenario.a.b}} {{scenario.a.b.1}} {{scenario.a.c}}",
            "x, 2 2 true",
        ),
        (
            "[{name: n, goal: 'my {{scenario_name}}'}]",
            "{{scenario.goal}}",
            "my own",
        ),
    ] {
        let scenarios = scenarios.replace("{{scenario_name}}", "own");
        let User::Scripted(turns) = texts(&scenarios, user).user else {
            panic!("somebody speaks");
        };
        assert_eq!(turns[0].text, expected);
    }
    let missing = of_a_test(
        "conversation: [{user: '{{scenario.sise}} {{scenario.place}}'}]\n    scenarios: venues.json",
    );
    assert_eq!(
        missing,
        [
            "10:28 undefined-variable: the scenario `corporate event` has no text `sise` (did you mean `{{scenario.size}}`?)",
            "10:28 undefined-variable: the scenario `wedding` has no text `sise` (did you mean `{{scenario.size}}`?)",
        ]
    );
}

#[test]
fn what_is_wrong_with_a_file_of_scenarios_is_told_with_its_place_there() {
    let of = |scenarios: &str| {
        of_a_test(&format!(
            "conversation: [{{user: Hi}}]\n    scenarios: {scenarios}"
        ))
    };
    for (scenarios, expected) in [
        (
            "bad.json",
            &[
                "suites/bad.json:2:3 bad-scenario: the scenario `a` has no `goal`",
                "suites/bad.json:3:3 bad-scenario: the scenario has no `name`",
                "suites/bad.json:4:3 bad-scenario: a scenario is a mapping, not a text",
            ][..],
        ),
        (
            "nowhere.json",
            &[
                "11:16 bad-scenario: the scenarios in `nowhere.json` cannot be read: there is no such file (the path is relative to the suite's folder)",
            ],
        ),
        (
            "map.yaml",
            &[
                "suites/map.yaml:1:1 bad-scenario: a file of scenarios is a list with at least one mapping",
            ],
        ),
        (
            "empty.yaml",
            &[
                "suites/empty.yaml:1:1 bad-scenario: a file of scenarios is a list with at least one mapping",
            ],
        ),
        (
            "[]",
            &["11:16 bad-scenario: `scenarios` must have at least one"],
        ),
        (
            "[{name: a}]",
            &["11:17 bad-scenario: the scenario `a` has no `goal`"],
        ),
        (
            "{name: a}",
            &[
                "11:16 wrong-value: `scenarios` is the path of a file or a list of mappings, not a mapping",
            ],
        ),
    ] {
        assert_eq!(of(scenarios), expected, "{scenarios}");
    }
    assert_eq!(of("broken.json").len(), 1);
}

#[test]
fn a_test_adds_to_what_its_suite_says() {
    let suite = suite(
        "\
matrix: {model: [small, large]}
agent: {command: './agent {{model}}'}
llm: {provider: scripted, user: [a], verdicts: {x: true, y: false}}
judge: {votes: 3}
tools: [search]
criteria: {x: X, y: Y}
simulator: {role: Planner, personality: quick, rules: {should: [ask]}, maxTurns: 4, stopWhen: {called: search}}
topics: {a: {description: A, next: [b]}, b: {description: B, triggers: [{afterTurns: 2}]}}
tests:
  - name: t
    matrix: {model: [tiny]}
    llm: {user: [b], verdicts: {y: [true, inconclusive], z: true}}
    judge: {self: true}
    tools: [pay]
    criteria: {y: Why, z: Z}
    topics: {b: {description: Be, triggers: [{agentMatches: b}]}}
    simulate: {goal: g, personality: [kind], rules: {should: [thank], shouldNot: [shout]}}
    during: {b: {should: [hurry]}}
    expect: [{called: pay}, {satisfies: z}]
    evaluate: [{satisfies: x}]
",
    );
    let talk = suite.tests[0].conversation().expect("it talks");
    let Agent::Command(script) = &talk.agent else {
        panic!("{:?}", talk.agent);
    };
    assert_eq!(script.text, "./agent tiny");
    let llm = talk.llm.as_ref().expect("there is one");
    let Provider::Scripted(script) = &llm.provider else {
        panic!("{llm:?}");
    };
    assert_eq!(script.user, ["b"]);
    assert_eq!(
        script.verdicts,
        [
            ("x".to_owned(), Verdicts::Always(Verdict::Passed)),
            (
                "y".to_owned(),
                Verdicts::InOrder(vec![Verdict::Passed, Verdict::Inconclusive])
            ),
            ("z".to_owned(), Verdicts::Always(Verdict::Passed)),
        ]
    );
    assert_eq!((talk.judge.votes, talk.judge.itself), (3, true));
    let criteria: Vec<_> = talk
        .criteria
        .iter()
        .map(|one| one.description.as_str())
        .collect();
    assert_eq!(criteria, ["X", "Why", "Z"]);
    assert_eq!(talk.topics[1].description, "Be");
    assert_eq!(talk.topics[1].triggers, [Trigger::AgentMatches("b".into())]);
    let User::Simulated(user) = &talk.user else {
        panic!("a model speaks");
    };
    assert_eq!(user.role.as_deref(), Some("Planner"));
    assert_eq!(user.personality, ["quick", "kind"]);
    let rules = Rules {
        should: vec!["ask".into(), "thank".into()],
        should_not: vec!["shout".into()],
    };
    assert_eq!(user.rules, rules);
    assert_eq!(user.max_turns, 4);
    assert_eq!(user.stop_when.len(), 1);
    assert_eq!(user.during[0].0, "b");
    let hard: Vec<_> = talk
        .demands
        .iter()
        .map(|Demand { hard, field, .. }| (*hard, *field))
        .collect();
    assert_eq!(
        hard,
        [(true, "called"), (true, "satisfies"), (false, "satisfies")]
    );
}

#[test]
fn another_provider_is_another_model() {
    let talk = talk(
        "agent: {command: a}\nllm: {provider: anthropic, model: m, keyEnv: KEY}\ntests:\n  - {name: t, llm: {provider: scripted}, conversation: [{user: Hi}]}",
    );
    let llm = talk.llm.expect("there is one");
    assert_eq!((llm.model.as_str(), llm.key_env), ("scripted", None));
}

#[test]
fn agents_and_criteria_are_read_whole() {
    let talk = talk(
        "agent: {http: {url: 'http://localhost/chat', headers: {Authorization: 'Bearer {{env.TOKEN}}'}, timeout: 2m}}\ncriteria:\n  a: {description: A, good: [x], bad: [{text: y, why: z}], edge: [{text: w, verdict: false}]}\ntests: [{name: t, conversation: [{user: Hi}]}]",
    );
    let Agent::Http(endpoint) = &talk.agent else {
        panic!("{:?}", talk.agent);
    };
    assert_eq!(
        endpoint.headers,
        [("Authorization".to_owned(), "Bearer secret".to_owned())]
    );
    assert_eq!(endpoint.timeout.map(|timeout| timeout.as_secs()), Some(120));
    let sample = |text: &str, passes, edge, why: Option<&str>| Sample {
        text: text.into(),
        passes,
        edge,
        why: why.map(Into::into),
    };
    assert_eq!(
        talk.criteria[0].examples,
        [
            sample("x", true, false, None),
            sample("y", false, false, Some("z")),
            sample("w", false, true, None),
        ]
    );
}

#[test]
fn what_commands_can_conversations_can() {
    let suite = suite(
        "\
variables: {who: Ada}
agent: {command: a}
fragments: {greets: {conversation: [{user: 'I am {{who}}'}], tags: [f]}}
tags: [s]
tests:
  - {name: t, $ref: greets, skip: later, only: true, retries: 2, timeout: 5, env: {A: 1}, workdir: w, covers: {x: y}}
",
    );
    let test = &suite.tests[0];
    assert_eq!(test.skip.as_deref(), Some("later"));
    assert_eq!((test.retries, test.only.is_some()), (2, true));
    assert_eq!(test.tags, ["s", "f"]);
    assert_eq!(test.workdir.as_deref(), Some("w"));
    let Some(User::Scripted(turns)) = test.conversation().map(|talk| &talk.user) else {
        panic!("somebody speaks");
    };
    assert_eq!(turns[0].text, "I am Ada");
    assert!(test.assertions.is_empty());
}

#[test]
fn what_a_suite_says_of_conversations_is_no_problem_of_a_test() {
    let checked = checked(
        "agent: {comand: a}\ntests:\n  - {name: one, conversation: [{user: ''}]}\n  - {name: two, conversation: [{user: Hi}]}",
    );
    let within: Vec<_> = checked
        .diagnostics
        .iter()
        .map(|problem| problem.within.as_deref())
        .collect();
    assert_eq!(within, [None, Some("one")]);
}
