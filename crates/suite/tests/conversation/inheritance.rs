//! Tests of the settings that a test inherits from its suite.

use std::sync::Arc;

use super::*;

#[test]
fn a_test_adds_to_the_settings_of_its_suite() {
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
    let conversation = suite.tests[0]
        .conversation()
        .expect("the test must be a conversation");
    let Agent::Command(script) = &*conversation.agent else {
        panic!("{:?}", conversation.agent);
    };
    assert_eq!(script.text, "./agent tiny");
    let llm = conversation
        .user_model
        .as_ref()
        .expect("the suite must have a model");
    assert_eq!(conversation.judges[..], [(**llm).clone()]);
    let Provider::Scripted(script) = &llm.provider else {
        panic!("{llm:?}");
    };
    assert_eq!(script.user, ["b"]);
    assert_eq!(
        script.verdicts,
        [
            (
                "x".to_owned(),
                ScriptedVerdicts::Always(Verdict::Passed.into())
            ),
            (
                "y".to_owned(),
                ScriptedVerdicts::InOrder(vec![
                    Verdict::Passed.into(),
                    Verdict::Inconclusive.into()
                ])
            ),
            (
                "z".to_owned(),
                ScriptedVerdicts::Always(Verdict::Passed.into())
            ),
        ]
    );
    assert_eq!(
        (conversation.judge.votes, conversation.judge.itself),
        (3, true)
    );
    let criteria: Vec<_> = conversation
        .criteria
        .iter()
        .map(|one| one.description.as_str())
        .collect();
    assert_eq!(criteria, ["X", "Why", "Z"]);
    assert_eq!(conversation.topics[1].description, "Be");
    assert_eq!(
        conversation.topics[1].triggers,
        [Trigger::AgentMatches("b".into())]
    );
    let User::Simulated(user) = &conversation.user else {
        panic!("the user must be simulated");
    };
    assert_eq!(user.role.as_deref(), Some("Planner"));
    assert_eq!(user.personality, ["quick", "kind"]);
    let rules = UserRules {
        should: vec!["ask".into(), "thank".into()],
        should_not: vec!["shout".into()],
    };
    assert_eq!(user.rules, rules);
    assert_eq!(user.max_turns, 4);
    assert_eq!(user.stop_when.len(), 1);
    assert_eq!(user.during[0].0, "b");
    let hard: Vec<_> = conversation
        .expectations
        .iter()
        .map(|Expectation { hard, field, .. }| (*hard, *field))
        .collect();
    assert_eq!(
        hard,
        [(true, "called"), (true, "satisfies"), (false, "satisfies")]
    );
}

#[test]
fn another_provider_replaces_the_model() {
    let conversation = conversation(
        "agent: {command: a}\nllm: {provider: anthropic, model: m, keyEnv: KEY}\ntests:\n  - {name: t, llm: {provider: scripted}, conversation: [{user: Hi}]}",
    );
    let llm = conversation
        .user_model
        .expect("the suite must have a model");
    assert_eq!(
        (llm.model.as_str(), llm.key_env.as_ref()),
        ("scripted", None)
    );
}

#[test]
fn decodes_agents_and_criteria() {
    let conversation = conversation(
        "agent: {http: {url: 'http://localhost/chat', headers: {Authorization: 'Bearer {{env.TOKEN}}'}, timeout: 2m}}\ncriteria:\n  a: {description: A, good: [x], bad: [{text: y, why: z}], edge: [{text: w, verdict: false}]}\ntests: [{name: t, conversation: [{user: Hi}]}]",
    );
    let Agent::Http(agent) = &*conversation.agent else {
        panic!("{:?}", conversation.agent);
    };
    let endpoint = &agent.endpoint;
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
        conversation.criteria[0].examples,
        [
            sample("x", true, false, None),
            sample("y", false, false, Some("z")),
            sample("w", false, true, None),
        ]
    );
}

#[test]
fn conversations_have_the_general_fields_of_tests() {
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
    assert_eq!(
        test.workdir
            .as_ref()
            .and_then(casebook_suite::model::Workdir::path),
        Some("w")
    );
    let Some(User::Scripted(turns)) = test.conversation().map(|conversation| &conversation.user)
    else {
        panic!("the user must be scripted");
    };
    assert_eq!(turns[0].text, "I am Ada");
    assert!(test.steps().is_empty());
}

#[test]
fn problems_in_settings_of_the_suite_have_no_test() {
    let checked = checked(
        "agent: {comand: a}\ntests:\n  - {name: one, conversation: [{user: ''}]}\n  - {name: two, conversation: [{user: Hi}]}",
    );
    let within: Vec<_> = checked
        .diagnostics
        .iter()
        .map(|problem| problem.part.as_deref())
        .collect();
    assert_eq!(within, [None, Some("test `one`")]);
}

#[test]
fn finds_everything_that_starts_processes() {
    let http = "agent: {http: {url: 'http://localhost:1'}}";
    let llm = "llm: {provider: scripted, user: [a]}";
    let run = "[{run: ./check}]";
    for (starts, rest) in [
        (
            false,
            "tests: [{name: t, conversation: [{user: a, expect: [{contains: b}]}]}]".to_owned(),
        ),
        (
            true,
            format!("tests: [{{name: t, conversation: [{{user: a, expect: {run}}}]}}]"),
        ),
        (
            true,
            format!("tests: [{{name: t, conversation: [{{user: a}}], evaluate: {run}}}]"),
        ),
        (
            true,
            format!(
                "topics: {{a: {{description: A, expect: {run}}}}}\ntests: [{{name: t, conversation: [{{user: a}}]}}]"
            ),
        ),
        (
            true,
            "tests: [{name: t, simulate: {goal: g, stopWhen: {run: ./check}}}]".to_owned(),
        ),
        (
            true,
            "tests: [{name: t, agent: {command: ./agent}, conversation: [{user: a}]}]".to_owned(),
        ),
    ] {
        let text = format!("{http}\n{llm}\n{rest}\n");
        assert_eq!(conversation(&text).starts_processes(), starts, "{text}");
    }
}

#[test]
fn tests_share_equal_values_only() {
    let suite = suite(
        "agent: {http: {url: 'http://localhost/{{p}}'}}
variables: {p: a}
criteria: {x: Ex}
tests:
  - {name: one, conversation: [{user: a}]}
  - {name: two, conversation: [{user: a}]}
  - {name: three, criteria: {y: Why}, conversation: [{user: a}]}
  - {name: four, matrix: {p: [b]}, conversation: [{user: a}]}
",
    );
    let [one, two, three, four] = [0, 1, 2, 3].map(|at| suite.tests[at].conversation().unwrap());
    assert!(Arc::ptr_eq(&one.agent, &two.agent) && Arc::ptr_eq(&one.criteria, &two.criteria));
    assert!(Arc::ptr_eq(&one.agent, &three.agent));
    assert_eq!((two.criteria.len(), three.criteria.len()), (1, 2));
    assert_ne!(one.agent, four.agent);
}
