//! Tests of models by role, juries and scores.

use casebook_suite::model::conversation::{Agreement, CriterionRef, Llm, Provider, Scale};

use super::*;

fn with_llm(fields: &str) -> String {
    format!(
        "\
agent: {{command: ./agent}}
{fields}
tests:
  - name: t
    simulate: {{goal: g}}
    expect: [{{satisfies: It is short}}]
"
    )
}

fn named(llm: &Llm) -> String {
    let provider = match llm.provider {
        Provider::Anthropic => "anthropic",
        Provider::OpenAi => "openai",
        Provider::Scripted(_) => "scripted",
    };
    format!("{provider} {}", llm.model)
}

#[test]
fn each_role_adds_to_the_common_fields() {
    for (fields, judges, user) in [
        (
            "llm: {provider: openai, model: m}",
            vec!["openai m"],
            "openai m",
        ),
        (
            "llm: {provider: openai, model: m, judge: {model: j}}",
            vec!["openai j"],
            "openai m",
        ),
        (
            "llm: {judge: {provider: anthropic, model: j}, user: {provider: openai, model: u}}",
            vec!["anthropic j"],
            "openai u",
        ),
        (
            "llm: {provider: openai, model: m, keyEnv: K, user: {provider: scripted, user: [Hi]}}",
            vec!["openai m"],
            "scripted scripted",
        ),
        (
            "llm: {provider: openai, model: m}\njudge: {models: [a, b, {provider: anthropic, model: c}], agree: all}",
            vec!["openai a", "openai b", "anthropic c"],
            "openai m",
        ),
    ] {
        let conversation = conversation(&with_llm(fields));
        let found: Vec<_> = conversation.judges.iter().map(named).collect();
        assert_eq!(found, judges, "{fields}");
        assert_eq!(named(conversation.user_model.as_ref().unwrap()), user);
    }
}

#[test]
fn parameters_of_a_role_are_its_own() {
    let conversation = conversation(&with_llm(
        "llm: {provider: openai, model: m, maxTokens: 100, headers: {X-Team: a}, judge: {temperature: 0.2}, user: {temperature: 1, maxTokens: 50}}\njudge: {agree: all, batch: true}",
    ));
    let user = conversation.user_model.as_ref().unwrap();
    let judge = &conversation.judges[0];
    assert_eq!(
        (judge.temperature, judge.max_tokens),
        (Some(0.2), Some(100))
    );
    assert_eq!((user.temperature, user.max_tokens), (Some(1.0), Some(50)));
    assert_eq!(judge.headers, [("X-Team".to_owned(), "a".to_owned())]);
    assert_eq!(conversation.judge.agree, Agreement::All);
    assert!(conversation.judge.batch);
}

#[test]
fn problems_of_models() {
    for (fields, expected) in [
        (
            "llm: {judge: {provider: openai, model: j}}",
            vec!["5:15 no-model: `simulate` requires a model (add `llm: {provider: …, model: …}`)"],
        ),
        (
            "llm: {user: {provider: openai, model: u}}",
            vec![
                "6:26 no-model: `satisfies` requires a model as the judge (add `llm: {provider: …, model: …}`)",
            ],
        ),
        (
            "llm: {provider: openai, model: m, judge: {provdier: x}}",
            vec![
                "2:43 unknown-field: `llm.judge` has no field `provdier` (did you mean `provider`?)",
            ],
        ),
        (
            "llm: openai",
            vec![
                "2:6 wrong-value: `llm` must be a mapping, not a string (its fields are `provider`, `model`, `url`, `keyEnv`, `headers`, `temperature`, `maxTokens`, `timeout`, `concurrency`, `requestsPerMinute`, `price`, `verdicts`, `topics`, `judge` and `user`)",
            ],
        ),
        (
            "llm: {provider: openai, model: m, apiKey: abc}",
            vec![
                "2:35 unknown-field: `llm` has no field `apiKey` (keys are read from the environment; `keyEnv` names the variable if it is not the provider's own)",
            ],
        ),
        (
            "llm: {provider: openai, model: m, temperature: 3}",
            vec!["2:48 wrong-value: `temperature` must be a number from 0 to 2, got '3'"],
        ),
        (
            "llm: {provider: openai, model: m}\njudge: {models: []}",
            vec!["3:17 missing-field: `models` must name at least one model"],
        ),
        (
            "llm: {provider: openai, model: m}\njudge: {models: [a, {model: a}, b, {model: a, temperature: 1}]}",
            vec![
                "3:21 conflict: `models` contains `a` twice (`votes` sets the number of votes of each model)",
            ],
        ),
        (
            "llm: {provider: openai, model: m}\njudge: {models: a, agree: most}",
            vec![
                "3:17 wrong-value: `models` must be a list, not a string",
                "3:27 wrong-value: `agree` must be one of majority, all, got 'most'",
            ],
        ),
    ] {
        assert_eq!(problems(&with_llm(fields)), expected, "{fields}");
    }
}

