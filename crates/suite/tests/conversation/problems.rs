//! Tests of the problems of conversation tests, suites and their combination.

use casebook_suite::model::conversation::HistoryTurn;

use super::*;

#[test]
fn reports_invalid_histories() {
    for (history, problem) in [
        (
            "Hi",
            "10:14 wrong-value: `history` must be a list of messages, not a string (write `- {role: user, content: …}` for each message)",
        ),
        (
            "[]",
            "10:14 missing-field: `history` must have at least one message",
        ),
        (
            "[Hi]",
            "10:15 wrong-value: `history` must be a mapping, not a string (its fields are `role`, `content`, `toolCalls` and `tool`)",
        ),
        (
            "[{content: Hi}]",
            "10:15 missing-field: the message has no `role` (add `role: user`, `role: assistant` or `role: tool`)",
        ),
        (
            "[{role: agent, content: Hi}]",
            "10:22 wrong-value: `role` must be one of user, assistant, tool, got 'agent'",
        ),
        (
            "[{role: user}]",
            "10:15 missing-field: the message has no `content`",
        ),
        (
            "[{role: user, content: Hi, tool: search}]",
            "10:41 conflict: `tool` has no effect here: the role is `user`",
        ),
        (
            "[{role: assistant}]",
            "10:15 missing-field: the message has neither `content` nor `toolCalls`",
        ),
        (
            "[{role: assistant, toolCalls: search}]",
            "10:44 wrong-value: `toolCalls` must be a list, not a string",
        ),
        (
            "[{role: assistant, toolCalls: [{arguments: {}}]}]",
            "10:45 missing-field: the call has no `tool`",
        ),
        (
            "[{role: assistant, toolCalls: [{tool: serch}]}]",
            "10:52 unknown-tool: unknown tool `serch` (did you mean `search`?)",
        ),
        (
            "[{role: assistant, toolCalls: [{tool: search, args: {}}]}]",
            "10:60 unknown-field: a call has no field `args` (its fields are `tool`, `arguments` and `result`)",
        ),
        (
            "[{role: assistant, toolCalls: [{tool: search, arguments: 3}]}]",
            "10:71 wrong-value: `arguments` must be a mapping, not a number (write entries of the form `name: value` below it)",
        ),
        (
            "[{role: tool, tool: search, content: x}]",
            "10:34 wrong-value: no message before calls `search` without a result (add `{role: assistant, toolCalls: [{tool: search}]}` before it)",
        ),
        (
            "[{role: tool, tool: search}]",
            "10:15 missing-field: the message has no `content`",
        ),
    ] {
        let lines = format!("history: {history}\n    conversation: [{{user: Hi}}]");
        assert_eq!(problems_of_test(&lines), [problem], "{history}");
    }
    assert_eq!(
        problems_of_test("history: [{role: user, content: Hi}]"),
        [
            "9:5 missing-field: the test has no `command` (add `command`, `steps`, `conversation` or `simulate`)",
            "10:5 conflict: `history` is for conversations (`conversation` or `simulate`)",
        ]
    );
}

