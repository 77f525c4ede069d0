//! Checks of conversations, from the suite to the result: one run, one test per row.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::run::Suite;

/// An agent that replies with the JSON in the user message.
const AGENT: &str = r#"
import json, sys
for line in sys.stdin:
    chat = json.loads(line)
    answer = json.loads(chat["messages"][-1]["content"])
    print(json.dumps({"id": chat["id"], "type": "response", "text": "", **answer}), flush=True)
"#;

const TOPICS: &str = "{start: {description: S, next: [mid]}, \
    mid: {description: M, triggers: [{called: search}], next: [end]}, \
    end: {description: E, triggers: [{agentMatches: bye}, {called: {tool: book, with: {n: {min: 2}}}}]}}";

/// The agent's replies; a check after the last turn or, with `at_end`, at the end; the expected problem.
struct Row {
    answers: Vec<Value>,
    check: &'static str,
    at_end: bool,
    problem: Option<&'static str>,
}

fn run(rows: &[Row]) -> Vec<Option<String>> {
    let mut yaml = format!("agent: {{command: python3 agent.py}}\ntopics: {TOPICS}\ntests:\n");
    for (number, row) in rows.iter().enumerate() {
        writeln!(yaml, "  - name: row {number}\n    conversation:").unwrap();
        for answer in &row.answers {
            let message = Value::from(answer.to_string()).to_string();
            writeln!(yaml, "      - user: {message}").unwrap();
        }
        let indent = if row.at_end { "    " } else { "        " };
        writeln!(yaml, "{indent}expect: {}", row.check).unwrap();
    }
    let suite = Suite::new(&yaml);
    suite.project.write("agent.py", AGENT);
    let ran = suite.run("");
    let found = (0..rows.len()).map(|number| {
        let test = ran.test(&format!("row {number}"));
        let message = test["exception"]["message"].as_str();
        message.map(|message| {
            let first = message.lines().next().unwrap_or_default();
            let problem_of_turn = first
                .split_once(": ")
                .filter(|(turn, _)| turn.starts_with("turn "));
            problem_of_turn
                .map_or(first, |(_, problem)| problem)
                .to_owned()
        })
    });
    found.collect()
}

#[track_caller]
fn assert_rows(rows: &[Row]) {
    for (row, found) in rows.iter().zip(run(rows)) {
        assert_eq!(
            found.as_deref(),
            row.problem,
            "{} on {:?}",
            row.check,
            row.answers
        );
    }
}

fn row(answer: Value, check: &'static str, problem: Option<&'static str>) -> Row {
    Row {
        answers: vec![answer],
        check,
        at_end: false,
        problem,
    }
}

fn at_end(answers: Vec<Value>, check: &'static str, problem: Option<&'static str>) -> Row {
    Row {
        answers,
        check,
        at_end: true,
        problem,
    }
}

fn says(text: &str) -> Value {
    json!({"text": text})
}

fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<_> = calls
        .iter()
        .map(|(name, arguments)| json!({"name": name, "arguments": arguments}))
        .collect();
    json!({"text": "done", "tool_calls": calls})
}

