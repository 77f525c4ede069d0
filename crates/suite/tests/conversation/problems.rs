//! Tests of the problems of conversation tests, suites and their combination.

use super::*;

#[test]
fn reports_invalid_tests() {
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
            &["10:27 wrong-value: `user` must not be empty"],
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
                "1:6 wrong-value: `agent` must be a mapping, not nothing (to run a program, write `agent: {command: …}`)",
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
            &["1:21 conflict: an agent must have one kind, not both `command` and `http`"],
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
            &["5:62 missing-field: `llm.verdicts` has no verdict on `ok`, which `satisfies` requires"],
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
            "10:34 wrong-value: `passRate` must be more than 0 and at most 1, got 80 (80 % is `passRate: 0.8`)",
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