#[test]
fn reports_invalid_messages() {
    for (user, problem) in [
        ("{}", "10:27 missing-field: the message has no `text`"),
        (
            "{files: [a.png]}",
            "10:27 missing-field: the message has no `text`",
        ),
        (
            "{text: Hi, file: a.png}",
            "10:38 unknown-field: a message has no field `file` (did you mean `files`?)",
        ),
        (
            "{text: Hi, files: []}",
            "10:45 vacuous: `files` is an empty list and has no effect (add a value, or remove the field)",
        ),
        (
            "{text: Hi, files: [a.txt]}",
            "10:46 wrong-value: `a.txt` is neither an image nor a PDF file (its name must end with png, jpg, jpeg, gif, webp or pdf)",
        ),
        (
            "{text: Hi, files: [a.png, b.jpg]}",
            "10:46 conflict: `files` has no effect here: the agent is neither `openai` nor `anthropic` (remove `files`, or use an agent of these kinds)",
        ),
    ] {
        let lines = format!("conversation: [{{user: {user}}}]");
        assert_eq!(problems_of_test(&lines), [problem], "{user}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn reports_invalid_agents() {
    for (agent, problem) in [
        (
            "./agent",
            "1:8 wrong-value: `agent` must be a mapping, not a string (to run a program, write `agent: {command: …}`)",
        ),
        (
            "{}",
            "1:8 missing-field: `agent` is empty; it must have one of `command`, `http`, `openai`, `anthropic`",
        ),
        (
            "{comand: ./agent}",
            "1:9 unknown-field: an agent has no field `comand` (did you mean `command`?)",
        ),
        (
            "{command: ''}",
            "1:18 wrong-value: `command` must not be empty (write a value, or remove the field)",
        ),
        (
            "{command: [./agent]}",
            "1:18 wrong-value: `command` must be a string, not a list",
        ),
        (
            "{command: ./agent, http: {url: 'http://a'}}",
            "1:27 conflict: `agent` must have only one of `command`, `http`, `openai` and `anthropic`",
        ),
        (
            "{http: 'http://a'}",
            "1:15 wrong-value: `http` must be a mapping, not a string (its fields are `url`, `method`, `headers`, `body`, `response`, `stream`, `example`, `timeout` and `retry`)",
        ),
        ("{http: {}}", "1:15 missing-field: the agent has no `url`"),
        (
            "{http: {url: a}}",
            "1:21 wrong-value: `a` is not a URL that begins with http:// or https://",
        ),
        (
            "{http: {url: 'http://a', method: FETCH}}",
            "1:41 wrong-value: `method` must be one of POST, PUT, PATCH, got 'FETCH'",
        ),
        (
            "{http: {url: 'http://a', timeout: soon}}",
            "1:42 wrong-value: `timeout` must be a positive number of seconds, or a duration such as 500ms, 30s or 2m, got 'soon'",
        ),
        (
            "{http: {url: 'http://a', header: {a: b}}}",
            "1:33 unknown-field: an http agent has no field `header` (did you mean `headers`?)",
        ),
        (
            "{http: {url: 'http://a', headers: [a]}}",
            "1:42 wrong-value: `headers` must be a mapping, not a list (write entries of the form `name: value` below it)",
        ),
        (
            "{http: {url: 'http://a', stream: yes}}",
            "1:41 wrong-value: `stream` must be one of sse, none, got 'yes'",
        ),
        (
            "{http: {url: 'http://a', response: {text: reply}}}",
            "1:50 wrong-value: `reply` is not a JSON Pointer (a pointer begins with a slash: `/reply`)",
        ),
        (
            "{http: {url: 'http://a', retry: {times: 1, on: [700]}}}",
            "1:56 wrong-value: `on` must be a status from 400 to 599, got '700'",
        ),
        (
            "{openai: {url: 'http://a'}}",
            "1:17 missing-field: an openai agent has no `model`",
        ),
        (
            "{openai: {model: m}}",
            "1:17 missing-field: the agent has no `url`",
        ),
        (
            "{openai: {url: 'http://a', model: m, stream: maybe}}",
            "1:53 wrong-value: `stream` must be true or false, got 'maybe'",
        ),
        (
            "{openai: {url: 'http://a', model: m, maxTokens: 0}}",
            "1:56 wrong-value: `maxTokens` must be a whole number from 1 to 1000000, got '0'",
        ),
        (
            "{openai: {url: 'http://a', model: m, price: {input: -1}}}",
            "1:60 wrong-value: `input` must not be less than 0, got '-1'",
        ),
        (
            "{anthropic: {url: 'http://a', model: m, tools: [{name: a}]}}",
            "1:56 missing-field: the tool has no `result` (write the value that a call returns, `{run: COMMAND}` or `{error: TEXT}`)",
        ),
        (
            "{anthropic: {url: 'http://a', model: m, maxToolRounds: x}}",
            "1:63 wrong-value: `maxToolRounds` must be a whole number from 1 to 100, got 'x'",
        ),
        (
            "{http: {url: 'http://a/{{conversation.idd}}'}}",
            "1:31 undefined-variable: variable `conversation.idd` is not defined (did you mean `{{conversation.id}}`? (for literal braces write `\\{{`))",
        ),
        (
            "{http: {url: 'http://a', body: '{{message}} {{mesages}}'}}",
            "1:52 undefined-variable: variable `mesages` is not defined (did you mean `{{messages}}`? (for literal braces write `\\{{`))",
        ),
    ] {
        assert_eq!(problems(&with_agent(agent)), [problem], "{agent}");
    }
}

#[test]
fn agents_without_the_message_and_keys_in_suites_are_reported_with_a_fix() {
    for (agent, problem) in [
        (
            "{http: {url: 'http://a', body: {question: hello}}}",
            "1:39 missing-field: the agent would not get the user's message: `body` has neither `{{message}}` nor `{{messages}}` (write `{{message}}` where the agent expects it)",
        ),
        (
            "{openai: {url: 'http://a', model: m, api_key: k}}",
            "1:45 unknown-field: an openai agent has no field `api_key` (use a header: `headers: {Authorization: \"Bearer {{env.NAME}}\"}`)",
        ),
    ] {
        assert_eq!(problems(&with_agent(agent)), [problem], "{agent}");
    }
}

fn with_agent(agent: &str) -> String {
    format!("agent: {agent}\ntests:\n  - name: t\n    conversation: [{{user: Hi}}]\n")
}

#[test]
fn reports_invalid_captures() {
    for (capture, user, problem) in [
        (
            "[id]",
            "x",
            "11:29 wrong-value: `capture` must be a mapping, not a list (write entries of the form `name: value` below it)",
        ),
        (
            "{id: ''}",
            "{{id}}",
            "11:34 wrong-value: `capture` must not be empty (write a value, or remove the field)",
        ),
        (
            "{id: 'a('}",
            "{{id}}",
            "11:34 bad-pattern: `capture`: `(` without its `)`: for the character itself write `\\(`",
        ),
        (
            "{id: a}",
            "x",
            "11:30 unused-capture: the captured value `id` is never used (use it as `{{id}}` in a later turn, or remove it)",
        ),
        (
            "{id: {}}",
            "{{id}}",
            "11:34 missing-field: the captured value has no source (add `matches`, or `tool` with `pointer` or `argument`)",
        ),
        (
            "{id: {tool: search}}",
            "{{id}}",
            "11:34 missing-field: the captured value has no source (add `matches`, or `tool` with `pointer` or `argument`)",
        ),
        (
            "{id: {pointer: /a}}",
            "{{id}}",
            "11:35 missing-field: `pointer` requires `tool`",
        ),
        (
            "{id: {tool: serch, pointer: /a}}",
            "{{id}}",
            "11:41 unknown-tool: unknown tool `serch` (did you mean `search`?)",
        ),
        (
            "{id: {tool: search, pointer: a}}",
            "{{id}}",
            "11:58 wrong-value: `a` is not a JSON Pointer (a pointer begins with a slash: `/a`)",
        ),
        (
            "{id: {tool: search, pointer: /a, argument: /b}}",
            "{{id}}",
            "11:62 conflict: a captured value has `pointer` or `argument`, not both",
        ),
        (
            "{id: {tool: search, matches: a}}",
            "{{id}}",
            "11:41 conflict: `tool` has no effect here: `matches` is for the reply",
        ),
        (
            "{id: {tool: search, ponter: /a}}",
            "{{id}}",
            "11:49 unknown-field: a captured value has no field `ponter` (did you mean `pointer`?)",
        ),
    ] {
        let lines = format!(
            "conversation:\n      - {{user: Hi, capture: {capture}}}\n      - {{user: '{user}'}}"
        );
        assert_eq!(problems_of_test(&lines), [problem], "{capture}");
    }
    assert_eq!(
        problems_of_test("conversation:\n      - {user: 'Hi {{id}}', capture: {id: a}}"),
        [
            "11:20 undefined-variable: `id` has no value here: turn 1 captures it, after its reply (use it after that, or capture it earlier)"
        ]
    );
}

#[test]
fn a_history_is_grouped_into_turns() {
    let conversation = conversation(&with_base(
        "history:
      - {role: assistant, content: Welcome}
      - {role: user, content: Book}
      - {role: assistant, content: One moment, toolCalls: [{tool: search}, {tool: book, result: 7}]}
      - {role: tool, tool: search, content: {n: 1}}
      - {role: assistant, content: Done}
      - {role: user, content: And}
    conversation: [{user: Hi}]",
    ));
    let [welcome, booked, last] = conversation.history.as_slice() else {
        panic!("{:?}", conversation.history);
    };
    let messages = |turn: &HistoryTurn| -> Vec<_> {
        let messages = turn.messages.iter();
        let messages = messages.map(|message| (message.text.clone(), message.calls.len()));
        messages.collect()
    };
    assert_eq!(welcome.user, "");
    assert_eq!(messages(welcome), [("Welcome".to_owned(), 0)]);
    assert_eq!(booked.user, "Book");
    assert_eq!(
        messages(booked),
        [("One moment".to_owned(), 2), ("Done".to_owned(), 0)]
    );
    let calls = booked.messages[0].calls.iter();
    let results: Vec<_> = calls.map(|call| call.result.clone()).collect();
    assert_eq!(results, [Some(json!({"n": 1})), Some(json!(7))]);
    assert_eq!((&last.user[..], messages(last)), ("And", Vec::new()));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn reports_invalid_tests() {
    for (lines, expected) in [
        (
            "command: ls\n    conversation: [{user: Hi}]",
            &[
                "11:5 conflict: a test has `command` or `conversation`, not both (remove one of them)",
            ][..],
        ),
        (
            "command: ls\n    simulate: {goal: g}",
            &["11:5 conflict: a test has `command` or `simulate`, not both (remove one of them)"],
        ),
        (
            "conversation: [{user: Hi}]\n    simulate: {goal: g, maxTurns: 2}\n    expect: {turns: 4}",
            &["12:14 vacuous: `turns` can never pass: a conversation has 1 to 3 turns here"],
        ),
        (
            "conversation: [{user: Hi}]\n    simulate: {role: r}",
            &["11:15 missing-field: `simulate` has no `goal`"],
        ),
        (
            "conversation: [{user: Hi}]\n    exitCode: 1\n    outputContains: a\n    stdin: b",
            &[
                "11:5 conflict: `exitCode` is for commands, but this test is a conversation",
                "12:5 conflict: `outputContains` is for commands, but this test is a conversation",
                "13:5 conflict: `stdin` is for commands, but this test is a conversation",
            ],
        ),
        (
            "command: ls\n    expect: [{contains: a}]",
            &["11:5 conflict: `expect` is for conversations (`conversation` or `simulate`)"],
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
                "10:19 wrong-value: `conversation` must be a list, not a string (write `- user: …` for each turn)",
            ],
        ),
        (
            "conversation: [Hi]",
            &["10:20 wrong-value: a turn must be a mapping with `user`, not a string"],
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
            &["10:27 wrong-value: `user` must not be empty (write a value, or remove the field)"],
        ),
        (
            "simulate: {role: r}",
            &["10:15 missing-field: `simulate` has no `goal`"],
        ),
        (
            "simulate: {goal: g, mood: bad}",
            &[
                "10:25 unknown-field: a simulated user has no field `mood` (its fields are `goal`, `role`, `personality`, `context`, `rules`, `maxTurns` and `stopWhen`)",
            ],
        ),
        (
            "simulate: {goal: g}\n    trials: 0",
            &["11:13 wrong-value: `trials` must be a whole number from 1 to 1000, got '0'"],
        ),
        (
            "simulate: {goal: g}\n    during: {helo: {should: [x]}}",
            &["11:14 unknown-topic: unknown topic `helo` (did you mean `hello`?)"],
        ),
        (
            "simulate: {goal: g}\n    during: {hello: {must: [x]}}",
            &[
                "11:22 unknown-field: `hello` has no field `must` (its fields are `should` and `shouldNot`)",
            ],
        ),
        (
            "conversation: [{user: Hi}]\n    during: {hello: {should: [x]}}",
            &["11:13 conflict: `during` has no effect here: it is for simulated users"],
        ),
        (
            "simulate: {goal: g, maxTurns: 5}\n    expect: [{turns: {min: 6}}]",
            &["11:15 vacuous: `turns` can never pass: a conversation has 1 to 5 turns here"],
        ),
        (
            "conversation: [{user: Hi}]\n    expect: [{turns: {min: 2}}]",
            &["11:15 vacuous: `turns` can never pass: the script has 1 turn"],
        ),
        (
            "conversation: [{user: '{{scenario.name}}'}]",
            &[
                "10:28 undefined-variable: `{{scenario.name}}` requires a scenario (add `scenarios` to the test: a file, or a list of mappings)",
            ],
        ),
    ] {
        assert_eq!(problems_of_test(lines), expected, "{lines}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn reports_invalid_suites() {
    const TEST: &str = "tests: [{name: t, conversation: [{user: Hi}]}]";
    for (suite, expected) in [
        (
            TEST.to_owned(),
            &[
                "1:9 missing-field: the test requires an `agent` (add it at the top of the suite: `agent: {command: …}`)",
            ][..],
        ),
        (
            format!("agent: ./agent\n{TEST}"),
            &[
                "1:8 wrong-value: `agent` must be a mapping, not a string (to run a program, write `agent: {command: …}`)",
            ],
        ),
        (
            format!("agent:\n{TEST}"),
            &[
                "1:6 wrong-value: `agent` must be a mapping, not an empty value (to run a program, write `agent: {command: …}`)",
            ],
        ),
        (
            format!("agent: {{command: './{{{{env.NO_SUCH_THING}}}}'}}\n{TEST}"),
            &[
                "1:21 undefined-variable: the environment has no variable `NO_SUCH_THING` (set it in the environment: `NO_SUCH_THING=… casebook run`)",
            ],
        ),
        (
            "agent: {command: a}\ntests:\n  - name: x".to_owned(),
            &[
                "3:5 missing-field: the test has no `command` (add `command`, `steps`, `conversation` or `simulate`)",
            ],
        ),
        (
            format!("agent: {{command: a, http: {{url: 'http://a'}}}}\n{TEST}"),
            &[
                "1:21 conflict: `agent` must have only one of `command`, `http`, `openai` and `anthropic`",
            ],
        ),
        (
            format!("agent: {{}}\n{TEST}"),
            &[
                "1:8 missing-field: `agent` is empty; it must have one of `command`, `http`, `openai`, `anthropic`",
            ],
        ),
        (
            format!("agent: {{http: {{headers: {{a: b}}}}}}\n{TEST}"),
            &["1:15 missing-field: the agent has no `url`"],
        ),
        (
            format!("agent: {{http: {{url: localhost}}}}\n{TEST}"),
            &["1:21 wrong-value: `localhost` is not a URL that begins with http:// or https://"],
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
                "2:27 conflict: `url` has no effect here: a `scripted` model takes its responses from the suite",
            ],
        ),
        (
            format!(
                "agent: {{command: a}}\nllm: {{provider: openai, model: m, user: [a]}}\n{TEST}"
            ),
            &["2:35 conflict: `user` has no effect here: only a `scripted` model uses it"],
        ),
        (
            format!(
                "agent: {{command: a}}\nllm: {{provider: scripted, verdicts: {{a: maybe}}, topics: [x]}}\n{TEST}"
            ),
            &[
                "2:38 unknown-criterion: `a` is not a criterion, and no check uses it",
                "2:41 wrong-value: `a` must be one of true, false, inconclusive, got 'maybe'",
                "2:58 unknown-topic: unknown topic `x` (define it under `topics:`)",
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
fn reports_inconsistent_parts() {
    const TEST: &str = "tests: [{name: t, conversation: [{user: Hi}]}]";
    for (suite, expected) in [
        (
            format!("agent: {{command: a}}\ncriteria: {{a: {{good: [x]}}, b: {{description: d, edge: [y], bad: [{{text: z, verdict: true}}]}}}}\n{TEST}"),
            &[
                "2:15 missing-field: the criterion `a` has no `description`",
                "2:55 missing-field: an `edge` example requires a `verdict`: true or false",
                "2:84 conflict: `verdict` has no effect here: the verdict of a `bad` example is fixed",
            ][..],
        ),
        (
            format!("agent: {{command: a}}\ntopics:\n  a: {{description: A, next: [a, other], triggers: [{{}}]}}\n  b: {{description: B}}\n{TEST}"),
            &[
                "3:30 topic-graph: the topic `a` leads to itself (remove it: a conversation stays in its topic by itself)",
                "3:33 unknown-topic: unknown topic `other` (define it under `topics:`)",
                "3:52 missing-field: the trigger is empty",
                "4:3 topic-graph: the topic `b` cannot be reached from `a`, where every conversation starts (add it to the `next` of a topic)",
            ],
        ),
        // The invalid trigger is reported, not missing triggers.
        (
            format!("agent: {{command: a}}\ntopics:\n  a: {{description: A, next: [b]}}\n  b: {{description: B, triggers: [{{caled: x}}]}}\n{TEST}"),
            &["4:35 unknown-field: a trigger has no field `caled` (did you mean `called`?)"],
        ),
        (
            format!("agent: {{command: a}}\ntopics:\n  a: {{description: A, next: [b]}}\n  b: {{description: B}}\n{TEST}"),
            &["4:3 no-model: the topic `b` has no `triggers`, so it requires a model as the judge (add `llm: {provider: …, model: …}`)"],
        ),
        (
            "agent: {command: a}\ntests:\n  - {name: t, simulate: {goal: g}, expect: [{satisfies: It is short}]}".to_owned(),
            &[
                "3:25 no-model: `simulate` requires a model (add `llm: {provider: …, model: …}`)",
                "3:57 no-model: `satisfies` requires a model as the judge (add `llm: {provider: …, model: …}`)",
            ],
        ),
        (
            "agent: {openai: {url: 'http://a/v1/', model: m}}\nllm: {provider: openai, url: 'http://a/v1', model: m}\ntests:\n  - {name: t, conversation: [{user: Hi, expect: [{claims: a b}]}]}".to_owned(),
            &["2:6 self-judge: the model `m` is under test and would judge itself (use another model as the judge, or allow it with `judge: {self: true}`)"],
        ),
        (
            "agent: {openai: {url: 'http://a/v1/chat/completions', model: m}}\nllm: {provider: openai, url: 'http://A/v1', model: m}\ntests:\n  - {name: t, conversation: [{user: Hi, expect: [{claims: a b}]}]}".to_owned(),
            &["2:6 self-judge: the model `m` is under test and would judge itself (use another model as the judge, or allow it with `judge: {self: true}`)"],
        ),
        (
            "agent: {command: a}\nllm: {provider: scripted}\ncriteria: {ok: It is fine}\ntests:\n  - {name: t, conversation: [{user: Hi, expect: [{satisfies: ok}]}]}".to_owned(),
            &["5:62 missing-field: `llm.verdicts` has no verdict on `ok`, which `satisfies` requires (add `ok: true` or `false` to `verdicts`)"],
        ),
        (
            "agent: {command: a}\nllm: {provider: scripted}\ntests:\n  - {name: t, conversation: [{user: Hi, capture: {v: x}, expect: [{satisfies: 'It says {{v}}'}, {satisfies: '{{v}}'}]}]}".to_owned(),
            &[
                "4:79 missing-field: `llm.verdicts` has no verdict on `It says {{v}}`, which `satisfies` requires (add `It says {{v}}: true` or `false` to `verdicts`)",
                "4:109 unknown-criterion: unknown criterion `{{v}}` (define it under `criteria:`, or write the criterion as a sentence)",
            ],
        ),
        (
            format!("agent: {{http: {{url: 'http://a', headers: {{a b: c, ä: d, x: \"e\\nf\"}}}}}}\n{TEST}"),
            &[
                "1:42 wrong-value: the header `x` contains a line break or a control character",
                "1:43 wrong-value: `a b` is not a valid header name",
                "1:51 wrong-value: `ä` is not a valid header name",
            ],
        ),
        (
            format!("agent: {{command: a}}\nllm: {{provider: openai, model: m, price: {{input: -1, output: 0}}}}\n{TEST}"),
            &["2:50 wrong-value: `input` must not be less than 0, got '-1'"],
        ),
        (
            "agent: {command: a}\ntopics:\n  a: {description: A, next: [b]}\n  b: {description: B, triggers: [{userMatches: x}], next: [c]}\n  c: {description: C, triggers: [{userMatches: y}]}\ntests:\n  - {name: t, conversation: [{user: Hi, expect: {topics: [a, c]}}], expect: [{topics: [a, b, c]}, {topics: [a, b, b]}], evaluate: [{topics: [a, c]}, {topics: [a, a]}]}".to_owned(),
            &[
                "7:50 vacuous: `topics` can never pass: `c` does not follow `a`",
                "7:100 vacuous: `topics` can never pass: `b` does not follow `b`",
                "7:151 vacuous: `topics` can never pass: `a` does not follow `a`",
            ],
        ),
        (
            "agent: {command: a}\nllm: {provider: openai, model: m}\nsimulator: x\ntests: [{name: t, simulate: {goal: g}}]".to_owned(),
            &["3:12 wrong-value: `simulator` must be a mapping, not a string (its fields are `goal`, `role`, `personality`, `context`, `rules`, `maxTurns` and `stopWhen`)"],
        ),
        // Checked even if no test is a conversation.
        (
            "agent: {comand: a}\nsimulator: {mood: bad}\ntests: [{name: t, command: ls}]".to_owned(),
            &[
                "1:9 unknown-field: an agent has no field `comand` (did you mean `command`?)",
                "2:13 unknown-field: a simulated user has no field `mood` (its fields are `goal`, `role`, `personality`, `context`, `rules`, `maxTurns` and `stopWhen`)",
            ],
        ),
    ] {
        assert_eq!(problems(&suite), expected, "{suite}");
    }
}

#[test]
fn the_model_under_test_may_judge_itself_if_allowed() {
    let suite = "agent: {openai: {url: 'http://a/v1', model: m}}\nllm: {provider: openai, url: 'http://a/v1', model: m}\njudge: {self: true}\ntests:\n  - {name: t, conversation: [{user: Hi, expect: [{claims: a b}]}]}";
    assert!(conversation(suite).judge.itself);
    let other = suite
        .replace("model: m}}", "model: n}}")
        .replace("judge: {self: true}\n", "");
    assert_eq!(problems(&other), [""; 0]);
}

#[test]
fn reports_invalid_trials() {
    for (trials, problem) in [
        (
            "{count: 5, atLeast: 6}",
            "10:33 vacuous: `trials` can never pass: it needs 6 of 5 trials",
        ),
        (
            "{atLeast: 6}",
            "10:13 missing-field: `trials` has no `count`",
        ),
        (
            "{count: 5, atLeast: 2, passRate: 0.5}",
            "10:36 conflict: `trials` has `atLeast` or `passRate`, not both",
        ),
        (
            "{count: 5, passRate: 80}",
            "10:34 wrong-value: `passRate` must be more than 0 and at most 1, got 80 (80% is `passRate: 0.8`)",
        ),
        (
            "0",
            "10:13 wrong-value: `trials` must be a whole number from 1 to 1000, got '0'",
        ),
    ] {
        let lines = format!("trials: {trials}\n    conversation: [{{user: Hi}}]");
        assert_eq!(problems_of_test(&lines), [problem], "{trials}");
    }
    assert_eq!(
        problems_of_test("trials: 2\n    retries: 1\n    conversation: [{user: Hi}]"),
        [
            "11:5 conflict: `retries` has no effect here: a trial is never retried (to allow failed trials, write `trials: {count: N, atLeast: M}`)"
        ]
    );
}