#[test]
fn arguments_are_matched_at_every_nesting() {
    let book = |arguments| calls(&[("book", arguments)]);
    let deep = || json!({"who": {"name": "Ada", "tags": ["a", {"n": 1, "m": 2}]}, "n": 10, "ok": false, "gone": null});
    assert_rows(&[
        row(
            book(deep()),
            "{called: {tool: book, with: {n: 10.0, ok: false, gone: null}}}",
            None,
        ),
        row(
            book(deep()),
            "{called: {tool: book, with: {who: {tags: [a, {n: 1}]}}}}",
            None,
        ),
        row(
            book(deep()),
            "{called: {tool: book, with: {who: {name: {matches: ^A}}, n: {min: 9, max: 10}, other: {absent: true}}}}",
            None,
        ),
        row(
            book(deep()),
            "{called: {tool: book, with: {who: {oneOf: [x, {name: Ada, tags: [a, {n: 1, m: 2}]}]}}}}",
            None,
        ),
        row(
            book(deep()),
            "{called: {tool: book, with: {n: '10'}}}",
            Some("no call of book has n \"10\"; the closest has n 10"),
        ),
        row(
            book(deep()),
            "{called: {tool: book, with: {who: {tags: [a]}}}}",
            Some(
                "no call of book has who/tags with 1 element; the closest has who/tags with 2 elements",
            ),
        ),
        row(
            book(deep()),
            "{called: {tool: book, with: {who: {tags: [a, {n: {min: 2}}]}}}}",
            Some("no call of book has who/tags with 2 elements; the closest has who/tags/1/n 1"),
        ),
        row(
            book(deep()),
            "{called: {tool: book, with: {gone: {absent: true}}}}",
            Some("no call of book has no gone; the closest has gone null"),
        ),
        row(
            book(deep()),
            "{called: {tool: book, with: {ok: true, n: 10}}}",
            Some("no call of book has ok true and n 10; the closest has ok false"),
        ),
        row(
            book(json!({"max": 5, "min": 1})),
            "{called: {tool: book, with: {max: 5}}}",
            None,
        ),
        row(
            book(json!({"price": {"min": 1, "max": 2}})),
            "{called: {tool: book, with: {price: {oneOf: [{min: 1, max: 2}]}}}}",
            None,
        ),
        row(
            book(json!({"price": {"min": 1, "max": 2}})),
            "{called: {tool: book, with: {price: {equals: {min: 1, max: 2}}}}}",
            None,
        ),
        row(
            book(json!({"price": {"min": 1, "max": 2}})),
            "{called: {tool: book, with: {price: {equals: {min: 1}}}}}",
            Some(
                "no call of book has price {\"min\":1}; the closest has price {\"min\":1,\"max\":2}",
            ),
        ),
        row(
            book(json!({"n": 3})),
            "{notCalled: {tool: book, with: {n: {moreOften: 2}}}}",
            Some(
                "the check requires n as a mapping with moreOften, but book was called with n 3; for a condition, use its name, such as `min`",
            ),
        ),
        row(
            book(json!({"n": 3, "m": 1})),
            "{notCalled: {tool: book, with: {n: {moreOften: 2}, m: 2}}}",
            None,
        ),
    ]);
}

#[test]
fn calls_are_counted_and_ordered() {
    let talk = || {
        vec![
            calls(&[("search", json!({"q": 1})), ("search", json!({"q": 2}))]),
            calls(&[("check", json!({})), ("book", json!({"n": 1}))]),
        ]
    };
    let failed = || json!({"text": "no", "tool_calls": [{"name": "book", "arguments": {}, "error": "full"}]});
    assert_rows(&[
        at_end(talk(), "{called: {tool: search, times: 2}}", None),
        at_end(
            talk(),
            "{called: {tool: search, times: 1}}",
            Some("search was called 2 times instead of once"),
        ),
        at_end(
            talk(),
            "{called: {tool: search, with: {q: 1}, times: {min: 2}}}",
            Some("1 call of search matches instead of at least 2"),
        ),
        at_end(talk(), "{called: {tool: search, before: book}}", None),
        at_end(
            talk(),
            "{called: {tool: book, before: check}}",
            Some("book was not called before check"),
        ),
        at_end(talk(), "{called: {tool: book, after: search}}", None),
        at_end(
            talk(),
            "{called: {tool: pay, after: search}}",
            Some("pay was not called; the agent called search, check, book"),
        ),
        at_end(talk(), "{notCalled: {tool: book, before: check}}", None),
        at_end(
            talk(),
            "{notCalled: {tool: book, after: check}}",
            Some("book was called, with {\"n\":1}"),
        ),
        at_end(
            talk(),
            "{onlyCalled: [search, check]}",
            Some("book was called"),
        ),
        at_end(talk(), "{calledInOrder: [search, book]}", None),
        at_end(
            talk(),
            "{calledInOrder: [book, search]}",
            Some("search was not called after book"),
        ),
        at_end(
            talk(),
            "{calledInOrder: [search, search, check, book], exact: true}",
            None,
        ),
        at_end(
            talk(),
            "{calledInOrder: [search, book], exact: true}",
            Some("the calls were search, search, check, book"),
        ),
        row(failed(), "{called: {tool: book, failed: true}}", None),
        row(
            failed(),
            "{called: {tool: book, failed: false}}",
            Some("no call of book succeeded; the closest failed"),
        ),
        row(says("hi"), "{onlyCalled: []}", None),
        row(
            says("hi"),
            "{called: book}",
            Some("book was not called; no tool was called"),
        ),
    ]);
}