fn with_criterion(criterion: &str, check: &str) -> String {
    with_llm(&format!(
        "llm: {{provider: openai, model: m}}\ncriteria: {{helpful: {criterion}}}"
    ))
    .replace("[{satisfies: It is short}]", check)
}

#[test]
fn a_criterion_may_have_a_score() {
    let text = with_criterion(
        "{description: D, scale: {5: great, 1: useless, 3: fair}}",
        "{satisfies: {criterion: helpful, min: 3.5}}",
    );
    let conversation = conversation(&text);
    let scale = |score: f64, text: &str| (score, text.to_owned());
    assert_eq!(
        conversation.criteria[0].scale,
        Some(Scale {
            min: 1.0,
            max: 5.0,
            anchors: vec![
                scale(1.0, "useless"),
                scale(3.0, "fair"),
                scale(5.0, "great")
            ],
        })
    );
    assert_eq!(
        conversation.expectations[0].check,
        ConversationCheck::Satisfies(CriterionRef::Scored {
            name: "helpful".to_owned(),
            min: 3.5
        })
    );
}

#[test]
fn problems_of_scores() {
    let scored = "{description: D, score: true}";
    for (criterion, check, expected) in [
        (
            scored,
            "{satisfies: helpful}",
            "7:25 missing-field: `helpful` has a score, so `satisfies` requires a minimum (write `satisfies: {criterion: helpful, min: 0.5}`)",
        ),
        (
            scored,
            "{satisfies: {criterion: helpful, min: 1.5}}",
            "7:51 vacuous: this can never pass: the highest score of `helpful` is 1",
        ),
        (
            scored,
            "{satisfies: {criterion: helpful, min: 0}}",
            "7:51 vacuous: this always passes: the lowest score of `helpful` is 0",
        ),
        (
            "D",
            "{satisfies: {criterion: helpful, min: 0.5}}",
            "7:51 conflict: `min` has no effect here: `helpful` has no score (add `scale: {…}` or `score: true` to the criterion)",
        ),
        (
            scored,
            "{satisfies: {criterion: helpfull, min: 0.5}}",
            "7:37 unknown-criterion: unknown criterion `helpfull` (did you mean `helpful`?)",
        ),
        (
            scored,
            "{satisfies: {min: 0.5}}",
            "7:25 missing-field: `satisfies` has no `criterion`",
        ),
        (
            "{description: D, scale: {1: bad}}",
            "{contains: a}",
            "3:45 missing-field: `scale` must describe at least two numbers (write `scale: {1: …, 5: …}`)",
        ),
        (
            "{description: D, scale: {low: bad, 5: good, 6: great}}",
            "{contains: a}",
            "3:46 wrong-value: a key of `scale` must be a number, got 'low'",
        ),
    ] {
        assert_eq!(
            problems(&with_criterion(criterion, check)),
            [expected],
            "{criterion} {check}"
        );
    }
}