#[test]
fn replies_topics_and_figures_are_checked() {
    let talk = || {
        vec![
            says("Hello"),
            calls(&[("search", json!({}))]),
            says("Good bye"),
        ]
    };
    let tokens = |answer: Value, cost: Option<f64>| {
        let mut tracing = json!({"tokens": {"input": 100, "output": 20}});
        if let Some(cost) = cost {
            tracing["cost"] = cost.into();
        }
        json!({"text": answer, "metadata": {"tracing": tracing}})
    };
    assert_rows(&[
        at_end(talk(), "{contains: Hello}", None),
        at_end(
            talk(),
            "{contains: Hallo}",
            Some("no reply contains \"Hallo\""),
        ),
        at_end(
            talk(),
            "{notContains: bye}",
            Some("the reply in turn 3 contains \"bye\" in line 1"),
        ),
        at_end(talk(), "{matches: '^Good'}", None),
        at_end(talk(), "{equals: done}", None),
        at_end(
            talk(),
            "{maxLength: 5}",
            Some("the reply in turn 3 has 8 characters instead of at most 5"),
        ),
        row(says("Hello\n"), "{equals: Hello}", None),
        row(
            says("Hello"),
            "{notMatches: l+}",
            Some("the reply matches l+ in line 1"),
        ),
        at_end(talk(), "{topics: [start, mid, end]}", None),
        at_end(
            talk(),
            "{topics: [start, mid]}",
            Some("the topics were start, mid, end instead of start, mid"),
        ),
        at_end(talk(), "{topic: end}", None),
        at_end(
            vec![says("Hello")],
            "{reachedTopic: mid}",
            Some("the topic mid was not reached; the topics were start"),
        ),
        at_end(talk(), "{turns: {min: 3, max: 3}}", None),
        row(tokens(json!("x"), None), "{tokens: {max: 120}}", None),
        row(
            tokens(json!("x"), None),
            "{tokens: {max: 119}}",
            Some("tokens 120 instead of at most 119"),
        ),
        row(
            tokens(json!("x"), None),
            "{cost: {max: 1}}",
            Some(
                "the agent did not report the cost of the reply; set `price` of an `openai` or `anthropic` agent; others must report `cost`",
            ),
        ),
        row(
            tokens(json!("x"), Some(0.25)),
            "{cost: {max: 0.2}}",
            Some("cost 0.25 instead of at most 0.2"),
        ),
        row(says("x"), "{latency: {max: 50}}", None),
        row(
            says("x"),
            "{tokens: {max: 1}}",
            Some(
                "the agent did not report the tokens of the reply; it must report `tokens: {input, output}`",
            ),
        ),
        row(
            says("x"),
            "{run: \"python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)[\\\"turn\\\"] != 1)'\"}",
            None,
        ),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn more_texts_and_values_are_checked() {
    let found = |result: Value| json!({"text": "ok", "tool_calls": [{"name": "search_rooms", "result": result}]});
    let order = || says(r#"{"total": 8, "items": [{"name": "Ada"}], "note": null}"#);
    assert_rows(&[
        row(says("Hello"), "{contains: hELLO, ignoreCase: true}", None),
        row(
            says("Hello"),
            "{notMatches: '^h', ignoreCase: true}",
            Some("the reply matches ^h in line 1"),
        ),
        row(says("Hello"), "{minLength: 5}", None),
        row(
            says("Hi"),
            "{minLength: 5}",
            Some("the reply has 2 characters instead of at least 5"),
        ),
        at_end(
            vec![says("Hello"), says("H")],
            "{minLength: 2}",
            Some("the reply in turn 2 has 1 character instead of at least 2"),
        ),
        row(
            order(),
            "{json: {/total: 8.0, /items/0: {name: {matches: ^A}}, /note: null, /gone: {absent: true}}}",
            None,
        ),
        row(
            order(),
            "{json: {/total: {min: 10}}}",
            Some("the reply has /total 8; expected /total at least 10"),
        ),
        row(
            order(),
            "{json: {/items: [{name: Bob}]}}",
            Some("the reply has /items/0/name \"Ada\"; expected /items/0/name \"Bob\""),
        ),
        row(
            order(),
            "{json: {/totl: 8}}",
            Some("the reply has no /totl; expected /totl 8"),
        ),
        row(
            order(),
            "{json: {'': {length: 2}}}",
            Some(
                "the reply has the document {\"total\":8,\"items\":[{\"name\":\"Ada\"}],\"note\":null}; expected the document with length 2",
            ),
        ),
        row(
            says("The total is 8"),
            "{json: {/total: 8}}",
            Some("the reply is not JSON: The total is 8"),
        ),
        row(
            says(""),
            "{json: {/total: 8}}",
            Some("the reply is empty, so it is not JSON"),
        ),
        at_end(vec![says("Hello"), order()], "{json: {/total: 8}}", None),
        row(
            found(json!({"rooms": ["Blue", "Red"]})),
            "{returned: {tool: search_rooms, with: {rooms: {contains: Blue}}}}",
            None,
        ),
        row(
            found(json!("{\"rooms\": 2}")),
            "{returned: {tool: /^search/, with: {rooms: 2}}}",
            None,
        ),
        row(
            found(json!("Blue Room")),
            "{returned: {tool: search_rooms, with: {contains: Red}}}",
            Some(
                "search_rooms returned the result \"Blue Room\"; expected the result containing \"Red\"",
            ),
        ),
        row(
            found(json!({"rooms": 0})),
            "{returned: {tool: search_rooms, with: {rooms: {min: 1}}}}",
            Some("search_rooms returned rooms 0; expected rooms at least 1"),
        ),
        row(
            calls(&[("search_rooms", json!({}))]),
            "{not: {returned: {tool: search_rooms, with: {rooms: 1}}}}",
            Some("the agent did not report the result of search_rooms"),
        ),
        row(
            says("x"),
            "{returned: {tool: search_rooms, with: 1}}",
            Some("search_rooms was not called"),
        ),
        row(found(json!(1)), "{called: /^search_/}", None),
        row(
            found(json!(1)),
            "{notCalled: /rooms$/}",
            Some("search_rooms was called, with {}"),
        ),
        row(
            found(json!(1)),
            "{called: /^book_/}",
            Some("/^book_/ was not called; the agent called search_rooms"),
        ),
        row(
            found(json!(1)),
            "{onlyCalled: [/^book_/]}",
            Some("search_rooms was called"),
        ),
        row(
            found(json!(1)),
            "{calledInOrder: [/^search/], exact: true}",
            None,
        ),
        at_end(vec![says("x")], "{ended: script_end}", None),
        at_end(
            vec![says("x")],
            "{not: {ended: script_end}}",
            Some("ended script_end passed, but must not"),
        ),
    ]);
}

#[test]
fn checks_are_combined() {
    assert_rows(&[
        row(
            says("Hello"),
            "{anyOf: [{contains: Bye}, {matches: ^H}]}",
            None,
        ),
        row(
            says("Hello"),
            "{anyOf: [{contains: [Hello, Bye]}, {called: book}]}",
            Some(
                "none of the 2 alternatives passed: contains \"Hello\" and contains \"Bye\": the reply does not contain \"Bye\"; called book: book was not called; no tool was called",
            ),
        ),
        row(says("Hello"), "{not: {contains: Bye}}", None),
        row(
            says("Hello"),
            "{not: {contains: Hello}}",
            Some("contains \"Hello\" passed, but must not"),
        ),
        row(
            says("Hello"),
            "{not: {anyOf: [{equals: a}, {equals: b}]}}",
            None,
        ),
        row(
            says("Hello"),
            "{not: {anyOf: [{equals: a}, {equals: Hello}]}}",
            Some("anyOf equals \"a\" or equals \"Hello\" passed, but must not"),
        ),
        row(says("{}"), "{not: {json: {/error: {type: string}}}}", None),
        row(
            says("Hello"),
            "{not: {json: {/error: {type: string}}}}",
            Some("the reply is not JSON: Hello"),
        ),
        row(
            says("Hello"),
            "{not: {anyOf: [{json: {/a: 1}}, {equals: b}]}}",
            Some(
                "none of the 2 alternatives passed: json /a 1: the reply is not JSON: Hello; equals \"b\": the reply differs from the expected text",
            ),
        ),
        row(
            says("Hello"),
            "{anyOf: [{json: {/a: 1}}, {equals: Hello}]}",
            None,
        ),
        row(
            says("Hello"),
            "{not: {tokens: {max: 1}}}",
            Some(
                "the agent did not report the tokens of the reply; it must report `tokens: {input, output}`",
            ),
        ),
        row(says("Hello"), "{not: {run: exit 3}}", None),
        row(
            says("Hello"),
            "{not: {run: no-such-program}}",
            Some("no-such-program exited with code 127:"),
        ),
        at_end(
            vec![says("Hello"), says("Bye")],
            "{not: {contains: Bye}}",
            Some("contains \"Bye\" passed, but must not"),
        ),
    ]);
}
